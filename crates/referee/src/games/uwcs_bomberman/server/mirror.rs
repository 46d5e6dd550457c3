//! A game as a spectator sees it, put together from the lines on the wire.

use super::super::{Action, GameState, Player, Quirks, Square, advance, draw};
use crate::{Connection, Grid, Point, Scene, Spectator, SpectatorEvent};

/// Block of lines that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    #[default]
    None,
    Map,
    Players,
    Actions,
    Dead,
    Scores,
}

/// A game as a spectator sees it. Lines that do not fit are ignored; a spectator that
/// arrives in the middle of a game sees the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Mirror {
    state: Option<GameState>,
    quirks: Option<Quirks>,
    block: Block,
    left: usize,
    columns: usize,
    squares: Vec<Square>,
    scores: Vec<String>,
}

/// A map larger than this is not drawn.
const SIDE: usize = 99;

/// Lists of more players are not read, because a server may send lines without end.
const MOST_PLAYERS: usize = 1000;

impl Spectator for Mirror {
    fn read_line(&mut self, line: &str) -> SpectatorEvent {
        if self.left > 0 {
            self.left -= 1;
            return self.take_inner(line);
        }
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["INIT"] => {
                *self = Self::default();
                SpectatorEvent::News("a new game: players register".to_owned())
            }
            ["MAP", rows, columns] => self.begin_map(rows, columns),
            ["PLAYERS", count] => self.begin(Block::Players, count),
            ["ACTIONS", count] => self.begin(Block::Actions, count),
            ["DEAD", count] => self.begin(Block::Dead, count),
            ["SCORES", count] => {
                self.scores.clear();
                self.begin(Block::Scores, count)
            }
            ["TICK", number] => self.tick(number),
            _ => SpectatorEvent::Nothing,
        }
    }

    fn scene(&self) -> Option<Scene> {
        self.quirks.and(self.state.as_ref()).map(|state| draw::scene(state, &[]))
    }
}

impl Mirror {
    fn begin(&mut self, block: Block, count: &str) -> SpectatorEvent {
        self.block = block;
        self.left = count.parse().ok().filter(|count| *count <= MOST_PLAYERS).unwrap_or(0);
        if block == Block::Actions && self.left == 0 {
            self.evaluate()
        } else {
            SpectatorEvent::Nothing
        }
    }

    fn begin_map(&mut self, rows: &str, columns: &str) -> SpectatorEvent {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=SIDE).contains(side));
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
            return SpectatorEvent::Nothing;
        };
        self.block = Block::Map;
        self.left = rows;
        self.columns = columns;
        self.squares.clear();
        self.state = None;
        SpectatorEvent::Nothing
    }

    fn take_inner(&mut self, line: &str) -> SpectatorEvent {
        let is_last = self.left == 0;
        match self.block {
            Block::Map => self.take_row(line, is_last),
            Block::Players => self.take_player(line),
            Block::Actions => {
                self.take_action(line);
                if is_last {
                    return self.evaluate();
                }
            }
            Block::Dead => return self.take_death(line),
            Block::Scores => {
                self.scores.push(line.to_owned());
                if is_last {
                    return SpectatorEvent::GameOver(format!(
                        "game over: {}",
                        self.scores.join(", ")
                    ));
                }
            }
            Block::None => {}
        }
        SpectatorEvent::Nothing
    }

    fn take_row(&mut self, line: &str, is_last: bool) {
        let row = line.split(' ').map(|digit| {
            let number = digit.parse().ok();
            number.and_then(Square::from_number).unwrap_or(Square::Free)
        });
        self.squares.extend(row.chain(std::iter::repeat(Square::Free)).take(self.columns));
        if !is_last {
            return;
        }
        let rows = self.squares.len() / self.columns;
        let mut map = Grid::filled(self.columns, rows, Square::Free);
        for (index, square) in self.squares.drain(..).enumerate() {
            map.set(point(index / self.columns, index % self.columns), square);
        }
        let side = |side: usize| u16::try_from(side).expect("maps are small");
        self.state = Some(GameState::new(side(rows), side(self.columns), map));
    }

    fn take_player(&mut self, line: &str) {
        let Some(state) = &mut self.state else { return };
        let mut words = line.rsplitn(3, ' ');
        let (column, row, name) = (words.next(), words.next(), words.next());
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        let (Some(column), Some(row), Some(name)) = (number(column), number(row), name) else {
            return;
        };
        let at = point(row, column);
        if state.map.get(at).is_none() || state.players.len() == MOST_PLAYERS {
            return;
        }
        let connection = Connection(u32::try_from(state.players.len()).unwrap_or(u32::MAX));
        let mut player = Player::new(connection, None, name.to_owned(), at);
        name.clone_into(&mut player.shown);
        state.players.push(player);
    }

    /// Reads an action. Of two players of one name it is the first that lives and has not acted.
    fn take_action(&mut self, line: &str) {
        let Some((name, action)) = line.rsplit_once(' ') else { return };
        let players = self.state.iter_mut().flat_map(|state| &mut state.players);
        let mut meant = players
            .filter(|player| player.shown == name && player.is_alive && player.pending.is_none());
        if let Some(player) = meant.next() {
            player.pending = Action::from_name(action);
        }
    }

    fn evaluate(&mut self) -> SpectatorEvent {
        let (Some(state), Some(quirks)) = (&mut self.state, &self.quirks) else {
            return SpectatorEvent::Nothing;
        };
        advance(state, quirks);
        SpectatorEvent::Position
    }

    fn take_death(&mut self, line: &str) -> SpectatorEvent {
        let players = self.state.iter_mut().flat_map(|state| &mut state.players);
        for player in players.filter(|player| player.shown == line || player.name == line) {
            player.is_alive = false;
        }
        SpectatorEvent::News(format!("{line} died"))
    }

    /// Reads a tick. The first one of a game shows the rules: it is 0 under the original's.
    fn tick(&mut self, number: &str) -> SpectatorEvent {
        if self.state.is_none() || self.quirks.is_some() {
            return SpectatorEvent::Nothing;
        }
        let is_original = number == "0";
        self.quirks = Some(if is_original { Quirks::ORIGINAL } else { Quirks::DOCUMENTED });
        SpectatorEvent::Position
    }
}

fn point(row: usize, column: usize) -> Point {
    let number = |side: usize| i32::try_from(side).unwrap_or(i32::MAX);
    Point { x: number(column), y: number(row) }
}

#[cfg(test)]
mod tests {
    use crate::Referee;
    use crate::games::uwcs_bomberman::UwcsBomberman;

    use super::*;

    fn sample(rules: &str, name: &str) -> String {
        let samples = UwcsBomberman.samples(rules);
        let sample = samples.iter().find(|sample| sample.name == name).expect("it is there");
        String::from_utf8(sample.parts.get("").expect("one part").to_vec()).expect("it is text")
    }

    fn mirrored(rules: &str) -> (Vec<String>, Mirror) {
        let mut mirror = Mirror::default();
        let mut news = Vec::new();
        for line in sample(rules, "never-registered.txt").lines() {
            if let SpectatorEvent::News(text) = mirror.read_line(line) {
                news.push(text);
            }
            if line.starts_with("SCORES") {
                break;
            }
        }
        (news, mirror)
    }

    #[test]
    fn the_example_game_is_seen_as_it_is_played() {
        let (news, mirror) = mirrored("documented");
        assert!(news.contains(&"bob died".to_owned()), "{news:?}");
        let scene = mirror.scene().expect("the game was seen");
        let texts: Vec<&str> = scene.texts.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["turn 6", "A alice score=1", "B bob score=0 dead"]);
    }

    #[test]
    fn who_comes_in_the_middle_sees_nothing_drawn() {
        let mut mirror = Mirror::default();
        for line in ["ACTIONS 1", "alice UP", "DEAD 1", "bob", "TICK 7"] {
            mirror.read_line(line);
        }
        assert_eq!(mirror.scene(), None);
    }

    #[test]
    fn players_beside_the_map_and_lists_without_end_are_left_out() {
        let mut mirror = Mirror::default();
        let players = ["PLAYERS 2", "a 2147483647 2147483647", "b 1 1", "TICK 1"];
        for line in ["MAP 2 2", "0 0", "0 0"].into_iter().chain(players) {
            mirror.read_line(line);
        }
        for line in ["ACTIONS 1", "a RIGHT", "SCORES 99999999", "a 1"] {
            mirror.read_line(line);
        }
        let names = mirror.state.iter().flat_map(|state| &state.players).map(|one| &*one.shown);
        assert_eq!(names.collect::<Vec<_>>(), ["b"]);
        assert_eq!(mirror.scores.len(), 0);
    }

    #[test]
    fn any_lines_are_survived() {
        let mut mirror = Mirror::default();
        let lines = ["MAP 2 2", "x", "", "PLAYERS 3", "a", "b 1", "c 99 99", "TICK 1", "ACTIONS 1"];
        for line in lines.into_iter().chain(["c RIGHT", "MAP -1 9", "SCORES 18446744073709551616"])
        {
            mirror.read_line(line);
        }
        assert!(mirror.scene().is_some());
    }
}
