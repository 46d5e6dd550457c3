//! `joust merge`: databases of one tournament joined.

use joust_orchestrator::model::counted;
use joust_orchestrator::shard::{self, MergeError};

use super::shared;
use crate::args::MergeArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(args: MergeArgs, screen: Screen) -> Result<Status, Failure> {
    let merged = shard::merge(&args.out, &args.inputs).await.map_err(|error| failure(&error))?;
    let shard::Merged { bouts, added, replaced, shared } = merged;
    screen.result(&format!(
        "{}: {}: {added} added, {replaced} newer than before, {} the same result met twice\n",
        args.out.display(),
        counted(bouts, "bout"),
        counted(shared, "time")
    ));
    Ok(Status::Done)
}

fn failure(error: &MergeError) -> Failure {
    match error {
        MergeError::Store(error) => shared::database(error),
        MergeError::OutIsIn(_) => Failure::from_error(Status::Usage, error),
        MergeError::Refused(_) => Failure::from_error(Status::NotInOrder, error).hint(
            "nothing was written; shards of one tournament run the same file, the same bots and \
             the same tools, and are joined into a new file",
        ),
        MergeError::Conflicts(_) => Failure::from_error(Status::NotInOrder, error).hint(
            "nothing was written; `joust rerun BOUT --database DB` shows which is right, \
             with --amend it records it",
        ),
    }
}
