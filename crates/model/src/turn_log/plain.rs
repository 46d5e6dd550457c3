//! Records of an older turn log in exactly the shape in which they are written: keys in
//! their order, no blanks, texts without escapes.
//!
//! What is read here a JSON reader reads, too, and finds the same in it.

use std::borrow::Cow;

use joust_referee::LimitSet;

use super::TurnVerdict;

/// The longest run of digits that is a `u64` whatever the digits are.
const MOST_DIGITS: usize = 19;

/// Reads the line that `text` begins with and returns it with what follows it;
/// `None` when it has another shape.
pub(super) fn first_line(text: &[u8]) -> Option<(TurnVerdict<'_>, &[u8])> {
    let mut line = Line(text);
    let round = line.number_after(b"{\"r\":", u32::MAX.into())?;
    let seat = line.number_after(b",\"s\":", u8::MAX.into())?;
    let verdict = line.number_after(b",\"v\":", u8::MAX.into())?;
    let limits = if line.begins(b",\"l\":") { line.number(u16::MAX.into())? } else { 0 };
    line.number_after(b",\"w\":", u64::MAX)?;
    line.number_after(b",\"c\":", u64::MAX)?;
    line.begins(b",\"p\":true");
    line.number_after(b",\"t\":", u64::MAX)?;
    line.number_after(b",\"m\":", u64::MAX)?;
    line.exit_after(b",\"x\":")?;
    let action = if line.begins(b",\"a\":\"") { line.text()? } else { "" };
    if line.begins(b",\"o\":[") {
        line.bytes()?;
    }
    if line.begins(b",\"e\":[") {
        line.bytes()?;
    }
    if line.begins(b",\"y\":\"") {
        line.text()?;
    }
    line.end()?;
    let turn = TurnVerdict {
        round: u32::try_from(round).ok()?,
        seat: u8::try_from(seat).ok()?,
        verdict: u8::try_from(verdict).ok()?,
        limits: LimitSet(u16::try_from(limits).ok()?),
        action: Cow::Borrowed(action),
    };
    Some((turn, line.0))
}

/// What was not read yet.
struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    /// Reads `word` if it is what comes next.
    fn begins<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        match self.0.split_first_chunk() {
            Some((first, rest)) if first == word => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn expect<const N: usize>(&mut self, word: &[u8; N]) -> Option<()> {
        self.begins(word).then_some(())
    }

    fn number_after<const N: usize>(&mut self, key: &[u8; N], most: u64) -> Option<u64> {
        self.expect(key)?;
        self.number(most)
    }

    /// Reads a whole number without superfluous zeros.
    fn number(&mut self, most: u64) -> Option<u64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.0.split_at(digits);
        if digits == 0 || digits > MOST_DIGITS || (digits > 1 && number[0] == b'0') {
            return None;
        }
        let value = number.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        self.0 = rest;
        (value <= most).then_some(value)
    }

    /// Reads how a process ended. Statuses below 0 are left to the JSON reader.
    fn exit_after<const N: usize>(&mut self, key: &[u8; N]) -> Option<()> {
        self.expect(key)?;
        if self.begins(b"\"killed\"") || self.begins(b"\"running\"") {
            return Some(());
        }
        let has_number = self.begins(b"{\"status\":")
            || self.begins(b"{\"signal\":")
            || self.begins(b"{\"not-started\":");
        has_number.then_some(())?;
        self.number(i32::MAX.cast_unsigned().into())?;
        self.expect(b"}")
    }

    /// Reads the rest of a text.
    fn text(&mut self) -> Option<&'a str> {
        let end = self.0.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix(b"\"")?;
        std::str::from_utf8(text).ok()
    }

    /// Reads the rest of a list of bytes.
    fn bytes(&mut self) -> Option<()> {
        loop {
            self.number(u8::MAX.into())?;
            if !self.begins(b",") {
                return self.expect(b"]");
            }
        }
    }

    /// Reads the end of the line.
    fn end(&mut self) -> Option<()> {
        self.expect(b"}")?;
        (self.0.is_empty() || self.begins(b"\n")).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::TurnVerdicts;
    use super::super::tests::{assert_decided, damaged, json, record};
    use super::super::verdicts::read_json;
    use super::first_line;

    const RECORD: &str =
        r#"{"r":7,"s":1,"v":11,"w":12,"c":9,"t":0,"m":8,"x":{"status":0},"a":"B NE"}"#;

    /// What is read of a first line is what a JSON reader finds in it.
    fn assert_as_json(text: &[u8]) {
        let Some((turn, rest)) = first_line(text) else { return };
        let line = &text[..text.len() - rest.len()];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        assert!(!line.contains(&b'\n'));
        assert_eq!(turn, read_json(line).expect("it is JSON"), "{}", line.escape_ascii());
    }

    proptest! {
        #[test]
        fn records_are_read_as_json_reads_them(
            records in prop::collection::vec(record(), 1..4),
            at: usize,
            byte: u8,
        ) {
            let text = json(&records);
            assert_decided(&text, &records);
            assert_as_json(&text);
            assert_as_json(&damaged(&text, at, byte));
        }
    }

    #[test]
    fn a_usual_record_needs_no_json_reader() {
        let faulty = r#"{"r":7,"s":1,"v":4,"l":2,"w":12,"c":9,"p":true,"t":3,"m":8,"x":"killed","o":[78,10],"e":[255,0],"y":"late"}"#;
        let text = format!("{RECORD}\n{faulty}\n");
        let (turn, rest) = first_line(text.as_bytes()).expect("the usual shape");
        assert_eq!((turn.round, turn.seat, turn.verdict, &*turn.action), (7, 1, 11, "B NE"));
        let (turn, rest) = first_line(rest).expect("the usual shape");
        assert_eq!((turn.verdict, &*turn.action, rest), (4, "", &b""[..]));
    }

    #[test]
    fn a_damaged_record_is_none() {
        let damages = [
            ("\"r\":7", "\"r\":07"),
            ("\"r\":7", "\"r\":"),
            ("\"r\":7", "\"r\":4294967296"),
            ("\"s\":1", "\"s\":256"),
            ("\"w\":12", "\"w\":99999999999999999999"),
            ("\"c\":9,", ""),
            ("{\"status\":0}", "{\"status\":2147483648}"),
            ("{\"status\":0}", "\"gone\""),
            ("B NE", "B\u{1}NE"),
            ("\"a\"", "\"r\""),
            ("\"}", "\"}}"),
        ];
        for (sound, damage) in damages {
            let text = RECORD.replacen(sound, damage, 1);
            assert_ne!(text, RECORD, "{damage}");
            let mut turns = TurnVerdicts::of(text.as_bytes()).expect("a log of lines");
            let turn = turns.next().expect("a record");
            assert!(turn.is_err(), "{text}");
        }
    }
}
