//! Keyboard client: registers a person, and lets a key through for every tick.

use crate::Heard;

/// The keys, and what a client says for them.
pub(super) const KEYS: &[(char, &str)] = &[
    ('w', "ACTION UP\n"),
    ('a', "ACTION LEFT\n"),
    ('s', "ACTION DOWN\n"),
    ('d', "ACTION RIGHT\n"),
    ('\u{2191}', "ACTION UP\n"),
    ('\u{2190}', "ACTION LEFT\n"),
    ('\u{2193}', "ACTION DOWN\n"),
    ('\u{2192}', "ACTION RIGHT\n"),
    (' ', "ACTION BOMB\n"),
    ('b', "ACTION BOMB\n"),
];

/// What it does about a line of the server.
pub(super) fn hear(line: &str, name: &str) -> Heard {
    match line.split(' ').next() {
        Some("INIT") => Heard::Says(format!("REGISTER {name} {name}\n")),
        Some("TICK") => Heard::MayAct,
        _ => Heard::Nothing,
    }
}
