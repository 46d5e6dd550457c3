//! Cases of UWCS Bomberman.
//!
//! A line is a statement and its items, parted by two or more blanks; `#`
//! starts a comment line. Clients have names; they arrive in the order in
//! which they are first named.
//!
//! - `rules documented`, `rules original` or `rules both`: starts a server
//!   afresh, with its window open.
//! - `given`: before anybody arrives: `map 00000/02020/00000` (the map before the
//!   starts are cleared), `turns 3`, `alice 0,4` (arrives, registers, starts on row 0, column 4).
//! - `opens carol`, `closes carol`: a connection comes, goes.
//! - `says carol "ACTION UP\n"`: one read of a connection, with escapes `\n`,
//!   `\r`, `\t`, `\u{a0}`, `\xff`.
//! - `quiet carol`: nothing more came for ten milliseconds.
//! - `tick`: the clock strikes.
//! - `hears carol`: all lines since the last `hears` of this client, in the
//!   lines that follow, each after `| `.
//! - `then`: what holds now: `alice at 0,3`, `alice score 2`, `alice dead`,
//!   `alice alive`, `bomb 0,3 age 2`, `no bombs`, `free 1,0`, `rock 1,0`,
//!   `pillar 1,1`, `window`, `running`, `closed carol`, `ended one-left`.

#[path = "uwcs_bomberman_claims.rs"]
mod claims;
#[path = "uwcs_bomberman_table.rs"]
mod table;

use table::Table;

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
        let rules = head.1["rules ".len()..].trim();
        let both = ["documented", "original"];
        let played: &[&str] = if rules == "both" { &both } else { &[rules] };
        for rules in played {
            run_section(rules, head.0, &tail[..end])
                .map_err(|(line, problem)| (line, format!("{rules}: {problem}")))?;
        }
        rest = &tail[end..];
    }
    Ok(())
}

fn is_said(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

fn run_section(rules: &str, start: usize, lines: &[Line<'_>]) -> Result<(), (usize, String)> {
    let mut table = Table::new(rules).map_err(|problem| (start, problem))?;
    let mut is_claimed = false;
    let mut last = start;
    for &(number, line) in lines {
        let place = |problem: String| (number, problem);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word != "|" {
            table.check_all_heard().map_err(|problem| (last, problem))?;
        }
        is_claimed = match word {
            "given" => table.given(rest).map(|()| false).map_err(place)?,
            "opens" => table.open(rest.trim()).map(|()| false).map_err(place)?,
            "closes" => table.close(rest.trim()).map(|()| false).map_err(place)?,
            "says" => table.say(rest.trim()).map(|()| false).map_err(place)?,
            "quiet" => table.quiet(rest.trim()).map(|()| false).map_err(place)?,
            "tick" => {
                table.tick();
                false
            }
            "hears" => table.hear(rest.trim()).map(|()| true).map_err(place)?,
            "|" => table.check_line(rest).map(|()| true).map_err(place)?,
            "then" => claims::check_all(&table, rest).map(|()| true).map_err(place)?,
            _ => return Err(place(format!("unknown statement `{word}`"))),
        };
        last = number;
    }
    table.check_all_heard().map_err(|problem| (last, problem))?;
    if is_claimed { Ok(()) } else { Err((last, "nothing is claimed after this line".to_owned())) }
}
