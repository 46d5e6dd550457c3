//! Bout of chess: what the engines are asked, what is made of their answers, how it ends.

use cozy_chess::util::{display_uci_move, parse_uci_move};
use cozy_chess::{Board, Color, Move};
use joust_gamekit::{
    Answer, AskMessage, AskSeat, EndMessage, FaultMessage, FromReferee, Position, StartMessage,
    TellMessage,
};
use serde_json::Value;

use crate::openings::opening;
use crate::picture::picture;
use crate::rules::{Ended, ended, lost};

/// Commands for an engine before its first move.
const GREETING: &str = "uci\nucinewgame\nisready\n";

/// Command for a move where the event has no other: Joust fills in the clocks.
const GO: &str = "go wtime {left_ms:0} btime {left_ms:1} winc {inc_ms} binc {inc_ms}";

pub(crate) struct ChessBout {
    number: u32,
    asks: u32,
    /// From the start position to now.
    positions: Vec<Board>,
    /// All moves in UCI's words, each after a space.
    moves: String,
    most_moves: usize,
    is_drawn: bool,
}

impl ChessBout {
    pub(crate) fn new(start: &StartMessage) -> Self {
        let seed = start.seed.parse().unwrap_or_default();
        let book = start.options.get("openings").and_then(Value::as_str) != Some("none");
        let most = start.options.get("most_moves").and_then(Value::as_u64);
        let mut bout = Self {
            number: start.b,
            asks: 0,
            positions: vec![Board::startpos()],
            moves: String::new(),
            most_moves: most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX),
            is_drawn: start.scene,
        };
        for played in if book { opening(seed) } else { Vec::new() } {
            bout.play(played);
        }
        bout
    }

    /// Greets the engines, and asks for the first move.
    pub(crate) fn begin(&mut self) -> Vec<FromReferee> {
        let greeting = TellMessage { b: self.number, to: vec![0, 1], text: GREETING.to_owned() };
        vec![FromReferee::Tell(greeting), self.ask()]
    }

    /// Takes an answer: the move is played, or the game is lost.
    pub(crate) fn take(&mut self, answer: &Answer) -> Vec<FromReferee> {
        let is_in_time = answer.verdict.name() == "ok";
        let word = answer.text.split_whitespace().next().unwrap_or_default();
        let chosen = parse_uci_move(self.board(), word).ok();
        let chosen = chosen.filter(|chosen| is_in_time && self.board().is_legal(*chosen));
        let Some(chosen) = chosen else { return self.forfeit(answer, is_in_time) };
        self.play(chosen);
        let over = ended(&self.positions).or_else(|| self.is_too_long());
        vec![match over {
            Some(over) => self.end(over),
            None => self.ask(),
        }]
    }

    /// The answer was none: the game is lost.
    fn forfeit(&self, answer: &Answer, is_in_time: bool) -> Vec<FromReferee> {
        let (kind, reason) = match is_in_time {
            true => ("illegal", "illegal move"),
            false => (answer.verdict.name(), "forfeit"),
        };
        let over = lost(self.board(), reason);
        let text = match over.winner {
            Some(_) => "loses the game",
            None => "draws against a bare king",
        };
        let (kind, text) = (kind.to_owned(), text.to_owned());
        let fault = FaultMessage { b: self.number, seat: answer.seat, kind, text };
        vec![FromReferee::Fault(fault), self.end(over)]
    }

    fn is_too_long(&self) -> Option<Ended> {
        let is = self.positions.len() > self.most_moves;
        is.then_some(Ended { winner: None, reason: "most moves" })
    }

    fn board(&self) -> &Board {
        &self.positions[self.positions.len() - 1]
    }

    fn play(&mut self, chosen: Move) {
        let mut board = self.board().clone();
        self.moves.push(' ');
        self.moves.push_str(&display_uci_move(&board, chosen).to_string());
        board.play(chosen);
        self.positions.push(board);
    }

    fn ask(&mut self) -> FromReferee {
        self.asks += 1;
        let moves = if self.moves.is_empty() { "" } else { " moves" };
        let text = format!("position startpos{moves}{}\n{GO}\n", self.moves);
        let to =
            vec![AskSeat { seat: seat(self.board().side_to_move()), text, ..AskSeat::default() }];
        FromReferee::Ask(AskMessage {
            b: self.number,
            n: self.asks,
            to,
            position: self.position(),
            scene: self.is_drawn.then(|| picture(self.board())),
            numbers: joust_gamekit::Numbers::new(),
        })
    }

    /// Points are whole in every table: two for a win, one for a draw.
    fn end(&self, over: Ended) -> FromReferee {
        let points = |color| match over.winner {
            None => 1.0,
            Some(winner) if winner == color => 2.0,
            Some(_) => 0.0,
        };
        let scores = [points(Color::White), points(Color::Black)];
        FromReferee::End(EndMessage {
            b: self.number,
            scores: scores.map(Some).to_vec(),
            ranks: scores.iter().map(|own| if *own > 0.0 { 1 } else { 2 }).collect(),
            reason: over.reason.to_owned(),
            position: self.position(),
            scene: self.is_drawn.then(|| picture(self.board())),
            numbers: joust_gamekit::Numbers::new(),
        })
    }

    fn position(&self) -> Position {
        Position::State(self.board().to_string())
    }
}

/// White sits first.
fn seat(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}
