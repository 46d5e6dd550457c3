//! `.replit`: its key `run`.

use super::start::StartLine;
use super::words;
use crate::manifest::Command;

/// Returns the command of the key `run`, which stands before all sections.
pub(super) fn read(text: &str) -> Option<StartLine> {
    let mut lines = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    let value = lines.find_map(|line| line.strip_prefix("run")?.trim_start().strip_prefix('='))?;
    Some(StartLine { run: command(value.trim())?, build: Vec::new() })
}

/// Reads a text or a list of texts, which TOML writes as JSON does.
fn command(value: &str) -> Option<Command> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(value) {
        return words::list(&list);
    }
    words::line(&serde_json::from_str::<String>(value).ok()?)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_key_run_is_a_text_or_a_list() {
        let text = read("language = \"python3\"\nrun = \"python server.py\"\n[nix]\n").unwrap();
        assert_eq!(text.run, ["python", "server.py"]);
        assert_eq!(read("run=[\"node\", \"a b.js\"]").unwrap().run, ["node", "a b.js"]);
    }

    #[test]
    fn a_key_of_a_section_is_not_read() {
        assert_eq!(read("[deployment]\nrun = \"python server.py\"\n"), None);
        assert_eq!(read("runner = \"a\"\nrun = 3\n"), None);
    }
}
