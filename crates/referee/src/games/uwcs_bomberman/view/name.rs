//! Names of players, escaped as the wire shows them.

use std::fmt::Write;

/// Property names of every JavaScript object, under Node 20.
///
/// The original server looks accounts up in such an object and finds these.
const PROPERTIES: [&str; 12] = [
    "constructor",
    "__defineGetter__",
    "__defineSetter__",
    "hasOwnProperty",
    "__lookupGetter__",
    "__lookupSetter__",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toString",
    "valueOf",
    "__proto__",
    "toLocaleString",
];

/// Returns whether every JavaScript object has a property of this name.
pub fn is_property_of_every_object(name: &str) -> bool {
    PROPERTIES.contains(&name)
}

/// Writes a name as JavaScript's `escape` does.
///
/// ASCII letters, digits and `@*_+-./` stay; other UTF-16 units up to U+00FF
/// become `%XX`, those above `%uXXXX`, in upper-case hexadecimal.
pub fn escape(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for unit in name.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte) => {
                shown.push(char::from(byte));
            }
            Ok(byte) => push(&mut shown, format_args!("%{byte:02X}")),
            Err(_) => push(&mut shown, format_args!("%u{unit:04X}")),
        }
    }
    shown
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_seven_marks_stay() {
        assert_eq!(escape("aZ09@*_+-./"), "aZ09@*_+-./");
    }

    #[test]
    fn the_rest_is_percent_escaped_by_utf_16_unit() {
        assert_eq!(escape("b!b \u{e9}\u{20ac}\u{1f600}"), "b%21b%20%E9%u20AC%uD83D%uDE00");
    }
}
