//! `joust report`: the tournament as a static site, or as live pages.

mod folder;

use std::path::Path;
use std::sync::Arc;

use joust_config::{Tournament, read_plain};
use joust_live::RunSource;
use joust_model::cancel::Cancel;
use joust_model::{BoutId, SiteLabels, counted, escaped};
use joust_orchestrator::pipeline::{self, SiteProgress, SiteReport, SiteRunError};
use joust_report::site::{Logo, SiteOptions};
use joust_store::{Access, Store};
use nix::libc::SIGXFSZ;
use tokio::signal::unix::{SignalKind, signal};

use self::folder::SiteFolder;
use super::live::{self, LiveContents};
use super::{failures, shared};
use crate::args::ReportArgs;
use crate::error::{Failure, Status};
use crate::output::{ProgressLine, Screen};
use crate::signals::{self, Signals};

/// Largest logo, bytes.
const LARGEST_LOGO: u64 = 1 << 20;

pub(super) async fn execute(args: ReportArgs, screen: Screen) -> Result<Status, Failure> {
    let source = source(&args, screen)?;
    let store = Store::open(&source.database, Access::ReadOnly).await?;
    for mut event in store.events().await? {
        if let Some(note) = shared::rank_by_file(&source.site.rankings, &mut event) {
            screen.error(&note);
        }
    }
    if args.live.live.is_some() {
        store.close().await;
        return serve(source, &args, screen).await;
    }
    let made = make(&store, source.site, &args, screen).await;
    // Readers leave nothing beside the database either.
    store.close().await;
    made
}

/// Serves the pages of a database, which can be opened, until a signal comes.
async fn serve(
    mut source: LiveContents,
    args: &ReportArgs,
    screen: Screen,
) -> Result<Status, Failure> {
    let mut signals = Signals::listen()?;
    let cancel = Cancel::default();
    source.site.games = shared::playable_games(&args.tournament.file(), &cancel, screen)?;
    let pages = live::start(&args.live, source, RunSource::Database, screen)?;
    signals.next().await;
    signals.exit_on_next();
    drop(pages);
    Ok(Status::Done)
}

/// Makes the site of an open database.
async fn make(
    store: &Store,
    mut site: SiteOptions,
    args: &ReportArgs,
    screen: Screen,
) -> Result<Status, Failure> {
    let out = args.out.as_deref().unwrap_or(Path::new(""));
    let folder = Arc::new(SiteFolder::begin(out, args.force)?);
    let cancel = Cancel::default();
    // A second signal does not wait; files that were written stay beside the folder.
    signals::stop_on_signal(cancel.clone(), |_| {});
    let read = store.clone();
    let _registration = cancel.on_cancel(move || read.interrupt());
    // While it is heard, a file that grows beyond a limit of the system is an error like a full
    // disk, and does not end the process.
    let _heard = signal(SignalKind::from_raw(SIGXFSZ)).map_err(|error| Failure::machine(&error))?;
    site.games = shared::playable_games(&args.tournament.file(), &cancel, screen)?;
    let progress = ProgressLine::new(screen);
    let show = |step: SiteProgress<'_>| {
        let SiteProgress { event, what, done, all } = step;
        progress.show(|| format!("{}: {done} of {all} {what}", escaped(event)));
    };
    let report = pipeline::site(store, &site, folder.clone(), &show, &cancel).await;
    if cancel.is_cancelled() {
        return Err(failure(&SiteRunError::Interrupted, out));
    }
    let report = report.map_err(|error| failure(&error, out))?;
    drop(progress);
    let folder = Arc::into_inner(folder).expect("nobody writes any more");
    folder.put_in_place()?;
    screen.result(&describe_site(&report, out));
    if !report.undrawn.is_empty() {
        screen.error(&undrawn(&report.undrawn));
    }
    Ok(Status::Done)
}

/// Returns the database, the public parts and the labels of the pages: from the tournament's file,
/// or defaults if only a database was named.
fn source(args: &ReportArgs, screen: Screen) -> Result<LiveContents, Failure> {
    let (file, name) = (args.tournament.file(), "Tournament".to_owned());
    if let (Some(database), None) = (&args.database.database, file.named()) {
        let mut site = SiteOptions::new(shared::games());
        site.events.clone_from(&args.events.event);
        return Ok(LiveContents { database: database.clone(), name, site });
    }
    let tournament = shared::tournament(file.path(), screen)?;
    let site = site_options(&tournament, args.events.event.clone())?;
    let database = args.database.database.clone().unwrap_or(tournament.database);
    Ok(LiveContents { database, name, site })
}

/// Returns the options of the site of a tournament, with the games of Joust alone.
pub(super) fn site_options(
    tournament: &Tournament,
    events: Vec<String>,
) -> Result<SiteOptions, Failure> {
    Ok(SiteOptions {
        games: shared::games(),
        events,
        publication: tournament.report.clone(),
        words: tournament.site.clone(),
        logo: logo(tournament)?,
        rankings: shared::rankings(tournament),
    })
}

/// Reads the logo that the tournament's file names.
fn logo(tournament: &Tournament) -> Result<Option<Logo>, Failure> {
    let Some(name) = &tournament.site.logo else { return Ok(None) };
    let bytes = read_plain(&tournament.folder.join(name), LARGEST_LOGO).map_err(|error| {
        let problem = tournament.error_at(&["site", "logo"], error.to_string());
        Failure::usage(problem.to_string())
    })?;
    let ending = name.extension().and_then(|ending| ending.to_str());
    let mut known = SiteLabels::LOGOS.into_iter().map(|(known, _)| known);
    Ok(known.find(|known| Some(*known) == ending).map(|ending| Logo { ending, bytes }))
}

fn describe_site(report: &SiteReport, out: &Path) -> String {
    let index = out.join("index.html");
    let mut text = format!(
        "{}, {}, {}: {}\n",
        counted(report.events, "event"),
        counted(report.bots, "bot"),
        counted(report.bouts, "bout"),
        escaped(&index.display().to_string())
    );
    if report.unshown > 0 {
        text.push_str(&format!(
            "{} more {} no page: `report: {{ bouts: N }}` in the tournament's file is the most of an event\n",
            report.unshown,
            if report.unshown == 1 { "bout has" } else { "bouts have" },
        ));
    }
    text
}

/// Names the first bouts that cannot be watched.
fn undrawn(bouts: &[BoutId]) -> String {
    const NAMED: usize = 5;
    let ids: Vec<_> = bouts.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match bouts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{} of these bouts cannot be drawn, as their pages say: {}{more}; `joust verify` tells more\n",
        bouts.len(),
        ids.join(", ")
    )
}

fn failure(error: &SiteRunError, out: &Path) -> Failure {
    let untouched = match out.exists() {
        true => format!("`{}` is unchanged", escaped(&out.display().to_string())),
        false => "nothing was written".to_owned(),
    };
    match error {
        SiteRunError::Store(error) => Failure::from(error),
        SiteRunError::NoSuchEvent { wanted, known } => {
            let known: Vec<_> = known.iter().map(|id| escaped(id)).collect();
            Failure::from_error(Status::Usage, error)
                .hint(failures::there_are("events", wanted, &known))
        }
        SiteRunError::NoEvent => {
            Failure::from_error(Status::Usage, error).hint("`joust run` plays them")
        }
        SiteRunError::Interrupted => {
            Failure::from_error(Status::Interrupted, error).hint(untouched)
        }
        SiteRunError::NoThread(_) => Failure::machine(error).hint(untouched),
        SiteRunError::Site(inner) if inner.io().is_some() => {
            Failure::machine(error).hint(untouched)
        }
        SiteRunError::Site(_) => {
            Failure::machine(error).hint("this is an error of joust: please report it")
        }
    }
}
