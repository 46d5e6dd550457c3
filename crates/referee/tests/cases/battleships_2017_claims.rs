//! Claims of a case about the present state.

use joust_referee::games::battleships_2017::Player;
use joust_referee::{Judge, Outcome, Seat};

use super::table::Table;
use super::{items, point, seat_and_rest};

/// Checks every item of a line.
pub(crate) fn check_all(table: &mut Table, line: &str) -> Result<(), String> {
    for item in items(line) {
        check(table, item).map_err(|problem| format!("`{item}`: {problem}"))?;
    }
    Ok(())
}

fn check(table: &mut Table, item: &str) -> Result<(), String> {
    let (word, rest) = item.split_once(' ').unwrap_or((item, ""));
    match (word, rest) {
        ("round", round) => equal(round, &table.state().round.to_string()),
        ("phase", phase) => equal(phase, &table.state().phase.number().to_string()),
        ("goes", "on") => match table.bout().outcome() {
            None => Ok(()),
            Some(outcome) => Err(format!("it is over by {}", outcome.ended)),
        },
        ("ended", ended) => equal(ended, &over(table)?.ended),
        _ => check_seat(table, seat_and_rest(item)?),
    }
}

fn over(table: &mut Table) -> Result<&Outcome, String> {
    table.bout().outcome().ok_or_else(|| "the bout goes on".to_owned())
}

fn check_seat(table: &mut Table, (seat, claim): (usize, &str)) -> Result<(), String> {
    if claim == "wins" {
        let rank = over(table)?.seats[Seat(u8::from(seat == 1))].rank;
        return equal("1", &rank.to_string());
    }
    if claim == "skipped" {
        return equal("true", &table.is_skipped(seat).to_string());
    }
    if let Some(verdict) = claim.strip_prefix("judged ") {
        let judged = table.judged[seat].ok_or("no answer was judged")?;
        return equal(verdict, judged.name());
    }
    let player = &table.state().players[seat];
    match claim {
        "dead" => equal("true", &player.killed.to_string()),
        "alive" => equal("false", &player.killed.to_string()),
        "moved" => equal("true", &player.last.succeeded.to_string()),
        "refused" => equal("false", &player.last.succeeded.to_string()),
        _ => match claim.strip_prefix("cell ") {
            Some(claim) => check_cell(player, claim),
            None => claim.split(' ').try_for_each(|claim| check_number(player, claim)),
        },
    }
}

fn check_cell(player: &Player, claim: &str) -> Result<(), String> {
    let (place, is) = claim.split_once(' ').ok_or("nothing is claimed of the cell")?;
    let (x, y) = point(place)?;
    let number = player.board.number_of(x.into(), y.into()).ok_or("it lies off the map")?;
    let cell = player.board.cell(number);
    let holds = match is {
        "hit" => cell.hit,
        "clean" => !cell.hit && !cell.shield_hit,
        "shielded" => cell.shielded,
        "bare" => !cell.shielded,
        "struck" => cell.shield_hit,
        "ship" => cell.ship.is_some(),
        "water" => cell.ship.is_none(),
        _ => return Err(format!("unknown claim `{is}`")),
    };
    if holds { Ok(()) } else { Err(format!("it is {cell:?}")) }
}

fn check_number(player: &Player, claim: &str) -> Result<(), String> {
    let (name, value) = claim.split_once('=').ok_or_else(|| format!("unknown claim `{claim}`"))?;
    let numbers = numbers(player);
    let number = numbers.iter().find(|(known, _)| *known == name);
    let (_, number) = number.ok_or_else(|| format!("there is no number `{name}`"))?;
    equal(value, number)
}

/// The numbers a case can claim of a player.
fn numbers(player: &Player) -> [(&'static str, String); 13] {
    let (shield, last) = (&player.shield, &player.last);
    [
        ("energy", player.energy.to_string()),
        ("points", player.points.to_string()),
        ("shots", player.shots_fired.to_string()),
        ("hits", player.shots_hit.to_string()),
        ("first-hit", player.first_hit_round.map_or("none".to_owned(), |it| it.to_string())),
        ("failed", player.failed_placements.to_string()),
        ("idle", player.do_nothings.to_string()),
        ("ships", player.ships_remaining().to_string()),
        ("charges", shield.charges.to_string()),
        ("radius", shield.radius.to_string()),
        ("shield", if shield.active { "up" } else { "down" }.to_owned()),
        ("command", last.name.unwrap_or("none").to_owned()),
        ("centre", format!("{},{}", last.centre.x, last.centre.y)),
    ]
}

fn equal(claimed: &str, is: &str) -> Result<(), String> {
    if claimed == is { Ok(()) } else { Err(format!("it is {is}")) }
}
