//! Two bots, mirror pair by mirror pair.
//!
//! The two bouts of a pair share a seed, so their results hang together and only
//! the pair is a sample of its own. Seen from the first bot a pair scores 0, ¼, ½,
//! ¾ or 1. A pair counts when both of its bouts are finished; the unpaired last
//! bout of an odd match counts in the table and not here.

/// Bouts of two bots, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Bouts won.
    pub wins: u64,
    /// Bouts drawn.
    pub draws: u64,
    /// Bouts lost.
    pub losses: u64,
}

impl Outcomes {
    /// Returns how many bouts there are.
    pub fn bouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// Mirror pairs of two bots by how they went, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Both bouts lost.
    pub ll: u64,
    /// One lost, one drawn.
    pub ld: u64,
    /// One won, one lost.
    pub wl: u64,
    /// Both drawn.
    pub dd: u64,
    /// One won, one drawn.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl Pentanomial {
    /// Returns how many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.classes().iter().sum()
    }

    /// Returns the pairs by their score, 0, ¼, ½, ¾ and 1.
    pub fn classes(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// Returns the single bouts of the pairs.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes {
            wins: 2 * self.ww + self.wd + self.wl,
            draws: 2 * self.dd + self.wd + self.ld,
            losses: 2 * self.ll + self.ld + self.wl,
        }
    }
}
