//! Permissions of a worker: a key of its own, and what the server lets it do.

use super::TransportError;
use crate::trust::{GUEST, is_guest};

/// What lets a worker in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The seed of its key, for a file that only the worker reads.
    pub seed: String,
    /// The entry of the server's list of users.
    pub entry: String,
}

/// Invites the worker `name` with a new key.
///
/// # Errors
///
/// When the name cannot be part of a subject, or no key can be made.
pub fn invite(name: &str) -> Result<Invitation, TransportError> {
    if is_guest(name) {
        return Err(TransportError::Refused(format!(
            "`{name}` would be the name of a guest: `--guest` invites one"
        )));
    }
    with_key(name, |key| entry(name, key))
}

/// Invites somebody else's worker with a new key. Its name is `guest-` and then `name`, and the
/// server lets it speak under no other.
///
/// # Errors
///
/// As [`invite`].
pub fn invite_guest(name: &str) -> Result<Invitation, TransportError> {
    let name = format!("{GUEST}{name}");
    with_key(&name, |key| entry(&name, key))
}

/// Makes a key for the coordinator `name`, which may do everything at the server.
///
/// # Errors
///
/// As [`invite`].
pub fn invite_coordinator(name: &str) -> Result<Invitation, TransportError> {
    with_key(name, |key| format!("{{ nkey: {key} }}  # coordinator {name}\n"))
}

fn with_key(name: &str, entry: impl Fn(&str) -> String) -> Result<Invitation, TransportError> {
    check_name(name)?;
    let key = nkeys::KeyPair::new_user();
    let seed = key.seed().map_err(|error| TransportError::Refused(error.to_string()))?;
    Ok(Invitation { seed, entry: entry(&key.public_key()) })
}

/// Refuses a name that means something in a subject.
///
/// # Errors
///
/// What names may be.
pub fn check_name(name: &str) -> Result<(), TransportError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(TransportError::Refused(format!(
        "`{name}` cannot be the name of a worker: it takes letters, digits, `-` and `_`, at most 64 of them"
    )))
}

/// All that a worker does, and nothing else: it asks what is played, takes batches, prolongs
/// and ends its right to them, reports under its own name, reads builds, says that it is there.
/// Batches for workers of one's own no guest can take, or end the right to.
fn entry(name: &str, key: &str) -> String {
    let own = r#"
        "$JS.API.CONSUMER.MSG.NEXT.*.own"
        "$JS.ACK.*.own.>""#;
    let own = if is_guest(name) { "" } else { own };
    format!(
        r#"{{
  nkey: {key}  # worker {name}
  permissions: {{
    publish: {{
      allow: [
        "joust.hello"
        "joust.roll"
        "joust.here.{name}"
        "joust.name.{name}"
        "joust.*.result.{name}"
        "$JS.API.CONSUMER.MSG.NEXT.*.all"
        "$JS.ACK.*.all.>"{own}
        "$JS.API.DIRECT.GET.joust_blobs.>"
      ]
    }}
    subscribe: {{ allow: ["_INBOX_{name}.>", "joust.roll", "joust.name.{name}"] }}
    allow_responses: true
  }}
}}
"#
    )
}
