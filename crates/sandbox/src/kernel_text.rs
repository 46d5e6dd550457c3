//! Texts that the kernel makes, in `/proc`, which hold what programs chose: their names are any
//! bytes but zero.

use std::io;
use std::path::Path;

/// Reads one whole. What is no text in it is replaced: a program that calls itself so must not be
/// overlooked for it.
pub(crate) fn read(path: impl AsRef<Path>) -> io::Result<String> {
    std::fs::read(path).map(text)
}

/// Bytes as text.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns what `/proc` says of a process after the name of its program, which may hold anything,
/// brackets too: the fields from the third on.
pub(crate) fn stat(process: u32) -> io::Result<String> {
    let stat = read(format!("/proc/{process}/stat"))?;
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.to_owned());
    fields.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns the first number of a line of a process's status. The kernel keeps names within their
/// line.
pub(crate) fn status_number(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_hides_nothing_behind_it() {
        let bytes = b"7 (\xff) \xfe) R 1".to_vec();
        assert_eq!(
            text(bytes).rsplit_once(')').map(|(_, fields)| fields.to_owned()),
            Some(" R 1".to_owned())
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        assert!(read("/proc/self/nothing").is_err());
    }
}
