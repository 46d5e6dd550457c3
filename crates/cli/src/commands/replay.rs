//! `joust replay`: a recorded bout round by round, or one round's views.

use std::thread;

use joust_orchestrator::dispute::{Fold, Frame};
use joust_orchestrator::model::{StoredBout, escaped};
use joust_orchestrator::store::Access;

use super::{bout, export, shared};
use crate::args::{ReplayArgs, TextFormat};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;
use crate::scene::{Ink, draw};

pub(super) async fn execute(args: ReplayArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let stored = shared::bout(&store, &args.bout).await?;
    if !args.export.is_empty() {
        export::export(&args, &store, &stored).await?;
        return Ok(Status::Done);
    }
    if args.format == TextFormat::Json {
        screen.result(&bout::json(&stored, args.turns)?);
        return Ok(Status::Done);
    }
    let fold = Fold::open(&stored.plan, &stored.result.action_log)
        .map_err(|error| Failure::from_error(Status::NotInOrder, &error))?;
    match args.round {
        None => show_all(&args, &stored, fold, screen),
        Some(round) => show_round(&args, &stored, fold, round, screen)?,
    }
    Ok(Status::Done)
}

fn show_all(args: &ReplayArgs, stored: &StoredBout, mut fold: Fold, screen: Screen) {
    let ink = Ink::when(screen.colours());
    screen.result(&bout::headline(stored));
    for frame in fold.by_ref() {
        screen.result(&actions(stored, &frame));
        screen.result(&draw(&frame.after, ink));
        thread::sleep(args.delay);
    }
    screen.result(&bout::summary(stored));
}

fn show_round(
    args: &ReplayArgs,
    stored: &StoredBout,
    mut fold: Fold,
    round: u32,
    screen: Screen,
) -> Result<(), Failure> {
    let frame = fold.find(|frame| frame.round == round).ok_or_else(|| {
        let message = format!("bout {} has no round {round}", stored.plan.bout);
        Failure::new(Status::Usage, message)
            .hint(format!("its rounds are 0 to {}", stored.result.rounds.saturating_sub(1)))
    })?;
    let Some(seat) = args.seat else {
        screen.result(&draw(&frame.before, Ink::when(screen.colours())));
        for request in &frame.requests {
            screen.result(&format!("--- view of seat {}\n", request.seat));
            print_parts(&request.view, screen);
        }
        screen.result(&actions(stored, &frame));
        return Ok(());
    };
    let request =
        frame.requests.iter().find(|request| request.seat.0 == seat).ok_or_else(|| {
            Failure::new(Status::Usage, format!("seat {seat} was not asked in round {round}"))
        })?;
    print_parts(&request.view, screen);
    Ok(())
}

fn print_parts(parts: &joust_referee::Parts, screen: Screen) {
    for part in &parts.0 {
        if !part.name.is_empty() {
            screen.result(&format!("--- {}\n", part.name));
        }
        screen.result_bytes(&part.bytes);
    }
}

fn actions(stored: &StoredBout, frame: &Frame) -> String {
    let action = |judgement: &joust_orchestrator::dispute::Judgement| {
        let seat = stored.plan.seats.get(judgement.seat.index());
        let bot = seat.map_or_else(String::new, |seat| escaped(&seat.bot));
        if judgement.verdict.is_ok() {
            format!("{bot}: {}", escaped(&judgement.action))
        } else {
            format!("{bot}: {}", judgement.verdict)
        }
    };
    let all: Vec<_> = frame.judgements.iter().map(action).collect();
    format!("round {}: {}\n", frame.round, all.join(", "))
}
