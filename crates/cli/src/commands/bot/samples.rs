//! `joust bot samples`: sample views for people who write parsers.

use std::fs;
use std::io;
use std::path::Path;

use joust_orchestrator::model::counted;
use joust_referee::Sample;

use crate::args::BotSamplesArgs;
use crate::commands::shared;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &BotSamplesArgs, screen: Screen) -> Result<Status, Failure> {
    let game = shared::game(&shared::games(), &args.game)?;
    let sets: Vec<String> = match &args.rules {
        None => game.spec().rule_sets.clone(),
        Some(rules) if game.spec().has_rules(rules) => vec![rules.clone()],
        Some(rules) => {
            let message = format!("`{}` has no rule set `{}`", game.id(), rules.escape_default());
            return Err(Failure::new(Status::Usage, message)
                .hint(format!("its rule sets are: {}", game.spec().rule_sets.join(", "))));
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
    screen.message(&format!(
        "{} {} in `{}`",
        counted(written, "sample"),
        if written == 1 { "is" } else { "are" },
        args.folder.display()
    ));
    Ok(Status::Done)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes)).map_err(|error: io::Error| {
        Failure::new(Status::Usage, format!("`{}` cannot be written: {error}", path.display()))
    })
}
