//! Keys of a `tournament.yaml`: one row each.
//!
//! A new setting is a row here and the field that carries it. Reader, schema, `joust config
//! show` and `joust config reference` follow.

mod event;
mod game;
mod limits;
mod viewer;

pub(super) use event::{EVENT, PATTERN};
pub(super) use game::GAME;
pub(super) use limits::{BUILD, CALIBRATION, LIMITS};

use joust_model::{Publication, SiteWords};

use super::entries::{self, Entries, OtherFiles, Unowned};
use super::shared::{self, Shared};
use super::table::{Key, Kind, Table, field, section, word};
use super::tournament::{self, Tournament};
use super::{events, games, report, schedule, site};

/// The file.
pub(super) static TOURNAMENT: Table<Tournament> = Table {
    name: "tournament",
    keys: &[
        Key::new("name", tournament::NAME, "What people call it: a part of every bout's identity.")
            .told("Tournament"),
        Key::new(
            "seed",
            tournament::SEED,
            "Every bout's seed derives from it: a number, or `drawn`, which `joust run` draws when it \
             first plays, so that nobody knows it before.",
        )
        .is("0"),
        Key::new("database", tournament::DATABASE, "SQLite, relative to this file.")
            .text("results.db"),
        Key::new(
            "keep_sources",
            Kind::Flag(field!(Tournament, keep_sources)),
            "Whether the database keeps each bot's source, up to 8 MiB packed, so that a disputed \
             bout can be played again anywhere.",
        )
        .text("true"),
        Key::new(
            "report",
            section!(Tournament, REPORT, report),
            "What `joust report` makes public.",
        ),
        Key::new("site", section!(Tournament, SITE, site), "What the pages of `joust report` say."),
        Key::new(
            "games",
            games::GAMES,
            "Games of your own by their ids, `{ my-game: { referee: FOLDER } }`: the folder has the \
             game's `game.yaml`.",
        )
        .told("{}"),
        Key::new(
            "defaults",
            shared::SECTION,
            "What holds for every event that does not say otherwise.",
        ),
        Key::new(
            "events",
            events::SECTION,
            "The games of this tournament, each with its rules and bots.",
        )
        .required(
            "an event is a game with its bots: `joust config reference` has every key",
        ),
        Key::new(
            "entries",
            section!(Tournament, ENTRIES, entries),
            "Who may change which bots: what `joust ci` holds a change to.",
        ),
        Key::new("languages", tournament::LANGUAGES, "Languages to add or to change.")
            .example("{ lua: { title: Lua } }"),
    ],
};

/// `defaults:`, which every event has, too.
pub(super) static DEFAULTS: Table<Shared> = Table {
    name: "defaults",
    keys: &[
        Key::new("schedule", schedule::OF_ALL, schedule::HELP)
            .example("{ kind: partial, matches_per_bot: 30 }"),
        limits(section!(Shared, LIMITS, limits)),
        build(section!(Shared, BUILD, build)),
        calibration(section!(Shared, CALIBRATION, calibration)),
    ],
};

const fn limits<T>(kind: Kind<T>) -> Key<T> {
    Key::new("limits", kind, "What one bot may use.")
}

const fn build<T>(kind: Kind<T>) -> Key<T> {
    Key::new("build", kind, "What the build of one bot may use.")
}

const fn calibration<T>(kind: Kind<T>) -> Key<T> {
    Key::new("calibration", kind, "How languages are measured.")
}

/// `report:`
static REPORT: Table<Publication> = Table {
    name: "report",
    keys: &[
        Key::new(
            "public",
            report::PUBLIC,
            "What the site shows beside results. Default verdicts, times, replays. An e-mail \
             address is never shown.",
        )
        .told("[verdicts, times, replays]"),
        Key::new(
            "bouts",
            Kind::Count { range: 0..=1_000_000, field: field!(Publication, bouts) },
            "Most bouts of an event with a page and a replay; of more, as many evenly chosen ones.",
        )
        .is("10000"),
    ],
};

/// `site:`
static SITE: Table<SiteWords> = Table {
    name: "site",
    keys: &[
        Key::new("title", site::TITLE, "What the first page is headed. Default: the name.")
            .example("Autumn cup 2026"),
        Key::new("description", site::DESCRIPTION, "What it is about, in a sentence or two.")
            .example("Robots of first-year students meet."),
        Key::new(
            "url",
            site::URL,
            "Where the site will be found, for previews of its links in chats.",
        )
        .example("https://cup.example.org/"),
        Key::new(
            "logo",
            site::LOGO,
            "A picture for the top of every page, relative to this file: PNG, SVG, WebP or JPEG, up \
             to 1 MiB.",
        )
        .example("logo.svg"),
        Key::new("links", site::LINKS, "Other places by what they are called, for every page.")
            .told("{}"),
        Key::new(
            "rules",
            site::RULES,
            "The tournament's own rules in Markdown; those of its games have pages anyway.",
        )
        .example("One bot a person."),
        Key::new("enter", site::ENTER, "How to enter, in Markdown, for the first page.")
            .example("Open a pull request that adds your bot."),
        Key::new(
            "titles",
            site::TITLES,
            "What events are called by people, by their ids. Default: the titles of their games.",
        )
        .told("{}"),
    ],
};

/// `entries:`
static ENTRIES: Table<Entries> = Table {
    name: "entries",
    keys: &[
        Key::new(
            "owners",
            entries::OWNERS,
            "Login by bot, for bots whose manifest names no owner.",
        )
        .told("{}"),
        Key::new("maintainers", entries::MAINTAINERS, "Logins that may change everything.")
            .told("[]"),
        Key::new(
            "unowned",
            word!(Entries, "choice", Unowned::WORDS, unowned),
            "Who may change a bot that nobody owns.",
        )
        .text("anyone"),
        Key::new(
            "other_files",
            word!(Entries, "choice", OtherFiles::WORDS, other_files),
            "What becomes of a change to files that belong to no bot.",
        )
        .text("refuse"),
    ],
};
