//! JSON text without control characters that a terminal would interpret.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

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
    write(value, PrettyFormatter::new())
}

/// Returns a value as JSON on one line, otherwise as [`pretty`].
///
/// # Panics
///
/// When a map of the value has keys that are not text.
pub fn line(value: &impl Serialize) -> String {
    write(value, CompactFormatter)
}

/// Writes a value as [`pretty`] returns it, a part at a time.
pub(super) fn write_pretty(value: &impl Serialize, to: &mut dyn io::Write) -> io::Result<()> {
    put(value, PrettyFormatter::new(), to)
}

fn write(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    put(value, formatter, &mut bytes).expect("plain data is JSON");
    String::from_utf8(bytes).expect("JSON is text")
}

fn put(
    value: &impl Serialize,
    formatter: impl Formatter,
    to: &mut dyn io::Write,
) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *to, Safe(formatter));
    value.serialize(&mut serializer)?;
    to.write_all(b"\n")
}

/// Formatter that writes like the inner one, except for characters of strings that need escaping.
struct Safe<F>(F);

/// Forwards calls to the inner formatter.
macro_rules! as_inside {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W, $($argument: $type),*) -> io::Result<()> {
            self.0.$name(writer, $($argument),*)
        })*
    };
}

impl<F: Formatter> Formatter for Safe<F> {
    as_inside! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if escaped(fragment) == fragment {
            return writer.write_all(fragment.as_bytes());
        }
        let mut all = fragment.char_indices();
        all.try_for_each(|(at, character)| match is_command(&fragment[at..]) {
            true => writer.write_all(b"\\u0023"),
            false => write_character(writer, character),
        })
    }
}

fn write_character<W: ?Sized + io::Write>(writer: &mut W, character: char) -> io::Result<()> {
    let mut bytes = [0; 4];
    let text: &str = character.encode_utf8(&mut bytes);
    if escaped(text) == text {
        return writer.write_all(text.as_bytes());
    }
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().try_for_each(|unit| write!(writer, "\\u{unit:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deceptive_text_is_written_out_and_read_back_as_it_was() {
        let name = "a\u{202e}b\u{9b}31m\u{7f}\u{1b}[2J\u{e0001}\"\\é";
        let text = line(&name);
        assert_eq!(text, "\"a\\u202eb\\u009b31m\\u007f\\u001b[2J\\udb40\\udc01\\\"\\\\é\"\n");
        let read: String = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read, name);
    }

    #[test]
    fn what_a_build_service_obeys_is_read_back_as_it_was() {
        let said = "x ##[error]y";
        assert_eq!(line(&said), "\"x \\u0023#[error]y\"\n");
        assert_eq!(serde_json::from_str::<String>(&line(&said)).expect("it is JSON"), said);
    }

    #[test]
    fn the_layout_is_that_of_ordinary_json() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b": {}, "c": []});
        let ordinary = serde_json::to_string_pretty(&value).expect("plain data");
        assert_eq!(pretty(&value), format!("{ordinary}\n"));
    }
}
