//! N01 to N05: sockets. Only loopback listeners of the suite's own are tried.

use std::time::Duration;

use joust_referee::Verdict::{MemoryLimit, Ok as Answered};

use crate::hostile::row::{Meanwhile, Row, Setting, Turn, behaves, row, says};
use crate::hostile::{Observation, TestSite, asked};

pub(super) fn rows() -> Vec<Row> {
    [without_a_game(), with_a_game(), of_the_kernel()].concat()
}

/// Actions that succeed in a network of the seat's own, which no other seat shares; elsewhere they
/// are refused.
const ALONE: [&str; 4] = [
    "listen without a name",
    "make a datagram socket",
    "name one end of a pair",
    "send from a pair to a name",
];

fn nothing_on_the_host_s_network(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let said = seen.said();
    let done = ALONE.iter().find(|deed| said.lines().any(|line| line == format!("did {deed}")));
    match done.filter(|_| seen.allowed.tier == 'C') {
        Some(deed) => Err(format!("it did {deed}")),
        None => Ok(()),
    }
}

fn fenced(turn: Turn) -> Turn {
    turn.may(&ALONE).check("nothing on the host's network", nothing_on_the_host_s_network)
}

/// Programs that speak with a game, and try what else they can.
fn with_a_game() -> Vec<Row> {
    let talks = |name: &'static str| {
        behaves(name)
            .with("{port}")
            .with_dialogue(asked(2).with_door().earning(&[Answered, Answered]))
            .within(Duration::from_millis(1500))
    };
    let outside = ["did reach the port of the host by tcp", "did listen without a name"];
    vec![
        row("N02-ways")
            .then(fenced(talks("talk_leaving_network").says("did reach its own game")))
            .control(says(&outside)),
        row("N02-swap")
            .then(talks("talk_swapping").says("did reach its own game"))
            .control(says(&["did reach the port of the host"])),
        row("N02-crowd")
            .then(talks("talk_crowding").says("did crowd its own game").check(
                "all that were made are its own",
                |seen, _| match seen.through_door.len() {
                    100..=135 => Ok(()),
                    other => Err(other.to_string()),
                },
            ))
            .control(says(&["crowd its own game"])),
    ]
}

/// Sockets to the kernel itself.
fn of_the_kernel() -> Vec<Row> {
    vec![
        row("N05-interfaces")
            .then(behaves("ask_interfaces"))
            .control(says(&["did ask about interfaces"])),
        row("N05-unread")
            .then(
                behaves("talk_unread")
                    .may(&["leave answers unread"])
                    .with_dialogue(asked(1).with_door())
                    // Where the network is the host's there are no such sockets.
                    .earns(&[MemoryLimit, Answered])
                    .check("what nobody reads is memory", |seen, _| {
                        match (seen.allowed.tier, seen.verdict) {
                            ('C', Answered) | ('A' | 'B', MemoryLimit) => Ok(()),
                            (_, other) => Err(other.to_string()),
                        }
                    }),
            )
            .control(says(&["did leave answers unread"])),
    ]
}

fn without_a_game() -> Vec<Row> {
    vec![
        row("N01-ways").then(fenced(behaves("leave_network").with("{port}"))).control(says(&[
            "did reach the port of the host by tcp",
            "did listen without a name",
            "did send from a pair to a name",
        ])),
        row("N01")
            .then(
                behaves("scan_network")
                    .with("{port}")
                    .check("no interface and no route but its own loopback", only_loopback),
            )
            .control(says(&["did reach the port of the host", "interface"])),
        row("N03")
            .then(
                behaves("take_port")
                    .with("{free-port}")
                    .may(&["bind the port", "listen"])
                    .while_trying(Meanwhile::ConnectPort),
            )
            .control(says(&["did bind the port", "did listen"]).reached()),
        row("N04")
            .then(
                behaves("serve_for_a_while")
                    .may(&["bind an abstract socket"])
                    .while_trying(Meanwhile::ConnectAbstract),
            )
            .control(says(&["did bind an abstract socket"]).reached()),
        row("N05")
            .with(Setting::RootControl)
            .then(behaves("odd_sockets"))
            .control(says(&["did packet", "did raw"])),
    ]
}

fn only_loopback(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let foreign = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["interface", name, ..] => name.ends_with(':') && *name != "lo:",
            ["route", name, ..] => *name != "Iface",
            ["route6", .., name] => *name != "lo",
            _ => false,
        }
    };
    match seen.said().lines().find(|line| foreign(line)) {
        Some(line) => Err(format!("`{}`", line.trim())),
        None => Ok(()),
    }
}
