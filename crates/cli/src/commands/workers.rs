//! `joust workers`: the workers that are connected, and keys for new ones.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use joust_cluster::transport::TransportError;
use joust_cluster::transport::nats::{Address, invite, invite_coordinator};
use joust_orchestrator::workers::list_workers;
use joust_report::{WorkerLine, workers};

use super::failures::server_hint;
use super::run::check_key_file;
use crate::args::{InviteArgs, TextFormat, WorkersArgs, WorkersCommand};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Name of this end at the server.
const NAME: &str = "roll";

/// Advice where a key of that name is there.
const IS_THERE: &str = "the server may know that key already: delete the file to make another one, \
                        and its entry at the server";

pub(super) async fn execute(args: WorkersArgs, screen: Screen) -> Result<Status, Failure> {
    match &args.command {
        Some(WorkersCommand::Invite(invite)) => make_key(invite, screen),
        None => list_workers_there(&args, screen).await,
    }
}

fn make_key(args: &InviteArgs, screen: Screen) -> Result<Status, Failure> {
    let InviteArgs { name, out, coordinator } = args;
    let invited = if *coordinator { invite_coordinator(name) } else { invite(name) };
    let invited = invited.map_err(|error| Failure::from_error(Status::Usage, &error))?;
    let file = out.join(format!("{name}.nk"));
    write_key(&file, &invited.seed).map_err(|error| {
        let message = format!("the key cannot be written to `{}`: {error}", file.display());
        let is_there = error.kind() == io::ErrorKind::AlreadyExists;
        Failure::usage(message).hint_if(is_there.then(|| IS_THERE.to_owned()))
    })?;
    if !screen.is_written(invited.entry.as_bytes()) {
        // A key without its entry is of no use, and keeps the next one from being written.
        _ = fs::remove_file(&file);
        return Ok(Status::Done);
    }
    let key = file.display();
    screen.message(&format!(
        "the key is in {key}: anyone who has it is `{name}`, so copy it to that machine alone"
    ));
    let next = match coordinator {
        true => format!("joust run --workers URL --credentials {key}"),
        false => format!("joust worker URL --name {name} --credentials {key}"),
    };
    screen.message(&format!("next: {next}"));
    if *coordinator {
        screen.message(
            "a server has one account `joust`: if it already exists, put only the line with \
             `nkey` into its `users`",
        );
    }
    Ok(Status::Done)
}

/// Writes a key into a new file, which only its owner reads.
fn write_key(file: &Path, seed: &str) -> io::Result<()> {
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    // Half a key would keep the next one from being written.
    writeln!(open, "{seed}").inspect_err(|_| _ = fs::remove_file(file))
}

async fn list_workers_there(args: &WorkersArgs, screen: Screen) -> Result<Status, Failure> {
    check_key_file(args.credentials.credentials.as_deref())?;
    let url = args.url.as_deref().unwrap_or_default();
    let address = Address { url, credentials: args.credentials.credentials.as_deref(), name: NAME };
    let there = list_workers(&address).await.map_err(away)?;
    screen.result(&text(&there, args.output.format, screen));
    Ok(Status::Done)
}

fn text(there: &[WorkerLine], format: TextFormat, screen: Screen) -> String {
    match format {
        TextFormat::Json => format!("{:#}\n", serde_json::json!(there)),
        TextFormat::Text if there.is_empty() => {
            "no worker is there; `joust worker URL` on a machine makes it one\n".to_owned()
        }
        TextFormat::Text => workers(there, screen.look()),
    }
}

/// Describes a server that cannot be used.
fn away(error: TransportError) -> Failure {
    let text = error.to_string();
    let hint = server_hint(&text);
    Failure::new(Status::Machine, text).hint(
        hint.unwrap_or("`nats-server --jetstream` is a server; `joust docs workers` tells more"),
    )
}
