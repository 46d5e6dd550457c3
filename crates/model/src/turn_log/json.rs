//! Records of older versions: each a line of JSON.

use super::TurnLogError;
use crate::TurnRecord;

/// Reads the records of a decompressed log.
pub(super) fn records(text: &[u8]) -> Result<Vec<TurnRecord>, TurnLogError> {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(record, line)| {
            serde_json::from_slice(line).map_err(|source| TurnLogError::Record { record, source })
        })
        .collect()
}
