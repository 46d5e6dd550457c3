//! Tests of reading: the action in an answer, by its files.

use super::*;
use crate::games::battleships_2017::Rules;
use crate::{Part, Parts};

const FLEET: &str = "Battleship 1 0 north\nCarrier 3 1 East\nCruiser 4 2 north\nDestroyer 7 3 north\nSubmarine 1 8 East";

fn files(files: &[(&str, &[u8])]) -> Parts {
    let part =
        |(name, bytes): &(&str, &[u8])| Part { name: (*name).into(), bytes: (*bytes).into() };
    Parts(files.iter().map(part).collect())
}

fn reading(parts: &Parts) -> ParsedAnswer {
    read(&BoutOptions::new(Rules::Original), parts)
}

fn of_place(text: &str) -> ParsedAnswer {
    reading(&files(&[(PLACE_FILE, text.as_bytes())]))
}

fn of_command(text: &str) -> ParsedAnswer {
    reading(&files(&[(COMMAND_FILE, text.as_bytes())]))
}

#[test]
fn a_command_is_three_numbers() {
    let at = Square { x: 2, y: -3 };
    let texts = ["1,2,-3", "1,2,-3\r\n", " 1 , +2 ,-03", "\u{feff}1,2,-3", "1,2,-3\0"];
    for text in texts {
        let reading = of_command(text);
        assert_eq!(reading.command, Command::Fire { shot: Shot::Single, at }, "{text:?}");
        assert_eq!((reading.verdict, reading.text.as_str()), (Verdict::Ok, "1,2,-3"));
    }
}

#[test]
fn what_is_no_command_is_illegal_output() {
    let texts = ["1,2", "1,2,", "1,2,3,", "1,2,3,4", "1;2;3", "1.0,2,3", "1,2,3\n1,2,4", "x", ",,"];
    for text in texts {
        let expected = ParsedAnswer::without_command(Verdict::IllegalOutput);
        assert_eq!(of_command(text), expected, "{text:?}");
    }
}

#[test]
fn a_code_without_meaning_is_a_legal_way_to_do_nothing() {
    for text in ["0,0,0", "-1,4,4", "9,1,2"] {
        let reading = of_command(text);
        assert_eq!((reading.verdict, reading.command), (Verdict::Ok, Command::Nothing));
        assert_eq!(reading.text, text);
    }
}

#[test]
fn every_code_has_its_command() {
    let names: Vec<_> =
        (1..=8).map(|code| of_command(&format!("{code},0,0")).command.name()).collect();
    let expected = [
        "FireSingleShot",
        "FireDoubleShotVertical",
        "FireDoubleShotHorizontal",
        "FireCornerShot",
        "FireCrossShotDiagonal",
        "FireCrossShotNormal",
        "FireSeekerMissile",
        "PlaceShield",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_release_knows_the_codes_it_has() {
    let known = |release| {
        let options = BoutOptions { release, ..BoutOptions::new(Rules::Original) };
        let is_known = |code: &i32| {
            let text = format!("{code},0,0");
            let reading = read(&options, &files(&[(COMMAND_FILE, text.as_bytes())]));
            reading.command != Command::Nothing
        };
        (0..10).filter(is_known).collect::<Vec<_>>()
    };
    assert_eq!(known(Release::Shots), [1]);
    assert_eq!(known(Release::Weapons), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(known(Release::Shields), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_placement_is_five_lines() {
    let reading = of_place(FLEET);
    let Command::Place(placements) = reading.command else { panic!("no placement") };
    let first = Placement {
        ship: ShipKind::Battleship,
        from: Square { x: 1, y: 0 },
        heading: Heading::North,
    };
    assert_eq!(placements.ships[0], first);
    assert_eq!(
        reading.text,
        "Battleship 1 0 north,Carrier 3 1 east,Cruiser 4 2 north,Destroyer 7 3 north,Submarine 1 8 east"
    );
}

#[test]
fn the_lines_are_kept_with_blanks_for_carriage_returns() {
    let text = format!("\r\n{}\r\n \r\n", FLEET.replace('\n', "\r\n"));
    let Command::Place(placements) = of_place(&text).command else { panic!("no placement") };
    assert_eq!(placements.lines, format!("{} ", FLEET.replace('\n', " ,")));
}

#[test]
fn cases_extra_words_and_blank_lines_do_not_matter() {
    let upper = FLEET.to_uppercase();
    let words = FLEET.replace('\n', " and more\n");
    let blank = FLEET.replace('\n', "\n\u{2003}\n\r\n");
    let returns = FLEET.replace("north", "n\ror\rth\r");
    for text in [upper, words, blank, returns] {
        assert_eq!(of_place(&text).verdict, Verdict::Ok, "{text:?}");
    }
}

#[test]
fn what_is_no_placement_is_illegal_output() {
    let texts = [
        FLEET.replacen("Battleship", " Battleship", 1),
        FLEET.replacen("Battleship 1", "Battleship  1", 1),
        FLEET.replacen("Battleship 1", "Battleship\t1", 1),
        FLEET.replacen("Battleship", "Battle Ship", 1),
        FLEET.replacen("Battleship 1 0 north", "Battleship 1 0", 1),
        FLEET.replacen("north", "n", 1),
        FLEET.replacen("Battleship 1", "Battleship 1.0", 1),
        FLEET.replacen("Battleship 1 0 north\n", "", 1),
        format!("{FLEET}\nCarrier 0 0 east"),
        FLEET.replace('\n', "\r"),
    ];
    for text in texts {
        assert_eq!(
            of_place(&text),
            ParsedAnswer::without_command(Verdict::IllegalOutput),
            "{text:?}"
        );
    }
}

#[test]
fn a_placement_wins_over_a_command() {
    let both = files(&[(COMMAND_FILE, b"1,2,3"), (PLACE_FILE, FLEET.as_bytes())]);
    assert_eq!(reading(&both).command.name(), "PlaceShip");
}

#[test]
fn a_broken_file_spoils_the_other_one() {
    let command = files(&[(COMMAND_FILE, b""), (PLACE_FILE, FLEET.as_bytes())]);
    let place = files(&[(COMMAND_FILE, b"1,2,3"), (PLACE_FILE, b"\n")]);
    for parts in [command, place] {
        assert_eq!(reading(&parts), ParsedAnswer::without_command(Verdict::IllegalOutput));
    }
}

#[test]
fn no_file_and_blank_files_are_no_output() {
    let blank = files(&[(COMMAND_FILE, b" \r\n"), (PLACE_FILE, b"\xef\xbb\xbf\n")]);
    for parts in [Parts::none(), blank, files(&[("move.txt", b"1,2,3")])] {
        assert_eq!(reading(&parts), ParsedAnswer::without_command(Verdict::NoOutput));
    }
}

#[test]
fn marks_of_other_encodings_are_honoured() {
    let utf_16: Vec<u8> = "\u{feff}1,2,3".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf_32: Vec<u8> =
        "\u{feff}1,2,3".chars().flat_map(|symbol| u32::from(symbol).to_be_bytes()).collect();
    for bytes in [utf_16, utf_32] {
        assert_eq!(reading(&files(&[(COMMAND_FILE, &bytes)])).text, "1,2,3");
    }
}

#[test]
fn an_unnamed_answer_is_whichever_it_looks_like() {
    assert_eq!(reading(&Parts::single("1,2,3".as_bytes())).command.name(), "FireSingleShot");
    assert_eq!(reading(&Parts::single(FLEET.as_bytes())).command.name(), "PlaceShip");
}

#[test]
fn blanks_signs_zeros_and_nuls_are_accepted() {
    let numbers = [
        ("7", 7),
        (" \t\n\u{b}\u{c}\r7 \r\n", 7),
        ("+7", 7),
        ("-7", -7),
        ("-0", 0),
        ("0000000000000000000007", 7),
        ("7\0\0", 7),
        ("7 \0", 7),
        ("2147483647", i32::MAX),
        ("-2147483648", i32::MIN),
    ];
    for (text, number) in numbers {
        assert_eq!(read_integer(text), Some(number), "{text:?}");
    }
}

#[test]
fn anything_else_is_no_number() {
    let texts = [
        "",
        " ",
        "+",
        "-",
        "+-7",
        "--7",
        "- 7",
        "7-",
        "7 7",
        "7.0",
        "1e1",
        "0x7",
        "1_0",
        "1,0",
        "\u{a0}7",
        "\u{2003}7",
        "\u{85}7",
        "\u{667}",
        "\u{ff17}",
        "\u{feff}7",
        "\u{0}7",
        "7\0 ",
        "7\0\n",
        "7\u{1}",
        "2147483648",
        "-2147483649",
        "99999999999999999999999999",
    ];
    for text in texts {
        assert_eq!(read_integer(text), None, "{text:?}");
    }
}
