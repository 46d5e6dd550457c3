//! Bout of chess: its opening, what the engines are asked, what is made of their answers, how it
//! ends, how a position is drawn.

use std::collections::BTreeMap;

use cozy_chess::util::{display_uci_move, parse_san_move, parse_uci_move};
use cozy_chess::{Board, Color, File, Move, Piece, Rank, Square};
use joust_gamekit::{
    Answer, AskMessage, AskSeat, EndMessage, FaultMessage, FromReferee, Legend, PictureLayer,
    Position, Scene, StartMessage, TellMessage,
};
use serde_json::Value;

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

/// Openings, the moves that a bout begins with, so that engines that always answer alike play
/// different games. Both bouts of a mirror pair have the same one.
///
/// Well-known lines of three or four moves a side, all of them near balance.
const OPENINGS: [&str; 24] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6",
    "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6",
    "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4",
    "e4 e5 Nc3 Nf6 f4 d5",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6",
    "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6",
    "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6",
    "e4 c5 c3 Nf6 e5 Nd5",
    "e4 e6 d4 d5 Nc3 Nf6 Bg5 Be7",
    "e4 e6 d4 d5 e5 c5 c3 Nc6",
    "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5",
    "e4 c6 d4 d5 e5 Bf5 Nf3 e6",
    "e4 d5 exd5 Qxd5 Nc3 Qa5",
    "e4 d6 d4 Nf6 Nc3 g6",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7",
    "d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4",
    "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
    "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6",
    "d4 f5 g3 Nf6 Bg2 e6",
    "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5",
];

/// Returns the moves of the opening that a seed chooses.
pub(crate) fn opening(seed: u64) -> Vec<Move> {
    let count = u64::try_from(OPENINGS.len()).expect("they are few");
    let line = usize::try_from(seed % count).expect("it is below their number");
    let mut board = Board::startpos();
    let played = OPENINGS[line].split(' ').map(|word| {
        let chosen = parse_san_move(&board, word).expect("a test has played every line");
        board.play(chosen);
        chosen
    });
    played.collect()
}

/// Draws the board as white sees it.
fn picture(board: &Board) -> Scene {
    let row = |rank: &Rank| {
        File::ALL.iter().map(|file| symbol(board, Square::new(*file, *rank))).collect()
    };
    let rows = Rank::ALL.iter().rev().map(row).collect();
    let layer = PictureLayer { name: "pieces".to_owned(), rows, ..PictureLayer::default() };
    Scene { layers: vec![layer], legend: legend(), ..Scene::default() }
}

fn symbol(board: &Board, square: Square) -> char {
    let Some(piece) = board.piece_on(square) else { return '.' };
    let letter: char = piece.into();
    match board.color_on(square) {
        Some(Color::White) => letter.to_ascii_uppercase(),
        _ => letter,
    }
}

fn legend() -> BTreeMap<char, Legend> {
    let entry =
        |kind: &str, colour: &str| Legend { kind: kind.to_owned(), colour: colour.to_owned() };
    let mut legend = BTreeMap::from([('.', entry("floor", "dim"))]);
    for piece in Piece::ALL {
        let letter: char = piece.into();
        legend.insert(letter.to_ascii_uppercase(), entry("sign", "seat-0"));
        legend.insert(letter, entry("sign", "seat-1"));
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_can_be_played_and_leaves_white_to_move() {
        for seed in 0..24 {
            assert_eq!(opening(seed).len() % 2, 0, "line {seed}");
        }
        assert_eq!(opening(25), opening(1));
    }
}
