//! Cases of BattleBots.
//!
//! A line is a statement and its items, parted by two or more blanks; `#`
//! starts a comment line. `X` is seat 0, `Y` is seat 1.
//!
//! - `rules documented`, `rules original` or `rules both`: starts afresh.
//! - `given`: changes the start position: `X hp=3 at 4,4`, `paralysed 2`,
//!   `bullet 5,7 E`, `missile 5,7 E`, `mine 5,4`, `spent-mine 5,4`,
//!   `limit 3` (rounds).
//! - `action`: plays one round: `X L E   Y "B\nN"`; quotes understand `\n`,
//!   `\t` and `\u{a0}`. `X !crash N` printed `N` and crashed.
//! - `then`: what holds now: `X hp=9`, `X at 5,4`, `X hp=9 at 5,4`,
//!   `X judged illegal-output`, `paralysed 2`, `bullet 8,7 E`, `no bullets`,
//!   `no missiles`, `mine 5,4`, `spent-mine 5,4`, `no mines`, `goes on`,
//!   `X wins`, `draw`, `ended knock-out`.
//! - `view X`: the view of a seat, in the lines that follow, each after `| `.

#[path = "battlebots_claims.rs"]
mod claims;
#[path = "battlebots_words.rs"]
mod words;

use joust_referee::games::battlebots::{Bout, BoutOptions, GameState, MAX_ROUNDS, Rules};
use joust_referee::{Input, Judge, Output, Outputs, Parts, RequestId, Seat, Verdict};

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
            "then" => claims::check_all(&table, rest).map(|()| true).map_err(place)?,
            "view" => table.show(rest.trim()).map(|()| false).map_err(place)?,
            "|" => table.check_view_line(rest).map(|()| true).map_err(place)?,
            _ => return Err(place(format!("unknown statement `{word}`"))),
        };
        last = number;
    }
    table.check_view_end().map_err(|problem| (last, problem))?;
    if is_claimed { Ok(()) } else { Err((last, "nothing is claimed after this line".to_owned())) }
}

/// A bout on the table, and what was last seen of it.
struct Table {
    rules: Rules,
    limit: u32,
    start: GameState,
    bout: Option<Bout>,
    requests: [RequestId; 2],
    judged: [Option<Verdict>; 2],
    views: [String; 2],
    unread: Vec<String>,
}

impl Table {
    fn new(rules: Rules) -> Self {
        Self {
            rules,
            limit: MAX_ROUNDS,
            start: GameState::start(),
            bout: None,
            requests: [RequestId(0); 2],
            judged: [None; 2],
            views: [String::new(), String::new()],
            unread: Vec::new(),
        }
    }

    fn state(&self) -> &GameState {
        self.bout.as_ref().map_or(&self.start, Bout::state)
    }

    fn given(&mut self, items: &str) -> Result<(), String> {
        if self.bout.is_some() {
            return Err("`given` comes before the first `action`".to_owned());
        }
        for item in words::items(items) {
            match item.strip_prefix("limit ") {
                Some(rounds) => self.limit = words::number(rounds)?,
                None => words::place(&mut self.start, item)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self) {
        if self.bout.is_none() {
            let options = BoutOptions { rules: self.rules, max_rounds: self.limit };
            let mut out = Outputs::new();
            self.bout = Some(Bout::from_state(options, self.start.clone(), &mut out));
            self.see(&mut out);
        }
    }

    fn play(&mut self, items: &str) -> Result<(), String> {
        self.begin();
        let mut out = Outputs::new();
        let answers = words::answers(items)?;
        for (seat, (verdict, printed)) in (0_u8..).zip(answers) {
            let request = self.requests[usize::from(seat)];
            let parts = Parts::single(printed.into_bytes());
            let input = Input::Answer { seat: Seat(seat), request, parts, verdict };
            let bout = self.bout.as_mut().expect("the bout has begun");
            bout.next(&input, &mut out).expect("the referee cannot fail");
        }
        if out.list.is_empty() {
            return Err("the bout is already over".to_owned());
        }
        self.see(&mut out);
        Ok(())
    }

    fn see(&mut self, out: &mut Outputs) {
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, parts, .. } => {
                    let view = parts.get("").expect("a view is one part");
                    self.requests[seat.index()] = request;
                    self.views[seat.index()] = String::from_utf8_lossy(view).into_owned();
                }
                Output::Judged { seat, verdict, .. } => self.judged[seat.index()] = Some(verdict),
                _ => {}
            }
        }
    }

    fn show(&mut self, seat: &str) -> Result<(), String> {
        self.begin();
        self.check_view_end()?;
        let view = &self.views[words::seat(seat)?];
        self.unread = view.lines().rev().map(str::to_owned).collect();
        Ok(())
    }

    fn check_view_line(&mut self, line: &str) -> Result<(), String> {
        match self.unread.pop() {
            Some(shown) if shown == line => Ok(()),
            Some(shown) => Err(format!("the view has `{shown}`")),
            None => Err("the view has no such line".to_owned()),
        }
    }

    fn check_view_end(&self) -> Result<(), String> {
        match self.unread.last() {
            Some(shown) => Err(format!("the view also has `{shown}`")),
            None => Ok(()),
        }
    }
}
