//! Cases of Battleships 2017.
//!
//! A line is a statement and its items, parted by two or more blanks; `#`
//! starts a comment line. Cells are `x,y` from the bottom left.
//!
//! - `rules documented`, `rules original` or `rules both`: starts afresh on a
//!   small map.
//! - `given`: `size large`, `release 1.1`, `crlf`, `phase-2-placement refused`;
//!   `fleets` places both fleets of [`FLEET`] and starts with round 1; then
//!   `A energy=20` and the like for the numbers of [`set`], `A hit 2,3`,
//!   `A shield 3,3 charges=2` (up, placed in this round), `round 20`.
//! - `action`: plays one round: `A 1,2,3   B place Carrier 0 0 north/...`. A
//!   seat says a command; `place` and five lines parted by `/`, `place fleet`
//!   for [`FLEET`]; `both` and a placement and a command parted by ` + `; `-`
//!   for no file; `!crash 1,2,3`: left that and crashed.
//! - `rounds 7`: both seats do nothing that counts so often (`1,99,99`).
//! - `then`: what holds now: `A points=10` and the like for the numbers of
//!   [`numbers`], `A moved` or `A refused` (its last command), `A judged
//!   illegal-output`, `A cell 2,3 hit` (or `clean`, `shielded`, `struck`,
//!   `ship`, `water`), `A dead`, `A alive`, `A skipped`, `round 3`, `phase 1`,
//!   `goes on`, `A wins`, `ended elimination`.
//! - `view A map.txt` or `view A state.json`: a file of a seat, in the lines that
//!   follow, each after `| `; a line that ends with `...` is the start of one,
//!   and `| ...` skips lines.

#[path = "battleships_2017_claims.rs"]
mod claims;
#[path = "battleships_2017_table.rs"]
mod table;

use joust_referee::games::battleships_2017::Rules;
use table::Table;

/// A fleet that fits on every map; `place fleet`.
pub(crate) const FLEET: &str = "Carrier 0 0 north/Battleship 2 0 north/Cruiser 4 0 north/\
                                Submarine 6 0 north/Destroyer 2 5 east";

/// A line of a case, counted from 1.
type Line<'a> = (usize, &'a str);

/// Plays the text of one case.
pub(crate) fn run(text: &str) -> Result<(), (usize, String)> {
    let lines: Vec<Line<'_>> = (1..).zip(text.lines()).filter(|(_, line)| is_said(line)).collect();
    let starts = |(_, line): &Line<'_>| line.starts_with("rules ");
    let first = lines.first().ok_or((1, "the case is empty".to_owned()))?;
    if !starts(first) {
        return Err((first.0, "a case starts with `rules`".to_owned()));
    }
    let mut rest = &lines[..];
    while let [head, tail @ ..] = rest {
        let end = tail.iter().position(starts).unwrap_or(tail.len());
        for rules in rule_sets(head.1).map_err(|problem| (head.0, problem))? {
            run_section(rules, head.0, &tail[..end])?;
        }
        rest = &tail[end..];
    }
    Ok(())
}

fn is_said(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

fn rule_sets(line: &str) -> Result<Vec<Rules>, String> {
    match line["rules ".len()..].trim() {
        "documented" => Ok(vec![Rules::Documented]),
        "original" => Ok(vec![Rules::Original]),
        "both" => Ok(vec![Rules::Documented, Rules::Original]),
        other => Err(format!("unknown rule set `{other}`")),
    }
}

fn run_section(rules: Rules, start: usize, lines: &[Line<'_>]) -> Result<(), (usize, String)> {
    let mut table = Table::new(rules);
    let mut is_claimed = false;
    let mut last = start;
    for &(number, line) in lines {
        let place = |problem: String| (number, problem);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        is_claimed = match word {
            "given" => table.given(rest).map(|()| false).map_err(place)?,
            "action" => table.play(rest).map(|()| false).map_err(place)?,
            "rounds" => table.play_idly(rest).map(|()| false).map_err(place)?,
            "then" => claims::check_all(&mut table, rest).map(|()| true).map_err(place)?,
            "view" => table.show(rest.trim()).map(|()| false).map_err(place)?,
            "|" => table.check_view_line(rest).map(|()| true).map_err(place)?,
            _ => return Err(place(format!("unknown statement `{word}`"))),
        };
        last = number;
    }
    if is_claimed { Ok(()) } else { Err((last, "nothing is claimed after this line".to_owned())) }
}

/// Returns the items of a line.
pub(crate) fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

/// Reads a seat and what follows.
pub(crate) fn seat_and_rest(item: &str) -> Result<(usize, &str), String> {
    let (seat, rest) = item.split_once(' ').unwrap_or((item, ""));
    match seat {
        "A" => Ok((0, rest)),
        "B" => Ok((1, rest)),
        _ => Err(format!("`{item}` is of no seat")),
    }
}

/// Reads a number.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no number"))
}

/// Reads `x,y`.
pub(crate) fn point(text: &str) -> Result<(i32, i32), String> {
    let (x, y) = text.split_once(',').ok_or_else(|| format!("`{text}` is no cell"))?;
    Ok((number(x)?, number(y)?))
}
