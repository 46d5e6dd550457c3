//! Settings of live pages.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use joust_referee::Catalogue;
use joust_report::site::SiteOptions;

/// Contents, address and costs of live pages.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen at; port 0 takes any free one.
    pub address: SocketAddr,
    /// The path in front of every page's.
    pub base: Base,
    /// The database; it need not exist yet.
    pub database: PathBuf,
    /// The name of the tournament, until it is read from the database.
    pub name: String,
    /// Contents of the pages beside the database.
    pub site: SiteOptions,
    /// Time for which results and news are held back.
    pub delay: Duration,
    /// The most of a core that making pages may take, percent, from 1 to 100.
    pub share: u32,
    /// Bounds on the number and the slowness of spectators.
    pub caps: Caps,
}

impl Settings {
    /// Serves a database at any free port of this machine, without delay and with everything
    /// public.
    pub fn new(name: &str, database: PathBuf) -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            base: Base::default(),
            database,
            name: name.to_owned(),
            site: SiteOptions::new(Catalogue::built_in()),
            delay: Duration::ZERO,
            share: 100,
            caps: Caps::default(),
        }
    }
}

/// Source of information on bouts in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSource {
    /// A run of this process.
    ThisProcess,
    /// The database alone.
    Database,
}

/// Bounds on the resources that spectators use.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Connections at once; more are closed on arrival. Never more than a quarter of the files
    /// that the process may open.
    pub connections: usize,
    /// Connections at once from one address (IPv6: one network, /64) that is not this machine's.
    pub per_address: usize,
    /// Longest time for a request's head, and for an idle connection.
    pub head: Duration,
    /// Longest time in which a spectator may read nothing of the sent data.
    pub stalled: Duration,
    /// The most bytes of pages in memory.
    pub cached: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            connections: 4096,
            per_address: 256,
            head: Duration::from_secs(15),
            stalled: Duration::from_secs(20),
            cached: 64 << 20,
        }
    }
}

/// A path in front of every page's, such as `/joust`; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base(String);

/// Reason why a text is no [`Base`].
#[derive(Debug, thiserror::Error)]
#[error(
    "a path in front of the pages begins with `/` and has letters, digits, `-`, `_`, `.` and `/`, such as /joust"
)]
pub struct NotABase;

impl Base {
    /// Returns the part of a request's path after the base, without the `/` between them; `None`
    /// when the path is the base itself. A proxy may have removed the base already.
    pub fn rest<'a>(&self, path: &'a str) -> Option<&'a str> {
        let inner = match path.strip_prefix(&self.0) {
            Some("") if !self.0.is_empty() => return None,
            Some(inner) if inner.starts_with('/') => inner,
            _ => path,
        };
        Some(inner.strip_prefix('/').unwrap_or(inner))
    }

    /// Returns the base as it was written, without a `/` at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Base {
    type Err = NotABase;

    fn from_str(text: &str) -> Result<Self, NotABase> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let trimmed = text.trim_end_matches('/');
        let is_path = text.starts_with('/') && !text.contains("//") && !text.contains("..");
        if is_path && text.chars().all(is_plain) {
            Ok(Self(trimmed.to_owned()))
        } else {
            Err(NotABase)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_taken_from_the_front_of_a_path_wherever_a_proxy_left_it() {
        let base: Base = "/joust/".parse().expect("a base");
        assert_eq!(base.rest("/joust"), None);
        assert_eq!(base.rest("/joust/league/index.html"), Some("league/index.html"));
        assert_eq!(base.rest("/league/index.html"), Some("league/index.html"));
        assert_eq!(base.rest("/joustings/x"), Some("joustings/x"));
        assert_eq!(Base::default().rest("/"), Some(""));
        assert_eq!("/".parse::<Base>().expect("none").rest("/x"), Some("x"));
    }

    #[test]
    fn what_is_no_path_is_no_base() {
        for text in ["", "joust", "//evil", "/a/../b", "/a b", "/a?b", "/ä"] {
            assert!(text.parse::<Base>().is_err(), "{text}");
        }
    }
}
