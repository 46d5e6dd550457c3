//! Claims of a case about the position.

use joust_referee::games::uwcs_bomberman::{Phase, Player, Square};

use super::table::{Table, items, number, point};

/// Checks every claim of a line.
pub(crate) fn check_all(table: &Table, claims: &str) -> Result<(), String> {
    if !table.has_begun() {
        return Err("nothing has been done yet".to_owned());
    }
    items(claims).try_for_each(|claim| {
        check(table, claim).map_err(|problem| format!("`{claim}`: {problem}"))
    })
}

fn check(table: &Table, claim: &str) -> Result<(), String> {
    let words: Vec<&str> = claim.split(' ').collect();
    match words[..] {
        ["window"] => is_phase(table, Phase::Window),
        ["running"] => is_phase(table, Phase::Running),
        ["no", "bombs"] => same("bombs", 0, table.server().state().bombs().count()),
        ["bomb", at, "age", age] => is_bomb(table, at, number(age)?),
        ["free", at] => is_square(table, at, Square::Free),
        ["rock", at] => is_square(table, at, Square::Rock),
        ["pillar", at] => is_square(table, at, Square::Pillar),
        ["closed", name] => same("closed", true, table.closed.iter().any(|known| known == name)),
        ["ended", why] => same("ended", Some(why), table.ended),
        [name, "at", square] => same("square", point(square)?, player(table, name)?.at),
        [name, "score", points] => same("score", number(points)?, player(table, name)?.score),
        [name, "alive"] => same("alive", true, player(table, name)?.is_alive),
        [name, "dead"] => same("alive", false, player(table, name)?.is_alive),
        _ => Err("no such claim".to_owned()),
    }
}

fn player<'a>(table: &'a Table, name: &str) -> Result<&'a Player, String> {
    let connection = table.connection(name)?;
    let players = &table.server().state().players;
    let player = players.iter().find(|player| player.connection == connection);
    player.ok_or_else(|| format!("`{name}` is no player"))
}

fn is_phase(table: &Table, phase: Phase) -> Result<(), String> {
    same("phase", phase, table.server().phase())
}

fn is_bomb(table: &Table, at: &str, age: u32) -> Result<(), String> {
    let at = point(at)?;
    let bomb = table.server().state().bombs().find(|(square, _)| *square == at);
    same("age", Some(age), bomb.map(|(_, age)| age))
}

fn is_square(table: &Table, at: &str, square: Square) -> Result<(), String> {
    same("square", Some(&square), table.server().state().map.get(point(at)?))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, claimed: T, here: T) -> Result<(), String> {
    if claimed == here { Ok(()) } else { Err(format!("{what} is {here:?}")) }
}
