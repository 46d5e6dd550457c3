//! `joust standings`: leaderboard, ratings and cross table from the database.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use clap::ValueEnum;
use joust_model::{EventInfo, counted, escaped};
use joust_orchestrator::board;
use joust_referee::Game;
use joust_report::{Format, Leaderboard, Superiority};
use joust_standings::ratings::event::Model;
use joust_standings::standings::{self, Standings, StandingsRow};
use joust_store::{Access, Store};
use tempfile::SpooledTempFile;

use super::shared::{self, Rankings};
use crate::args::{StandingsArgs, TableFormat};
use crate::error::{Failure, Status};
use crate::output::{Screen, show_waiting};

/// Contents and format of the standings.
#[derive(Clone, Debug, Default)]
pub(super) struct StandingsOptions {
    /// Events; all when it is empty.
    pub(super) events: Vec<String>,
    pub(super) format: TableFormat,
    /// `None` for the usual one of each event.
    pub(super) model: Option<Model>,
    pub(super) superiority: Superiority,
    /// Criteria of the ranks by event, as the tournament's file has them now; an event that is not
    /// there has those of its last run.
    pub(super) rankings: Rankings,
    /// Bots that were not built and that the command reports itself: event and bot. The table has
    /// no lines for them.
    pub(super) listed_elsewhere: Vec<(String, String)>,
    /// True if the table does not end with the head of the chain.
    pub(super) hides_chain: bool,
}

impl StandingsOptions {
    fn remove_listed_rows(&self, table: &mut Standings) {
        if self.format != TableFormat::Text {
            return;
        }
        let event = table.event.clone();
        let is_told =
            |bot: &str| self.listed_elsewhere.iter().any(|(of, name)| *of == event && name == bot);
        let not_built =
            |row: &StandingsRow| matches!(row.status, standings::Status::NotBuilt { .. });
        table.rows.retain(|row| !(not_built(row) && is_told(&row.bot.name)));
    }
}

pub(super) async fn execute(args: StandingsArgs, screen: Screen) -> Result<Status, Failure> {
    let (file, named) = (args.tournament.file(), args.database.database);
    let (database, rankings) = match (named, file.named()) {
        (Some(database), None) => (database, Rankings::new()),
        (named, _) => {
            let tournament = shared::tournament(file.path(), screen)?;
            let rankings = shared::rankings(&tournament);
            (named.unwrap_or(tournament.database), rankings)
        }
    };
    let store = Store::open(&database, Access::ReadOnly).await?;
    let superiority = if args.superiority { Superiority::Shown } else { Superiority::Hidden };
    let wanted = StandingsOptions {
        events: args.events.event,
        format: args.format,
        model: args.model,
        superiority,
        rankings,
        ..StandingsOptions::default()
    };
    print(&store, &wanted, screen).await?;
    Ok(Status::Done)
}

/// Prints the standings of the wanted events.
pub(super) async fn print(
    store: &Store,
    wanted: &StandingsOptions,
    screen: Screen,
) -> Result<(), Failure> {
    let waiting = show_waiting(screen, "adding up the results");
    let moment = store.at_one_moment().await?;
    let shown = text_at(&moment, wanted, screen).await;
    moment.close().await;
    drop(waiting);
    let (mut text, warnings) = shown?;
    if store.lacks_newer_rows().await {
        let file = store.path().display();
        screen.error(&format!(
            "warning: `{file}` is a copy of a database that was being written, without its `-wal`: \
             the newest results are not in it\n"
        ));
    }
    for warning in &warnings {
        screen.error(warning);
    }
    screen.result_of(&mut text).map_err(|error| no_room(&error))?;
    Ok(())
}

/// Returns the standings of the requested events, and the notes beside them.
async fn text_at(
    store: &Store,
    wanted: &StandingsOptions,
    screen: Screen,
) -> Result<(SpooledTempFile, Vec<String>), Failure> {
    let mut events = shared::events(store).await?;
    let notes = events.iter_mut();
    let notes =
        notes.filter_map(|event| shared::rank_by_file(&wanted.rankings, &mut event.settings));
    let mut warnings: Vec<_> = notes.collect();
    let known: Vec<&str> = events.iter().map(|event| event.settings.id.as_str()).collect();
    shared::check_events(&wanted.events, &known)?;
    let is_wanted =
        |event: &&EventInfo| wanted.events.is_empty() || wanted.events.contains(&event.settings.id);
    let shown: Vec<&EventInfo> = events.iter().filter(is_wanted).collect();
    for event in &shown {
        check_format(wanted.format, &event.settings.id, &event.settings.game)?;
    }
    let head = store.head().await?;
    let mut joined = JoinedText::new(wanted.format);
    let (games, name) = (shared::games(), wanted.format.to_possible_value());
    let name = name.expect("no format is hidden");
    let format = joust_report::find(name.get_name(), screen.look())
        .expect("every format of the command line is registered");
    for (place, event) in shown.iter().enumerate() {
        let mut board = board::read(store, event, wanted.model).await?;
        let table = &mut board.standings;
        // One chain is all events'; people read it once, at the end.
        let is_last = place + 1 == shown.len() || wanted.format == TableFormat::Json;
        table.head = head.filter(|_| is_last && !wanted.hides_chain);
        wanted.remove_listed_rows(table);
        warnings.extend(warning(table));
        let bouts = match wanted.format {
            TableFormat::Json => Some(board::pair_bouts(store, &board.standings).await?),
            _ => None,
        };
        let leaderboard = Leaderboard {
            game: games.find(&event.settings.game),
            standings: &board.standings,
            ratings: Some(&board.ratings),
            superiority: wanted.superiority,
            bouts: bouts.as_ref(),
        };
        joined.add(format.as_ref(), &leaderboard).map_err(|error| no_room(&error))?;
    }
    let text = joined.finish().map_err(|error| no_room(&error))?;
    Ok((text, warnings))
}

/// Refuses the original's table where the original had none.
pub(super) fn check_format(format: TableFormat, event: &str, game: &str) -> Result<(), Failure> {
    let games = shared::games();
    let has_table = |game: &&Game| game.results_table().is_some();
    if format != TableFormat::Classic || games.find(game).as_ref().is_some_and(has_table) {
        return Ok(());
    }
    let message = format!(
        "`{}` has no classic table: the original of `{}` printed none",
        escaped(event),
        escaped(game)
    );
    let with: Vec<&str> = games.iter().filter(has_table).map(Game::id).collect();
    let hint = format!(
        "it is for events of `{}`, which `--event` picks; `--format text` is for all",
        with.join("`, `")
    );
    Err(Failure::usage(message).hint(hint))
}

/// Texts of events as one: JSON is one list, an empty line parts the others. Those of a large
/// league wait in a file.
struct JoinedText {
    format: TableFormat,
    is_begun: bool,
    text: BufWriter<SpooledTempFile>,
}

impl JoinedText {
    /// Most of a text that is kept in memory.
    const IN_MEMORY: usize = 1 << 20;

    fn new(format: TableFormat) -> Self {
        let text = BufWriter::new(SpooledTempFile::new(Self::IN_MEMORY));
        Self { format, is_begun: false, text }
    }

    fn add(&mut self, format: &dyn Format, board: &Leaderboard<'_>) -> io::Result<()> {
        let (begin, between) = match self.format {
            TableFormat::Json => ("[", ",\n"),
            _ => ("", "\n"),
        };
        let before = if self.is_begun { between } else { begin };
        self.is_begun = true;
        self.text.write_all(before.as_bytes())?;
        format.write(board, &mut self.text)?;
        if self.format == TableFormat::Json {
            // Without its line break, which is the list's.
            let end = self.text.stream_position()?.saturating_sub(1);
            self.text.get_mut().set_len(end)?;
            self.text.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<SpooledTempFile> {
        let end = match (self.format, self.is_begun) {
            (TableFormat::Json, true) => "]\n",
            (TableFormat::Json, false) => "[]\n",
            _ => "",
        };
        self.text.write_all(end.as_bytes())?;
        self.text.rewind()?;
        self.text.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// Returns the failure of a text that found no room.
fn no_room(error: &io::Error) -> Failure {
    Failure::machine(error)
        .hint("a large text waits in the folder for temporary files, which `TMPDIR` names")
}

fn warning(table: &Standings) -> Option<String> {
    let (count, id) = (table.unisolated, escaped(&table.event));
    (count > 0).then(|| {
        format!(
            "warning: {} of `{id}` {} played without isolation (tier D): any bot could have \
             changed {}\n",
            counted(count, "bout"),
            if count == 1 { "was" } else { "were" },
            if count == 1 { "it" } else { "them" },
        )
    })
}
