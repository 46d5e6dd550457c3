//! Place of a bout in its schedule, as the chain records it.

use joust_model::BoutId;

/// Place of a result in its schedule, beside the digest in its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoutPlacing {
    pub(super) bout: BoutId,
    pub(super) match_number: i64,
    /// 1 when it counts, else 0.
    pub(super) counts: i64,
}

impl BoutPlacing {
    /// A bout's id, the match number and whether it counts.
    pub(super) const BYTES: usize = 17;

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.bout.0);
        bytes[8..16].copy_from_slice(&self.match_number.to_le_bytes());
        bytes[16] = u8::from(self.counts == 1);
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let (bout, rest) = bytes.split_first_chunk::<8>()?;
        let (match_number, counts) = rest.split_first_chunk::<8>()?;
        Some(Self {
            bout: BoutId(*bout),
            match_number: i64::from_le_bytes(*match_number),
            counts: counts[0].into(),
        })
    }
}
