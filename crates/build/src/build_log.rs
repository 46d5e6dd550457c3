//! Log of a build: what it printed, capped, escaped, every line marked as the bot's.

use std::fmt::Write;

use joust_sandbox::{Ending, TurnReport};

use crate::error_extract::uncoloured;
use joust_bots::escape;
use joust_toolchain::build_error::shown_command;

/// The log of one build.
#[derive(Debug)]
pub(crate) struct BuildLog {
    pub(crate) text: String,
    cap: usize,
}

impl BuildLog {
    /// Starts a log that keeps about `cap` bytes of what commands print.
    pub(crate) fn new(cap: u64) -> Self {
        Self { text: String::new(), cap: usize::try_from(cap).unwrap_or(usize::MAX) }
    }

    /// Adds a command, what it printed and how it ended.
    pub(crate) fn add(&mut self, command: &[String], report: &TurnReport) {
        self.line(&format!("$ {}", shown_command(command)));
        self.output(&report.stdout, report.stdout_seen);
        self.output(&report.stderr, report.stderr_seen);
        let wall = report.usage.wall.as_secs_f64();
        self.line(&format!("= {} after {wall:.3} s", ending(report.ending)));
    }

    /// Adds a line of Joust's own.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn output(&mut self, bytes: &[u8], seen: u64) {
        let room = self.cap.saturating_sub(self.text.len()).min(bytes.len());
        for line in String::from_utf8_lossy(&bytes[..room]).lines() {
            self.text.push_str("  | ");
            self.text.push_str(&escape(&uncoloured(line)));
            self.text.push('\n');
        }
        let cut = seen.saturating_sub(room as u64);
        if cut > 0 {
            let _ = writeln!(self.text, "  ({cut} bytes more were printed)");
        }
    }
}

/// Returns how a command ended, in words.
pub fn ending(ending: Ending) -> String {
    match ending {
        Ending::MemoryLimit => "was ended at the memory limit".to_owned(),
        Ending::OutputLimit => "was ended at the output limit".to_owned(),
        Ending::CpuLimit => "was ended at the processor time limit".to_owned(),
        Ending::WallLimit => "was ended at the time limit".to_owned(),
        Ending::Stopped => "was ended by us".to_owned(),
        Ending::NotStarted(errno) => {
            let reason = std::io::Error::from_raw_os_error(errno);
            format!("could not be started: {}{}", reason, start_hint(errno))
        }
        Ending::Signalled(signal) => format!("was ended by signal {signal}"),
        Ending::Exited(status) => format!("ended with status {status}"),
    }
}

/// Returns the usual cause when a program cannot be started.
fn start_hint(errno: i32) -> &'static str {
    match errno {
        // ENOENT
        2 => {
            "; it, or the interpreter its first line names, is not there (a line end of CR LF hides it too)"
        }
        // ENOEXEC
        8 => {
            "; it is for another machine, or a script without a first line that names its interpreter"
        }
        // EACCES
        13 => "; it may not be executed",
        _ => "",
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use joust_sandbox::ResourceUsage;

    use super::*;

    /// Makes the report of a command, from its output and its ending.
    pub(crate) fn report(stdout: &[u8], stderr: &[u8], ending: Ending) -> TurnReport {
        TurnReport {
            stdout: stdout.to_vec(),
            stdout_seen: stdout.len() as u64,
            stderr: stderr.to_vec(),
            stderr_seen: stderr.len() as u64,
            usage: ResourceUsage {
                wall: Duration::from_millis(1500),
                cpu_complete: true,
                ..ResourceUsage::default()
            },
            ..TurnReport::without_start(ending)
        }
    }

    #[test]
    fn every_line_of_a_bot_is_marked_and_escaped() {
        let mut log = BuildLog::new(1000);
        let said = report(b"::error::\x1b[1;31mx\x1b[0m\n\x1b[2J\n", b"", Ending::Exited(1));
        log.add(&["make".to_owned(), "a b".to_owned()], &said);
        assert_eq!(
            log.text,
            "$ make \"a b\"\n  | ::error::x\n  | \\u{1b}[2J\n= ended with status 1 after 1.500 s\n"
        );
    }

    #[test]
    fn a_flood_is_cut_at_the_cap() {
        let mut log = BuildLog::new(100);
        log.add(&["x".to_owned()], &report(&[b'a'; 5000], b"", Ending::Exited(0)));
        assert!(log.text.len() < 300, "{}", log.text.len());
        assert!(log.text.contains("bytes more were printed"));
    }
}
