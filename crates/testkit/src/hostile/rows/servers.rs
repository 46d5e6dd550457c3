//! Interpreters that are kept ready: what a program can try against the one that it is a copy of, and
//! what it can leave there for the copies of later turns.

use joust_referee::Limit::Processes;
use joust_referee::Verdict::{Crash, ExitNonzero, Ok as Answered, Timeout};

use crate::hostile::row::{Control, Ends, Row, Setting, Turn, ends, row, says, script};

pub(super) fn rows() -> Vec<Row> {
    [reaching(), pretending(), staying()].concat()
}

fn does(deed: &'static str) -> Turn {
    script("apart/servers.py").with(deed)
}

/// One turn that does it, and one that finds all as it was.
fn after(id: &'static str, turn: Turn, control: Control) -> Row {
    row(id).with(Setting::Server).then(turn).then(does("look")).control(control)
}

fn reaching() -> Vec<Row> {
    let gone = || ends(Ends::Status(0)).exactly("parent", 0);
    vec![
        after(
            "S03-server",
            does("kill_all").earns(&[Answered, Crash]),
            ends(Ends::Status(0)).exactly("bystander", 0),
        ),
        after("S04-server-kill", does("kill"), gone().saying(&["did kill", "did kill a thread"])),
        after("S04-server-stop", does("stop"), gone().saying(&["did stop"])),
        after(
            "S05-server",
            does("trace"),
            says(&["did read memory", "did open the memory", "did trace"]),
        ),
        after(
            "T11-server",
            does("slow_down"),
            says(&["did renice", "did make idle", "did give parameters", "did pin"]),
        ),
        after("K05-server", does("limit"), says(&["did limit"])),
        after(
            "P01-server",
            does("flood").earns(&[Timeout]).hits(&[Processes]),
            ends(Ends::Status(0)).at_least("processes", 300),
        ),
    ]
}

fn pretending() -> Vec<Row> {
    vec![
        after("P04-server", does("imitate").may(&["stay"]), says(&["did stay"])),
        after(
            "W02-server",
            does("serve_again").earns(&[Answered, ExitNonzero, Crash]),
            says(&["refused serve again"]),
        ),
    ]
}

fn staying() -> Vec<Row> {
    let sees = |what: &[&'static str]| says(what);
    vec![
        after(
            "P03-server",
            does("leave_threads").says("did leave 4 threads"),
            says(&["did leave 4 threads"]),
        ),
        after(
            "W06-server",
            does("wait").may(&["wait"]),
            sees(&["did wait", "did meet an earlier turn"]),
        ),
        after(
            "W04-server",
            does("change").may(&["see another"]),
            sees(&[
                "did see another module",
                "did see another built-in",
                "did see another path",
                "did see another chance",
                "did see another environment",
                "did see another signal",
                "did see another limit",
            ]),
        ),
        row("R03-server")
            .with(Setting::Server)
            .then(
                does("remember")
                    .with("told-secret-of-turn-one")
                    .with("tfdsfu.pg.uvso.pof")
                    .may(&["hear"])
                    .says("did find what was told"),
            )
            .then(does("search").with("tfdsfu.pg.uvso.pof"))
            .control(says(&["did hear told-secret-of-turn-one", "did find what was told"])),
    ]
}
