//! Line ends of scripts: a carriage return before the line feed, as Windows writes it, breaks
//! shells and the first line that names an interpreter.

use std::path::Path;

use joust_config::read_start;

use joust_toolchain::BOT;

/// Bytes of a script that are searched.
const SEARCHED: u64 = 256 << 10;

/// Returns a message if the file `program` beneath `root` begins with `#!` and its first line ends
/// with CR LF, so that the kernel looks for an interpreter with a carriage return in its name.
pub(crate) fn broken_first_line(root: &Path, program: &str) -> Option<String> {
    let start = beginning(&root.join(program))?;
    let first = start.split(|byte| *byte == b'\n').next()?;
    (first.starts_with(b"#!") && first.ends_with(b"\r")).then(|| message(program))
}

/// Returns a message for the first word of a failed `command` that names a shell script beneath
/// `root` with CR LF in it.
pub(crate) fn shell_script_of_windows(root: &Path, command: &[String]) -> Option<String> {
    command.iter().find_map(|word| {
        let inside = word.strip_prefix(BOT).unwrap_or(word).trim_start_matches('/');
        let inside = inside.trim_start_matches("./");
        let start = beginning(&root.join(inside))?;
        let is_shell =
            [".sh", ".bash"].iter().any(|end| inside.ends_with(end)) || start.starts_with(b"#!");
        (is_shell && start.windows(2).any(|pair| pair == b"\r\n")).then(|| message(inside))
    })
}

fn beginning(path: &Path) -> Option<Vec<u8>> {
    let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_plain.then(|| read_start(path, SEARCHED).ok()).flatten()
}

fn message(script: &str) -> String {
    format!(
        "`{script}` has Windows line ends (CR LF), with which it cannot run; `sed -i 's/\\r$//' {script}` removes them"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        folder
    }

    #[test]
    fn an_interpreter_with_a_carriage_return_is_named() {
        let folder = with("run.sh", "#!/bin/sh\r\necho 1\r\n");
        let message = broken_first_line(folder.path(), "run.sh").unwrap();
        assert!(message.starts_with("`run.sh` has Windows line ends"), "{message}");
        assert_eq!(
            broken_first_line(with("run.sh", "#!/bin/sh\necho '\r'\r\n").path(), "run.sh"),
            None
        );
        assert_eq!(broken_first_line(with("run.py", "print(1)\r\n").path(), "run.py"), None);
    }

    #[test]
    fn a_shell_script_that_failed_is_named_and_a_python_source_is_not() {
        let command = |name: &str| ["/usr/bin/bash".to_owned(), "-n".to_owned(), name.to_owned()];
        let script = with("main.sh", "if true; then\r\necho 1\r\nfi\r\n");
        assert!(shell_script_of_windows(script.path(), &command("main.sh")).is_some());
        assert!(shell_script_of_windows(script.path(), &command("./main.sh")).is_some());
        let plain = with("main.sh", "echo 1\n");
        assert_eq!(shell_script_of_windows(plain.path(), &command("main.sh")), None);
        let python = with("main.py", "print(1)\r\n");
        assert_eq!(shell_script_of_windows(python.path(), &command("main.py")), None);
    }
}
