//! Codec of numbers and strings: little endian, lengths as `u32`.

use std::time::Duration;

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// Writes a message.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn message(kind: u16) -> Self {
        let mut writer = Self(Vec::with_capacity(1024));
        writer.0.extend(super::VERSION.to_le_bytes());
        writer.0.extend(kind.to_le_bytes());
        writer
    }

    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn short(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn int(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn signed(&mut self, value: i32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn long(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn time(&mut self, value: Duration) {
        self.long(u64::try_from(value.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(super) fn bytes(&mut self, value: &[u8]) {
        self.count(value.len());
        self.0.extend_from_slice(value);
    }

    pub(super) fn count(&mut self, count: usize) {
        self.int(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub(super) fn strings<'a>(&mut self, values: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.count(values.len());
        for value in values {
            self.bytes(value);
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a message.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks the version and gives the kind.
    pub(super) fn message(bytes: &'a [u8]) -> Result<(u16, Self), Malformed> {
        let mut reader = Self(bytes);
        if reader.short()? != super::VERSION {
            return Err(Malformed("a message of another version"));
        }
        Ok((reader.short()?, reader))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(Malformed("message too short"))?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn short(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn int(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn signed(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn time(&mut self) -> Result<Duration, Malformed> {
        self.long().map(Duration::from_nanos)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.count()?;
        self.take(count)
    }

    /// A number of things of at least one byte each that are still to come.
    pub(super) fn count(&mut self) -> Result<usize, Malformed> {
        let count = self.int()? as usize;
        if count > self.0.len() {
            return Err(Malformed("a count larger than the message"));
        }
        Ok(count)
    }

    pub(super) fn strings(&mut self) -> Result<Vec<Vec<u8>>, Malformed> {
        (0..self.count()?).map(|_| self.bytes().map(<[u8]>::to_vec)).collect()
    }

    pub(super) fn text(&mut self) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// Insists that everything was read.
    pub(super) fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("message too long")) }
    }
}
