//! Reference of a section: every key with its help, and its default or an example.

use super::{Default, Kind, Table};

/// Characters of a line of help at most.
const WIDTH: usize = 96;

/// Returns the reference of the whole file: a tournament that has every default, written out.
pub(in super::super) fn page<T>(table: &Table<T>) -> String {
    let head = "# Every key of a tournament.yaml. What is written is the default; what stands behind \
                a `#` has none, or one that follows from other keys, and is an example.\n";
    format!("{}{}", wrapped(head.trim_start_matches("# "), ""), table.reference(""))
}

impl<T> Table<T> {
    /// Returns the lines of every key.
    pub(in super::super) fn reference(&self, indent: &str) -> String {
        self.keys.iter().map(|key| key.reference(indent)).collect()
    }
}

impl<T> super::Key<T> {
    fn reference(&self, indent: &str) -> String {
        let (name, help) = (self.name, wrapped(&self.description(), indent));
        let line = match (&self.kind, &self.default) {
            (Kind::Section(kind), _) => {
                format!("{name}:\n{}", (kind.reference)(&format!("{indent}  ")))
            }
            (_, Default::Required(_)) => format!("{name}: {}\n", self.example),
            _ => match self.written_default() {
                Some(default) => format!("{name}: {default}\n"),
                None => format!("# {name}: {}\n", self.example),
            },
        };
        format!("\n{help}{indent}{line}")
    }
}

/// Breaks a text into lines of a comment.
fn wrapped(text: &str, indent: &str) -> String {
    let options = textwrap::Options::new(WIDTH)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text.trim_end(), options);
    lines.iter().map(|line| format!("{indent}# {line}\n")).collect()
}
