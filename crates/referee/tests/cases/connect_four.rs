//! Cases of connect four.
//!
//! A line is a statement and its items, parted by two or more blanks; `#` starts a
//! comment line.
//!
//! - `board 7x6 connect 4`: starts a bout on a board of seven columns and six rows.
//! - `moves`: plays what the seats print in turn: `3  "3\n"  x`; quotes understand
//!   `\n`. `!timeout` met that limit, `!crash 3` crashed after it printed `3`.
//! - `then`: what holds now: `0 wins`, `draw`, `goes on`, `ended connected`,
//!   `judged illegal-output` and `fell 0` (of the last disc), `turn 1`.
//! - `board is`: the board, in the lines that follow, each after `| `.
//! - `view`: what the seat whose turn it is was shown, likewise.

use joust_referee::games::connect_four::Bout;
use joust_referee::{
    Input, Judge, OptionValue, Options, Output, Outputs, Parts, RequestId, Seat, Seed, Setup,
    Verdict,
};

/// Plays the text of one case.
pub(crate) fn run(text: &str) -> Result<(), (usize, String)> {
    let mut table = None;
    let (mut last, mut is_claimed) = (1, false);
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_said(line)) {
        let place = |problem: String| (number, problem);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        is_claimed = matches!(word, "then" | "|");
        last = number;
        if word == "board" && rest.trim() != "is" {
            check_end(table.as_ref()).map_err(place)?;
            table = Some(Table::start(rest).map_err(place)?);
            continue;
        }
        let table = table.as_mut().ok_or_else(|| place("a case starts with `board`".to_owned()))?;
        table.say(word, rest).map_err(place)?;
    }
    check_end(table.as_ref()).map_err(|problem| (last, problem))?;
    if is_claimed { Ok(()) } else { Err((last, "nothing is claimed after this line".to_owned())) }
}

fn is_said(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}

fn check_end(table: Option<&Table>) -> Result<(), String> {
    match table.and_then(|table| table.unread.last()) {
        Some(shown) => Err(format!("there is also `{shown}`")),
        None => Ok(()),
    }
}

/// A bout on the table, and what was last seen of it.
struct Table {
    bout: Bout,
    view: String,
    asked: Option<(Seat, RequestId)>,
    judged: Option<Verdict>,
    unread: Vec<String>,
}

impl Table {
    fn start(items: &str) -> Result<Self, String> {
        let (size, connect) = items.trim().split_once(" connect ").ok_or("`7x6 connect 4`")?;
        let (columns, rows) = size.split_once('x').ok_or("`7x6`")?;
        let options = [("columns", columns), ("rows", rows), ("connect", connect)]
            .map(|(name, value)| Ok((name.to_owned(), OptionValue::Int(number(value)?))));
        let options = options.into_iter().collect::<Result<Options, String>>()?;
        let (rules, seed, names) = ("standard", Seed(0), &[]);
        let setup = Setup { rules, options: &options, seed, seats: 2, names };
        let mut out = Outputs::new();
        let bout = Bout::start(&setup, &mut out).map_err(|error| error.to_string())?;
        let (view, unread) = (String::new(), Vec::new());
        let mut table = Self { bout, view, asked: None, judged: None, unread };
        table.see(&mut out);
        Ok(table)
    }

    fn say(&mut self, word: &str, rest: &str) -> Result<(), String> {
        if word != "|" {
            check_end(Some(self))?;
        }
        match word {
            "moves" => items(rest).try_for_each(|item| self.play(item)),
            "then" => items(rest).try_for_each(|claim| self.check(claim)),
            "board" => {
                let mut board = Vec::new();
                self.bout.state().write_board(&mut board);
                self.expect(&String::from_utf8_lossy(&board));
                Ok(())
            }
            "view" => {
                self.expect(&self.view.clone());
                Ok(())
            }
            "|" => match self.unread.pop() {
                Some(shown) if shown == rest => Ok(()),
                shown => Err(format!("there is {shown:?}")),
            },
            _ => Err(format!("unknown statement `{word}`")),
        }
    }

    fn expect(&mut self, text: &str) {
        self.unread = text.lines().rev().map(str::to_owned).collect();
    }

    fn play(&mut self, item: &str) -> Result<(), String> {
        let (seat, request) = self.asked.take().ok_or("the bout is already over")?;
        let (verdict, printed) = answer(item)?;
        let parts = Parts::single(printed.into_bytes());
        let mut out = Outputs::new();
        let input = Input::Answer { seat, request, parts, verdict };
        self.bout.next(&input, &mut out).map_err(|error| error.to_string())?;
        self.see(&mut out);
        Ok(())
    }

    fn see(&mut self, out: &mut Outputs) {
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, parts, .. } => {
                    let view = parts.get("").expect("a view is one part");
                    self.view = String::from_utf8_lossy(view).into_owned();
                    self.asked = Some((seat, request));
                }
                Output::Judged { verdict, .. } => self.judged = Some(verdict),
                _ => {}
            }
        }
    }

    fn check(&self, claim: &str) -> Result<(), String> {
        let seen = match claim.split_once(' ').unwrap_or((claim, "")) {
            ("0" | "1", "wins") | ("draw", "") => self.result(),
            ("goes", "on") if self.bout.outcome().is_none() => claim.to_owned(),
            ("goes", "on") | ("ended", _) => {
                let ended = self.bout.outcome().map_or("nothing", |outcome| &*outcome.ended);
                format!("ended {ended}")
            }
            ("judged", _) => {
                format!("judged {}", self.judged.map_or("nothing", Verdict::name))
            }
            ("fell", _) => self
                .bout
                .last()
                .map_or_else(|| "nothing fell".to_owned(), |at| format!("fell {}", at.x)),
            ("turn", _) => format!("turn {}", self.bout.state().turn()),
            _ => return Err(format!("unknown claim `{claim}`")),
        };
        if seen == claim { Ok(()) } else { Err(format!("`{claim}`: {seen}")) }
    }

    fn result(&self) -> String {
        let Some(outcome) = self.bout.outcome() else { return "goes on".to_owned() };
        let results = [Seat(0), Seat(1)].map(|seat| outcome.seats[seat]);
        match results.map(|result| (result.rank, result.score.as_whole().unwrap_or(-1))) {
            [(1, 2), (2, 0)] => "0 wins".to_owned(),
            [(2, 0), (1, 2)] => "1 wins".to_owned(),
            [(1, 1), (1, 1)] => "draw".to_owned(),
            _ => format!("{results:?}"),
        }
    }
}

fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

fn number(word: &str) -> Result<i64, String> {
    word.trim().parse().map_err(|_| format!("`{word}` is no number"))
}

/// Reads the machine's verdict and what was printed.
fn answer(item: &str) -> Result<(Verdict, String), String> {
    let quoted = item.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let printed = quoted.map_or_else(|| item.to_owned(), |text| text.replace("\\n", "\n"));
    let Some(fault) = item.strip_prefix('!') else { return Ok((Verdict::Ok, printed)) };
    let (name, printed) = fault.split_once(' ').unwrap_or((fault, ""));
    let verdict = Verdict::from_name(name).ok_or_else(|| format!("unknown verdict `{name}`"))?;
    Ok((verdict, printed.to_owned()))
}
