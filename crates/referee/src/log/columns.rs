//! Column codec of the log: numbers and bytes one after the other, or many of a kind as a
//! column.
//!
//! A column begins with its smallest number and the count of bytes (0 to 8) that
//! hold the difference of each number from it. The differences follow: the lowest byte
//! of every number, then the next byte of every number, and so on. So a column of
//! equal numbers takes two bytes, similar bytes lie together, and a number can be
//! read without the numbers before it.
//!
//! Single numbers are unsigned LEB128 without superfluous bytes.

use super::{LogError, LogProblem};

/// Bytes of the largest number.
const MOST_BYTES: u8 = 8;

/// Appends a number.
pub fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends bytes with their length.
pub fn push_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a column of numbers. How many there are is for others to say.
pub fn push_column(out: &mut Vec<u8>, numbers: &[u64]) {
    let Some(least) = numbers.iter().copied().min() else { return };
    let most = numbers.iter().fold(0, |most, number| most | (number - least));
    let bytes = MOST_BYTES - (most.leading_zeros() / 8) as u8;
    push_number(out, least);
    out.push(bytes);
    for shift in (0..bytes).map(|byte| 8 * u32::from(byte)) {
        out.extend(numbers.iter().map(|number| ((number - least) >> shift) as u8));
    }
}

/// Returns the number that stands for a signed one: 0, -1, 1, -2 become 0 to 3.
pub fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Returns the signed number that [`folded`] made a number of.
pub fn unfolded(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Reads what a log has, one thing after the other. Never panics, and takes no
/// memory.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns how many bytes were read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns whether everything was read.
    pub fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    /// Reads a byte.
    ///
    /// # Errors
    ///
    /// [`LogError`] at the end.
    pub fn byte(&mut self) -> Result<u8, LogError> {
        let byte = *self.bytes.get(self.offset).ok_or_else(|| self.cut_off())?;
        self.offset += 1;
        Ok(byte)
    }

    /// Reads a number that fits `T`.
    ///
    /// # Errors
    ///
    /// [`LogError`] if no such number follows.
    pub fn number<T: TryFrom<u64>>(&mut self) -> Result<T, LogError> {
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
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], LogError> {
        let taken = self.bytes[self.offset..].get(..length).ok_or_else(|| self.cut_off())?;
        self.offset += length;
        Ok(taken)
    }

    /// Reads a length and that number of bytes.
    ///
    /// # Errors
    ///
    /// [`LogError`] if there are fewer.
    pub fn sized(&mut self) -> Result<&'a [u8], LogError> {
        let length = self.number()?;
        self.take(length)
    }

    /// Reads a length and that number of bytes of UTF-8.
    ///
    /// # Errors
    ///
    /// [`LogError`] if there are fewer bytes, or they are not UTF-8.
    pub fn text(&mut self) -> Result<&'a str, LogError> {
        let offset = self.offset;
        std::str::from_utf8(self.sized()?)
            .map_err(|_| LogError { offset, problem: LogProblem::Text })
    }

    /// Reads a column of `count` numbers.
    ///
    /// # Errors
    ///
    /// [`LogError`] if no such column follows.
    pub fn column(&mut self, count: usize) -> Result<Column<'a>, LogError> {
        let offset = self.offset;
        if count == 0 {
            return Ok(Column { offset, count, least: 0, bytes: 0, planes: &[] });
        }
        let (least, bytes) = (self.number()?, self.byte()?);
        let wrong = LogError { offset, problem: LogProblem::Number };
        let length = count.checked_mul(bytes.into()).filter(|_| bytes <= MOST_BYTES);
        let planes = self.take(length.ok_or(wrong)?)?;
        Ok(Column { offset, count, least, bytes, planes })
    }

    fn cut_off(&self) -> LogError {
        LogError { offset: self.offset, problem: LogProblem::CutOff }
    }
}

/// A column of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    offset: usize,
    count: usize,
    least: u64,
    bytes: u8,
    planes: &'a [u8],
}

impl Column<'_> {
    /// Returns the number at `place`, counted from 0; the smallest beyond the end.
    #[inline]
    pub fn at(&self, place: usize) -> u64 {
        let bytes = self.planes.iter().skip(place).step_by(self.count.max(1));
        let beyond = match self.bytes {
            0 => 0,
            1 => self.planes.get(place).copied().map_or(0, u64::from),
            _ => {
                (0..).zip(bytes).fold(0, |all, (plane, byte)| all | u64::from(*byte) << (8 * plane))
            }
        };
        self.least.wrapping_add(beyond)
    }

    /// Returns the number at `place` when it fits `T`.
    ///
    /// # Errors
    ///
    /// [`LogError`] when it does not.
    #[inline]
    pub fn get<T: TryFrom<u64>>(&self, place: usize) -> Result<T, LogError> {
        T::try_from(self.at(place)).map_err(|_| self.wrong())
    }

    /// Makes sure that no number is above `most`.
    ///
    /// # Errors
    ///
    /// [`LogError`] when one is.
    pub fn check(&self, most: u64) -> Result<(), LogError> {
        let beyond = u64::MAX.checked_shr(64 - 8 * u32::from(self.bytes)).unwrap_or(0);
        let all_fit = self.least.checked_add(beyond).is_some_and(|largest| largest <= most);
        let fits =
            self.count == 0 || all_fit || (0..self.count).all(|place| self.at(place) <= most);
        if fits { Ok(()) } else { Err(self.wrong()) }
    }

    /// Returns the error of a column that has an impossible number.
    pub fn wrong(&self) -> LogError {
        LogError { offset: self.offset, problem: LogProblem::Number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_kept(numbers: &[u64], length: usize) {
        let mut bytes = Vec::new();
        push_column(&mut bytes, numbers);
        assert_eq!(bytes.len(), length, "{numbers:?}");
        let mut cursor = Cursor::new(&bytes);
        let column = cursor.column(numbers.len()).expect("it was just written");
        assert!(cursor.is_at_end());
        let read: Vec<u64> = (0..numbers.len()).map(|place| column.at(place)).collect();
        assert_eq!(read, numbers);
        let most = numbers.iter().copied().max().unwrap_or(0);
        assert_eq!(column.check(most), Ok(()));
        if most > 0 {
            assert_eq!(column.check(most - 1), Err(column.wrong()));
        }
    }

    #[test]
    fn a_column_takes_the_bytes_its_numbers_differ_by() {
        assert_kept(&[], 0);
        assert_kept(&[7], 2);
        assert_kept(&[7, 7, 7], 2);
        assert_kept(&[0, 255, 3], 2 + 3);
        assert_kept(&[9_000, 9_256, 12_000], 3 + 6);
        assert_kept(&[0, u64::MAX], 2 + 16);
        assert_kept(&[1, u64::MAX], 2 + 16);
        assert_kept(&[u64::MAX - 1, u64::MAX], 11 + 2);
    }

    #[test]
    fn a_column_that_is_too_long_is_refused() {
        let cases: [(&[u8], usize, LogProblem); 4] = [
            (b"\x00\x09", 1, LogProblem::Number),
            (b"\x00\x08", usize::MAX, LogProblem::Number),
            (b"\x00\x01\x05", 2, LogProblem::CutOff),
            (b"\x00", 2, LogProblem::CutOff),
        ];
        for (bytes, count, problem) in cases {
            let error = Cursor::new(bytes).column(count).expect_err("it is not there");
            assert_eq!(error.problem, problem, "{bytes:?}");
        }
    }

    #[test]
    fn signed_numbers_come_back() {
        for number in [0, -1, 1, -2, 300, i64::MIN, i64::MAX] {
            assert_eq!(unfolded(folded(number)), number);
        }
        assert_eq!([0, -1, 1, -2].map(folded), [0, 1, 2, 3]);
    }
}
