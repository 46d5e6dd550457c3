//! `joust serve`: a standing game server.

use std::io::Read;
use std::net::SocketAddr;

use joust_orchestrator::model::{counted, escaped};
use joust_orchestrator::serve::{self, Caps, Happened, NoNewName, ServeError, Settings};
use joust_orchestrator::store::{Access, Store, StoreError};
use joust_referee::games::uwcs_bomberman::{GameOptions, Quirks, Report, quirks_of};
use joust_referee::{GameKind, Options, Seed};

use super::{play, shared};
use crate::args::ServeArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;
use crate::signals::Signals;

/// The game that can be served.
const SERVED: &str = "uwcs-bomberman";

pub(super) async fn execute(args: &ServeArgs, screen: Screen) -> Result<Status, Failure> {
    let settings = settings(args)?;
    serve::take_all_descriptors();
    for address in [Some(settings.listen), settings.spectators].into_iter().flatten() {
        warn_of_strangers(address, screen);
    }
    let store = Store::open(&args.database, Access::CreateOrOpen)
        .await
        .map_err(|error| shared::database(&error))?;
    let _lock = store.lock_for_server().map_err(|error| in_use(&error))?;
    let lonely = lonely(args);
    let tell = move |happened| say(&happened, lonely, screen);
    let mut signals =
        Signals::listen().map_err(|error| Failure::from_error(Status::Machine, &error))?;
    let stopped = async move {
        signals.next().await;
        signals.end_at_the_next();
    };
    match serve::serve(settings, store, stopped, tell).await {
        Ok(()) => {
            screen.message("stopped\n");
            Ok(Status::Done)
        }
        Err(ServeError::Store(error)) => Err(shared::database(&error)),
        Err(error @ ServeError::NoThread(_)) => Err(Failure::from_error(Status::Machine, &error)),
        Err(error) => Err(Failure::from_error(Status::Machine, &error)
            .hint("name another address with `--listen`; port 0 takes any free one")),
    }
}

/// Two servers would each think that they know every name.
fn in_use(error: &StoreError) -> Failure {
    match error {
        StoreError::Locked { path, pid } => {
            let by = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
            let message = format!("another server{by} has the accounts of `{}`", path.display());
            Failure::new(Status::Database, message).hint("stop it, or name another `--database`")
        }
        error => shared::database(error),
    }
}

fn settings(args: &ServeArgs) -> Result<Settings, Failure> {
    let game = shared::game(&args.game)?;
    if game.id() != SERVED {
        let message = format!("`{}` has no server: its bots are not clients", game.id());
        return Err(Failure::new(Status::Usage, message)
            .hint(format!("`joust serve {SERVED}` serves the one that has")));
    }
    let seed = args.seed.map_or_else(drawn_seed, Ok)?;
    let caps = Caps {
        connections: args.connections,
        per_address: args.per_address,
        idle: args.idle,
        accounts: args.accounts,
        new_names: args.new_names,
        ..Caps::default()
    };
    let options = options(args, game)?;
    let (listen, spectators) = (args.listen, args.spectators);
    Ok(Settings { listen, spectators, options, seed: Seed(seed), caps })
}

fn options(args: &ServeArgs, game: &dyn GameKind) -> Result<GameOptions, Failure> {
    let rules = args.rules.as_deref().unwrap_or(game.rule_sets()[0]);
    let quirks = quirks_of(rules).ok_or_else(|| {
        let message = format!("`{}` has no rule set `{}`", game.id(), rules.escape_default());
        Failure::new(Status::Usage, message)
            .hint(format!("its rule sets are: {}", game.rule_sets().join(", ")))
    })?;
    let mut options = Options::new();
    for text in &args.options {
        let (name, value) = play::option(game, text)?;
        options.insert(name, value);
    }
    GameOptions::read(quirks, &options).map_err(|error| Failure::from_error(Status::Usage, &error))
}

/// Returns a seed that no player can guess.
fn drawn_seed() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|error| Failure::from_error(Status::Machine, &error))?;
    Ok(u64::from_le_bytes(bytes))
}

fn warn_of_strangers(address: SocketAddr, screen: Screen) {
    if !address.ip().is_loopback() {
        screen.error(&format!(
            "warning: {address} can be reached by other machines, and the game's wire is plain \
             text: tell players to use a password of no other account\n"
        ));
    }
}

/// What is said of a game of one, which is over at once unless the rules let it go on.
fn lonely(args: &ServeArgs) -> &'static str {
    let quirks = args.rules.as_deref().and_then(quirks_of);
    match quirks.unwrap_or(Quirks::DOCUMENTED).end_at_living {
        0 => "",
        _ => "; `--rules original` lets a lone player play on",
    }
}

fn say(happened: &Happened, lonely: &str, screen: Screen) {
    match happened {
        Happened::Listening(address) => screen.message(&format!("players: {address}\n")),
        Happened::Spectators(address) => screen.message(&format!("spectators: {address}\n")),
        Happened::GameOver(report) => screen.message(&scores(report, lonely)),
        Happened::Stuck => screen.error(
            "warning: a name that needs escaping broke the game, as it breaks the original's \
             server: END is repeated until its client leaves or the server is restarted\n",
        ),
        Happened::NoNewName(why) => screen.error(&no_new_name(*why)),
        Happened::NotKept(error) => {
            screen.error(&Failure::from_error(Status::Database, error).render());
        }
    }
}

fn no_new_name(why: NoNewName) -> String {
    match why {
        NoNewName::Full => {
            "warning: there are as many names as `--accounts` allows: new ones are refused\n"
                .to_owned()
        }
        NoNewName::TooMany(address) => format!(
            "warning: {address} has made as many names in an hour as `--new-names` allows: further \
             ones are refused until the hour is over\n"
        ),
    }
}

fn scores(report: &Report, lonely: &str) -> String {
    let scores = report.scores.iter().map(|score| format!("{} {}", score.shown, score.points));
    let scores: Vec<String> = scores.collect();
    let text =
        format!("{} after {}: {}", report.ended, counted(report.turns, "turn"), scores.join(", "));
    let hint = if report.scores.len() == 1 { lonely } else { "" };
    format!("{}{hint}\n", escaped(&text))
}
