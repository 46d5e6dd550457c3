//! What people type: five placements, then a command a round. Source: spec, 12.

use super::action::{read_numbers, read_placement};
use super::{COMMAND_FILE, PLACE_FILE, ShipKind};
use crate::{Part, Parts, Typed};

const PLACEMENT_HELP: &str = "type a ship, its first cell and its direction, for instance `Carrier \
                              3 1 East`; each of Battleship, Carrier, Cruiser, Destroyer and \
                              Submarine once, x from the left and y from the bottom, from 0";
const COMMAND_HELP: &str = "type <code>,<x>,<y>, for instance `1,4,2`; codes: 1 single shot, 2 double \
                            shot vertical, 3 double shot horizontal, 4 corner shot, 5 diagonal \
                            cross shot, 6 cross shot, 7 seeker missile, 8 shield, 0 nothing";
/// How `map.txt` tells the phase of placing.
const PLACING: &[u8] = b"Phase : 1";

/// Reads five placements in the phase of placing, else a command.
pub(super) fn keyboard(view: &Parts, lines: &[String]) -> Typed {
    let map = view.get("map.txt").unwrap_or_default();
    if map.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_end() == PLACING) {
        placements(lines)
    } else {
        command(lines)
    }
}

fn placements(lines: &[String]) -> Typed {
    let lines: Vec<String> = lines.iter().map(|line| one_blank(line)).collect();
    let ships: Option<Vec<ShipKind>> =
        lines.iter().map(|line| read_placement(line).map(|placement| placement.ship)).collect();
    let Some(ships) = ships else { return Typed::Again(PLACEMENT_HELP.to_owned()) };
    if let Some((last, others)) = ships.split_last()
        && others.contains(last)
    {
        return Typed::Again(format!("the {} has its place already", last.printed_name()));
    }
    if ships.len() < ShipKind::ALL.len() {
        return Typed::More(format!("ship {} of 5: ", ships.len() + 1));
    }
    answer(PLACE_FILE, lines.join("\n") + "\n")
}

fn command(lines: &[String]) -> Typed {
    let Some(line) = lines.first() else { return Typed::More("your command: ".to_owned()) };
    match read_numbers(line) {
        Some([code, x, y]) => answer(COMMAND_FILE, format!("{code},{x},{y}\n")),
        None => Typed::Again(COMMAND_HELP.to_owned()),
    }
}

fn answer(file: &str, text: String) -> Typed {
    Typed::Answer(Parts(vec![Part { name: file.into(), bytes: text.into_bytes().into() }]))
}

fn one_blank(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(phase: u8) -> Parts {
        let map = format!("Round Number : 0\r\nPhase : {phase}\r\n");
        Parts(vec![Part { name: "map.txt".into(), bytes: map.into_bytes().into() }])
    }

    fn typed(phase: u8, lines: &[&str]) -> Typed {
        keyboard(&view(phase), &lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    const FLEET: [&str; 5] = [
        "battleship 1 0 north",
        "Carrier  3 1 East ",
        "Cruiser 4 2 north",
        "Destroyer 7 3 north",
        "Submarine 1 8 East",
    ];

    #[test]
    fn five_placements_are_asked_for_one_after_the_other() {
        assert_eq!(typed(1, &[]), Typed::More("ship 1 of 5: ".to_owned()));
        assert_eq!(typed(1, &FLEET[..4]), Typed::More("ship 5 of 5: ".to_owned()));
        let Typed::Answer(parts) = typed(1, &FLEET) else { panic!("they are whole") };
        let text = "battleship 1 0 north\nCarrier 3 1 East\nCruiser 4 2 north\nDestroyer 7 3 \
                    north\nSubmarine 1 8 East\n";
        assert_eq!(parts.get(PLACE_FILE), Some(text.as_bytes()));
    }

    #[test]
    fn a_line_that_is_no_placement_is_asked_for_again() {
        for line in ["", "1,2,3", "Frigate 1 1 north", "Cruiser 1 north", "Cruiser a 1 north"] {
            let help = Typed::Again(PLACEMENT_HELP.to_owned());
            assert_eq!(typed(1, &[FLEET[0], line]), help, "{line:?}");
        }
        let again = Typed::Again("the Battle Ship has its place already".to_owned());
        assert_eq!(typed(1, &[FLEET[0], "Battleship 4 4 east"]), again);
    }

    #[test]
    fn a_command_is_three_numbers() {
        assert_eq!(typed(2, &[]), Typed::More("your command: ".to_owned()));
        let Typed::Answer(parts) = typed(2, &[" 1, +4,2 "]) else { panic!("it is whole") };
        assert_eq!(parts.get(COMMAND_FILE), Some(&b"1,4,2\n"[..]));
        for line in ["", "1,2", "1 2 3", "fire", "1,2,3,4", "1,2,\u{663}"] {
            assert_eq!(typed(2, &[line]), Typed::Again(COMMAND_HELP.to_owned()), "{line:?}");
        }
    }
}
