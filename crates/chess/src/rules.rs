//! Rules that end a game beyond mate: repetition, fifty moves, material.

use cozy_chess::{BitBoard, Board, Color, GameStatus, Piece};

/// End of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Winner; `None` in a draw.
    pub(crate) winner: Option<Color>,
    pub(crate) reason: &'static str,
}

impl Ended {
    fn draw(reason: &'static str) -> Self {
        Self { winner: None, reason }
    }
}

/// Returns whether a game is over at the last of its positions.
pub(crate) fn ended(positions: &[Board]) -> Option<Ended> {
    let board = positions.last()?;
    let is_in_check = !board.checkers().is_empty();
    match board.status() {
        GameStatus::Won => {
            return Some(Ended { winner: Some(!board.side_to_move()), reason: "checkmate" });
        }
        GameStatus::Drawn if board.halfmove_clock() < 100 && !is_in_check => {
            return Some(Ended::draw("stalemate"));
        }
        GameStatus::Drawn => return Some(Ended::draw("fifty moves")),
        GameStatus::Ongoing => {}
    }
    if is_dead(board) {
        return Some(Ended::draw("insufficient material"));
    }
    let since = usize::from(board.halfmove_clock()) + 1;
    let same = positions.iter().rev().take(since).filter(|other| other.same_position(board));
    (same.count() >= 3).then(|| Ended::draw("threefold repetition"))
}

/// Returns the end of a game whose mover has no time, program or legal move left: the other side
/// wins, if it has anything to win with.
pub(crate) fn lost(board: &Board, reason: &'static str) -> Ended {
    let other = !board.side_to_move();
    let is_bare = board.colors(other) == board.colored_pieces(other, Piece::King);
    Ended { winner: (!is_bare).then_some(other), reason }
}

/// Returns whether neither side can mate: bare kings, one minor piece, or bishops of one colour.
fn is_dead(board: &Board) -> bool {
    let strong = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    if !strong.is_empty() {
        return false;
    }
    let is_of_one_colour = |squares: BitBoard| {
        (squares & BitBoard::DARK_SQUARES) == squares
            || (squares & BitBoard::LIGHT_SQUARES) == squares
    };
    match knights.len() {
        0 => is_of_one_colour(bishops),
        1 => bishops.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(fen: &str) -> Option<&'static str> {
        let board = fen.parse().expect("it is a position");
        ended(&[board]).map(|ended| ended.reason)
    }

    #[test]
    fn a_game_ends_by_mate_stalemate_and_fifty_moves() {
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let board: Board = mate.parse().expect("it is a position");
        assert_eq!(ended(&[board]).and_then(|ended| ended.winner), Some(Color::Black));
        assert_eq!(reason(mate), Some("checkmate"));
        assert_eq!(reason("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some("stalemate"));
        assert_eq!(reason("7k/8/6K1/8/8/8/8/R7 w - - 100 90"), Some("fifty moves"));
        assert_eq!(reason("7k/8/6K1/8/8/8/8/R7 w - - 99 90"), None);
    }

    #[test]
    fn material_that_cannot_mate_is_a_draw() {
        let dead = [
            "7k/8/6K1/8/8/8/8/8 w - - 0 1",
            "7k/8/6K1/8/8/8/8/N7 w - - 0 1",
            "7k/8/6K1/8/8/8/8/2B5 w - - 0 1",
            "5b1k/8/6K1/8/8/8/8/2B5 w - - 0 1",
        ];
        for fen in dead {
            assert_eq!(reason(fen), Some("insufficient material"), "{fen}");
        }
        for fen in ["6bk/8/6K1/8/8/8/8/2B5 w - - 0 1", "6nk/8/6K1/8/8/8/8/N7 w - - 0 1"] {
            assert_eq!(reason(fen), None, "{fen}");
        }
    }

    #[test]
    fn the_third_time_of_a_position_is_a_draw() {
        let mut positions = vec![Board::startpos()];
        for word in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2) {
            assert_eq!(ended(&positions), None, "before {word}");
            let mut board = positions[positions.len() - 1].clone();
            board.play(word.parse().expect("it is a move"));
            positions.push(board);
        }
        assert_eq!(ended(&positions).map(|ended| ended.reason), Some("threefold repetition"));
    }

    #[test]
    fn who_runs_out_of_time_against_a_bare_king_has_a_draw() {
        let board: Board = "7k/8/6K1/8/8/8/8/R7 w - - 0 1".parse().expect("it is a position");
        assert_eq!(lost(&board, "timeout").winner, None);
        let board: Board = "7k/8/6K1/8/8/8/8/R7 b - - 0 1".parse().expect("it is a position");
        assert_eq!(lost(&board, "timeout").winner, Some(Color::White));
    }
}
