//! Accounts at a server: one of the coordinators, with all streams, and one per worker.
//!
//! A server checks whether a key may publish to a subject, but not where the reply is sent. Within
//! one account, a client that may make requests could therefore have the server publish to any
//! subject. So each worker has an account of its own, which reaches only the subjects that
//! [`IMPORTS`] lists; replies stay in that account.
//!
//! In each account, the server itself answers at `$JS.API`; in a worker's account it answers that
//! there is no JetStream. So the coordinator's JetStream has another prefix there: [`API`].

use std::fs::File;
use std::io::Read;
use std::path::Path;

use nkeys::KeyPair;
use serde::Deserialize;
use tokio::time::timeout;

use super::{ALL_ANSWER, ServerConnection, TransportError};

/// The account of the coordinators. A worker's account is called this, `-` and the worker's name.
const MAIN: &str = "joust";
/// Longest file with a key, bytes. A seed has 58.
const LONGEST_KEY: u64 = 1024;
/// The prefix of JetStream's calls in workers' accounts, instead of `$JS.API`.
pub(super) const API: &str = "joust.js";

/// Exports from the coordinators' account to the workers' accounts. Only the first may have several
/// replies.
const EXPORTS: [&str; 12] = [
    r#"{ service: "joust.hello", response_type: stream, response_threshold: "5s" }"#,
    r#"{ service: "joust.here.*" }"#,
    r#"{ service: "joust.*.result.*" }"#,
    r#"{ service: "$JS.API.STREAM.INFO.*" }"#,
    r#"{ service: "$JS.API.CONSUMER.INFO.*.*" }"#,
    r#"{ service: "$JS.API.CONSUMER.MSG.NEXT.*.*" }"#,
    r#"{ service: "$JS.ACK.>" }"#,
    r#"{ service: "$JS.API.DIRECT.GET.*" }"#,
    r#"{ service: "$JS.API.DIRECT.GET.*.>" }"#,
    r#"{ service: "$KV.joust_names.>" }"#,
    r#"{ service: "joust.part.*" }"#,
    r#"{ stream: "joust.roll" }"#,
];

/// Everything that a worker may do: query stages, announce itself, report under its own name, take
/// batches, renew and end their leases, read builds, hold its name, and store reports that are
/// longer than a message.
const IMPORTS: [&str; 13] = [
    "joust.hello",
    "joust.here.NAME",
    "joust.*.result.NAME",
    "$JS.API.CONSUMER.INFO.*.all",
    "$JS.API.CONSUMER.MSG.NEXT.*.all",
    "$JS.ACK.*.all.>",
    "$JS.API.STREAM.INFO.OBJ_joust_builds",
    "$JS.API.DIRECT.GET.OBJ_joust_builds",
    "$JS.API.DIRECT.GET.OBJ_joust_builds.>",
    "$JS.API.STREAM.INFO.KV_joust_names",
    "$JS.API.DIRECT.GET.KV_joust_names.$KV.joust_names.worker.NAME",
    "$KV.joust_names.worker.NAME",
    "joust.part.NAME",
];

/// Credentials that admit one worker or coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The seed of its key. It belongs into a file that only the owner can read.
    pub seed: String,
    /// The entry for the server's list of accounts.
    pub entry: String,
}

/// Invites the worker `name` with a new key.
///
/// # Errors
///
/// When the name cannot be part of a subject, or no key can be made.
pub fn invite(name: &str) -> Result<Invitation, TransportError> {
    with_key(name, |key| worker_account(name, key))
}

/// Makes a key for the coordinator `name`, which has all rights in the coordinators' account.
///
/// # Errors
///
/// As [`invite`].
pub fn invite_coordinator(name: &str) -> Result<Invitation, TransportError> {
    with_key(name, |key| coordinator_account(name, key))
}

fn with_key(name: &str, entry: impl Fn(&str) -> String) -> Result<Invitation, TransportError> {
    check_name(name)?;
    let key = KeyPair::new_user();
    let seed = key.seed().map_err(|error| TransportError::Refused(error.to_string()))?;
    Ok(Invitation { seed, entry: entry(&key.public_key()) })
}

/// Refuses a name with characters that have a meaning in subjects.
///
/// # Errors
///
/// If the name is refused; the error describes valid names.
pub fn check_name(name: &str) -> Result<(), TransportError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(TransportError::Refused(format!(
        "`{name}` cannot be the name of a worker: it takes letters, digits, `-` and `_`, at most 64 of them"
    )))
}

/// Reads a key from the file that an invitation wrote.
///
/// # Errors
///
/// [`TransportError::Refused`] when the file cannot be read or does not contain a user's key.
pub fn key_in(file: &Path) -> Result<KeyPair, TransportError> {
    let refused = |error: String| TransportError::Refused(format!("`{}` {error}", file.display()));
    let mut seed = String::new();
    // A device may have no end.
    File::open(file)
        .and_then(|file| file.take(LONGEST_KEY).read_to_string(&mut seed))
        .map_err(|error| refused(format!("cannot be read: {error}")))?;
    KeyPair::from_seed(seed.trim()).map_err(|error| {
        tracing::debug!(%error, "no key");
        refused("is no key, as `joust workers invite` writes it to NAME.nk".to_owned())
    })
}

fn coordinator_account(name: &str, key: &str) -> String {
    let exports = EXPORTS.map(|export| format!("    {export}\n")).concat();
    format!(
        r#""{MAIN}": {{
  jetstream: enabled
  users: [
    {{ nkey: {key} }}  # coordinator {name}; the key of another coordinator is another line here
  ]
  exports: [
{exports}  ]
}}
"#
    )
}

/// Returns the name in a worker's account of a subject of the coordinators. The client adds the API
/// prefix to writes into key-value stores, too.
fn name_in_account(subject: &str) -> String {
    match subject.strip_prefix("$JS.API.") {
        Some(call) => format!("{API}.{call}"),
        None if subject.starts_with("$KV.") => format!("{API}.{subject}"),
        None => subject.to_owned(),
    }
}

fn worker_account(name: &str, key: &str) -> String {
    let imports: String = IMPORTS
        .iter()
        .map(|subject| subject.replace("NAME", name))
        .map(|subject| {
            let to = name_in_account(&subject);
            format!(
                "    {{ service: {{ account: {MAIN}, subject: \"{subject}\" }}, to: \"{to}\" }}\n"
            )
        })
        .collect();
    format!(
        r#""{MAIN}-{name}": {{
  users: [ {{ nkey: {key} }} ]  # worker {name}
  imports: [
{imports}    {{ stream: {{ account: {MAIN}, subject: "joust.roll" }} }}
  ]
}}
"#
    )
}

/// Returns the worker that a connection's key was made for; `None` for other keys and for
/// connections without a key.
pub(super) async fn worker_of(connection: &ServerConnection) -> Option<String> {
    #[derive(Deserialize)]
    struct Info {
        data: User,
    }
    #[derive(Deserialize)]
    struct User {
        account: String,
    }
    let asked = connection.client().ok()?.request("$SYS.REQ.USER.INFO", "".into());
    let answer = timeout(ALL_ANSWER, asked).await.ok()?.ok()?;
    let Info { data: User { account } } = serde_json::from_slice(&answer.payload).ok()?;
    Some(account.strip_prefix(MAIN)?.strip_prefix('-')?.to_owned())
}
