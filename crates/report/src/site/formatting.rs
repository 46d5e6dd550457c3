//! Numbers, times and dates as people read them.

use std::time::Duration;

use joust_model::Score;

/// Returns a time with two or three digits and its unit: `870 µs`, `12.4 ms`, `1.53 s`.
pub(super) fn time(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0 => "0".to_owned(),
        1..1_000 => format!("{micros} µs"),
        1_000..100_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        100_000..1_000_000 => format!("{} ms", micros / 1_000),
        1_000_000..100_000_000 => {
            format!("{}.{:02} s", micros / 1_000_000, micros % 1_000_000 / 10_000)
        }
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

/// Returns a number of bytes: `512 KiB`, `36.5 MiB`.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => {
            format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20)
        }
        _ => format!("{}.{} GiB", bytes >> 30, (((bytes & 0x3fff_ffff) >> 10) * 10) >> 20),
    }
}

/// Returns a whole number in groups of three digits, parted by narrow spaces.
pub(super) fn number(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut shown = if number < 0 { "−".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

/// Returns a score as [`number`] does, with the decimals it has.
pub(super) fn score(score: Score) -> String {
    match score.as_whole() {
        Some(points) => number(points),
        None => score.to_string().replace('-', "−"),
    }
}

/// Returns a count as [`number`] does.
pub(super) fn count(count: u64) -> String {
    number(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Returns won, drawn and lost with dashes between.
pub(super) fn record(won: u32, drawn: u32, lost: u32) -> String {
    format!("{won}–{drawn}–{lost}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_two_or_three_digits() {
        let micros = [0, 870, 12_450, 870_000, 1_534_000, 61_000_000, 125_000_000];
        let shown = micros.map(|micros| time(Duration::from_micros(micros)));
        assert_eq!(shown, ["0", "870 µs", "12.4 ms", "870 ms", "1.53 s", "61.00 s", "2 min 5 s"]);
    }

    #[test]
    fn long_numbers_are_grouped() {
        let shown = [0, 9999, 10_000, -1_234_567].map(number);
        assert_eq!(shown, ["0", "9999", "10\u{202f}000", "−1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn bytes_have_a_unit() {
        let shown = [512, 2048, 38_273_024, 3 << 29].map(bytes);
        assert_eq!(shown, ["512 B", "2 KiB", "36.5 MiB", "1.5 GiB"]);
    }
}
