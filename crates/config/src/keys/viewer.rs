//! Keys of `viewer:` in a `game.yaml`.

use super::super::games::{LEGEND, SEAT_NAMES};
use super::super::table::{Key, Kind, Table, field, word};
use joust_referee::{BoardText, ViewerSpec};

/// `viewer:`
pub(super) static VIEWER: Table<ViewerSpec> = Table {
    name: "viewer",
    keys: &[
        Key::new(
            "board",
            word!(ViewerSpec, "board", BoardText::WORDS, board),
            "What is drawn as a board where the referee draws nothing: nothing, or the lines that `state` begins with, as far as they are as long as the first.",
        )
        .text("none"),
        Key::new(
            "legend",
            LEGEND,
            "What characters of a board stand for, a `kind` and a `colour` as in the protocol's `scene`; a picture without a legend has this one.",
        )
        .example("{ '#': { kind: wall }, o: { kind: disc, colour: seat-0 } }"),
        Key::new(
            "open",
            Kind::Flag(field!(ViewerSpec, is_open)),
            "Whether the board of `state` hides nothing, so that seats are shown it, too.",
        )
        .is("false"),
        Key::new("seats", SEAT_NAMES, "What seats are called, in their order.")
            .example("[white, black]"),
        Key::new(
            "pace",
            Kind::OptionalDuration(field!(ViewerSpec, pace)),
            "How long a position stands in a replay; without, long bouts are shown faster.",
        )
        .example("500ms"),
    ],
};
