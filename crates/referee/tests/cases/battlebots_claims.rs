//! Claims of a case about the position.

use joust_referee::Judge;
use joust_referee::games::battlebots::{Bot, Mine};

use super::Table;
use super::words;

/// Checks every item of a `then` line.
pub(crate) fn check_all(table: &Table, items: &str) -> Result<(), String> {
    let mut claims = words::items(items).peekable();
    claims.peek().ok_or("`then` claims nothing")?;
    for claim in claims {
        check(table, claim).map_err(|problem| format!("`{claim}`: {problem}"))?;
    }
    Ok(())
}

fn check(table: &Table, claim: &str) -> Result<(), String> {
    let state = table.state();
    let (word, rest) = claim.split_once(' ').unwrap_or((claim, ""));
    let (holds, seen) = match (word, rest) {
        ("draw", "") => winner_is(table, None),
        ("goes", "on") => (outcome_of(table).is_none(), format!("{:?}", outcome_of(table))),
        ("ended", word) => {
            let ended = outcome_of(table).map(|outcome| outcome.ended.clone());
            (ended.as_deref() == Some(word), format!("it ended {ended:?}"))
        }
        ("X" | "Y", _) => return check_seat(table, word, rest),
        ("paralysed", _) => {
            let rounds = state.paralysed_rounds;
            (rounds == words::number::<u32>(rest)?, format!("paralysed for {rounds}"))
        }
        ("bullet", _) => contains(&state.bullets, &words::projectile(rest)?),
        ("missile", _) => contains(&state.missiles, &words::projectile(rest)?),
        ("mine", _) => contains(&state.mines, &Mine { at: words::point(rest)?, spent: false }),
        ("spent-mine", _) => contains(&state.mines, &Mine { at: words::point(rest)?, spent: true }),
        ("no", "bullets") => (state.bullets.is_empty(), format!("{:?}", state.bullets)),
        ("no", "missiles") => (state.missiles.is_empty(), format!("{:?}", state.missiles)),
        ("no", "mines") => (state.mines.is_empty(), format!("{:?}", state.mines)),
        _ => return Err("unknown claim".to_owned()),
    };
    if holds { Ok(()) } else { Err(format!("the position has {seen}")) }
}

fn check_seat(table: &Table, word: &str, claim: &str) -> Result<(), String> {
    let seat = words::seat(word)?;
    let (holds, seen) = if claim == "wins" {
        winner_is(table, Some(seat))
    } else if let Some(verdict) = claim.strip_prefix("judged ") {
        let judged = table.judged[seat].map_or("nothing", |judged| judged.name());
        (judged == verdict, format!("{word} judged {judged}"))
    } else {
        let (hp, at) = words::bot(claim)?;
        let bot = table.state().bots[seat];
        let expected = Bot { hp: hp.unwrap_or(bot.hp), at: at.unwrap_or(bot.at) };
        (bot == expected, format!("{word} hp={} at {},{}", bot.hp, bot.at.x, bot.at.y))
    };
    if holds { Ok(()) } else { Err(format!("the position has {seen}")) }
}

fn contains<T: PartialEq + std::fmt::Debug>(list: &[T], wanted: &T) -> (bool, String) {
    (list.contains(wanted), format!("{list:?}"))
}

fn outcome_of(table: &Table) -> Option<&joust_referee::Outcome> {
    table.bout.as_ref().and_then(Judge::outcome)
}

fn winner_is(table: &Table, seat: Option<usize>) -> (bool, String) {
    let Some(outcome) = outcome_of(table) else { return (false, "no end".to_owned()) };
    let ranks: Vec<u8> = outcome.seats.0.iter().map(|seat| seat.rank).collect();
    let expected = match seat {
        None => [1, 1],
        Some(0) => [1, 2],
        Some(_) => [2, 1],
    };
    (ranks == expected, format!("the ranks {ranks:?}"))
}
