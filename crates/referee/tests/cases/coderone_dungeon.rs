//! Cases of Coder One's dungeon.
//!
//! A line is a statement and its items, parted by two or more blanks; `#`
//! starts a comment line. `P0`, `P1` ... are the seats.
//!
//! - `board 12x10 2` or `board 12x10 2 limit 5`: starts afresh with an empty
//!   board, its number of players, an iteration limit. The players stand on 0,0
//!   1,0 2,0 ... with what everybody starts with; a treasure is far away.
//! - `given`: changes the start: `P0 at 4,4 hp=2 ammo=0 score=5`, `metal 1,1`,
//!   `wood 1,1`, `ore 1,1 hp=2`, `ammo 1,1 life=3`, `treasure 1,1`,
//!   `bomb 1,1 of P0 timer=3`, `fire 1,1 of P0`, `effect ammo 3`,
//!   `effect treasure 3`, `full` (metal on every square that is still empty).
//! - `chance`: forces a draw: `order 1 0`, `ammo 3 4`, `treasure 3 4 100`.
//! - `answer`: plays one tick with these answers: `P0 u   P1 "u\n"`; `P0 !crash`
//!   is a fault, `P0 (unhashable) [1]` a value that is no string, `P0 u,u` two
//!   answers that arrive together.
//! - `ticks 34`: plays ticks without answers.
//! - `then`: what holds now: an item of `given` that is there, `P0 judged ok`,
//!   `P0 did b` (the action), `P0 asked`, `P0 not asked`, `no bombs`, `no fires`,
//!   `no blocks`, `no ammo`, `no treasure`, `goes on`, `P0 wins`, `draw`,
//!   `ended limit`, `tick 3`.

#[path = "coderone_dungeon_claims.rs"]
mod claims;
#[path = "coderone_dungeon_words.rs"]
mod words;

use joust_referee::games::coderone_dungeon::{Bout, Chance, GameState};
use joust_referee::{Input, Judge, Output, Outputs, Parts, RequestId, Seat, Seed, Verdict};

/// Plays the text of one case.
pub(crate) fn run(text: &str) -> Result<(), (usize, String)> {
    let mut table: Option<Table> = None;
    let mut is_claimed = true;
    let mut last = 1;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "board" {
            if !is_claimed {
                return Err((last, "nothing is claimed after this line".to_owned()));
            }
            table = Some(Table::open(rest.trim()).map_err(|problem| (number, problem))?);
        }
        let here = table.as_mut().ok_or((number, "a case starts with `board`".to_owned()))?;
        here.take(word, rest.trim()).map_err(|problem| (number, problem))?;
        is_claimed = word == "then";
        last = number;
    }
    if is_claimed && table.is_some() {
        return Ok(());
    }
    Err((last, "nothing is claimed after this line".to_owned()))
}

/// Latest requests, verdict and action of a seat.
#[derive(Clone, Debug, Default)]
struct Heard {
    asked: Vec<RequestId>,
    judged: Option<Verdict>,
    action: String,
}

/// A bout on the table, and what was last seen of it.
struct Table {
    limit: Option<u32>,
    start: GameState,
    bout: Option<Bout>,
    heard: Vec<Heard>,
}

impl Table {
    fn open(items: &str) -> Result<Self, String> {
        let (start, limit) = words::board(items)?;
        let heard = vec![Heard::default(); start.players.len()];
        Ok(Self { limit, start, bout: None, heard })
    }

    fn state(&self) -> &GameState {
        self.bout.as_ref().map_or(&self.start, Bout::state)
    }

    fn take(&mut self, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "board" => Ok(()),
            "given" => self.given(rest),
            "chance" => words::items(rest).try_for_each(|item| self.chance(item)),
            "answer" => self.answer(rest),
            "ticks" => (0..words::number(rest)?).try_for_each(|_| self.tick()),
            "then" => claims::check_all(self, rest),
            _ => Err(format!("unknown statement `{word}`")),
        }
    }

    fn given(&mut self, items: &str) -> Result<(), String> {
        if self.bout.is_some() {
            return Err("`given` comes before the first tick".to_owned());
        }
        words::items(items).try_for_each(|item| words::place(&mut self.start, item))
    }

    fn bout(&mut self) -> &mut Bout {
        let (limit, start) = (self.limit, &self.start);
        let begin = || Bout::from_state(limit, start.clone(), Chance::from_seed(Seed(1)));
        self.bout.get_or_insert_with(begin)
    }

    fn chance(&mut self, item: &str) -> Result<(), String> {
        let (draw, values) = item.split_once(' ').unwrap_or((item, ""));
        let values = values.split_whitespace().map(words::number).collect::<Result<_, _>>()?;
        self.feed(Input::Resolved { draw: draw.to_owned(), values });
        Ok(())
    }

    fn answer(&mut self, items: &str) -> Result<(), String> {
        for item in words::items(items) {
            let (word, answers) = item.split_once(' ').unwrap_or((item, ""));
            let seat = words::seat(word)?;
            for (parts, verdict) in words::answers(answers)? {
                self.send(seat, parts, verdict)?;
            }
        }
        self.tick()
    }

    /// Answers the oldest request that is still open.
    fn send(&mut self, seat: usize, parts: Parts, verdict: Verdict) -> Result<(), String> {
        let asked = &mut self.heard.get_mut(seat).ok_or("no such seat")?.asked;
        if asked.is_empty() {
            return Err(format!("P{seat} was not asked since its last answer"));
        }
        let request = asked.remove(0);
        let seat = Seat(u8::try_from(seat).expect("seats are few"));
        self.feed(Input::Answer { seat, request, parts, verdict });
        Ok(())
    }

    fn tick(&mut self) -> Result<(), String> {
        if self.bout().outcome().is_some() {
            return Err("the bout is already over".to_owned());
        }
        self.heard.iter_mut().for_each(|heard| heard.judged = None);
        self.feed(Input::Tick);
        Ok(())
    }

    fn feed(&mut self, input: Input) {
        let mut out = Outputs::new();
        self.bout().next(&input, &mut out).expect("the referee cannot fail");
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, .. } => self.heard[seat.index()].asked.push(request),
                Output::Judged { seat, verdict, action, .. } => {
                    let heard = &mut self.heard[seat.index()];
                    (heard.judged, heard.action) = (Some(verdict), action.into_owned());
                }
                _ => {}
            }
        }
    }
}
