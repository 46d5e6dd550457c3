//! Number codec of the log: single numbers, which are unsigned LEB128 without superfluous bytes,
//! and bytes with their length.

use super::{LogError, LogProblem};

/// Appends a number.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends bytes with their length.
pub(crate) fn push_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Returns the number that stands for a signed one: 0, -1, 1, -2 become 0 to 3.
pub(crate) fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Returns the signed number that [`folded`] made a number of.
pub(crate) fn unfolded(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Reads what a log has, one thing after the other. Never panics, and takes no
/// memory.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pub(crate) offset: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    /// Reads a byte.
    ///
    /// # Errors
    ///
    /// [`LogError`] at the end.
    pub(crate) fn byte(&mut self) -> Result<u8, LogError> {
        let byte = *self.bytes.get(self.offset).ok_or_else(|| self.cut_off())?;
        self.offset += 1;
        Ok(byte)
    }

    /// Reads a number that fits `T`.
    ///
    /// # Errors
    ///
    /// [`LogError`] if no such number follows.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Result<T, LogError> {
        let wrong = LogError { offset: self.offset, problem: LogProblem::Number };
        let first = self.byte()?;
        let number = if first < 0x80 { first.into() } else { self.long_number(first, wrong)? };
        T::try_from(number).map_err(|_| wrong)
    }

    /// Reads the rest of a number of several bytes.
    fn long_number(&mut self, first: u8, wrong: LogError) -> Result<u64, LogError> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if byte == 0 || (bits << shift) >> shift != bits {
                return Err(wrong);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(wrong)
    }

    /// Reads `length` bytes.
    ///
    /// # Errors
    ///
    /// [`LogError`] if there are fewer.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], LogError> {
        let taken = self.bytes[self.offset..].get(..length).ok_or_else(|| self.cut_off())?;
        self.offset += length;
        Ok(taken)
    }

    /// Reads a length and that number of bytes.
    ///
    /// # Errors
    ///
    /// [`LogError`] if there are fewer.
    pub(crate) fn sized(&mut self) -> Result<&'a [u8], LogError> {
        let length = self.number()?;
        self.take(length)
    }

    /// Reads a length and that number of bytes of UTF-8.
    ///
    /// # Errors
    ///
    /// [`LogError`] if there are fewer bytes, or they are not UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'a str, LogError> {
        let offset = self.offset;
        std::str::from_utf8(self.sized()?)
            .map_err(|_| LogError { offset, problem: LogProblem::Text })
    }

    fn cut_off(&self) -> LogError {
        LogError { offset: self.offset, problem: LogProblem::CutOff }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_numbers_come_back() {
        for number in [0, -1, 1, -2, 300, i64::MIN, i64::MAX] {
            assert_eq!(unfolded(folded(number)), number);
        }
        assert_eq!([0, -1, 1, -2].map(folded), [0, 1, 2, 3]);
    }
}
