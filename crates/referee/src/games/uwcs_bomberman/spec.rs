//! The game's description, and what it offers.

use std::sync::LazyLock;

use super::{Bout, options, quirks_of, samples};
use crate::{
    ClientReply, GameSpec, Judge, Key, Outputs, PeopleSeats, PeopleSpec, Referee, Sample,
    SeatRange, ServedGame, Setup, StartError, TcpSpec, Thinking,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "uwcs-bomberman".to_owned(),
    title: "UWCS Bomberman".to_owned(),
    revision: 1,
    rule_sets: vec!["documented".to_owned(), "original".to_owned()],
    seats: SeatRange { fewest: 2, most: 6 },
    thinking: Thinking::Together,
    clock: Some(options::clock_rule()),
    channel: "tcp-line".to_owned(),
    manifests: ["bot.yaml", "single-file", "folder"].map(str::to_owned).into(),
    options: options::options(),
    people: people(),
    tcp: Some(TcpSpec {
        host: options::HOST.to_owned(),
        host_option: Some(options::HOST_KEY.to_owned()),
        port: options::PORT,
        quiet_ms: options::QUIET_MS,
    }),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

fn people() -> PeopleSpec {
    PeopleSpec {
        keys: Key::list(KEYS),
        keys_help: "w a s d or arrows walk, space or b bomb".to_owned(),
        options: options::for_people(),
        seats: PeopleSeats::First,
        expected: "",
    }
}

/// The game `uwcs-bomberman`.
#[derive(Clone, Copy, Debug)]
pub struct UwcsBomberman;

impl Referee for UwcsBomberman {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        quirks_of(rules).map(samples::transcripts).unwrap_or_default()
    }

    fn served(&self) -> Option<&dyn ServedGame> {
        Some(self)
    }

    fn receive_line(&self, line: &str, name: &str) -> ClientReply {
        react(line, name)
    }
}

/// The keys, and what a client says for them.
const KEYS: &[(char, &str)] = &[
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

/// Returns the reaction of a person's client to a line of the server.
fn react(line: &str, name: &str) -> ClientReply {
    match line.split(' ').next() {
        Some("INIT") => ClientReply::Says(format!("REGISTER {name} {name}\n")),
        Some("TICK") => ClientReply::MayAct,
        _ => ClientReply::Nothing,
    }
}
