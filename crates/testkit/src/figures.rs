//! Figures of benchmarks: numbers of the command line, rows with bars, and costs as multiples of a
//! reference that is measured in the same run.
//!
//! Such a ratio says the same on machines of different speed, so each night's are compared with
//! those of the night before.
#![expect(clippy::print_stdout, reason = "benchmarks print their figures")]

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Variable that names the file to which ratios are appended, a JSON object a line.
pub const FILE: &str = "JOUST_FIGURES";

/// Returns the word after `name` on the command line.
pub fn word(name: &str) -> Option<String> {
    std::env::args().skip_while(|word| word != name).nth(1)
}

/// Returns the number after `name` on the command line, or the usual one.
///
/// # Errors
///
/// The word there is no number.
pub fn number<T: FromStr<Err: Error + 'static>>(name: &str, usual: T) -> Result<T, Box<dyn Error>> {
    Ok(word(name).map_or(Ok(usual), |word| word.parse())?)
}

/// Returns the most memory that this process has had, in MiB.
///
/// # Errors
///
/// The kernel's status of the process cannot be read.
pub fn peak_memory_mib() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib / 1024.0)
}

/// Returns microseconds.
pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Rows that are printed: figures with their bars.
#[derive(Default)]
pub struct Rows {
    missed: usize,
}

/// Bar of a figure, with the side on which the figure has to be.
#[derive(Clone, Copy, Debug)]
pub enum Bar {
    /// The figure may not be larger.
    AtMost(f64),
    /// The figure may not be smaller.
    AtLeast(f64),
}

impl Rows {
    /// Prints a figure beside its bar.
    pub fn judge(&mut self, what: &str, figure: f64, unit: &str, bar: Bar) {
        let (is_met, sign, bar) = match bar {
            Bar::AtMost(bar) => (figure <= bar, "<=", bar),
            Bar::AtLeast(bar) => (figure >= bar, ">=", bar),
        };
        self.missed += usize::from(!is_met);
        let word = if is_met { "met" } else { "MISSED" };
        println!("{what:<64} {figure:>8.2} {unit:<3} (bar {sign} {bar:.2} {unit}) {word}");
    }

    /// Prints a figure that has no bar.
    pub fn note(&self, what: &str, figure: f64, unit: &str) {
        println!("{what:<64} {figure:>8.2} {unit}");
    }

    /// Prints that something is not measured.
    pub fn skip(&self, what: &str, why: &str) {
        println!("SKIPPED: {what}: {why}");
    }

    /// Returns the number of bars that were missed.
    pub fn missed(&self) -> usize {
        self.missed
    }
}

/// Records a cost as a multiple of its reference, in the file of [`FILE`] where that is set.
///
/// # Panics
///
/// If that file cannot be written.
pub fn record(name: &str, ratio: f64) {
    if let Some(path) = std::env::var_os(FILE) {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line(name, ratio).as_bytes()));
        written.expect("figures can be written");
    }
}

fn line(name: &str, ratio: f64) -> String {
    format!("{}\n", serde_json::json!({ "name": name, "ratio": ratio }))
}

/// Returns the time of a million steps of a loop of our own, which reads and writes a table of
/// 64 KiB and branches by chance: the reference of work that starts no program.
pub fn million_steps() -> Duration {
    const SAMPLES: usize = 9;
    let mut table = vec![0_u64; 1 << 13];
    let mut state = 1_u64;
    let mut sample = || {
        let start = Instant::now();
        for _ in 0..1_000_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = &mut table[(state >> 51) as usize];
            *place = if *place & 1 == 0 { *place ^ state } else { place.rotate_left(7) };
        }
        start.elapsed()
    };
    let mut samples = [(); SAMPLES].map(|()| sample());
    black_box(table);
    samples.sort_unstable();
    samples[SAMPLES / 2]
}

/// Returns the median time of an exchange with a program over two bare pipes: `request` bytes
/// there, `answer` bytes back.
///
/// # Errors
///
/// The program cannot be started, or ends.
pub fn bare_exchange(
    mut program: Command,
    request: usize,
    answer: usize,
) -> Result<Duration, Box<dyn Error>> {
    const ROUNDS: usize = 10_000;
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (mut to, mut from) = (child.stdin.take(), child.stdout.take());
    let (to, from) = (to.as_mut().ok_or("no input")?, from.as_mut().ok_or("no output")?);
    let (request, mut answer) = (vec![b'x'; request], vec![0; answer]);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        to.write_all(&request)?;
        from.read_exact(&mut answer)?;
        times.push(start.elapsed());
    }
    child.kill()?;
    child.wait()?;
    times.sort_unstable();
    Ok(times[ROUNDS / 2])
}

/// Measures work of `count` pieces, unless the command line has words and none is in its name:
/// prints the pieces a second, and records the time of a piece beside a million steps of the loop.
pub fn speed<T>(name: &str, count: u64, mut work: impl FnMut() -> T) {
    const SAMPLES: usize = 15;
    const LONG_ENOUGH: Duration = Duration::from_millis(50);
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    if words.peek().is_some() && !words.any(|word| name.contains(&word)) {
        return;
    }
    let steps = million_steps();
    let mut sample = || {
        let (start, mut times) = (Instant::now(), 0_u32);
        while times == 0 || start.elapsed() < LONG_ENOUGH {
            black_box(work());
            times += 1;
        }
        start.elapsed() / times
    };
    sample();
    let mut samples = [(); SAMPLES].map(|()| sample());
    samples.sort_unstable();
    let rate = |time: Duration| count as f64 / time.as_secs_f64();
    let (slow, fast) = (rate(samples[SAMPLES - 1]), rate(samples[0]));
    let middle = samples[SAMPLES / 2];
    println!("{name}: {:.0} a second, from {slow:.0} to {fast:.0}", rate(middle));
    record(name, middle.div_duration_f64(steps) / count as f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_lines_of_json() {
        assert_eq!(line("a \"turn\"", 1.25), "{\"name\":\"a \\\"turn\\\"\",\"ratio\":1.25}\n");
    }

    #[test]
    fn figures_on_the_wrong_side_of_their_bar_are_missed() {
        let mut rows = Rows::default();
        rows.judge("cost", 2.0, "us", Bar::AtMost(2.0));
        rows.judge("speed", 2.0, "/s", Bar::AtLeast(2.0));
        assert_eq!(rows.missed(), 0);
        rows.judge("cost", 2.1, "us", Bar::AtMost(2.0));
        rows.judge("speed", 1.9, "/s", Bar::AtLeast(2.0));
        assert_eq!(rows.missed(), 2);
    }
}
