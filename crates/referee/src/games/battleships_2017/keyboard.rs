//! Keyboard input: five placements, then a command a round.
//!
//! Source: [Command line](crate::docs::battleships_2017#command-line).

use super::action::{read_numbers, read_placement};
use super::step::place::place;
use super::view::map_txt::own_symbol;
use super::{
    Board, BoutOptions, COMMAND_FILE, MapSize, PLACE_FILE, Placement, Player, Rules, ShipKind,
};
use crate::{KeyboardAnswer, Part, Parts};

const PLACEMENT_HELP: &str = "type a ship, its first cell and its direction, for instance `Carrier \
                              3 1 East`; each of Battleship, Carrier, Cruiser, Destroyer and \
                              Submarine once, x from the left and y from the bottom, from 0";
const COMMAND_HELP: &str = "type <code>,<x>,<y>, for instance `1,4,2`; codes: 1 single shot, 2 double \
                            shot vertical, 3 double shot horizontal, 4 corner shot, 5 diagonal \
                            cross shot, 6 cross shot, 7 seeker missile, 8 shield, 0 nothing";
/// Text by which `map.txt` shows the phase of placing, and the size of a map.
const PLACING: &[u8] = b"Phase : 1";
const DIMENSIONS: &[u8] = b"Map Dimensions : ";

/// Reads five placements in the phase of placing, else a command.
pub(super) fn keyboard(view: &Parts, lines: &[String]) -> KeyboardAnswer {
    let map = view.get("map.txt").unwrap_or_default();
    let mut heading = map.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    if heading.clone().any(|line| line == PLACING) {
        let side = heading.find_map(|line| line.strip_prefix(DIMENSIONS));
        placements(size_of(side.unwrap_or_default()), lines)
    } else {
        command(lines)
    }
}

fn size_of(dimensions: &[u8]) -> MapSize {
    let sizes = [MapSize::Small, MapSize::Medium, MapSize::Large];
    let is_it = |size: &MapSize| dimensions.starts_with(format!("{} ", size.side()).as_bytes());
    sizes.into_iter().find(is_it).unwrap_or(MapSize::Medium)
}

/// Places one ship after the other. The last line is refused if its ship does not
/// fit beside those before it; then the fleet so far is drawn.
fn placements(size: MapSize, lines: &[String]) -> KeyboardAnswer {
    let lines: Vec<String> = lines.iter().map(|line| one_blank(line)).collect();
    let options = BoutOptions { size, ..BoutOptions::new(Rules::Documented) };
    let mut player = Player::new(&options);
    for line in &lines {
        let Some(placement) = read_placement(line) else {
            return KeyboardAnswer::Again(PLACEMENT_HELP.to_owned());
        };
        if let Err(reason) = add(&mut player, &placement) {
            return KeyboardAnswer::Again(reason);
        }
    }
    let missing: Vec<&str> = ShipKind::ALL
        .into_iter()
        .filter(|kind| !player.ships[kind.index()].placed)
        .map(ShipKind::name)
        .collect();
    if missing.is_empty() {
        return answer(PLACE_FILE, lines.join("\n") + "\n");
    }
    let fleet = if lines.is_empty() { String::new() } else { drawn(&player.board) };
    let missing = missing.join(", ");
    KeyboardAnswer::More(format!("{fleet}to place: {missing}\nship {} of 5: ", lines.len() + 1))
}

fn add(player: &mut Player, placement: &Placement) -> Result<(), String> {
    let ship = placement.ship.printed_name();
    if player.ships[placement.ship.index()].placed {
        return Err(format!("the {ship} has its place already"));
    }
    let length = placement.ship.length();
    place(player, placement)
        .map_err(|refusal| format!("the {ship} is {length} cells long and does not fit: {refusal}"))
}

/// Draws a map with its numbers, y upwards.
fn drawn(board: &Board) -> String {
    let side = board.side();
    let mut text = String::new();
    for y in (0..side).rev() {
        let row =
            (0..side).map(|x| format!(" {:>2}", char::from(own_symbol(board.cell(x * side + y)))));
        text.push_str(&format!("{y:>3} {}\n", row.collect::<String>()));
    }
    let numbers: String = (0..side).map(|x| format!(" {x:>2}")).collect();
    text + "    " + &numbers + "\n"
}

fn command(lines: &[String]) -> KeyboardAnswer {
    let Some(line) = lines.first() else {
        return KeyboardAnswer::More("your command (code,x,y, or ? for the codes): ".to_owned());
    };
    match read_numbers(line) {
        Some([code @ 0..=8, x, y]) => answer(COMMAND_FILE, format!("{code},{x},{y}\n")),
        Some([code, ..]) => {
            KeyboardAnswer::Again(format!("no command has the code {code}; {COMMAND_HELP}"))
        }
        None => KeyboardAnswer::Again(COMMAND_HELP.to_owned()),
    }
}

fn answer(file: &str, text: String) -> KeyboardAnswer {
    KeyboardAnswer::Answer(Parts(vec![Part { name: file.into(), bytes: text.into_bytes().into() }]))
}

fn one_blank(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(phase: u8) -> Parts {
        let map = format!("Round Number : 0\r\nMap Dimensions : 10 x 10\r\nPhase : {phase}\r\n");
        Parts(vec![Part { name: "map.txt".into(), bytes: map.into_bytes().into() }])
    }

    fn typed(phase: u8, lines: &[&str]) -> KeyboardAnswer {
        keyboard(&view(phase), &lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    const FLEET: [&str; 5] = [
        "battleship 1 0 north",
        "Carrier  3 1 East ",
        "Cruiser 4 2 north",
        "Destroyer 7 3 north",
        "Submarine 1 8 East",
    ];

    fn asked(phase: u8, lines: &[&str]) -> String {
        match typed(phase, lines) {
            KeyboardAnswer::More(question) => question,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn five_placements_are_asked_for_one_after_the_other() {
        let first = asked(1, &[]);
        assert_eq!(
            first,
            "to place: Submarine, Destroyer, Battleship, Carrier, Cruiser\nship 1 of 5: "
        );
        assert!(asked(1, &FLEET[..4]).ends_with("to place: Submarine\nship 5 of 5: "));
        let KeyboardAnswer::Answer(parts) = typed(1, &FLEET) else { panic!("they are whole") };
        let text = "battleship 1 0 north\nCarrier 3 1 East\nCruiser 4 2 north\nDestroyer 7 3 \
                    north\nSubmarine 1 8 East\n";
        assert_eq!(parts.get(PLACE_FILE), Some(text.as_bytes()));
    }

    #[test]
    fn the_fleet_so_far_is_drawn_on_the_map_of_its_size() {
        let question = asked(1, &FLEET[..1]);
        let rows: Vec<&str> = question.lines().collect();
        assert_eq!(rows[0], "  9   ~  ~  ~  ~  ~  ~  ~  ~  ~  ~");
        assert_eq!(rows[9], "  0   ~  B  ~  ~  ~  ~  ~  ~  ~  ~");
        assert_eq!(rows[10], "      0  1  2  3  4  5  6  7  8  9");
    }

    #[test]
    fn a_ship_that_crosses_another_or_leaves_the_map_is_refused_at_once() {
        let refused = |line: &str| match typed(1, &[FLEET[0], line]) {
            KeyboardAnswer::Again(reason) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            refused("Carrier 0 1 East"),
            "the Carrier is 5 cells long and does not fit: two ships overlap"
        );
        assert!(refused("Carrier 8 1 East").ends_with("a ship leaves the map"));
        assert!(refused("Carrier 10 1 East").ends_with("a ship leaves the map"));
    }

    #[test]
    fn a_line_that_is_no_placement_is_asked_for_again() {
        for line in ["", "1,2,3", "Frigate 1 1 north", "Cruiser 1 north", "Cruiser a 1 north"] {
            let help = KeyboardAnswer::Again(PLACEMENT_HELP.to_owned());
            assert_eq!(typed(1, &[FLEET[0], line]), help, "{line:?}");
        }
        let again = KeyboardAnswer::Again("the Battle Ship has its place already".to_owned());
        assert_eq!(typed(1, &[FLEET[0], "Battleship 4 4 east"]), again);
    }

    #[test]
    fn a_command_is_three_numbers() {
        assert!(asked(2, &[]).starts_with("your command"));
        let KeyboardAnswer::Answer(parts) = typed(2, &[" 1, +4,2 "]) else { panic!("it is whole") };
        assert_eq!(parts.get(COMMAND_FILE), Some(&b"1,4,2\n"[..]));
        for line in ["", "?", "1,2", "1 2 3", "fire", "1,2,3,4", "1,2,\u{663}"] {
            assert_eq!(
                typed(2, &[line]),
                KeyboardAnswer::Again(COMMAND_HELP.to_owned()),
                "{line:?}"
            );
        }
        let again = KeyboardAnswer::Again(format!("no command has the code 9; {COMMAND_HELP}"));
        assert_eq!(typed(2, &["9,1,1"]), again);
    }
}
