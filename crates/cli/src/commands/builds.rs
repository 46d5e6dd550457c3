//! `joust builds`: the builds of recorded bouts, kept for disputes.

use joust_build::{ExportSummary, FolderStore, StoreError};
use joust_model::{counted, escaped};
use joust_store::{Access, SourceRow};

use super::shared;
use crate::args::{BuildsCommand, BuildsExportArgs};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) async fn execute(command: BuildsCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        BuildsCommand::Export(args) => export(args, screen).await,
    }
}

async fn export(args: BuildsExportArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let builds = store.builds_played().await?;
    let failed = |error: StoreError| {
        let message = format!("builds cannot be copied to `{}`: {error}", args.folder.display());
        Failure::new(Status::Machine, message)
    };
    let from = FolderStore::open(&shared::cache_folder())
        .map_err(|error| failed(StoreError::Io(error)))?;
    let ExportSummary { copied, there, missing } =
        from.export(&builds, &args.folder).map_err(failed)?;
    for build in &missing {
        let source = store.source(build).await?;
        let remedy = remedy(source.as_ref());
        screen.error(&format!("build {build} is not on this machine; {remedy}\n"));
    }
    screen.result(&format!(
        "{}: {} copied, {there} {} there, {} {} not on this machine\n",
        args.folder.display(),
        counted(copied, "build"),
        if there == 1 { "was" } else { "were" },
        missing.len(),
        if missing.len() == 1 { "is" } else { "are" },
    ));
    Ok(Status::Done)
}

/// Sources from which a rerun can make a build that is not here.
fn remedy(source: Option<&SourceRow>) -> String {
    let Some(source) = source else {
        return "the database does not know its source: a rerun needs this build from another machine"
            .to_owned();
    };
    let name = escaped(&source.name);
    match (&source.files, &source.commit, &source.place) {
        (Some(_), ..) => {
            "a rerun makes it again from the source that the database keeps".to_owned()
        }
        (None, Some(commit), place) => {
            let place = place.as_deref().map_or(name, escaped);
            format!(
                "the database does not keep its source: a rerun needs commit {}, `{place}`",
                escaped(commit)
            )
        }
        (None, None, _) => format!(
            "the database does not keep its source, and no commit has it: a rerun needs `{name}` as it was"
        ),
    }
}
