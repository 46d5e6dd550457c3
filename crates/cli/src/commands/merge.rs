//! `joust merge`: databases of one tournament joined.

use std::path::Path;

use joust_model::{RoundState, counted};
use joust_orchestrator::pipeline::round_state;
use joust_store::shard::{self, MergeError};
use joust_store::{Access, Store};

use crate::args::MergeArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) async fn execute(args: MergeArgs, screen: Screen) -> Result<Status, Failure> {
    let merged = shard::merge(&args.out, &args.inputs).await.map_err(|error| failure(&error))?;
    let shard::MergeCounts { bouts, added, replaced, shared } = merged;
    screen.result(&format!(
        "{}: {}: {added} added, {replaced} replaced by newer results, {shared} already there\n",
        args.out.display(),
        counted(bouts, "bout")
    ));
    for line in rounds(&args.out).await? {
        screen.result(&line);
    }
    Ok(Status::Done)
}

/// Names the round that is open now, of events that are played in rounds.
async fn rounds(database: &Path) -> Result<Vec<String>, Failure> {
    let store = Store::open(database, Access::ReadOnly).await?;
    let mut lines = Vec::new();
    for event in store.events().await? {
        let state = round_state(&store, &event.id).await?;
        lines.extend(state.map(|state| line(&event.id, state)));
    }
    store.close().await;
    Ok(lines)
}

fn line(event: &str, state: RoundState) -> String {
    let RoundState { open, of, is_over } = state;
    match (is_over, open >= of) {
        (true, true) => format!("{event}: all {of} rounds are played\n"),
        (true, false) => format!("{event}: nobody is left to meet after round {open} of {of}\n"),
        (false, _) => format!(
            "{event}: round {open} of {of} is open; shards play it on copies of this database\n"
        ),
    }
}

fn failure(error: &MergeError) -> Failure {
    match error {
        MergeError::Store(error) => Failure::from(error),
        MergeError::OutIsIn(_) => Failure::from_error(Status::Usage, error),
        MergeError::Refused(_) => Failure::from_error(Status::Failed, error).hint(
            "nothing was written; shards of one tournament run the same file, the same bots and \
             the same tools, and are joined into a new file",
        ),
        MergeError::Conflicts { .. } => Failure::from_error(Status::Failed, error).hint(
            "nothing was written; `joust rerun BOUT --database DB` shows which is right, \
             with --amend it records it",
        ),
    }
}
