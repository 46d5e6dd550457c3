//! `log.txt` and `engine.log` in the originals' form.

use std::time::Duration;

use joust_referee::Verdict;

use super::timestamp::format_with;
use joust_model::{Exit, TurnRecord, escaped, escaped_bytes};

/// A log in the originals' form: each entry begins with a line break.
pub(super) struct Log {
    /// Milliseconds since 1970.
    pub(super) now_ms: i64,
    /// Progress of the writing.
    pub(super) text: String,
}

impl Log {
    /// Appends one entry; `kind` is `D`, `I` or `E`.
    pub(super) fn entry(&mut self, kind: char, message: &str) {
        let time = format_with(self.now_ms, "%d-%m-%Y %H:%M:%S");
        let ms = self.now_ms.rem_euclid(1000);
        self.text.push_str(&format!("\n{time}:{ms:03} - {kind}: \t{message}"));
    }

    /// Appends the log of a turn; `kill` is the time after which a bot is killed.
    pub(super) fn turn(&mut self, turn: &TurnRecord, kill: Duration) {
        let kill = kill.as_millis();
        self.entry('I', &format!("Bot has {kill}ms to run before it will be forcefully killed"));
        let wall_ms = i64::try_from(turn.wall_us / 1000).unwrap_or(0);
        self.now_ms = self.now_ms.saturating_add(wall_ms);
        self.output('I', &turn.output);
        self.output('E', &turn.stderr);
        // The ends of the two streams.
        self.entry('E', "Output from bot: ");
        self.entry('I', "Output from bot: ");
        if turn.exit == Exit::Killed {
            self.entry('E', "Bot has been killed for taking to long to execute");
        }
        match turn.verdict() {
            Verdict::Ok => {}
            Verdict::Timeout => self.entry('E', "Your bot exceeded the maximum execution time"),
            other => self.entry('E', &format!("Your bot's turn ended in: {other}")),
        }
        if !turn.reason.is_empty() {
            self.entry('E', &escaped(&turn.reason));
        }
        let time = |us: u64| span(Duration::from_micros(us));
        let (wall, cpu) = (time(turn.wall_us), time(turn.cpu_us));
        self.entry('I', &format!("Your bots total execution time was {wall}"));
        self.entry('I', &format!("Your bots total processor time was {cpu}"));
        self.entry('I', &format!("Command: {}", escaped(&turn.action)));
    }

    fn output(&mut self, kind: char, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.entry(kind, &format!("Output from bot: {}", escaped_bytes(line)));
        }
    }
}

/// Returns `00:00:00.1980000`, as .NET writes a span of time.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:07}", time.subsec_nanos() / 100)
}

#[cfg(test)]
mod tests {
    use joust_model::{LimitSet, Round};

    use super::*;

    #[test]
    fn a_span_of_time_is_written_as_dotnet_does() {
        assert_eq!(span(Duration::from_millis(198)), "00:00:00.1980000");
        assert_eq!(span(Duration::from_micros(3_723_000_001)), "01:02:03.0000010");
    }

    #[test]
    fn an_entry_begins_with_a_line_break_and_its_time() {
        let mut log = Log { now_ms: 1_479_635_214_047, text: String::new() };
        log.entry('D', "Executing");
        assert_eq!(log.text, "\n20-11-2016 09:46:54:047 - D: \tExecuting");
    }

    #[test]
    fn times_of_a_forged_log_do_not_overflow() {
        let turn = TurnRecord {
            round: Round(0),
            seat: 0,
            verdict: 0,
            limits_hit: LimitSet(0),
            wall_us: u64::MAX,
            cpu_us: u64::MAX,
            cpu_partial: false,
            stall_us: 0,
            peak_memory_bytes: 0,
            exit: Exit::Running,
            action: String::new(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        };
        let mut log = Log { now_ms: i64::MAX - 1, text: String::new() };
        log.turn(&turn, Duration::MAX);
        assert_eq!(log.now_ms, i64::MAX);
    }
}
