//! `joust bot samples`: sample views for people who write parsers.

use std::fs;
use std::path::Path;

use joust_config::ExternalGame;
use joust_model::counted;
use joust_play::trial::{Answering, SOME_ANSWERS, Trial};
use joust_referee::{Options, Sample, Seed};

use crate::args::BotSamplesArgs;
use crate::commands::game::PreparedGame;
use crate::commands::shared;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// The most views of a bout that are written to files.
const MOST_VIEWS: usize = 20;

pub(super) fn execute(args: &BotSamplesArgs, screen: Screen) -> Result<Status, Failure> {
    let shared::FoundGame { game, tournament } = shared::find_game(&args.game, screen)?;
    if let Some(brought) = tournament.external.iter().find(|one| one.game.id() == game.id()) {
        report_written(of_a_trial(brought, args, screen)?, args, screen);
        return Ok(Status::Done);
    }
    let sets: Vec<String> = match &args.rules {
        None => game.spec().rule_sets.clone(),
        Some(rules) => {
            shared::check_rules(&game, rules)?;
            vec![rules.clone()]
        }
    };
    let mut written = 0;
    for rules in sets {
        for Sample { name, parts: view } in game.samples(&rules) {
            for part in &view.0 {
                let file = if part.name.is_empty() {
                    name.clone()
                } else {
                    format!("{name}/{}", part.name)
                };
                write(&args.folder.join(&rules).join(file), &part.bytes)?;
                written += 1;
            }
        }
    }
    report_written(written, args, screen);
    Ok(Status::Done)
}

/// Writes the views that the referee of a custom game shows in a few bouts.
fn of_a_trial(
    brought: &ExternalGame,
    args: &BotSamplesArgs,
    screen: Screen,
) -> Result<usize, Failure> {
    let ready = PreparedGame::of(brought.clone(), &args.isolation, screen)?;
    let game = ready.trial.game();
    let mut written = 0;
    for answering in [Answering::Numbers, Answering::Words] {
        let (seats, options) = (game.spec().seats.fewest, Options::new());
        let trial = Trial { answering, seed: Seed(0), seats, options, most: SOME_ANSWERS };
        let tried = trial.play(&game);
        let tried = tried.map_err(|error| {
            Failure::from_error(Status::Failed, &error).hint("`joust game check` says more")
        })?;
        let name = answering.name().replace(' ', "-");
        for (number, (seat, view)) in tried.views().take(MOST_VIEWS).enumerate() {
            for part in &view.0 {
                let dot = if part.name.is_empty() { "txt" } else { &part.name };
                let file = format!("{name}/{number:02}-seat-{seat}.{dot}");
                write(&args.folder.join(file), &part.bytes)?;
                written += 1;
            }
        }
    }
    Ok(written)
}

fn report_written(written: usize, args: &BotSamplesArgs, screen: Screen) {
    screen.message(&format!(
        "{} {} in `{}`",
        counted(written, "sample"),
        if written == 1 { "is" } else { "are" },
        args.folder.display()
    ));
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .map_err(|error| Failure::unwritable(Status::Usage, path, &error))
}
