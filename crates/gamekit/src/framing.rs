//! Framing: from chunks of bytes to lines.

use crate::Breach;

/// The longest line, its end not counted, bytes.
pub const LINE_BYTES: usize = 1 << 20;

/// Lines of a referee, cut from the bytes as they come.
///
/// Holds at most one chunk beyond [`LINE_BYTES`]: a longer line is refused
/// before its end has come.
#[derive(Clone, Debug, Default)]
pub struct LineReader {
    bytes: Vec<u8>,
    /// Start of the first line that was not taken.
    start: usize,
    /// Up to where no end of a line was found.
    searched: usize,
    taken: u64,
}

impl LineReader {
    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next line without its end, if all of it has come.
    ///
    /// # Errors
    ///
    /// [`Breach`] when it is longer than [`LINE_BYTES`].
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, Breach> {
        let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
        let end = end.map(|at| self.searched + at);
        self.searched = end.map_or(self.bytes.len(), |end| end + 1);
        let length = end.unwrap_or(self.bytes.len()) - self.start;
        if length > LINE_BYTES {
            let text = format!("a line of more than {LINE_BYTES} bytes");
            return Err(self.breach(text).hint("send views and pictures in smaller messages"));
        }
        let Some(end) = end else { return Ok(None) };
        let line = self.bytes[self.start..end].to_vec();
        self.start = end + 1;
        self.taken += 1;
        Ok(Some(line))
    }

    /// Returns how many bytes wait to be taken.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// [`Breach`] when a line has begun and not ended.
    pub fn finish(&self) -> Result<(), Breach> {
        match self.waiting() {
            0 => Ok(()),
            half => Err(self
                .breach(format!("the output ends in the middle of a line, after {half} bytes"))
                .hint("every message ends with `\\n`, and is flushed")),
        }
    }

    fn breach(&self, text: String) -> Breach {
        Breach::new(text).of_message(self.taken + 1, &self.bytes[self.start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut LineReader) -> Vec<String> {
        std::iter::from_fn(|| lines.next_line().expect("they are short"))
            .map(|line| String::from_utf8(line).expect("it is text"))
            .collect()
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = b"one\n\ntwo\nthree";
        for size in 1..=text.len() {
            let mut lines = LineReader::default();
            let mut found = Vec::new();
            for chunk in text.chunks(size) {
                lines.push(chunk);
                found.extend(all(&mut lines));
            }
            assert_eq!(found, ["one", "", "two"], "chunks of {size}");
            let breach = lines.finish().expect_err("a line has begun");
            assert_eq!(
                breach.to_string(),
                "message 4: the output ends in the middle of a line, after 5 bytes \
                 (every message ends with `\\n`, and is flushed)"
            );
        }
    }

    #[test]
    fn an_endless_line_is_refused_before_it_is_whole() {
        let mut lines = LineReader::default();
        let mut pushed = 0;
        let breach = loop {
            lines.push(&[b'x'; 1 << 16]);
            pushed += 1 << 16;
            if let Err(breach) = lines.next_line() {
                break breach;
            }
        };
        assert_eq!(pushed, LINE_BYTES + (1 << 16));
        assert!(breach.to_string().starts_with("message 1: a line of more than 1048576 bytes"));
        assert!(breach.shown.len() < 200);
    }
}
