//! Claims of a case about the position.

use joust_referee::Judge;

use super::Table;
use super::words::{self, Thing, Values};

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
    let outcome = table.bout.as_ref().and_then(Judge::outcome);
    let (holds, seen) = match (word, rest) {
        ("goes", "on") => (outcome.is_none(), format!("{outcome:?}")),
        ("draw", "") => {
            let is_draw = |all: &joust_referee::Outcome| all.seats.0.iter().all(|it| it.rank == 1);
            (outcome.is_some_and(is_draw), format!("{outcome:?}"))
        }
        ("ended", word) => {
            let ended = outcome.map(|outcome| outcome.ended.clone());
            (ended.as_deref() == Some(word), format!("it ended {ended:?}"))
        }
        ("tick", _) => (state.tick == words::number(rest)?, format!("tick {}", state.tick)),
        ("no", "bombs") => (state.bombs.is_empty(), format!("{:?}", state.bombs)),
        ("no", "fires") => (state.fires.is_empty(), format!("{:?}", state.fires)),
        ("no", "blocks") => (state.blocks.is_empty(), format!("{:?}", state.blocks)),
        ("no", "ammo") => (state.ammo.is_empty(), format!("{:?}", state.ammo)),
        ("no", "treasure") => (state.treasure.is_empty(), format!("{:?}", state.treasure)),
        _ if word.starts_with('P') => return check_seat(table, words::seat(word)?, rest),
        _ => match words::thing(claim)? {
            Thing::Metal(at) => contains(&state.metal, &at),
            Thing::Block(block) => contains(&state.blocks, &block),
            Thing::Ammo(ammo) => contains(&state.ammo, &ammo),
            Thing::Treasure(treasure) => contains(&state.treasure, &treasure),
            Thing::Bomb(bomb) => contains(&state.bombs, &bomb),
            Thing::Fire(fire) => contains(&state.fires, &fire),
            Thing::Effect(effect) => contains(&state.effects, &effect),
        },
    };
    if holds { Ok(()) } else { Err(format!("there is {seen}")) }
}

fn check_seat(table: &Table, seat: usize, claim: &str) -> Result<(), String> {
    let player = table.state().players.get(seat).ok_or("no such seat")?;
    let heard = &table.heard[seat];
    let outcome = table.bout.as_ref().and_then(Judge::outcome);
    let (holds, seen) = match claim.split_once(' ').unwrap_or((claim, "")) {
        ("wins", "") => {
            let winners = outcome.into_iter().flat_map(|outcome| outcome.seats.iter());
            let first: Vec<usize> =
                winners.filter(|(_, it)| it.rank == 1).map(|(seat, _)| seat.index()).collect();
            (first == [seat], format!("seats of rank 1: {first:?}"))
        }
        ("rank", rank) => {
            let here = outcome.map(|outcome| outcome.seats.0[seat].rank);
            (here == Some(words::number(rank)?), format!("rank {here:?}"))
        }
        ("judged", verdict) => {
            let judged = heard.judged.map_or("nothing", |judged| judged.name());
            (judged == verdict, format!("judged {judged}"))
        }
        ("did", action) => {
            let action = if action == "nothing" { "" } else { action };
            (heard.action == action, format!("did `{}`", heard.action))
        }
        ("asked", "") => (!heard.asked.is_empty(), "no open request".to_owned()),
        ("not", "asked") => (heard.asked.is_empty(), "an open request".to_owned()),
        _ => {
            let values = Values::of(claim);
            let at = values.after("at").map(words::spot).transpose()?;
            let numbers = [
                (values.number("hp")?.map(i64::from), i64::from(player.hp)),
                (values.number("ammo")?.map(i64::from), i64::from(player.ammo)),
                (values.number("score")?.map(i64::from), player.reward),
            ];
            let is_claim = at.is_some() || numbers.iter().any(|(claimed, _)| claimed.is_some());
            if !is_claim {
                return Err("unknown claim".to_owned());
            }
            let fits = |(claimed, here): &(Option<i64>, i64)| claimed.is_none_or(|it| it == *here);
            let holds = at.is_none_or(|at| at == player.at) && numbers.iter().all(fits);
            (holds, format!("{player:?}"))
        }
    };
    if holds { Ok(()) } else { Err(format!("there is {seen}")) }
}

fn contains<T: PartialEq + std::fmt::Debug>(list: &[T], wanted: &T) -> (bool, String) {
    (list.contains(wanted), format!("{list:?}"))
}
