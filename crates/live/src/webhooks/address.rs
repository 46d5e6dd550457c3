//! Addresses of webhooks, as they are written in a variable or a file.

use std::fmt;

/// Service that takes messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// Discord: `content`.
    Discord,
    /// Slack and compatible services: `text`.
    Slack,
    /// Any program: the whole message.
    Json,
}

impl Kind {
    /// Returns the word that stands for it in front of an address.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn of_host(host: &str) -> Self {
        let is_of = |domain: &str| {
            host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
        };
        match host {
            _ if is_of("discord.com") || is_of("discordapp.com") => Self::Discord,
            _ if is_of("slack.com") => Self::Slack,
            _ => Self::Json,
        }
    }
}

/// The most addresses there may be: each has a thread.
const MOST: usize = 20;

/// Address that takes messages. It is a secret: anyone who knows it can post there.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// The service behind it.
    pub kind: Kind,
    pub(super) secret: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.kind.name())
    }
}

/// Reason why a text is not a list of addresses. Addresses are named by their numbers alone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotAddresses {
    /// There is none.
    #[error("there is no address of a webhook")]
    None,
    /// One is not `https://HOST/…`.
    #[error(
        "webhook {0} does not begin with https:// and a host (http:// is for this machine alone)"
    )]
    NotSecure(usize),
    /// A word without an address behind it.
    #[error("webhook {0} has the word `discord`, `slack` or `json` and no address behind it")]
    NoAddress(usize),
    /// There are too many.
    #[error("there are more than {MOST} addresses of webhooks")]
    TooMany,
}

/// Reads addresses, separated by white space or line ends; the rest of a line that begins with `#`
/// is ignored. `discord`, `slack` or `json` in front of an address names its format, where the host
/// does not imply it.
///
/// # Errors
///
/// [`NotAddresses`].
pub fn parse_addresses(text: &str) -> Result<Vec<Address>, NotAddresses> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    let mut addresses = Vec::new();
    while let Some(word) = words.next() {
        let number = addresses.len() + 1;
        if number > MOST {
            return Err(NotAddresses::TooMany);
        }
        let kind = word.parse().ok();
        let address = match kind {
            Some(_) => words.next().ok_or(NotAddresses::NoAddress(number))?,
            None => word,
        };
        let host = host_of(address).ok_or(NotAddresses::NotSecure(number))?;
        let kind = kind.unwrap_or_else(|| Kind::of_host(host));
        addresses.push(Address { kind, secret: address.to_owned() });
    }
    if addresses.is_empty() { Err(NotAddresses::None) } else { Ok(addresses) }
}

/// Returns the host of an address that may be written to.
fn host_of(address: &str) -> Option<&str> {
    let (rest, is_encrypted) = match address.strip_prefix("https://") {
        Some(rest) => (rest, true),
        None => (address.strip_prefix("http://")?, false),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let is_here = matches!(host, "127.0.0.1" | "localhost" | "[::1]");
    let is_plain = !host.is_empty() && !authority.contains('@');
    (is_plain && (is_encrypted || is_here)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let addresses = parse_addresses(text).expect("addresses");
        addresses.into_iter().map(|address| address.kind).collect()
    }

    #[test]
    fn the_host_tells_the_kind_unless_a_word_does() {
        let text = "# ours\nhttps://discord.com/api/webhooks/1/x https://hooks.slack.com/services/y\n\
                    https://example.org/hook\nslack https://chat.example.org/hook";
        assert_eq!(kinds(text), [Kind::Discord, Kind::Slack, Kind::Json, Kind::Slack]);
        assert_eq!(kinds("https://notdiscord.com/x"), [Kind::Json]);
    }

    #[test]
    fn what_is_not_secure_is_refused_without_being_repeated() {
        for text in ["http://example.org/token", "example.org/token", "https://", "https://a@b/c"] {
            assert_eq!(parse_addresses(text), Err(NotAddresses::NotSecure(1)), "{text}");
        }
        assert_eq!(kinds("http://127.0.0.1:8080/x"), [Kind::Json]);
        assert_eq!(parse_addresses("# none\n"), Err(NotAddresses::None));
        assert_eq!(parse_addresses("discord"), Err(NotAddresses::NoAddress(1)));
        let many = "https://example.org/token\n".repeat(MOST + 1);
        assert_eq!(parse_addresses(&many), Err(NotAddresses::TooMany));
        let address = parse_addresses("https://example.org/token").expect("one").remove(0);
        assert_eq!(format!("{address:?}"), "Address(json)");
    }
}
