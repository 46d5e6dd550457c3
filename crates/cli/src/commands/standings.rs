//! `joust standings`: leaderboard and cross table from the database.

use joust_orchestrator::model::{ChainHead, EventInfo, escaped};
use joust_orchestrator::report;
use joust_orchestrator::standings;
use joust_orchestrator::store::{Access, Store};

use super::shared;
use crate::args::{BoutArgs, StandingsArgs, TableFormat};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(args: StandingsArgs, screen: Screen) -> Result<Status, Failure> {
    let source = BoutArgs { file: args.file, database: args.database };
    let store = shared::store(&source, Access::ReadOnly, screen).await?;
    print(&store, &args.event, args.format, screen).await?;
    Ok(Status::Done)
}

/// Prints the standings of `wanted` events; of all when it is empty.
pub(super) async fn print(
    store: &Store,
    wanted: &[String],
    format: TableFormat,
    screen: Screen,
) -> Result<(), Failure> {
    let events = shared::events(store).await?;
    if let Some(unknown) = wanted.iter().find(|id| !events.iter().any(|e| e.settings.id == **id)) {
        let known: Vec<_> = events.iter().map(|event| event.settings.id.as_str()).collect();
        let message = format!("the database has no event `{}`", unknown.escape_default());
        return Err(Failure::new(Status::Usage, message)
            .hint(format!("its events are: {}", known.join(", "))));
    }
    let head = store.head().await.map_err(|error| shared::database(&error))?;
    let is_wanted = |event: &&EventInfo| wanted.is_empty() || wanted.contains(&event.settings.id);
    let shown: Vec<&EventInfo> = events.iter().filter(is_wanted).collect();
    let mut texts = Vec::new();
    for (place, event) in shown.iter().enumerate() {
        // One chain is all events'; people read it once, at the end.
        let is_last = place + 1 == shown.len() || format == TableFormat::Json;
        let head = head.filter(|_| is_last);
        texts.push(event_text(store, event, (format, head), screen).await?);
    }
    screen.result(&joined(&texts, format));
    Ok(())
}

/// Joins the events: JSON is one list, an empty line parts the others.
fn joined(texts: &[String], format: TableFormat) -> String {
    match format {
        TableFormat::Json => {
            let objects: Vec<_> = texts.iter().map(|text| text.trim_end()).collect();
            format!("[{}]\n", objects.join(",\n"))
        }
        _ => texts.join("\n"),
    }
}

async fn event_text(
    store: &Store,
    event: &EventInfo,
    (format, head): (TableFormat, Option<ChainHead>),
    screen: Screen,
) -> Result<String, Failure> {
    let id = &event.settings.id;
    let results = store.results(id).await.map_err(|error| shared::database(&error))?;
    let mut table = standings::table(event, &results, &event.settings.tie_breaks);
    table.head = head;
    if table.unisolated > 0 {
        let (count, id) = (table.unisolated, escaped(id));
        screen.error(&format!(
            "warning: {count} bouts of `{id}` were played without isolation (tier D): \
             any bot could have changed them\n"
        ));
    }
    Ok(report::find(name(format), screen.look())
        .expect("every format of the command line is registered")
        .standings(&table))
}

fn name(format: TableFormat) -> &'static str {
    match format {
        TableFormat::Table => "table",
        TableFormat::Markdown => "markdown",
        TableFormat::Json => "json",
        TableFormat::Csv => "csv",
        TableFormat::Classic => "classic",
    }
}
