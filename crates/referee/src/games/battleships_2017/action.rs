//! Parser of `place.txt` and `command.txt`: from the files a bot left to a command.

use std::borrow::Cow;

use super::{BoutOptions, Release, ShipKind, Shot, Square};
use crate::{Parts, Utf32Marks, Verdict, decode_text};

/// The file with the five placements.
pub const PLACE_FILE: &str = "place.txt";

/// The file with the command of a round.
pub const COMMAND_FILE: &str = "command.txt";

/// The names of the files that may hold the answer.
pub const ANSWER_FILES: &[Cow<'static, str>] =
    &[Cow::Borrowed(PLACE_FILE), Cow::Borrowed(COMMAND_FILE)];

/// The code of the command that places a shield.
///
/// Source: [Commands](crate::docs::battleships_2017#commands).
const SHIELD_CODE: i32 = 8;

/// Direction of a ship from its first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Ascending y.
    North,
    /// Ascending x.
    East,
    /// Descending y.
    South,
    /// Descending x.
    West,
}

impl Heading {
    const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    fn word(self) -> &'static str {
        match self {
            Self::North => "north",
            Self::East => "east",
            Self::South => "south",
            Self::West => "west",
        }
    }

    /// Returns the change of column and row.
    #[must_use]
    pub fn delta(self) -> (i32, i32) {
        match self {
            Self::North => (0, 1),
            Self::East => (1, 0),
            Self::South => (0, -1),
            Self::West => (-1, 0),
        }
    }
}

/// Placement of one ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Kind of ship.
    pub ship: ShipKind,
    /// Its first cell.
    pub from: Square,
    /// Direction from there.
    pub heading: Heading,
}

/// Content of a `place.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placements {
    /// The five lines, in the order of the file.
    pub ships: [Placement; 5],
    /// The lines as they stand in `roundCommand.json`: joined with commas,
    /// every carriage return a blank.
    pub lines: String,
}

/// Command of a bot in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing.
    Nothing,
    /// Places all ships.
    Place(Box<Placements>),
    /// Fires.
    Fire {
        /// In which way.
        shot: Shot,
        /// The point aimed at.
        at: Square,
    },
    /// Places the shield around a point.
    Shield {
        /// Its centre.
        at: Square,
    },
}

impl Command {
    /// Returns the name in `roundCommand.json`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "DoNothing",
            Self::Place(_) => "PlaceShip",
            Self::Fire { shot, .. } => shot.name(),
            Self::Shield { .. } => "PlaceShield",
        }
    }

    /// Returns the point the command names.
    pub fn centre(&self) -> Option<Square> {
        match self {
            Self::Fire { at, .. } | Self::Shield { at } => Some(*at),
            Self::Nothing | Self::Place(_) => None,
        }
    }
}

/// Interpretation of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// [`Verdict::Ok`], or what is wrong with the answer.
    pub verdict: Verdict,
    /// The command; [`Command::Nothing`] unless the verdict is `ok`, or the bot
    /// crashed after writing it and the rules take it nevertheless.
    pub command: Command,
    /// The command in the notation of the files, without blanks and words that
    /// are ignored; empty for an answer that counts for nothing.
    pub text: String,
}

impl ParsedAnswer {
    /// Makes the reading of an answer that counts for nothing.
    pub fn without_command(verdict: Verdict) -> Self {
        Self { verdict, command: Command::Nothing, text: String::new() }
    }
}

/// Reads the files a bot left.
///
/// Both files are read when both are there: anything wrong in either spoils the
/// turn (`illegal-output`), else a placement wins. No file, or nothing but
/// white space, is `no-output`. A code without a meaning is a legal way to do
/// nothing, also one that only a later release has.
///
/// Leniencies: byte order marks of UTF-8, UTF-16 and UTF-32; what is not valid is
/// U+FFFD. Blank lines of `place.txt` are dropped, words after a placement's fourth
/// ignored, ships and directions may be in any mixture of cases, carriage returns in a
/// direction are dropped; white space around numbers, a sign, leading zeros and NULs at
/// the end are accepted. A part without a name, as a person or a script gives it, is a
/// command if it has a comma and else a placement.
///
/// Source: [Placement file](crate::docs::battleships_2017#placement-file) and
/// [Answer files](crate::docs::battleships_2017#answer-files).
pub fn read(options: &BoutOptions, parts: &Parts) -> ParsedAnswer {
    let text = |name: &str| parts.get(name).map(|file| decode_text(file, Utf32Marks::BothOrders));
    let (mut place, mut command) = (text(PLACE_FILE), text(COMMAND_FILE));
    if let (None, None, Some(unnamed)) = (&place, &command, text("")) {
        let file = if unnamed.contains(',') { &mut command } else { &mut place };
        *file = Some(unnamed);
    }
    let files = [&place, &command];
    if files.into_iter().flatten().all(|text| text.trim().is_empty()) {
        return ParsedAnswer::without_command(Verdict::NoOutput);
    }
    understand(options, place.as_deref(), command.as_deref())
        .unwrap_or_else(|| ParsedAnswer::without_command(Verdict::IllegalOutput))
}

fn understand(
    options: &BoutOptions,
    place: Option<&str>,
    command: Option<&str>,
) -> Option<ParsedAnswer> {
    let placements = match place {
        Some(text) => Some(read_placements(text)?),
        None => None,
    };
    let numbers = match command {
        Some(text) => Some(read_numbers(text)?),
        None => None,
    };
    if let Some(placements) = placements {
        let text = canonical(&placements.ships);
        return Some(ParsedAnswer {
            verdict: Verdict::Ok,
            command: Command::Place(Box::new(placements)),
            text,
        });
    }
    let [code, x, y] = numbers?;
    let command = command_of(options.release, code, Square { x, y });
    Some(ParsedAnswer { verdict: Verdict::Ok, command, text: format!("{code},{x},{y}") })
}

fn command_of(release: Release, code: i32, at: Square) -> Command {
    if code == SHIELD_CODE && release >= Release::Shields {
        return Command::Shield { at };
    }
    match Shot::from_code(code) {
        Some(Shot::Single) => Command::Fire { shot: Shot::Single, at },
        Some(shot) if release >= Release::Weapons => Command::Fire { shot, at },
        _ => Command::Nothing,
    }
}

/// Reads `<code>,<x>,<y>`.
pub(super) fn read_numbers(text: &str) -> Option<[i32; 3]> {
    let mut numbers = text.split(',').map(read_integer);
    let three = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(three)
}

/// Reads five lines `<Ship> <x> <y> <Direction>`.
fn read_placements(text: &str) -> Option<Placements> {
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty());
    let five: [&str; 5] =
        [lines.next()?, lines.next()?, lines.next()?, lines.next()?, lines.next()?];
    if lines.next().is_some() {
        return None;
    }
    let [a, b, c, d, e] = five.map(read_placement);
    Some(Placements { ships: [a?, b?, c?, d?, e?], lines: five.join(",").replace('\r', " ") })
}

/// Reads `<Ship> <x> <y> <Direction>`.
pub(super) fn read_placement(line: &str) -> Option<Placement> {
    let mut words = line.split(' ');
    let ship = ShipKind::from_word(words.next()?)?;
    let from = Square { x: read_integer(words.next()?)?, y: read_integer(words.next()?)? };
    let direction = words.next()?.replace('\r', "");
    let heading =
        Heading::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(&direction))?;
    Some(Placement { ship, from, heading })
}

fn canonical(ships: &[Placement; 5]) -> String {
    let lines = ships.map(|Placement { ship, from, heading }| {
        format!("{} {} {} {}", ship.name(), from.x, from.y, heading.word())
    });
    lines.join(",")
}

/// Reads a whole number of 32 bits.
///
/// Leniencies: ASCII white space (tab to carriage return, blank) around it, one sign
/// directly before the digits, leading zeros, NULs at the very end. No other digits,
/// blanks or separators.
///
/// Source: [Integers](crate::docs::battleships_2017#integers).
fn read_integer(text: &str) -> Option<i32> {
    let text = text.trim_end_matches('\0').trim_matches(is_blank);
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number: i64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
        if number > 1 << 31 {
            return None;
        }
    }
    i32::try_from(if is_negative { -number } else { number }).ok()
}

fn is_blank(symbol: char) -> bool {
    matches!(symbol, '\t'..='\r' | ' ')
}

#[cfg(test)]
mod tests;
