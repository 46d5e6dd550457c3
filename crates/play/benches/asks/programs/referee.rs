//! Discs without an end: two seats drop discs in turn; a full board is emptied. The bout
//! ends after as many asks as the option `asks` says.
mod joust;
use joust::{Answer, Bout, Game};
use std::collections::BTreeMap;

const COLUMNS: usize = 7;
const ROWS: usize = 6;

struct Board {
    cells: Vec<u8>,
    discs: usize,
    asked: usize,
    asks: usize,
}

fn empty() -> Vec<u8> {
    ".......\n".repeat(ROWS).into_bytes()
}

impl Game for Board {
    fn next(&mut self, bout: &mut Bout, answers: &BTreeMap<usize, Answer>) {
        for answer in answers.values() {
            let column: usize = answer.text.trim().parse().expect("the bots of this bench play columns");
            let mut squares = (0..ROWS).rev().map(|y| column + y * (COLUMNS + 1));
            let at = squares.find(|at| self.cells[*at] == b'.').expect("there is room");
            self.cells[at] = b'0' + (self.discs % 2) as u8;
            self.discs += 1;
            if self.discs % (COLUMNS * ROWS) == 0 {
                self.cells = empty();
            }
        }
        let state = String::from_utf8(self.cells.clone()).expect("they are digits");
        if self.asked == self.asks {
            return bout.end(&[1.0, 1.0], "enough", &state);
        }
        self.asked += 1;
        let seat = self.discs % 2;
        bout.ask(&[(seat, format!("you {seat}\n{state}end"))], &state);
    }
}

fn main() {
    joust::serve("discs", "1", &["bouts", "rejudge"], |bout| {
        let asks = bout.options.number("asks") as usize;
        Box::new(Board { cells: empty(), discs: 0, asked: 0, asks })
    });
}
