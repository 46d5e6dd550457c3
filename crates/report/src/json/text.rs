//! JSON text without control characters that a terminal would interpret.

use std::io;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use joust_model::{escaped, is_command};

/// Returns a value as indented JSON that ends with a line break.
///
/// Characters that could disturb a terminal or deceive a reader are written as `\uXXXX`, which
/// every parser reads back as the same characters.
///
/// # Panics
///
/// When a map of the value has keys that are not text.
pub fn pretty(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    write_pretty(value, &mut bytes).expect("plain data is JSON");
    String::from_utf8(bytes).expect("JSON is text")
}

/// Writes a value as [`pretty`] returns it, a part at a time.
///
/// # Errors
///
/// Those of the writer.
///
/// # Panics
///
/// As [`pretty`].
pub fn write_pretty(value: &impl Serialize, to: &mut dyn io::Write) -> io::Result<()> {
    let formatter = PrettyFormatter::new();
    let mut serializer = serde_json::Serializer::with_formatter(Safe(to), formatter);
    value.serialize(&mut serializer)?;
    to.write_all(b"\n")
}

/// Writer that escapes characters of strings; whatever else JSON has is plain.
struct Safe<'a>(&'a mut dyn io::Write);

impl io::Write for Safe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        if escaped(text) == text {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for (at, character) in text.char_indices() {
            match character {
                // Within a string it is written as an escape already.
                '\n' => self.0.write_all(b"\n")?,
                _ if is_command(&text[at..]) => self.0.write_all(b"\\u0023")?,
                _ => write_character(self.0, character)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn write_character(to: &mut dyn io::Write, character: char) -> io::Result<()> {
    let mut bytes = [0; 4];
    let text: &str = character.encode_utf8(&mut bytes);
    if escaped(text) == text {
        return to.write_all(text.as_bytes());
    }
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().try_for_each(|unit| write!(to, "\\u{unit:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deceptive_text_is_written_out_and_read_back_as_it_was() {
        let name = "a\u{202e}b\u{9b}31m\u{7f}\u{1b}[2J\u{e0001}\"\\é";
        let text = pretty(&name);
        assert_eq!(text, "\"a\\u202eb\\u009b31m\\u007f\\u001b[2J\\udb40\\udc01\\\"\\\\é\"\n");
        let read: String = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read, name);
    }

    #[test]
    fn what_a_build_service_obeys_is_read_back_as_it_was() {
        let said = "x ##[error]y";
        assert_eq!(pretty(&said), "\"x \\u0023#[error]y\"\n");
        assert_eq!(serde_json::from_str::<String>(&pretty(&said)).expect("it is JSON"), said);
    }

    #[test]
    fn the_layout_is_that_of_ordinary_json() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b": {}, "c": []});
        let ordinary = serde_json::to_string_pretty(&value).expect("plain data");
        assert_eq!(pretty(&value), format!("{ordinary}\n"));
    }
}
