//! Keys of a `game.yaml`.

use super::super::table::{Key, Kind, Table, field, section, word};
use super::file::{CHANNELS, GameFile, RefereeLimits, Seats, Times};
use super::values::{ANSWER, CAN, CLOCK, FILES, OPTIONS, REFEREE_PROVIDES};
use super::viewer::VIEWER;

/// The file.
pub(in super::super) static GAME: Table<GameFile> = Table {
    name: "game",
    keys: &[
        Key::new("id", Kind::Text(field!(GameFile, id)), "What the referee says its game is.")
            .example("my-game"),
        Key::new("title", Kind::Text(field!(GameFile, title)), "What people call the game.")
            .example("My game"),
        Key::new(
            "version",
            Kind::Text(field!(GameFile, version)),
            "The version that the referee says.",
        )
        .example("'1'"),
        Key::new("seats", section!(GameFile, SEATS, seats), "How many bots play a bout."),
        Key::new(
            "language",
            Kind::Text(field!(GameFile, language)),
            "The referee's language; by the extension of `entry` when it is left out.",
        )
        .example("python"),
        Key::new("entry", Kind::Text(field!(GameFile, entry)), "The referee's main file.")
            .example("referee.py"),
        Key::new(
            "build",
            Kind::Text(field!(GameFile, build)),
            "A command in place of the language's build.",
        )
        .example("make all"),
        Key::new("run", Kind::Text(field!(GameFile, run)), "A command in place of the language's.")
            .example("./referee"),
        Key::new(
            "provides",
            REFEREE_PROVIDES,
            "Libraries that the referee finds, as those of an event's bots.",
        )
        .example("libraries.txt"),
        Key::new(
            "channel",
            word!(GameFile, "channel", CHANNELS, channel),
            "How bots are spoken to: programs that stay and answer with lines, one process a turn \
             with the view as its last argument, or one with files to read and to leave.",
        )
        .text("lines"),
        Key::new(
            "answer",
            ANSWER,
            "What belongs to one answer: so many `lines`, the lines `until` one, or one line with \
             a `prefix`; or the `files` that a bot may leave.",
        )
        .in_help("{ lines: 1 }"),
        Key::new("times", section!(GameFile, TIMES, times), "How long a seat may think."),
        Key::new(
            "placeholders",
            Kind::Flag(field!(GameFile, placeholders)),
            "Whether `{left_ms}` and the like are filled in where bots are asked.",
        )
        .is("false"),
        Key::new(
            "simultaneous",
            Kind::Flag(field!(GameFile, simultaneous)),
            "Whether several seats are asked at once, each bot on processors of its own.",
        )
        .is("false"),
        Key::new("options", OPTIONS, "What an organiser can change, in words of JSON Schema.")
            .example("{ rows: { type: integer, minimum: 4, maximum: 20, default: 6 } }"),
        Key::new("can", CAN, "What the referee can do beyond playing one bout.")
            .example("[bouts, rejudge]"),
        Key::new("rules", Kind::Text(field!(GameFile, rules)), "The page of rules, in Markdown.")
            .example("rules.md"),
        Key::new(
            "files",
            FILES,
            "Patterns of the files that the rules follow from, which alone the referee finds; all but pages \
             and `bots/` when it is left out.",
        )
        .example("['*.py', 'maps/**']"),
        Key::new("limits", section!(GameFile, LIMITS, limits), "What the referee may use."),
        Key::new(
            "viewer",
            section!(GameFile, VIEWER, viewer),
            "How positions are drawn, in the terminal and on the site. It is no rule: results stay when it changes.",
        ),
    ],
};

/// `seats:`
static SEATS: Table<Seats> = Table {
    name: "seats",
    keys: &[
        Key::new("min", Kind::Count { range: 1..=255, field: field!(Seats, min) }, "The fewest.")
            .is("2"),
        Key::new("max", Kind::Count { range: 1..=255, field: field!(Seats, max) }, "The most.")
            .is("2"),
    ],
};

/// `times:`
static TIMES: Table<Times> = Table {
    name: "times",
    keys: &[
        Key::new("move", Kind::OptionalDuration(field!(Times, per_move)), "For each answer.")
            .example("1s"),
        Key::new(
            "first",
            Kind::OptionalDuration(field!(Times, first)),
            "For a seat's first answer, in which its program starts.",
        )
        .example("10s"),
        Key::new(
            "bank",
            Kind::OptionalDuration(field!(Times, bank)),
            "Beyond `move`, over the whole bout.",
        )
        .example("60s"),
        Key::new("clock", CLOCK, "A chess clock for each seat.")
            .example("{ base: 60s, increment: 1s }"),
    ],
};

/// `limits:`
static LIMITS: Table<RefereeLimits> = Table {
    name: "limits",
    keys: &[
        Key::new("start", Kind::Duration(field!(RefereeLimits, start)), "Until it says its game.")
            .is("60s"),
        Key::new(
            "step",
            Kind::Duration(field!(RefereeLimits, step)),
            "From the answers to its next question.",
        )
        .is("10s"),
        Key::new("memory", Kind::Memory(field!(RefereeLimits, memory)), "Memory of its processes.")
            .is("1GiB"),
        Key::new(
            "processes",
            Kind::Count { range: 1..=100_000, field: field!(RefereeLimits, processes) },
            "Processes and threads.",
        )
        .is("64"),
        Key::new("disk", Kind::Size(field!(RefereeLimits, disk)), "Bytes that it may write.")
            .is("64MiB"),
    ],
};
