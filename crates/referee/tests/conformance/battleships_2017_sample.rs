//! The replay that the complete original program wrote: `replay-sample`.
//!
//! Two bots fire at every cell from the top right corner to the bottom left,
//! row after row. Only four of the folders are kept; the rounds between follow
//! from that rule, and the kept ones say whether it is the right one.

use std::path::Path;

use joust_referee::{Judge, LogKind, LogLine, Part, Parts, PlayerInfo, ReplayFolder};

use super::kept::Kept;
use super::{Player, part, same};
use crate::files::Failure;
use crate::tally::Tally;

const CELLS: u32 = 49;

/// Plays the sample.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut kept = Kept::of(folder)?;
    play_all(&mut kept).map_err(|problem| Failure::new(folder, problem))?;
    let tally = Tally { matches: 1, bouts: 1, rounds: CELLS + 1, ..Tally::default() };
    Ok(Tally { files: kept.compared(), ..tally })
}

fn play_all(kept: &mut Kept) -> Result<(), String> {
    let mut player = Player::start(1, &["Bot1".to_owned(), "Bot2".to_owned()])?;
    for round in 0..=CELLS {
        let folder = player.bout.round(&[]).folder;
        check_round(kept, &player, &folder)?;
        let answers = answers(kept, &folder, round)?;
        player.answer(answers)?;
        check_log(kept, &player, &folder)?;
    }
    let outcome = player.bout.outcome().ok_or("the bout is not over")?;
    same("end", &"double-elimination", &&*outcome.ended)?;
    for rewritten in player.bout.rewrites() {
        kept.check_parts(&rewritten.folder, &rewritten.files)?;
    }
    let closing = player.bout.round(&[]).folder;
    kept.check_root(&player, &closing, &bots())?;
    kept.check_all_compared()
}

/// The last round's files of the seats were written anew after the end.
fn check_round(kept: &mut Kept, player: &Player, folder: &str) -> Result<(), String> {
    kept.check_root(player, folder, &bots())?;
    if player.bout.state().round == CELLS {
        return Ok(());
    }
    for (key, (_, parts)) in ["A", "B"].into_iter().zip(&player.asked) {
        kept.check_parts(&format!("{folder}/{key}"), &parts.0)?;
    }
    Ok(())
}

fn answers(kept: &mut Kept, folder: &str, round: u32) -> Result<[Parts; 2], String> {
    let mut files = Vec::new();
    for key in ["A", "B"] {
        files.push(answer(kept, &format!("{folder}/{key}"), round)?);
    }
    let [a, b] = <[Part; 2]>::try_from(files).expect("there are two");
    Ok([Parts(vec![a]), Parts(vec![b])])
}

fn answer(kept: &mut Kept, folder: &str, round: u32) -> Result<Part, String> {
    if round == 0 {
        return Ok(part("place.txt", &kept.take(&format!("{folder}/place.txt"))?));
    }
    let cell = CELLS - round;
    let command = format!("1,{},{}", cell % 7, cell / 7);
    if round == 1 || round == CELLS {
        same("command", &kept.take(&format!("{folder}/command.txt"))?, &command)?;
    }
    Ok(part("command.txt", &command))
}

/// Every entry starts with a line end, a date, a letter and a tab.
fn check_log(kept: &mut Kept, player: &Player, folder: &str) -> Result<(), String> {
    let Ok(recorded) = kept.take(&format!("{folder}/engine.log")) else { return Ok(()) };
    let lines = recorded.split('\n').skip(1).filter_map(|line| line.split_once(": \t"));
    let kind = |time: &str| if time.ends_with('I') { LogKind::Info } else { LogKind::Debug };
    let line = |(time, text): (&str, &str)| LogLine { kind: kind(time), text: text.to_owned() };
    same("engine.log", &lines.map(line).collect(), &player.bout.engine_log())
}

fn bots() -> [PlayerInfo; 2] {
    [1, 2].map(|number| PlayerInfo {
        author: format!("A{number}"),
        nick_name: format!("Bot{number}"),
        email: format!("a{number}@example.com"),
        bot_type: "Rust".to_owned(),
    })
}
