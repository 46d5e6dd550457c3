//! Whole games: from the seed through the judge, and turn by turn by the bare rules.

use std::path::Path;

use joust_referee::games::battlesnake::{
    Bout, BoutOptions, Direction, GameState, Map, NoRoom, Spawner, advance, is_over, place,
};
use joust_referee::{Input, Judge, Output, Outputs, Parts, RequestId, Seat, Seed, Verdict};
use serde_json::Value;

use super::record::{Answer, Calls, Header, Line, Outcome, Position, Turn, squares};
use super::{has_food_in_any_order, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays a game from its seed.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let lines = files::lines(path)?;
    let at = |index: usize, problem: String| Failure::at_line(path, index + 1, problem);
    let [first, rest @ ..] = &*lines else {
        return Err(Failure::new(path, "the recording is empty"));
    };
    let header: Header = serde_json::from_str(first).map_err(|error| at(0, error.to_string()))?;
    let mut table = Table::open(&header).map_err(|problem| at(0, problem))?;
    let mut before = &header.initial;
    let mut turns = Vec::new();
    let mut has_result = false;
    for (index, line) in (1..).zip(rest) {
        let line = serde_json::from_str(line).map_err(|error| at(index, error.to_string()))?;
        match line {
            Line::Start { start } => table.call("/start", &start),
            Line::End { end, result } => {
                has_result = true;
                table.call("/end", &end).and_then(|()| table.check_result(&result))
            }
            Line::Turn(turn) => table.play(&turn).map(|()| turns.push((index, turn))),
        }
        .map_err(|problem| at(index, problem))?;
    }
    for (index, turn) in &turns {
        play_driven(table.options, before, turn).map_err(|problem| at(*index, problem))?;
        before = &turn.state;
    }
    if !has_result {
        return Err(at(lines.len() - 1, "the recording ends without a result".to_owned()));
    }
    let rounds = u32::try_from(turns.len()).unwrap_or(u32::MAX);
    Ok(Tally { matches: 1, bouts: 1, rounds, ..Tally::default() })
}

/// Plays a turn by the bare rules, from the recorded position and moves; the map's part is taken
/// from the recording.
fn play_driven(options: BoutOptions, before: &Position, turn: &Turn) -> Result<(), String> {
    let mut state = before.to_state(options.width, options.height)?;
    same("driven: game over", &turn.game_over, &is_over(&state, &options))?;
    if !turn.game_over {
        let id = |seat: usize| &before.snakes[seat].id;
        let move_of = |seat: usize| Direction::from_name(turn.moves.get(id(seat))?);
        // The ruleset royale draws from the seed, which is not taken here.
        advance(&mut state, &options, move_of, &mut Spawner::new(&options, Seed(1)));
    }
    let expected = turn.state.to_state(options.width, options.height)?;
    state.turn += 1;
    state.food.extend(squares(&turn.food_spawned));
    state.hazards.clone_from(&expected.hazards);
    same("driven: position", &expected, &state)
}

/// A request that waits for its answer.
struct Open {
    seat: Seat,
    request: RequestId,
    parts: Parts,
}

/// A bout and what it asks.
struct Table<'a> {
    header: &'a Header,
    options: BoutOptions,
    bout: Bout,
    open: Vec<Open>,
    judged: Vec<(Seat, Verdict, String)>,
    /// The last good move of each seat.
    last: Vec<String>,
}

impl<'a> Table<'a> {
    /// Starts the recorded game from its seed, and describes its snakes.
    fn open(header: &'a Header) -> Result<Self, String> {
        same("format", &1, &header.format)?;
        let options = header.settings.options()?;
        let (seed, snakes) = (Seed(header.seed), header.snakes.len());
        let mut state = place(&options, seed, snakes).map_err(|NoRoom| "no room".to_owned())?;
        let expected = header.initial.to_state(options.width, options.height)?;
        if has_food_in_any_order(&header.settings.map) {
            state.food.clone_from(&expected.food);
        }
        let names = header.snakes.iter().map(|snake| snake.name.clone()).collect();
        let mut out = Outputs::new();
        let bout = Bout::from_state(options, seed, state, names, &mut out);
        same("initial position", &expected, bout.state())?;
        let (open, judged, last) = (Vec::new(), Vec::new(), vec!["up".to_owned(); snakes]);
        let mut table = Self { header, options, bout, open, judged, last };
        table.see(&mut out);
        for open in std::mem::take(&mut table.open) {
            same("path", &Some(&b"/"[..]), &open.parts.get("path"))?;
            let answer = &header.snakes[open.seat.index()].metadata;
            table.answer(&open, answer)?;
        }
        Ok(table)
    }

    fn id(&self, seat: Seat) -> &'a str {
        &self.header.initial.snakes[seat.index()].id
    }

    fn see(&mut self, out: &mut Outputs) {
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, parts, .. } => {
                    self.open.push(Open { seat, request, parts });
                }
                Output::Judged { seat, verdict, action, .. } => {
                    self.judged.push((seat, verdict, action.into_owned()));
                }
                _ => {}
            }
        }
    }

    fn answer(&mut self, open: &Open, answer: &Answer) -> Result<(), String> {
        let (parts, verdict) = answer.read()?;
        let (seat, request) = (open.seat, open.request);
        self.take(&Input::Answer { seat, request, parts, verdict })
    }

    fn take(&mut self, input: &Input) -> Result<(), String> {
        let mut out = Outputs::new();
        self.bout.next(input, &mut out).map_err(|error| error.to_string())?;
        self.see(&mut out);
        Ok(())
    }

    /// Answers a call of all snakes.
    fn call(&mut self, path: &str, calls: &Calls) -> Result<(), String> {
        let open = std::mem::take(&mut self.open);
        same("snakes called", &calls.len(), &open.len())?;
        for open in open {
            let exchange = calls.get(self.id(open.seat)).ok_or("a snake was not called")?;
            self.check_request(path, &open, &exchange.request)?;
            self.answer(&open, &exchange.answer)?;
        }
        Ok(())
    }

    fn play(&mut self, turn: &Turn) -> Result<(), String> {
        same("turn", &turn.turn, &self.bout.state().turn)?;
        self.judged.clear();
        let open = std::mem::take(&mut self.open);
        let asked: Vec<&str> = open.iter().map(|open| self.id(open.seat)).collect();
        same("snakes asked", &turn.answers.len(), &asked.len())?;
        if open.is_empty() {
            self.take(&Input::Tick)?;
        }
        for open in &open {
            let id = self.id(open.seat);
            if let Some(request) = turn.requests.get(id) {
                self.check_request("/move", open, request)?;
            }
            let answer = turn.answers.get(id).ok_or_else(|| format!("`{id}` was not asked"))?;
            self.answer(open, answer)?;
        }
        self.check_moves(turn)?;
        let expected = turn.state.to_state(self.options.width, self.options.height)?;
        same(
            "position",
            &sorted(expected, self.options),
            &sorted(self.bout.state().clone(), self.options),
        )
    }

    /// Checks that good answers are taken, and that the last good move is repeated for bad ones.
    fn check_moves(&mut self, turn: &Turn) -> Result<(), String> {
        for (seat, verdict, action) in std::mem::take(&mut self.judged) {
            if verdict.is_ok() {
                self.last[seat.index()] = action;
            }
            let id = self.id(seat);
            same(&format!("move of {id}, {verdict}"), &turn.moves[id], &self.last[seat.index()])?;
        }
        Ok(())
    }

    /// Compares all fields, with their types; of measured times only that they are numbers.
    fn check_request(&self, path: &str, open: &Open, recorded: &Value) -> Result<(), String> {
        let part = |name| open.parts.get(name).map(String::from_utf8_lossy);
        same("method", &Some("POST".into()), &part("method"))?;
        same("path", &Some(path.into()), &part("path"))?;
        same("content type", &Some("application/json".into()), &part("content-type"))?;
        let body = part("body").ok_or("a request without a body")?;
        let mut here: Value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
        if path == "/move" {
            same("latency of `you`", &Value::from("0"), &here["you"]["latency"])?;
        }
        let mut recorded = recorded.clone();
        here["game"]["id"] = Value::from(self.header.game_id.clone());
        for request in [&mut here, &mut recorded] {
            forget_latency(&mut request["you"])?;
            let snakes = request["board"]["snakes"].as_array_mut().ok_or("no snakes")?;
            snakes.iter_mut().try_for_each(forget_latency)?;
            if self.options.map == Map::SnailMode {
                let hazards = request["board"]["hazards"].as_array_mut().ok_or("no hazards")?;
                hazards.sort_by_key(Value::to_string);
            }
        }
        same(&format!("request of {}", self.id(open.seat)), &recorded, &here)
    }

    fn check_result(&self, result: &Outcome) -> Result<(), String> {
        let outcome = self.bout.outcome().ok_or("the bout is not over")?;
        same("turns", &result.turn, &outcome.rounds)?;
        let first: Vec<&str> = outcome
            .seats
            .iter()
            .filter(|(_, seat)| seat.rank == 1)
            .map(|(seat, _)| self.id(seat))
            .collect();
        let living = self.bout.state().snakes.iter().zip(&self.header.initial.snakes);
        let living = living.filter(|(snake, _)| snake.is_alive()).map(|(_, snake)| &snake.id);
        same("alive", &result.alive.iter().collect::<Vec<_>>(), &living.collect())?;
        match &result.winner {
            Some(winner) => same("winner", &vec![&**winner], &first),
            None => same(
                "draw",
                &result.draw,
                &(self.header.snakes.len() > 1 && result.alive.is_empty()),
            ),
        }
    }
}

/// The original has the hazards of `snail_mode` in a random order.
fn sorted(mut state: GameState, options: BoutOptions) -> GameState {
    if options.map == Map::SnailMode {
        state.hazards.sort_unstable();
    }
    state
}

fn forget_latency(snake: &mut Value) -> Result<(), String> {
    let latency = snake["latency"].as_str().and_then(|text| text.parse::<u64>().ok());
    latency.ok_or("a latency is no number in a text")?;
    snake["latency"] = Value::Null;
    Ok(())
}
