//! A bout fed with recorded answers.

use joust_referee::games::coderone_dungeon::{Bout, BoutOptions, Chance, GameState};
use joust_referee::{Input, Judge, Output, Outputs, Part, Parts, RequestId, Seat, Seed, Verdict};
use serde_json::Value;

use super::record::{Header, MatchResult, Position, RecordedSpawn, Tick};
use super::{Draws, same, view};

/// A seed that is no recording's.
const ANOTHER_SEED: Seed = Seed(77);

pub(crate) struct Table {
    bout: Bout,
    draws: Draws,
    /// The newest request of every seat.
    asked: Vec<Option<RequestId>>,
}

impl Table {
    /// Sets the recorded board up.
    pub(crate) fn open(header: &Header, draws: Draws) -> Result<Self, String> {
        let seats = header.players.len();
        let options = BoutOptions {
            columns: header.config.columns,
            rows: header.config.rows,
            max_iterations: header.config.max_iterations,
            seats: u8::try_from(seats).map_err(|error| error.to_string())?,
        };
        let chance = match draws {
            Draws::Seed => Self::draw_board(header, &options)?,
            Draws::Recorded => Chance::from_seed(ANOTHER_SEED),
        };
        let state = header.to_state()?;
        header.check_map(&state)?;
        let bout = Bout::from_state(options.max_iterations, state, chance);
        Ok(Self { bout, draws, asked: vec![None; seats] })
    }

    /// Draws the board from the recorded seed and returns what is left of chance.
    fn draw_board(header: &Header, options: &BoutOptions) -> Result<Chance, String> {
        let mut chance = Chance::from_seed(Seed(header.seed));
        let drawn = GameState::generate(options, &mut chance);
        if header.map_source == "generated" {
            header.check_map(&drawn)?;
        }
        Ok(chance)
    }

    /// Plays one tick and says what differs from the recorded one.
    pub(crate) fn play(&mut self, tick: &Tick) -> Result<(), String> {
        same("number", &tick.tick, &self.bout.rounds())?;
        same("over before", &false, &self.bout.outcome().is_some())?;
        let mut out = Outputs::new();
        for (seat, action) in (0_u8..).zip(&tick.actions) {
            self.answer(Seat(seat), action, &mut out)?;
        }
        if self.draws == Draws::Recorded {
            self.force(tick, &mut out);
        }
        same("outputs before the tick", &0, &out.list.len())?;
        self.bout.next(&Input::Tick, &mut out).expect("the referee cannot fail");
        self.check_judged(tick, &out)?;
        self.check_shown(tick, &out)?;
        let orders = self.bout.report().orders.iter();
        same("order", &tick.order, &orders.map(|(player, _)| *player).collect())?;
        same("spawns", &tick.spawns, &RecordedSpawn::all(self.bout.report()))?;
        same("state", &tick.state, &Position::of(self.bout.state()))
    }

    fn answer(&mut self, seat: Seat, action: &Value, out: &mut Outputs) -> Result<(), String> {
        if action.is_null() {
            return Ok(());
        }
        let name = kind_of(action);
        let text = action.as_str().map_or_else(|| action.to_string(), str::to_owned);
        let request = self.asked[seat.index()].ok_or("an answer comes before any state")?;
        let parts = Parts(vec![Part { name: name.into(), bytes: text.into_bytes().into() }]);
        self.bout
            .next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, out)
            .expect("the referee cannot fail");
        Ok(())
    }

    fn force(&mut self, tick: &Tick, out: &mut Outputs) {
        let mut resolve = |draw: &str, values: Vec<i64>| {
            self.bout
                .next(&Input::Resolved { draw: draw.to_owned(), values }, out)
                .expect("the referee cannot fail");
        };
        if !tick.order.is_empty() {
            resolve("order", tick.order.iter().map(|player| i64::from(*player)).collect());
        }
        for spawn in &tick.spawns {
            resolve(&spawn.kind, spawn.values());
        }
    }

    /// Living seats are judged in their order; a valid word is an order.
    fn check_judged(&self, tick: &Tick, out: &Outputs) -> Result<(), String> {
        let mut orders = Vec::new();
        for output in &out.list {
            let Output::Judged { seat, verdict, action, .. } = output else { continue };
            let answer = tick.actions.get(seat.index()).unwrap_or(&Value::Null);
            let code = match answer.as_str() {
                Some("p" | "b" | "can_haz_boom") => "b",
                Some(word @ ("u" | "d" | "l" | "r")) => word,
                _ => "",
            };
            same(&format!("action of seat {seat}"), &code, &&**action)?;
            let is_nothing = answer.as_str() == Some("") || kind_of(answer) == "false";
            let is_ok = is_nothing || !code.is_empty();
            same(&format!("verdict of seat {seat} is ok"), &is_ok, &verdict.is_ok())?;
            if !code.is_empty() {
                orders.push(seat.0);
            }
        }
        let mut recorded = tick.order.clone();
        recorded.sort_unstable();
        same("seats with an order", &recorded, &orders)
    }

    fn check_shown(&mut self, tick: &Tick, out: &Outputs) -> Result<(), String> {
        let mut shown: Vec<Option<Parts>> = vec![None; self.asked.len()];
        self.asked.fill(None);
        for output in &out.list {
            let Output::Ask { seat, request, parts, .. } = output else { continue };
            shown[seat.index()] = Some(parts.clone());
            self.asked[seat.index()] = Some(*request);
        }
        same("delivered", &tick.delivered, &shown.iter().map(Option::is_some).collect())?;
        if tick.view.is_some() {
            same("view", &tick.view, &view::of(&shown)?)?;
        }
        Ok(())
    }

    pub(crate) fn check_result(&self, recorded: &MatchResult) -> Result<(), String> {
        let state = self.bout.state();
        let outcome = self.bout.outcome();
        let here = MatchResult {
            ticks: self.bout.rounds(),
            iteration: state.tick,
            is_over: state.is_over,
            winner_pid: state.winner,
            reason: outcome.map_or("unfinished", |outcome| &*outcome.ended).replace('-', "_"),
            scores: state.players.iter().map(|player| player.reward).collect(),
            hp: state.players.iter().map(|player| player.hp).collect(),
            ammo: state.players.iter().map(|player| player.ammo).collect(),
        };
        same("result", recorded, &here)?;
        let Some(outcome) = outcome else { return Ok(()) };
        let first = outcome.seats.iter().filter(|(_, result)| result.rank == 1);
        let first: Vec<u8> = first.map(|(seat, _)| seat.0).collect();
        let expected = match recorded.winner_pid {
            Some(winner) => vec![winner],
            None => (0..).take(outcome.seats.seats()).collect(),
        };
        same("seats of rank 1", &expected, &first)
    }
}

/// Returns what the host of an agent calls the kind of a value it returned.
/// Source: [Collecting answers](joust_referee::docs::coderone_dungeon#collecting-answers).
fn kind_of(answer: &Value) -> &'static str {
    match answer {
        Value::String(_) => "str",
        Value::Null | Value::Bool(false) => "false",
        Value::Number(number) if number.as_f64() == Some(0.0) => "false",
        Value::Array(items) if items.is_empty() => "false",
        Value::Object(fields) if fields.is_empty() => "false",
        Value::Array(_) | Value::Object(_) => "unhashable",
        Value::Bool(true) | Value::Number(_) => "other",
    }
}
