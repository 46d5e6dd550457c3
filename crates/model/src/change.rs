//! Changes of a bout besides its result.

/// Change of a bout: the reason for a line in its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The bout was played again because what decides its result had changed.
    Replaced,
    /// An organiser put another result in its place.
    Amended,
    /// An error of ours voided a try; there was no result.
    Voided,
    /// It was played again to see whether it goes the same way.
    Rerun,
}

impl Change {
    const ALL: [Self; 4] = [Self::Replaced, Self::Amended, Self::Voided, Self::Rerun];

    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Amended => "amended",
            Self::Voided => "voided",
            Self::Rerun => "rerun",
        }
    }

    /// Returns what has this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.name() == name)
    }
}
