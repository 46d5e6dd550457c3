//! Claims of a case about the position.

use joust_referee::games::bomberman_2016::{CommandResult, GameState, key, leader_board};

use super::{Table, words};

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
    let state = table.state.as_ref().ok_or("there is no map")?;
    let words: Vec<&str> = claim.split(' ').collect();
    match words[..] {
        ["leaders", ref keys @ ..] => {
            let board = leader_board(state).into_iter().map(|seat| key(seat).to_string());
            expect(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>(), &board.collect())
        }
        ["no", "bomb", at] => expect(&None, &table.bomb_at(at)?),
        ["bomb", at, ref fields @ ..] => {
            let bomb = table.bomb_at(at)?.ok_or("there is no bomb")?;
            let value = |name: &str| match name {
                "timer" => Some(i64::from(bomb.timer)),
                "radius" => Some(i64::from(bomb.radius)),
                _ => None,
            };
            fields.iter().try_for_each(|field| check_field(field, value))
        }
        [kind, "open", at] => {
            let square = words::square(state, at)?;
            expect(&words::power_up(kind), &state.block(square).open_power_up())
        }
        [key, ref claims @ ..] => check_player(table, state, key, claims),
        [] => Err("an empty claim".to_owned()),
    }
}

fn check_player(
    table: &Table,
    state: &GameState,
    key: &str,
    claims: &[&str],
) -> Result<(), String> {
    let seat = words::seat(key)?;
    let player = state.players.get(seat.index()).ok_or("no such player")?;
    let fate = table.report.command_results[seat.index()];
    match claims {
        [] => Err("nothing is claimed".to_owned()),
        ["at", at] => {
            let at = words::square(state, at)?;
            expect(&state.coordinates(at), &state.coordinates(player.at))
        }
        ["alive"] => expect(&true, &player.is_alive()),
        ["dead"] => expect(&false, &player.is_alive()),
        ["done"] => expect(&Some(CommandResult::Done), &fate),
        ["ignored"] => expect(&Some(CommandResult::Dead), &fate),
        ["rejected"] => expect(&Some(CommandResult::Rejected), &fate),
        ["lost"] => expect(&Some(CommandResult::Lost), &fate),
        ["blocked"] => expect(&Some(CommandResult::Blocked), &fate),
        fields => {
            let value = |name: &str| match name {
                "bag" => Some(i64::from(player.bag)),
                "radius" => Some(i64::from(player.radius)),
                "points" => Some(player.points),
                "coverage" => Some(i64::from(player.coverage)),
                _ => None,
            };
            fields.iter().try_for_each(|field| check_field(field, value))
        }
    }
}

fn check_field(field: &str, value: impl Fn(&str) -> Option<i64>) -> Result<(), String> {
    let (name, claimed) = field.split_once('=').ok_or("unknown claim")?;
    let here = value(name).ok_or_else(|| format!("unknown field `{name}`"))?;
    expect(&words::number::<i64>(claimed)?, &here)
}

fn expect<T: PartialEq + std::fmt::Debug>(claimed: &T, here: &T) -> Result<(), String> {
    if claimed == here { Ok(()) } else { Err(format!("the position has {here:?}")) }
}
