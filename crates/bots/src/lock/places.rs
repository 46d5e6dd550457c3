//! Places in the text of a list: lines, columns and keys, found in one pass however long it is.

use std::collections::HashMap;

/// Up to how many bytes of a line its characters are counted; beyond, a column is one of bytes.
const COUNTED: usize = 1000;

/// The lines of a text.
pub(super) struct Places<'a> {
    text: &'a str,
    /// Where each line starts, in bytes.
    starts: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let starts = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, starts: starts.collect() }
    }

    /// Returns line and column, from 1, of a byte.
    pub(super) fn at(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset).filter(|before| before.len() <= COUNTED);
        (line, before.map_or(offset - start, |before| before.chars().count()) + 1)
    }

    /// Returns where the keys of a JSON text stand first, behind the key `after` if it is there; each
    /// key with its quotes, as it is written.
    pub(super) fn keys(&self, after: &str) -> HashMap<&'a str, usize> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut keys = HashMap::new();
        let mut at = text.find(after).unwrap_or(0);
        while let Some(found) = text.get(at..).and_then(|rest| rest.find('"')) {
            let start = at + found;
            let mut end = start + 1;
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            at = end + 1;
            let is_key = text.get(at..).is_some_and(|rest| rest.trim_start().starts_with(':'));
            if let Some(key) = text.get(start..at).filter(|_| is_key) {
                keys.entry(key).or_insert(start);
            }
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_from_one_in_characters() {
        let places = Places::new("aä\nbc\n");
        assert_eq!(
            [0, 3, 4, 5, 7].map(|at| places.at(at)),
            [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)]
        );
        assert_eq!(Places::new("").at(0), (1, 1));
    }

    #[test]
    fn keys_are_found_behind_another_and_values_are_none() {
        let text = r#"{"a": 1, "packages": {"b\"c" : "a", "d": {"a": "b"}}}"#;
        let keys = Places::new(text).keys("\"packages\"");
        let at = |key: &str| keys.get(key).map(|at| &text[*at..][..key.len()] == key);
        assert_eq!(["\"packages\"", "\"b\\\"c\"", "\"d\"", "\"a\""].map(at), [Some(true); 4]);
        assert_eq!((keys.len(), keys["\"a\""] > 40), (4, true));
    }
}
