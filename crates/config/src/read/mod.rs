//! Reading of a file's values with serde: every mistake is reported with its place.
//!
//! [`Cursor`] is the deserializer. Serde stops at the first mistake, so the entry with the mistake
//! is reported and marked, and the value is read again without that entry, until no mistake is
//! left. Each turn marks one entry more, so the turns are bounded by the entries of the file.

mod access;
mod cursor;
mod diagnostics;
mod value_error;

pub(super) use cursor::{ByKind, Cursor};
pub(super) use diagnostics::Diagnostics;
pub(super) use value_error::ValueError;
