//! Answers of a game's seats in a playthrough, drawn by lot.

use joust_referee::{Game, Part, Parts};

/// One answer.
#[derive(Clone, Copy)]
pub(crate) enum Said {
    /// A single part without a name.
    Text(&'static str),
    /// Files with their names.
    Files(&'static [(&'static str, &'static str)]),
}

use Said::{Files, Text};

impl Said {
    /// Returns the answer's parts.
    pub(crate) fn parts(self) -> Parts {
        match self {
            Text(text) => Parts::single(text.as_bytes()),
            Files(files) => Parts(files.iter().map(|(name, text)| part(name, text)).collect()),
        }
    }
}

fn part(name: &str, text: &str) -> Part {
    Part { name: name.into(), bytes: text.as_bytes().into() }
}

/// Answers that the seats of one game give.
pub(crate) struct Answers {
    game: &'static str,
    /// Answers to a view that has a part which contains the text.
    opening: Option<(&'static str, &'static [Said])>,
    /// Answers to any other view.
    usual: &'static [Said],
}

impl Answers {
    /// Returns what the seats of a game say.
    pub(crate) fn of(kind: &Game) -> &'static Self {
        let answers = ALL.iter().find(|answers| answers.game == kind.id());
        answers.unwrap_or_else(|| panic!("no answers for {}", kind.id()))
    }

    /// Returns what is said to a view.
    pub(crate) fn to(&self, view: &Parts) -> &'static [Said] {
        match self.opening {
            Some((text, opening)) if has(view, text) => opening,
            _ => self.usual,
        }
    }
}

fn has(view: &Parts, text: &str) -> bool {
    let contains = |part: &Part| part.bytes.windows(text.len()).any(|it| it == text.as_bytes());
    view.0.iter().any(contains)
}

/// One line per game.
const ALL: &[Answers] = &[
    Answers { game: "battlebots", opening: None, usual: BATTLEBOTS },
    Answers {
        game: "battleships-2017",
        opening: Some(("\"Phase\":1,", BATTLESHIPS_PLACEMENTS)),
        usual: BATTLESHIPS_COMMANDS,
    },
    Answers { game: "battlesnake", opening: None, usual: BATTLESNAKE },
    Answers { game: "bomberman-2016", opening: None, usual: BOMBERMAN },
    Answers { game: "coderone-dungeon", opening: None, usual: CODERONE_DUNGEON },
    Answers { game: "connect-four", opening: None, usual: CONNECT_FOUR },
];

const BATTLEBOTS: &[Said] = &[
    Text("N\n"),
    Text("NE\n"),
    Text("E\n"),
    Text("SE\n"),
    Text("S\n"),
    Text("SW\n"),
    Text("W\n"),
    Text("NW\n"),
    Text("B S\n"),
    Text("B E\n"),
    Text("B SE\n"),
    Text("B NW\n"),
    Text("M S\n"),
    Text("M E\n"),
    Text("M SE\n"),
    Text("M NW\n"),
    Text("M N\n"),
    Text("L N\n"),
    Text("L E\n"),
    Text("L SE\n"),
    Text("L W\n"),
    Text("P\n"),
    Text("NO\n"),
    Text("B\tW\n"),
    Text("  M  NW \n"),
    Text("n\n"),
    Text(""),
];

const BATTLESHIPS_PLACEMENTS: &[Said] = &[
    Files(&[(
        "place.txt",
        "Battleship 1 0 north\nCarrier 3 1 East\nCruiser 4 2 north\nDestroyer 7 3 north\nSubmarine 1 8 East\n",
    )]),
    Files(&[(
        "place.txt",
        "carrier 0 9 SOUTH\r\nBATTLESHIP 9 9 west\r\nCruiser 2 2 north\r\nSubmarine 5 5 east\r\nDestroyer 8 0 north",
    )]),
    Files(&[(
        "place.txt",
        "Battleship 1 0 north\nCarrier 0 1 East\nCruiser 4 2 north\nDestroyer 7 3 north\nSubmarine 1 8 East\n",
    )]),
    Files(&[("command.txt", "8,4,4")]),
];

/// Chosen so that both fleets are hit often enough to sink ships.
const BATTLESHIPS_COMMANDS: &[Said] = &[
    Files(&[("command.txt", "1,1,0\n")]),
    Files(&[("command.txt", "1,0,9")]),
    Files(&[("command.txt", "1,7,3\r\n")]),
    Files(&[("command.txt", "1,8,1")]),
    Files(&[("command.txt", "1,5,1")]),
    Files(&[("command.txt", "2,8,1")]),
    Files(&[("command.txt", "2,7,4")]),
    Files(&[("command.txt", "3,6,5")]),
    Files(&[("command.txt", "4,3,2")]),
    Files(&[("command.txt", "5,3,2")]),
    Files(&[("command.txt", "6,2,3")]),
    Files(&[("command.txt", "6,8,9")]),
    Files(&[("command.txt", "7,5,5")]),
    Files(&[("command.txt", "7,2,8")]),
    Files(&[("command.txt", "7,1,2")]),
    Files(&[("command.txt", "8,4,4")]),
    Files(&[("command.txt", "8,2,8")]),
    Files(&[("command.txt", "1,10,0")]),
    Files(&[("command.txt", "0,0,0")]),
    Files(&[("command.txt", "1,2\n")]),
    Files(&[]),
];

const BATTLESNAKE: &[Said] = &[
    Files(&[("status", "200"), ("body", "{\"move\":\"up\"}")]),
    Files(&[("status", "200"), ("body", "{\"move\":\"down\"}")]),
    Files(&[("status", "200"), ("body", "{\"move\":\"left\",\"shout\":\"hiss\"}")]),
    Files(&[("status", "200"), ("body", "{\"move\":\"right\",\"color\":\"#ff0000\"}")]),
    Files(&[("status", "200"), ("body", "{\"move\":\"north\"}")]),
    Files(&[("status", "500"), ("body", "{\"move\":\"up\"}")]),
];

const BOMBERMAN: &[Said] = &[
    Files(&[("move.txt", "1")]),
    Files(&[("move.txt", "2\r\n")]),
    Files(&[("move.txt", "3")]),
    Files(&[("move.txt", "4\n")]),
    Files(&[("move.txt", "5")]),
    Files(&[("move.txt", "6")]),
    Files(&[("move.txt", "1")]),
    Files(&[("move.txt", "2")]),
    Files(&[("move.txt", "3")]),
    Files(&[("move.txt", "4")]),
    Files(&[("move.txt", "0")]),
    Files(&[("move.txt", "-1")]),
    Files(&[("move.txt", "\u{b2}")]),
    Files(&[("move.txt", " 3")]),
    Files(&[("move.txt", "")]),
    Files(&[]),
];

const CODERONE_DUNGEON: &[Said] = &[
    Text("u"),
    Text("d"),
    Text("l"),
    Text("r"),
    Text("u"),
    Text("d"),
    Text("l"),
    Text("r"),
    Text("p"),
    Text("b"),
    Text("can_haz_boom"),
    Text(""),
    Text("up"),
    Text("U"),
];

const CONNECT_FOUR: &[Said] = &[
    Text("0\n"),
    Text("1\n"),
    Text("2\n"),
    Text("3\n"),
    Text("4\n"),
    Text("5\n"),
    Text("6\n"),
    Text(" 3\r\n"),
    Text("7"),
    Text("three"),
    Text(""),
];
