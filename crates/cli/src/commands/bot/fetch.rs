//! `joust bot fetch`: the libraries that bots' own lists name.

use std::path::PathBuf;

use joust_bots::{BotProblem, BotSource};
use joust_build::NotFetched;
use joust_config::{ConfigErrors, Event, Tournament};
use joust_model::escaped;
use joust_orchestrator::machine::Machine;
use joust_orchestrator::pipeline::chosen;
use joust_toolchain::{Library, LibrarySet, NotBuilt};

use crate::args::BotFetchArgs;
use crate::commands::{failures, named_bots, run, shared};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// A bot, and the event whose rules apply to its libraries.
struct FetchRequest<'a> {
    bot: BotSource,
    event: &'a Event,
}

pub(super) fn execute(args: &BotFetchArgs, screen: Screen) -> Result<Status, Failure> {
    let tournament = shared::tournament_or_default(args.file.existing(), screen)?;
    if args.bots.is_empty() && args.file.existing().is_none() {
        return Err(Failure::usage("no bot is named, and there is no tournament here")
            .hint("name bots, or a tournament with `-f FILE`"));
    }
    let events = chosen(&tournament, args.event.as_slice())?;
    let (machine, _) = run::open_machine(&tournament, &args.isolation, screen)?;
    let wanted = match args.bots.is_empty() {
        true => all(&machine, &tournament, &events)?,
        false => {
            let bots = args.bots.iter().map(|bot| named(&machine, &tournament, bot, &events));
            bots.collect::<Result<Vec<_>, _>>()?
        }
    };
    let listener = run::listener(screen);
    let mut status = Status::Done;
    for FetchRequest { bot, event } in &wanted {
        match machine.fetch(bot, event, &*listener) {
            Ok(fetched) => screen.result(&describe_libraries(bot, fetched.as_deref())),
            Err(NotFetched::Set(NotBuilt::Stopped)) => return Err(failures::interrupted()),
            Err(reason) => {
                let failure = failure(bot, reason);
                screen.error(&failure.render());
                status = failure.status;
            }
        }
    }
    Ok(status)
}

/// Returns the bots of the events.
fn all<'a>(
    machine: &Machine,
    tournament: &Tournament,
    events: &[&'a Event],
) -> Result<Vec<FetchRequest<'a>>, Failure> {
    let mut wanted = Vec::new();
    for event in events {
        let bots = machine.discover(tournament, event);
        let bots = bots.map_err(|problems| failures::bot_problems(&problems))?;
        wanted.extend(bots.into_iter().map(|bot| FetchRequest { bot, event }));
    }
    Ok(wanted)
}

/// Reads a bot for the first event whose game takes it.
fn named<'a>(
    machine: &Machine,
    tournament: &Tournament,
    bot: &PathBuf,
    events: &[&'a Event],
) -> Result<FetchRequest<'a>, Failure> {
    let mut first: Option<Vec<BotProblem>> = None;
    for event in events {
        let paths = named_bots::paths(std::slice::from_ref(bot), tournament, event)?;
        match machine.read_bot(&paths[0], &event.game) {
            Ok(bot) => return Ok(FetchRequest { bot, event }),
            Err(problems) => drop(first.get_or_insert(problems)),
        }
    }
    Err(failures::bot_problems(&first.unwrap_or_default()))
}

/// Describes the libraries that a bot has now.
fn describe_libraries(bot: &BotSource, fetched: Option<&LibrarySet>) -> String {
    let name = escaped(bot.name());
    let Some(set) = fetched else {
        return format!("`{name}` ({}) names no libraries to fetch\n", bot.manifest.language);
    };
    let library = |one: &Library| format!("{} {}", one.name, one.version);
    let libraries: Vec<String> = set.libraries.iter().map(library).collect();
    match libraries.is_empty() {
        true => format!("`{name}`: nothing came of what it names\n"),
        false => format!("`{name}`: {}\n", escaped(libraries.join(", ").trim())),
    }
}

fn failure(bot: &BotSource, reason: NotFetched) -> Failure {
    match reason {
        NotFetched::List(problems) => {
            let problems = problems.into_iter().map(Into::into).collect();
            Failure::new(Status::Failed, ConfigErrors(problems).to_string())
        }
        NotFetched::Set(reason) => {
            let status = if reason.is_of_machine() { Status::Machine } else { Status::Failed };
            Failure::new(status, format!("`{}`: {reason}", escaped(bot.name())))
                .hint("nothing was kept: when names, hashes and network are right, run the same command again")
        }
    }
}
