//! Cases of Bomberman 2016.
//!
//! A line is a statement and its items, parted by two or more blanks; `#`
//! starts a comment line. Squares are `x,y`, both from 1.
//!
//! - `map`: starts afresh; the rows follow, each after `| `: `#` pillar, `+`
//!   wall, `&` `!` `$` open power-ups, `A` and so on players. The bounty is 100.
//! - `given`: changes the start: `A bag=2 radius=3 points=10`, `bomb A 3,2
//!   timer=1 radius=2`, `bag under 4,2` (also `radius`), `bounty 70`.
//! - `rolls 5 7`: forces the numbers rolled in the next round. `losers A B`:
//!   forces the losers of its movement conflicts.
//! - `action`: plays one round: `A right  B bomb`; the others do nothing.
//! - `then`: what holds now: `A at 3,2`, `A bag=2 radius=2 points=10
//!   coverage=20`, `A alive`, `A dead`, `A rejected` (also `done`, `ignored`,
//!   `lost`, `blocked`), `bomb 3,2 timer=4 radius=1`, `no bomb 3,2`,
//!   `bag open 4,2`, `leaders B A`.
//! - `shows`: the rows of `map.txt`, in the lines that follow, each after `| `.

#[path = "bomberman_2016_claims.rs"]
mod claims;
#[path = "bomberman_2016_words.rs"]
mod words;

use joust_referee::Seed;
use joust_referee::games::bomberman_2016::{
    Bomb, Chance, Command, GameState, LOSER_DRAW, LineEndings, ROLL_DRAW, Report, Views, advance,
};

/// Plays the text of one case.
pub(crate) fn run(text: &str) -> Result<(), (usize, String)> {
    let is_said = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    let lines: Vec<_> = (1..).zip(text.lines()).filter(|(_, line)| is_said(line)).collect();
    if lines.first().is_none_or(|(_, line)| *line != "map") {
        return Err((1, "a case starts with `map`".to_owned()));
    }
    let mut table = Table::default();
    for (number, line) in &lines {
        table.take(line).map_err(|problem| (*number, problem))?;
    }
    let last = lines.last().map_or(1, |(number, _)| *number);
    table.end_section().map_err(|problem| (last, problem))
}

/// Owner of the rows that follow.
#[derive(Default, PartialEq, Eq)]
enum Rows {
    #[default]
    None,
    OfMap,
    OfView,
}

/// A position on the table, and what was last seen of it.
struct Table {
    map: Vec<String>,
    rows: Rows,
    unread: Vec<String>,
    state: Option<GameState>,
    chance: Chance,
    report: Report,
    is_claimed: bool,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            map: Vec::new(),
            rows: Rows::None,
            unread: Vec::new(),
            state: None,
            chance: Chance::new(Seed(1)),
            report: Report::new(),
            is_claimed: true,
        }
    }
}

impl Table {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word != "|" {
            self.end_rows()?;
        }
        self.is_claimed =
            matches!(word, "then" | "shows" | "|") || (word == "map" && self.is_claimed);
        match word {
            "map" => self.start(),
            "given" => words::items(rest).try_for_each(|item| words::place(self.state()?, item)),
            "rolls" => self.force(ROLL_DRAW, rest, words::number),
            "losers" => self.force(LOSER_DRAW, rest, |word| Ok(i64::from(words::seat(word)?.0))),
            "action" => self.play(rest),
            "then" => claims::check_all(self, rest),
            "shows" => self.show(),
            "|" => self.row(rest),
            _ => Err(format!("unknown statement `{word}`")),
        }
    }

    fn start(&mut self) -> Result<(), String> {
        self.end_section()?;
        *self = Self { rows: Rows::OfMap, is_claimed: false, ..Self::default() };
        Ok(())
    }

    fn end_section(&mut self) -> Result<(), String> {
        self.end_rows()?;
        if self.is_claimed { Ok(()) } else { Err("nothing is claimed after this line".to_owned()) }
    }

    fn row(&mut self, row: &str) -> Result<(), String> {
        match self.rows {
            Rows::OfMap => self.map.push(row.to_owned()),
            Rows::OfView => match self.unread.pop() {
                Some(shown) if shown == row => {}
                Some(shown) => return Err(format!("the map has `{shown}`")),
                None => return Err("the map has no such row".to_owned()),
            },
            Rows::None => return Err("a row belongs to `map` or `shows`".to_owned()),
        }
        Ok(())
    }

    fn end_rows(&mut self) -> Result<(), String> {
        if self.rows == Rows::OfMap {
            self.state = Some(words::state(&self.map)?);
        }
        self.rows = Rows::None;
        match self.unread.last() {
            Some(shown) => Err(format!("the map also has `{shown}`")),
            None => Ok(()),
        }
    }

    fn state(&mut self) -> Result<&mut GameState, String> {
        self.state.as_mut().ok_or_else(|| "there is no map".to_owned())
    }

    fn force(
        &mut self,
        draw: &str,
        items: &str,
        read: fn(&str) -> Result<i64, String>,
    ) -> Result<(), String> {
        let values: Vec<i64> = items.split_whitespace().map(read).collect::<Result<_, _>>()?;
        self.chance.force(draw, &values);
        Ok(())
    }

    fn play(&mut self, items: &str) -> Result<(), String> {
        let state = self.state.as_mut().ok_or("there is no map")?;
        let mut commands: Vec<Option<Command>> = state
            .players
            .iter()
            .map(|player| player.is_alive().then_some(Command::Nothing))
            .collect();
        for item in words::items(items) {
            let (key, word) =
                item.split_once(' ').ok_or_else(|| format!("`{item}` is no action"))?;
            let command =
                Command::from_word(word).ok_or_else(|| format!("`{word}` is no command"))?;
            let slot = commands.get_mut(words::seat(key)?.index());
            match slot {
                Some(slot @ Some(_)) => *slot = Some(command),
                _ => return Err(format!("`{key}` does not play")),
            }
        }
        advance(state, &commands, &mut self.chance, &mut self.report);
        Ok(())
    }

    fn show(&mut self) -> Result<(), String> {
        let state = self.state.as_ref().ok_or("there is no map")?;
        let names = vec![String::new(); state.players.len()];
        let parts = Views::new(&names, LineEndings::Lf).render(state);
        let map = parts.get("map.txt").map(String::from_utf8_lossy).unwrap_or_default();
        let rows = map.lines().skip(1).take(usize::from(state.side));
        self.unread = rows.map(str::to_owned).collect();
        self.unread.reverse();
        self.rows = Rows::OfView;
        Ok(())
    }

    fn bomb_at(&self, square: &str) -> Result<Option<Bomb>, String> {
        let state = self.state.as_ref().ok_or("there is no map")?;
        Ok(state.bomb_on(words::square(state, square)?).copied())
    }
}
