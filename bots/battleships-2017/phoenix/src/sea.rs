//! What is known of the other map.

use crate::json::Json;

pub type Cell = (i32, i32);

pub const SHIPS: [(&str, i32); 5] =
    [("Carrier", 5), ("Battleship", 4), ("Cruiser", 3), ("Submarine", 3), ("Destroyer", 2)];
const EAST: Cell = (1, 0);
const NORTH: Cell = (0, 1);

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unknown,
    Hit,
    Missed,
    Shielded,
}

pub struct Sea {
    side: i32,
    marks: Vec<Mark>,
    /// Lengths of the ships that are left.
    left: Vec<i32>,
}

impl Sea {
    pub fn read(state: &Json) -> Self {
        let side = state.get("MapDimension").integer();
        let theirs = state.get("OpponentMap");
        let mut sea = Self { side, marks: vec![Mark::Unknown; (side * side) as usize], left: vec![] };
        for cell in theirs.get("Cells").items() {
            let index = sea.index((cell.get("X").integer(), cell.get("Y").integer()));
            sea.marks[index] = match () {
                () if cell.get("Damaged").is_true() => Mark::Hit,
                () if cell.get("Missed").is_true() => Mark::Missed,
                () if cell.get("ShieldHit").is_true() => Mark::Shielded,
                () => Mark::Unknown,
            };
        }
        let alive = theirs.get("Ships").items().iter().filter(|ship| !ship.get("Destroyed").is_true());
        sea.left = alive.map(|ship| length(ship.get("ShipType").text())).collect();
        sea
    }

    fn index(&self, (x, y): Cell) -> usize {
        (x * self.side + y) as usize
    }

    fn mark(&self, cell: Cell) -> Mark {
        let inside = (0..self.side).contains(&cell.0) && (0..self.side).contains(&cell.1);
        if inside { self.marks[self.index(cell)] } else { Mark::Missed }
    }

    /// All cells, those to shoot at first at the front: next to hits, then where the longest
    /// ship that is left has most room.
    pub fn targets(&self, noise: impl Fn(Cell) -> u32) -> Option<Cell> {
        let cells = (0..self.side).flat_map(|x| (0..self.side).map(move |y| (x, y)));
        let open = cells.filter(|cell| self.mark(*cell) == Mark::Unknown);
        open.max_by_key(|cell| (self.finish(*cell), self.room(*cell), noise(*cell)))
    }

    /// Hits in a row that end at this cell.
    fn finish(&self, (x, y): Cell) -> i32 {
        let ways = [EAST, NORTH, (-1, 0), (0, -1)];
        let run = |way: Cell| (1..5).take_while(|n| self.mark((x + n * way.0, y + n * way.1)) == Mark::Hit).count();
        ways.into_iter().map(|way| run(way) as i32).max().unwrap_or(0)
    }

    /// Ways in which the longest ship may lie across this cell.
    fn room(&self, (x, y): Cell) -> i32 {
        let longest = self.left.iter().copied().max().unwrap_or(1);
        let fits = |way: Cell, shift: i32| {
            (0..longest).all(|n| {
                let steps = n - shift;
                matches!(self.mark((x + steps * way.0, y + steps * way.1)), Mark::Unknown | Mark::Shielded)
            })
        };
        let count = |way: Cell| (0..longest).filter(|shift| fits(way, *shift)).count() as i32;
        count(EAST) + count(NORTH)
    }
}

/// The lines of place.txt: ships anywhere, by the numbers that `roll` gives.
pub fn place(side: i32, mut roll: impl FnMut(i32) -> i32) -> String {
    let mut taken: Vec<Cell> = vec![];
    let mut lines = String::new();
    for (name, length) in SHIPS {
        let (cells, way) = loop {
            let (way, word) = if roll(2) == 0 { (EAST, "East") } else { (NORTH, "North") };
            let start = (roll(side - way.0 * (length - 1)), roll(side - way.1 * (length - 1)));
            let cells: Vec<Cell> = (0..length).map(|n| (start.0 + n * way.0, start.1 + n * way.1)).collect();
            if cells.iter().all(|cell| !taken.contains(cell)) {
                break (cells, word);
            }
        };
        lines += &format!("{name} {} {} {way}\n", cells[0].0, cells[0].1);
        taken.extend(cells);
    }
    lines
}

fn length(name: &str) -> i32 {
    SHIPS.iter().find(|ship| ship.0 == name).map_or(0, |ship| ship.1)
}
