//! The kernel's pattern for core dumps, set to a program for as long as a row plays. It is the
//! whole machine's, so a guardian sets it back once this process is gone, however it ended.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

const PATTERN: &str = "/proc/sys/kernel/core_pattern";
/// Waits for the end of its input, whatever is sent to it, and sets the pattern back.
const GUARDIAN: &str = "trap '' HUP INT QUIT TERM; cat >/dev/null; printf %s \"$0\" >\"$1\"";
/// Script that notes crashes of programs of that name only.
const HELPER: &str =
    "#!/bin/sh\n[ \"$1\" = piped-crash ] && echo \"$2\" >>\"$0.seen\"\ncat >/dev/null\n";

/// The pattern names a program while this lives.
pub(crate) struct Piped {
    guardian: Child,
    input: Option<ChildStdin>,
    seen: PathBuf,
}

impl Piped {
    /// Has the kernel start a script in `folder` for each crash.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let helper = folder.join("for-crashes");
        fs::write(&helper, HELPER)?;
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755))?;
        let before = fs::read_to_string(PATTERN)?;
        let mut guardian = Command::new("setsid")
            .args(["sh", "-c", GUARDIAN, before.trim_end(), PATTERN])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let input = guardian.stdin.take();
        let piped = Self { guardian, input, seen: folder.join("for-crashes.seen") };
        let pattern = format!("|{} %e %P", helper.display());
        fs::OpenOptions::new().write(true).open(PATTERN)?.write_all(pattern.as_bytes())?;
        Ok(piped)
    }

    /// Returns the number of starts of the script since this was asked last.
    pub(crate) fn take_seen(&self) -> usize {
        // The kernel does not wait for it.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let seen = fs::read_to_string(&self.seen).unwrap_or_default().lines().count();
        let _ = fs::remove_file(&self.seen);
        seen
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.guardian.wait();
    }
}
