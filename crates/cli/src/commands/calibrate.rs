//! `joust calibrate`: the cost of a do-nothing bot in each language.

use std::collections::BTreeSet;

use joust_config::Event;
use joust_model::notices::Notice;
use joust_model::{Calibration, escaped};
use joust_orchestrator::machine::{Machine, default_tournament};
use joust_play::calibrate::{NotCalibrated, is_calibrated};
use joust_referee::{Catalogue, Game};
use joust_store::{Access, Store};
use joust_toolchain::{NotBuilt, doctor};

use super::{run, shared};
use crate::args::{CalibrateArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) async fn execute(args: CalibrateArgs, screen: Screen) -> Result<Status, Failure> {
    let file = args.tournament.file();
    let file = file.existing();
    let tournament = shared::tournament_or_default(file, screen)?;
    let (machine, cancel) = run::open_machine(&tournament, &args.isolation, screen)?;
    let languages = languages(&machine, &args.language)?;
    for language in &languages {
        // Asking the tools of all languages takes seconds.
        if cancel.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        name_code_at_start(&machine, language, screen);
    }
    let (mut measured, mut told) = (Vec::new(), BTreeSet::new());
    for game in games(&tournament.games, &args.game)? {
        if !is_calibrated(game.spec()) {
            let reason =
                "its agents are hosted and start before the clock; no language costs them anything";
            screen.message(&format!("{}: {reason}", game.id()));
            continue;
        }
        let event = default_tournament::event(&tournament, &game);
        for language in &languages {
            match measure(&machine, &event, language, args.runs, screen) {
                Ok(calibration) => measured.push(calibration),
                Err(NotCalibrated::NotBuilt(NotBuilt::MissingToolchain(missing))) => {
                    let tool = format!("{language}: {missing}");
                    if told.insert(tool.clone()) {
                        screen.message(&tool);
                    }
                }
                Err(error) => return Err(super::play::failure(&error.into())),
            }
        }
    }
    if file.is_some() {
        keep(&tournament.database, &measured).await?;
    }
    match args.output.format {
        TextFormat::Json => screen.result(&joust_report::json::calibrations(&measured)),
        TextFormat::Text if measured.is_empty() => {}
        TextFormat::Text => screen.result(&joust_report::calibrations(&measured, screen.look())),
    }
    Ok(Status::Done)
}

fn games(all: &Catalogue, wanted: &[String]) -> Result<Vec<Game>, Failure> {
    if wanted.is_empty() {
        return Ok(all.iter().cloned().collect());
    }
    wanted.iter().map(|id| shared::game(all, id)).collect()
}

fn languages(machine: &Machine, wanted: &[String]) -> Result<Vec<String>, Failure> {
    let known: Vec<&str> = machine.languages().iter().map(|(id, _)| id).collect();
    if let Some(unknown) = wanted.iter().find(|id| !known.contains(&id.as_str())) {
        let message = format!("unknown language `{}`", escaped(unknown));
        return Err(
            Failure::usage(message).hint(format!("the languages are: {}", known.join(", ")))
        );
    }
    if wanted.is_empty() {
        return Ok(known.into_iter().map(str::to_owned).collect());
    }
    Ok(wanted.to_vec())
}

/// Names files of the machine's owner that run whenever a language starts.
fn name_code_at_start(machine: &Machine, language: &str, screen: Screen) {
    for file in doctor::code_at_start(&machine.toolchains, language) {
        screen.message(&format!("{language}: {}", doctor::code_at_start_line(&file)));
    }
}

/// Measures one language.
fn measure(
    machine: &Machine,
    event: &Event,
    language: &str,
    runs: Option<u32>,
    screen: Screen,
) -> Result<Calibration, NotCalibrated> {
    let game = event.game.id().to_owned();
    run::listener(screen).notice(&Notice::Calibrating { language: language.to_owned(), game });
    machine.calibrate(language, event, runs.unwrap_or(event.calibration_runs))
}

async fn keep(database: &std::path::Path, measured: &[Calibration]) -> Result<(), Failure> {
    let store = Store::open(database, Access::CreateOrOpen).await?;
    for calibration in measured {
        store.put_calibration(calibration).await?;
    }
    Ok(())
}
