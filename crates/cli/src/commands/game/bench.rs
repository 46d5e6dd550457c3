//! `joust game bench`: what a referee costs, bots left out.

use std::time::{Duration, Instant};

use joust_play::trial::{Answering, SOME_ANSWERS, Trial};
use joust_referee::{Game, Options, Seed};

use super::PreparedGame;
use crate::args::GameBenchArgs;
use crate::commands::failures;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &GameBenchArgs, screen: Screen) -> Result<Status, Failure> {
    let ready = PreparedGame::make(&args.game, args.allow_unsafe, screen)?;
    let game = ready.trial.game();
    let started = Instant::now();
    let _ = play(&game, 0)?;
    let first = started.elapsed();
    let (mut questions, mut took) = (0_u64, Vec::new());
    for seed in 1..=args.bouts {
        if ready.cancel.is_cancelled() {
            return Err(failures::interrupted());
        }
        let (asks, time) = play(&game, seed)?;
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
fn play(game: &Game, seed: u64) -> Result<(usize, Duration), Failure> {
    let seats = game.spec().seats.fewest;
    let trial = Trial {
        answering: Answering::Numbers,
        seed: Seed(seed),
        seats,
        options: Options::new(),
        most: SOME_ANSWERS,
    };
    let tried = trial.play(game).map_err(|error| {
        Failure::from_error(Status::NotInOrder, &error).hint("`joust game check` says more")
    })?;
    Ok((tried.asks, tried.took))
}
