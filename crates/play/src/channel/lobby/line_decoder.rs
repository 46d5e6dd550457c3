//! Line decoder: converts a stranger's bytes into lines of text.

/// The longest line that is read, bytes.
const LONGEST_LINE: usize = 4096;
/// Telnet's command byte, and the commands that are relevant here. Source: RFC 854, "TELNET COMMAND
/// STRUCTURE".
const IAC: u8 = 255;
const SB: u8 = 250;
const SE: u8 = 240;
const WILL_TO_DONT: std::ops::RangeInclusive<u8> = 251..=254;

/// Error for a line that is longer than any answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Position of the bytes within a telnet command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TelnetState {
    Text,
    Command,
    Option,
    Negotiation,
    NegotiationCommand,
}

/// Splits bytes into lines, removes telnet commands and control characters, and replaces invalid
/// UTF-8.
#[derive(Debug)]
pub(super) struct LineDecoder {
    state: TelnetState,
    line: Vec<u8>,
}

impl LineDecoder {
    pub(super) fn new() -> Self {
        Self { state: TelnetState::Text, line: Vec::new() }
    }

    /// Adds bytes and returns the lines that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut lines = Vec::new();
        for byte in bytes {
            if self.is_text(*byte) {
                self.text(*byte, &mut lines)?;
            }
        }
        Ok(lines)
    }

    fn text(&mut self, byte: u8, lines: &mut Vec<String>) -> Result<(), TooLong> {
        if byte == b'\n' {
            lines.push(clean(&std::mem::take(&mut self.line)));
            return Ok(());
        }
        self.line.push(byte);
        if self.line.len() > LONGEST_LINE { Err(TooLong) } else { Ok(()) }
    }

    fn is_text(&mut self, byte: u8) -> bool {
        let (next, is_text) = match (self.state, byte) {
            (TelnetState::Text, IAC) => (TelnetState::Command, false),
            (TelnetState::Text, _) => (TelnetState::Text, true),
            (TelnetState::Command, SB) => (TelnetState::Negotiation, false),
            (TelnetState::Command, byte) if WILL_TO_DONT.contains(&byte) => {
                (TelnetState::Option, false)
            }
            (TelnetState::Command | TelnetState::Option, _)
            | (TelnetState::NegotiationCommand, SE) => (TelnetState::Text, false),
            (TelnetState::Negotiation, IAC) => (TelnetState::NegotiationCommand, false),
            (TelnetState::Negotiation | TelnetState::NegotiationCommand, _) => {
                (TelnetState::Negotiation, false)
            }
        };
        self.state = next;
        is_text
    }
}

fn clean(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_however_the_bytes_come_in() {
        let mut lines = LineDecoder::new();
        assert_eq!(lines.push(b"B N\r\nM"), Ok(vec!["B N".to_owned()]));
        assert_eq!(lines.push(b""), Ok(vec![]));
        assert_eq!(lines.push(b" SE\n\n"), Ok(vec!["M SE".to_owned(), String::new()]));
    }

    #[test]
    fn control_characters_and_telnet_commands_are_left_out() {
        let mut lines = LineDecoder::new();
        let bytes = b"\xff\xfd\x03\x1b[2Jan\x00n\x07\xff\xfa\x18a\xff\xf0!\xff\xf1\xc2\x9b\n";
        assert_eq!(lines.push(bytes), Ok(vec!["[2Jann!".to_owned()]));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(LineDecoder::new().push(b"a\xc3\n"), Ok(vec!["a\u{fffd}".to_owned()]));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = LineDecoder::new();
        assert_eq!(lines.push(&[b'a'; LONGEST_LINE]), Ok(vec![]));
        assert_eq!(lines.push(b"a"), Err(TooLong));
    }
}
