//! N01 to N05: sockets. Only loopback listeners of the suite's own are tried.

use crate::hostile::row::{Meanwhile, Row, Setting, behaves, row, says};
use crate::hostile::{Place, Seen};

pub(super) fn rows() -> Vec<Row> {
    vec![
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

fn only_loopback(seen: &Seen, _: &Place) -> Result<(), String> {
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
