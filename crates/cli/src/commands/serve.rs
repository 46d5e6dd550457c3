//! `joust serve`: a standing game server.

use std::net::SocketAddr;

use joust_model::{counted, escaped};
use joust_orchestrator::pipeline::unguessable;
use joust_referee::{Catalogue, Game, GameServer, Options, Seed, ServedGame, ServerReport};
use joust_serve::{Caps, Listeners, NameRefusal, ServeError, ServerNotice, Settings};
use joust_store::{Access, Store, StoreError};

use super::{play, shared};
use crate::args::ServeArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;
use crate::signals::Signals;

pub(super) async fn execute(args: &ServeArgs, screen: Screen) -> Result<Status, Failure> {
    let game = shared::find_game(&args.game, screen)?.game;
    let settings = settings(args, &game)?;
    joust_serve::take_all_descriptors();
    for address in [Some(settings.listen), settings.spectators].into_iter().flatten() {
        warn_of_strangers(address, screen);
    }
    // Opened before the database, so that no database is left behind if an address is taken.
    let listeners = Listeners::open(&settings).await.map_err(not_started)?;
    let store = Store::open(&args.database, Access::CreateOrOpen).await?;
    let _lock = store.lock().map_err(|error| in_use(&error))?;
    let tell = move |happened| report_event(&happened, screen);
    let mut signals = Signals::listen()?;
    let stopped = async move {
        signals.next().await;
        signals.exit_on_next();
    };
    match joust_serve::serve(settings, listeners, store, stopped, tell).await {
        Ok(()) => {
            screen.message("stopped");
            Ok(Status::Done)
        }
        Err(error) => Err(not_started(error)),
    }
}

fn not_started(error: ServeError) -> Failure {
    match error {
        ServeError::Store(error) => Failure::from(error),
        error @ ServeError::NoThread(_) => Failure::machine(&error),
        error @ ServeError::Listen { .. } => Failure::machine(&error)
            .hint("name another address with `--listen`; port 0 takes any free one"),
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
        error => Failure::from(error),
    }
}

fn settings(args: &ServeArgs, game: &Game) -> Result<Settings, Failure> {
    let served = game.served().ok_or_else(|| no_server(&shared::games(), game))?;
    let seed = args.seed.unwrap_or_else(unguessable);
    let caps = Caps {
        connections: args.connections as usize,
        per_address: args.per_address as usize,
        idle: args.idle,
        accounts: args.accounts,
        new_names: args.new_names,
        ..Caps::default()
    };
    let server = server(args, game, served, Seed(seed))?;
    let (listen, spectators) = (args.listen, args.spectators);
    Ok(Settings { listen, spectators, game: game.id().to_owned(), server, caps })
}

pub(super) fn no_server(games: &Catalogue, game: &Game) -> Failure {
    let message = format!("`{}` has no server: its bots are not clients", game.id());
    let served = games.iter().filter(|game| game.served().is_some());
    let served: Vec<String> =
        served.map(|game| format!("`joust serve {}` serves the one that has", game.id())).collect();
    Failure::usage(message).hint(served.join("; "))
}

fn server(
    args: &ServeArgs,
    game: &Game,
    served: &dyn ServedGame,
    seed: Seed,
) -> Result<Box<dyn GameServer>, Failure> {
    let rules = args.rules.rules.as_deref().unwrap_or(game.spec().default_rules());
    shared::check_rules(game, rules)?;
    let mut options = Options::new();
    for text in &args.rules.options {
        let (name, value) = play::option(game, text)?;
        options.insert(name, value);
    }
    let server = served.server(rules, &options, seed);
    server.map_err(|error| Failure::from_error(Status::Usage, &error))
}

fn warn_of_strangers(address: SocketAddr, screen: Screen) {
    if !address.ip().is_loopback() {
        screen.error(&format!(
            "warning: {address} can be reached by other machines, and the game's wire is plain \
             text: tell players to use a password of no other account\n"
        ));
    }
}

fn report_event(happened: &ServerNotice, screen: Screen) {
    match happened {
        ServerNotice::Listening(address) => screen.message(&format!("players: {address}")),
        ServerNotice::Spectators(address) => screen.message(&format!("spectators: {address}")),
        ServerNotice::GameOver(report) => screen.message(&scores(report)),
        ServerNotice::Stuck(why) => screen.error(&format!("warning: {why}\n")),
        ServerNotice::NameRefused(why) => screen.error(&no_new_name(*why)),
        ServerNotice::NotStored(error) => {
            screen.error(&Failure::from_error(Status::Database, error).render());
        }
    }
}

fn no_new_name(why: NameRefusal) -> String {
    match why {
        NameRefusal::Full => {
            "warning: there are as many names as `--accounts` allows: new ones are refused\n"
                .to_owned()
        }
        NameRefusal::TooMany(address) => format!(
            "warning: {address} has made as many names in an hour as `--new-names` allows: further \
             ones are refused until the hour is over\n"
        ),
    }
}

fn scores(report: &ServerReport) -> String {
    let scores = report.scores.iter().map(|score| format!("{} {}", score.shown, score.points));
    let scores: Vec<String> = scores.collect();
    let text =
        format!("{} after {}: {}", report.ended, counted(report.turns, "turn"), scores.join(", "));
    let note = report.note.map(|note| format!("; {note}")).unwrap_or_default();
    format!("{}{note}", escaped(&text))
}
