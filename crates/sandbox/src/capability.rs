//! Tiers and features: what this host can enforce, found by trying it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Isolation that a host offers; the best is `A`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Name spaces, and groups that limit the memory and processes of a tree:
    /// everything is enforced.
    A,
    /// Name spaces without such groups: everything but memory of the whole
    /// tree, which is sampled and enforced from the samples.
    B,
    /// No name spaces, but a user of its own per seat, Landlock, a system call
    /// filter, resource limits, and killing by user.
    C,
    /// Landlock, a system call filter and resource limits under the caller's
    /// own user. Only when explicitly allowed.
    D,
}

impl Tier {
    /// Returns the tier that `JOUST_TIER` in the environment asks for in place of the best that
    /// works.
    ///
    /// # Errors
    ///
    /// The value of `JOUST_TIER`, if it is none of A, B and C.
    pub fn from_environment() -> Result<Option<Self>, String> {
        let wanted = std::env::var_os("JOUST_TIER").unwrap_or_default();
        match wanted.to_string_lossy().as_ref() {
            "" => Ok(None),
            "A" => Ok(Some(Self::A)),
            "B" => Ok(Some(Self::B)),
            "C" => Ok(Some(Self::C)),
            other => Err(other.to_owned()),
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        })
    }
}

/// Degree to which a feature is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforcement {
    /// In full.
    Full,
    /// In part, or only measured.
    Part,
    /// Not at all.
    No,
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Part => "part",
            Self::No => "no",
        })
    }
}

/// One thing a sandbox does, and the degree to which it can do it here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    /// Name, for instance "memory of the whole tree".
    pub name: String,
    /// Degree to which it is enforced.
    pub enforced: Enforcement,
    /// Method, or the step and error number that decided against it.
    pub reason: String,
}

impl Feature {
    pub(crate) fn new(name: &str, enforced: Enforcement, reason: impl Into<String>) -> Self {
        Self { name: name.to_owned(), enforced, reason: reason.into() }
    }
}
