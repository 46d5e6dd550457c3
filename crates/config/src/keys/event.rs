//! Keys of an entry of `events:`, and of an entry of its `bots:`.

use super::super::event::{Dependencies, Event, Examples, Logs, Pattern, SEATS};
use super::super::event_values as values;
use super::super::table::{Key, Kind, Table, field, section, word};
use super::super::{game, libraries, options, pattern, schedule};
use super::{BUILD, CALIBRATION, LIMITS, build, calibration, limits};

/// An entry of `events:`.
pub(in super::super) static EVENT: Table<Event> = Table {
    name: "event",
    keys: &[
        Key::new("id", values::ID, "Unique in this file.")
            .follows("Default: the game's id.", |event| event.id = event.game.id().to_owned())
            .example("battlebots"),
        Key::new("game", game::GAME, "Which game is played.")
            .required("the id of a game")
            .example("battlebots"),
        Key::new("rules", game::RULES, "The game's rule set.")
            .follows("Default: its first.", game::take_first_rules)
            .example("documented"),
        Key::new("options", options::OPTIONS, "What can be changed about the game.").told("{}"),
        Key::new("clock", game::CLOCK, "Games on a clock: how it ticks.")
            .follows("Default `eager`.", game::be_eager)
            .example("eager"),
        Key::new(
            "pondering",
            game::PONDERING,
            "Bots that stay for a bout and are asked: `allow` lets them think while they are not \
             asked, `stop` freezes one that does.",
        )
        .follows(
            "Default `allow` where every bot has a core, else `stop`.",
            game::let_ponder_with_a_core,
        )
        .example("allow"),
        Key::new(
            "programs",
            game::PROGRAMS,
            "Bots that stay and are asked: a program is started for each `bout` (the default), or \
             kept over all bouts of a `match`, which is then played whole.",
        )
        .told("bout")
        .example("match"),
        Key::new(
            "start",
            game::START,
            "Languages that can be kept ready (Python, Ruby), one process per turn: `cold` starts each turn from nothing, \
             `exact` and `quick` as a copy of an interpreter that has started.",
        )
        .told("cold"),
        Key::new(
            "bots",
            pattern::BOTS,
            "Folders, single source files, archives; globs, relative to this file.",
        )
        .required("for instance `bots: [bots/battlebots/*]`")
        .example("[bots/*]"),
        Key::new(
            "bouts",
            Kind::Count { range: 1..=1_000_000, field: field!(Event, bouts) },
            "Bouts per match.",
        )
        .follows(
            "Default 5; of more than two players as many as there are seats.",
            values::play_every_seat,
        )
        .example("5"),
        Key::new(
            "mirror",
            Kind::Flag(field!(Event, mirror)),
            "Every other bout repeats the one before it, seats exchanged.",
        )
        .follows("Default true; with `seats: listed` false.", values::mirror_drawn_seats)
        .example("true"),
        Key::new(
            "seats",
            word!(Event, "seat order", SEATS, seats),
            "Who sits first: `drawn` (by lot from the seed, the default) or `listed`: who is \
             earlier in `bots`.",
        )
        .told("drawn"),
        Key::new("players_per_match", game::PLAYERS, "Bots in a match.")
            .follows("Default 2.", |event| {
                event.players_per_match = game::fewest_players(event.game.spec())
            })
            .example("2"),
        Key::new("schedule", schedule::OF_EVENT, schedule::HELP)
            .follows(
                "Default: everybody of two, partial with 100 matches per bot of more.",
                schedule::take_usual,
            )
            .example("{ kind: partial, matches_per_bot: 30 }"),
        limits(section!(Event, LIMITS, limits)),
        build(section!(Event, BUILD, build)),
        calibration(section!(Event, CALIBRATION, calibration)),
        Key::new(
            "logs",
            word!(Event, "choice", Logs::WORDS, logs),
            "Of which bouts the turns are kept, for replays and `joust verify`: `all`, `faults` (those in which a bot was at \
             fault) or `none`. A bout without is half as large; `joust rerun` plays it again.",
        )
        .told("all"),
        Key::new(
            "examples",
            word!(Event, "choice", Examples::WORDS, examples),
            "`retire`: bots with `example: true` play only until two others have entered.",
        )
        .told("keep"),
        Key::new(
            "one_per_owner",
            Kind::Flag(field!(Event, one_per_owner)),
            "Whether two bots with the same owner are refused.",
        )
        .is("false"),
        Key::new(
            "deadline",
            values::DEADLINE,
            "Bots changed later are listed, not played, for instance `2026-12-01T18:00:00Z`.",
        )
        .example("2026-12-01T18:00:00Z"),
        Key::new(
            "tie_breaks",
            values::TIE_BREAK_ORDER,
            "What separates bots that are level, in this order.",
        )
        .follows("", values::take_usual_tie_breaks)
        .example("[match-wins, bout-wins, head-to-head, sonneborn-berger, fewer-faults]"),
        Key::new("languages", values::VERSIONS, "Versions a bot must be built with, by language.")
            .example("{ python: \"3.11\" }"),
        Key::new(
            "dependencies",
            word!(Event, "choice", Dependencies::WORDS, dependencies),
            "`forbidden`: a bot that brings dependencies is not built.",
        )
        .told("allowed"),
        Key::new(
            "provides",
            libraries::PROVIDES,
            "Libraries that bots find, of Python or by language: `[numpy, scipy==1.16.0]`, or a file \
             `libraries.txt` that lists them with their hashes.",
        )
        .example("[numpy, scipy==1.16.0]"),
        Key::new(
            "allow_libraries",
            libraries::ALLOWED,
            "What a bot's own list of libraries may name, by language; `*` at the end stands for anything. Of a \
             language that is not there, everything.",
        )
        .example("{ python: [numpy, scipy], javascript: [\"@types/*\"] }"),
    ],
};

/// An entry of `bots:` that says more than a pattern.
pub(in super::super) static PATTERN: Table<Pattern> = Table {
    name: "bots",
    keys: &[
        Key::new("path", pattern::PATH, "A folder, a single source file or an archive.")
            .required("for instance `{ path: bots/old, language: python2 }`"),
        Key::new("name", Kind::Text(field!(Pattern, name)), "What the bot is called here."),
        Key::new("language", Kind::Text(field!(Pattern, language)), "The id of its language."),
    ],
};
