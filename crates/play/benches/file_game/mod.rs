//! A bout whose bots read and write files: what a turn costs beside the bot.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use joust_model::{BoutPlan, GameOptions};
use joust_play::NullObserver;
use joust_play::executor::bout::{PlayOptions, play_plan};
use joust_play::executor::{Equipment, available};
use joust_referee::Catalogue;
use joust_sandbox::affinity;

use super::{equipment, micros, plan};

/// The game whose bots [`joust_testkit::static_bot::build_mover`] can be.
const GAME: &str = "bomberman-2016";
/// Bouts measured, one after the other.
const BOUTS: usize = 9;
/// Bar of the time that a turn takes outside the bot's process.
const BAR: Duration = Duration::from_micros(500);

/// Returns the game that `--game` names, if any.
pub(crate) fn wanted() -> Result<Option<String>, Box<dyn Error>> {
    let mut words = std::env::args().skip_while(|word| word != "--game").skip(1);
    if !std::env::args().any(|word| word == "--game") {
        return Ok(None);
    }
    match words.next().as_deref() {
        Some(GAME) => Ok(Some(GAME.to_owned())),
        _ => Err(format!("`--game` is followed by `{GAME}`").into()),
    }
}

/// Plays bouts of two seats and prints what a turn takes, in all and outside the bots.
pub(crate) fn measure(folder: &Path, game: &str) -> Result<(), Box<dyn Error>> {
    joust_testkit::static_bot::build_mover(folder)?;
    let core = *available().last().ok_or("there is no processor")?;
    affinity::pin_this_thread(&[core])?;
    let equipment = equipment(folder)?;
    let plan = file_plan(game)?;
    let mut bouts: Vec<Cost> =
        (0..BOUTS).map(|_| bout(&equipment, &plan, core)).collect::<Result<_, _>>()?;
    bouts.sort_unstable_by_key(|cost| cost.outside);
    let middle = bouts[BOUTS / 2];
    println!("{game}, two seats, {} turns a bout, {BOUTS} bouts", middle.turns);
    println!("whole turn:              {:.1} µs", micros(middle.whole));
    println!("of that the bot process: {:.1} µs", micros(middle.whole - middle.outside));
    println!(
        "outside it:              {:.1} µs, from {:.1} to {:.1} (bar {:.0})",
        micros(middle.outside),
        micros(bouts[0].outside),
        micros(bouts[BOUTS - 1].outside),
        micros(BAR)
    );
    if middle.outside > BAR {
        return Err("a turn costs more than the bar outside the bot's process".into());
    }
    Ok(())
}

/// Cost of a turn of one bout.
#[derive(Clone, Copy)]
struct Cost {
    turns: u32,
    whole: Duration,
    outside: Duration,
}

fn bout(equipment: &Equipment, plan: &BoutPlan, core: usize) -> Result<Cost, Box<dyn Error>> {
    let result = play_plan(equipment, plan, PlayOptions::new(&[core], &mut NullObserver))?;
    let turns: u32 = result.seats.iter().map(|seat| seat.verdicts.0.iter().sum::<u32>()).sum();
    let faults: u32 = result.seats.iter().map(|seat| seat.verdicts.faults()).sum();
    assert_eq!(faults, 0, "every turn is in order");
    let bots: Duration = result.seats.iter().map(|seat| seat.wall).sum();
    Ok(Cost {
        turns,
        whole: result.took / turns,
        outside: result.took.saturating_sub(bots) / turns,
    })
}

fn file_plan(game: &str) -> Result<BoutPlan, Box<dyn Error>> {
    let games = Catalogue::built_in();
    let spec = games.find(game).ok_or("there is no such game")?.spec();
    Ok(BoutPlan {
        game: game.to_owned(),
        revision: spec.revision,
        referee: None,
        rules: spec.default_rules().to_owned(),
        options: GameOptions::default().into(),
        ..plan()
    })
}
