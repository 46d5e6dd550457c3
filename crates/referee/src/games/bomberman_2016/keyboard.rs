//! Keyboard input, and the picture that people play from.
//!
//! Source: [Console players](crate::docs::bomberman_2016#console-players).

use crate::{Cell, Colour, KeyboardAnswer, Kind, Layer, Part, Parts, Scene, Text};

/// The file with the command.
const MOVE_FILE: &str = "move.txt";
const PROMPT: &str = "w up, s down, a left, d right, z bomb, x trigger, n nothing: ";
const HELP: &str = "the keys are w up, s down, a left, d right, z bomb, x trigger and n nothing, each \
                    followed by Enter";

/// Reads one key. The original does nothing for any other key than its six; here doing
/// nothing has a key of its own, so that a typing error does not cost a turn.
pub(super) fn keyboard(lines: &[String]) -> KeyboardAnswer {
    let Some(line) = lines.first() else { return KeyboardAnswer::More(PROMPT.to_owned()) };
    let digit = match line.trim().to_ascii_lowercase().as_str() {
        "w" => "1",
        "a" => "2",
        "d" => "3",
        "s" => "4",
        "z" => "5",
        "x" => "6",
        "n" => "0",
        _ => return KeyboardAnswer::Again(HELP.to_owned()),
    };
    KeyboardAnswer::Answer(Parts(vec![Part {
        name: MOVE_FILE.into(),
        bytes: digit.as_bytes().into(),
    }]))
}

/// Draws `map.txt`: the coloured map and the players' sections to its right,
/// each bomb on a line of its own. `None` when the view has no such map.
pub(super) fn picture(view: &Parts) -> Option<Scene> {
    let text = String::from_utf8_lossy(view.get("map.txt")?).into_owned();
    let mut lines = text.lines();
    let heading = lines.next()?;
    let rows: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("---")).collect();
    let sections: Vec<&str> = lines.filter(|line| !line.starts_with("---")).collect();
    let width = rows.first()?.chars().count();
    let cells: Vec<_> = rows
        .iter()
        .flat_map(|row| row.chars().take(width).map(|symbol| Some(cell(symbol))))
        .collect();
    if cells.len() != width * rows.len() {
        return None;
    }
    Some(Scene {
        width: u16::try_from(width).ok()?,
        height: u16::try_from(rows.len()).ok()?,
        layers: vec![Layer::new("map", cells)],
        marks: Vec::new(),
        texts: texts(heading, &sections),
        ..Scene::default()
    })
}

fn cell(symbol: char) -> Cell {
    let (kind, colour) = match symbol {
        '#' => (Kind::Wall, Colour::Dim),
        '+' => (Kind::Brick, Colour::Dim),
        '*' => (Kind::Blast, Colour::Danger),
        '0'..='9' => (Kind::Bomb, Colour::Danger),
        '&' => (Kind::BombBag, Colour::Bonus),
        '!' => (Kind::BlastRadius, Colour::Bonus),
        '$' => (Kind::SuperPower, Colour::Bonus),
        'A'..='L' => (Kind::Player, Colour::Seat(symbol as u8 - b'A')),
        'a'..='l' => (Kind::Player, Colour::Seat(symbol as u8 - b'a')),
        ' ' => (Kind::Floor, Colour::Plain),
        _ => (Kind::Sign, Colour::Plain),
    };
    Cell::new(kind, symbol, colour)
}

fn texts(heading: &str, sections: &[&str]) -> Vec<Text> {
    let mut texts = vec![Text::new(Colour::Plain, heading)];
    for section in sections.chunks(LINES_OF_A_PLAYER) {
        let key = section.get(1).and_then(|line| line.strip_prefix("Key: ")).unwrap_or_default();
        let colour = key.chars().next().map_or(Colour::Plain, |key| cell(key).colour);
        texts.push(Text::new(Colour::Plain, ""));
        for line in section {
            match line.strip_prefix("Bombs: ") {
                Some(bombs) => texts.extend(bomb_lines(bombs).map(|line| Text::new(colour, line))),
                None => texts.push(Text::new(colour, *line)),
            }
        }
    }
    texts
}

/// Name, key, points, status, bombs, bag and radius.
const LINES_OF_A_PLAYER: usize = 7;

fn bomb_lines(bombs: &str) -> impl Iterator<Item = String> + '_ {
    let bombs = bombs.split_inclusive('}').map(|bomb| bomb.trim_start_matches(',').trim());
    let first = bombs.clone().next().unwrap_or_default();
    let rest = bombs.skip(1).map(|bomb| format!("       {bomb}"));
    std::iter::once(format!("Bombs: {first}")).chain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Vec<u8> {
        match keyboard(&[line.to_owned()]) {
            KeyboardAnswer::Answer(parts) => parts.get(MOVE_FILE).expect("the move").to_vec(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn six_keys_are_commands_and_one_is_nothing() {
        let keys = ["w", "a", "d", "s", "z", "x", "n", "W", " x \r"];
        let digits: Vec<u8> = keys.iter().flat_map(|key| typed(key)).collect();
        assert_eq!(digits, b"123456016");
    }

    #[test]
    fn any_other_key_is_asked_for_again() {
        for line in ["", "q", "ww", "1", "\u{1b}[A"] {
            assert_eq!(
                keyboard(&[line.to_owned()]),
                KeyboardAnswer::Again(HELP.to_owned()),
                "{line:?}"
            );
        }
    }

    const MAP: &str = "Map Width: 3, Map Height: 2, Current Round: 1, Seed: 7, PlayerBounty: 5\r\n\
        #a4\r\nB*&\r\n---------------------------\r\nPlayer Name: Ann\r\nKey: A\r\nPoints: 21\r\n\
        Status: Alive\r\nBombs: {x:2,y:1,fuse:3,radius:1},{x:3,y:1,fuse:4,radius:1}\r\nBombBag: 0\r\n\
        BlastRadius: 1\r\n---------------------------\r\n---------------------------\r\n\
        Player Name: Bob\r\nKey: B\r\nPoints: 0\r\nStatus: Alive\r\nBombs: \r\nBombBag: 1\r\n\
        BlastRadius: 1\r\n---------------------------\r\n";

    fn view(map: &str) -> Parts {
        Parts(vec![Part { name: "map.txt".into(), bytes: map.as_bytes().into() }])
    }

    #[test]
    fn the_map_is_drawn_in_colour_with_the_players_beside_it() {
        let scene = picture(&view(MAP)).expect("it is a map");
        assert_eq!((scene.width, scene.height), (3, 2));
        let colours: Vec<_> = [(1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
            .map(|(x, y)| scene.top(x, y).expect("a cell").colour)
            .into();
        let expected =
            [Colour::Seat(0), Colour::Danger, Colour::Seat(1), Colour::Danger, Colour::Bonus];
        assert_eq!(colours, expected);
        let lines: Vec<&str> = scene.texts.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            lines[6..8],
            ["Bombs: {x:2,y:1,fuse:3,radius:1}", "       {x:3,y:1,fuse:4,radius:1}"]
        );
        assert_eq!(scene.texts[12], Text::new(Colour::Seat(1), "Key: B"));
        assert_eq!(lines[15], "Bombs: ");
    }

    #[test]
    fn what_is_no_map_is_not_drawn() {
        for text in ["", "heading\n", "heading\n###\n##\n---\n"] {
            assert!(picture(&view(text)).is_none(), "{text:?}");
        }
        assert!(picture(&Parts::none()).is_none());
    }
}
