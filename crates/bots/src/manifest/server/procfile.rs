//! `Procfile` of Heroku: its process `web`.

use super::start::StartLine;
use super::words;

/// Returns the command of the process `web`.
pub(super) fn read(text: &str) -> Option<StartLine> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("web:"))?;
    Some(StartLine { run: words::line(line)?, build: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_process_web_is_the_server() {
        let line = read("release: ./migrate\r\nweb: java -DPORT=$PORT -jar a.jar\r\n").unwrap();
        assert_eq!(line.run, ["java", "-DPORT=$PORT", "-jar", "a.jar"]);
        assert_eq!(read("worker: ./work\n"), None);
    }
}
