//! `joust game`: commands for games whose referee is an external program.

use std::path::Path;
use std::time::{Duration, Instant};

use joust_bots::scaffold::make_game;
use joust_config::ExternalGame;
use joust_model::cancel::Cancel;
use joust_orchestrator::machine::{GameTrial, default_tournament};
use joust_play::trial::{Answering, SOME_ANSWERS, Trial};
use joust_referee::{Game, Options, Seed};

use crate::args::{GameArg, GameBenchArgs, GameCommand, GameNewArgs, IsolationArg};
use crate::commands::shared::{self, FoundGame};
use crate::commands::{failures, run};
use crate::error::{Failure, Status};
use crate::output::Screen;

mod check;

pub(super) fn execute(command: &GameCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        GameCommand::New(args) => make_game_folder(args, screen),
        GameCommand::Check(args) => check::execute(args, screen),
        GameCommand::Bench(args) => measure_referee(args, screen),
    }
}

/// A game that was read and built.
pub(super) struct PreparedGame {
    brought: ExternalGame,
    pub(super) trial: GameTrial,
    cancel: Cancel,
}

impl PreparedGame {
    /// Finds a game and builds its referee.
    fn make(args: &GameArg, isolation: &IsolationArg, screen: Screen) -> Result<Self, Failure> {
        let FoundGame { game, mut tournament } = shared::find_game(args, screen)?;
        let brought = tournament.external.pop().ok_or_else(|| {
            let message = format!("`{}` is a game of Joust, not a referee of your own", game.id());
            Failure::usage(message).hint("name a folder with a `game.yaml`")
        })?;
        Self::of(brought, isolation, screen)
    }

    /// Builds the referee of a game.
    pub(super) fn of(
        brought: ExternalGame,
        isolation: &IsolationArg,
        screen: Screen,
    ) -> Result<Self, Failure> {
        let tournament = default_tournament::tournament(Path::new("."), &shared::games());
        let (machine, cancel) = run::open_machine(&tournament, isolation, screen)?;
        let trial = machine.try_game(&brought)?;
        Ok(Self { brought, trial, cancel })
    }

    /// Returns a failure if the trial is being stopped.
    fn insist_on_running(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() { Err(failures::interrupted()) } else { Ok(()) }
    }
}

fn make_game_folder(args: &GameNewArgs, screen: Screen) -> Result<Status, Failure> {
    let files = make_game(&args.language, &args.folder)
        .map_err(|error| Failure::from_error(Status::Usage, &error).hint_if(error.hint()))?;
    for file in &files {
        screen.result(&format!("{}\n", file.display()));
    }
    screen.message("next: joust docs games");
    Ok(Status::Done)
}

/// Measures the cost of a referee, without bots.
fn measure_referee(args: &GameBenchArgs, screen: Screen) -> Result<Status, Failure> {
    let ready = PreparedGame::make(&args.game, &args.isolation, screen)?;
    let game = ready.trial.game();
    let started = Instant::now();
    let _ = play(&ready, &game, 0)?;
    let first = started.elapsed();
    let (mut questions, mut took) = (0_u64, Vec::new());
    for seed in 1..=args.bouts {
        let (asks, time) = play(&ready, &game, seed)?;
        questions += asks as u64;
        took.push(time);
    }
    took.sort_unstable();
    let all: Duration = took.iter().sum();
    let median = took[took.len() / 2];
    let each = all.as_micros() / u128::from(questions.max(1));
    screen.result(&format!(
        "first bout, with the start of the process: {first:.1?}\n\
         {} more: {questions} questions, {each} µs of wall clock each, bots left out\n\
         a bout: median {median:.1?}, {:.1} a second\n",
        args.bouts,
        args.bouts as f64 / all.as_secs_f64().max(1e-9),
    ));
    if !ready.brought.can.iter().any(|word| word == "bouts") {
        screen.message(
            "each bout has a process of its own; a referee that can `bouts` has one for all",
        );
    }
    Ok(Status::Done)
}

/// Plays one bout with small numbers as answers.
fn play(ready: &PreparedGame, game: &Game, seed: u64) -> Result<(usize, Duration), Failure> {
    let seats = game.spec().seats.fewest;
    let trial = Trial {
        answering: Answering::Numbers,
        seed: Seed(seed),
        seats,
        options: Options::new(),
        most: SOME_ANSWERS,
    };
    let tried = trial.play(game);
    ready.insist_on_running()?;
    let tried = tried.map_err(|error| {
        Failure::from_error(Status::Failed, &error).hint("`joust game check` says more")
    })?;
    Ok((tried.asks, tried.took))
}
