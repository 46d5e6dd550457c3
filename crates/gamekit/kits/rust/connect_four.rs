//! Connect four: two bots drop discs into columns; a row of four wins.
mod joust;
use joust::{Answer, Bout, Game};
use std::collections::BTreeMap;

/// The cells are the text that bots see: one line for each row, the top one first.
struct Board {
    cells: String,
    columns: usize, rows: usize, connect: usize, discs: usize,
}

impl Game for Board {
    fn next(&mut self, bout: &mut Bout, answers: &BTreeMap<usize, Answer>) {
        let seat = self.discs % 2;
        if let Some(answer) = answers.get(&seat) {
            let column = self.read(answer).or_else(|| self.cells.find('.')).expect("there is room");
            if self.read(answer).is_none() {
                bout.fault(seat, &format!("the disc falls into column {column}"));
            }
            let mut squares = (0..self.rows).rev().map(|y| column + y * (self.columns + 1));
            let at = squares.find(|at| &self.cells[*at..=*at] == ".").expect("there is room");
            self.cells.replace_range(at..=at, &seat.to_string());
            self.discs += 1;
            if self.is_connected(at) {
                return bout.end(&[[2.0, 0.0], [0.0, 2.0]][seat], "connected", &self.cells);
            } else if self.discs == self.columns * self.rows {
                return bout.end(&[1.0, 1.0], "board-full", &self.cells);
            }
        } else {
            bout.tell(&[0, 1], &format!("board {} {}", self.columns, self.rows));
        }
        let seat = self.discs % 2;
        bout.ask(&[(seat, format!("you {seat}\nconnect {}\n{}", self.connect, self.cells))], &self.cells);
    }
}
impl Board {
    fn read(&self, answer: &Answer) -> Option<usize> {
        let text = answer.text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
        let is_sound = answer.verdict == "ok" && !text.starts_with('+');
        let column = text.parse().ok().filter(|_| is_sound)?;
        (column < self.columns && &self.cells[column..=column] == ".").then_some(column)
    }

    fn is_connected(&self, at: usize) -> bool {
        let cells = self.cells.as_bytes();
        let is_own = |place: &usize| cells.get(*place) == Some(&cells[at]);
        [1, self.columns, self.columns + 1, self.columns + 2].iter().any(|step| {
            let after = (1..).map(|n| at + n * step).take_while(is_own).count();
            let before = (1..).map(|n| at.wrapping_sub(n * step)).take_while(is_own).count();
            1 + after + before >= self.connect
        })
    }
}
fn main() {
    joust::serve("connect-four-kit", "1", &["bouts", "rejudge"], |bout| {
        let [columns, rows, connect] = ["columns", "rows", "connect"].map(|key| bout.options.number(key) as usize);
        let cells = format!("{}\n", ".".repeat(columns)).repeat(rows);
        Box::new(Board { cells, columns, rows, connect, discs: 0 })
    });
}
