//! Openings: the moves that a bout begins with, so that engines that always answer alike
//! play different games. Both bouts of a mirror pair have the same one.

use cozy_chess::Board;
use cozy_chess::Move;
use cozy_chess::util::parse_san_move;

/// Well-known lines of three or four moves a side, all of them near balance.
const LINES: [&str; 24] = [
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
    let count = u64::try_from(LINES.len()).expect("they are few");
    let line = usize::try_from(seed % count).expect("it is below their number");
    let mut board = Board::startpos();
    let played = LINES[line].split(' ').map(|word| {
        let chosen = parse_san_move(&board, word).expect("a test has played every line");
        board.play(chosen);
        chosen
    });
    played.collect()
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
