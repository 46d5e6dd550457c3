//! Every text of a replay once; everything else names it by its number.

use std::collections::HashMap;

use joust_model::escaped;

/// Texts by number, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct StringTable {
    numbers: HashMap<Box<str>, u32>,
    list: Vec<String>,
    /// Memory that the texts take, bytes.
    size: usize,
}

impl StringTable {
    /// Returns the memory that the texts take, bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of `text`. It is shown with characters that deceive a
    /// reader written out.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        let shown = escaped(text);
        self.size += text.len() + shown.len() + size_of::<(Box<str>, u32, String)>();
        self.list.push(shown);
        number
    }

    /// Returns the texts as they are shown.
    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_and_is_shown_harmlessly() {
        let mut words = StringTable::default();
        let numbers = ["north", "a\u{202e}b", "north"].map(|text| words.number(text));
        assert_eq!(numbers, [0, 1, 0]);
        assert_eq!(words.into_list(), ["north", "a\\u{202e}b"]);
    }
}
