//! Interpreters that are kept ready: what a program can try against the one that it is a copy of,
//! and what it can leave there for the copies of later turns.

use std::time::Duration;

use joust_referee::Limit::Processes;
use joust_referee::Verdict::{Crash, ExitNonzero, Ok as Answered, Timeout};

use crate::hostile::interpreter;
use crate::hostile::row::{Control, ExpectedEnd, Row, Setting, Turn, ends, row, says, script};

const IN_PYTHON: &str = "apart/servers.py";
const IN_RUBY: &str = "apart/servers.rb";
/// None of this is about time: an interpreter that starts cold and loads much has enough of it.
const ENOUGH: Duration = Duration::from_secs(1);

pub(super) fn rows() -> Vec<Row> {
    let in_ruby = if interpreter(IN_RUBY).is_there() { in_ruby() } else { Vec::new() };
    [reaching(), pretending(), staying(), in_ruby].concat()
}

fn does(deed: &'static str) -> Turn {
    script(IN_PYTHON).with(deed).within(2 * ENOUGH).working(ENOUGH)
}

fn does_in_ruby(deed: &'static str) -> Turn {
    script(IN_RUBY).with(deed).within(2 * ENOUGH).working(ENOUGH)
}

/// One turn that does it, and one that finds all as it was.
fn after(id: &'static str, turn: Turn, control: Control) -> Row {
    row(id).with(Setting::Server).then(turn).then(does("look")).control(control)
}

/// The same in Ruby.
fn after_ruby(id: &'static str, turn: Turn, control: Control) -> Row {
    row(id).with(Setting::Server).then(turn).then(does_in_ruby("look")).control(control)
}

fn in_ruby() -> Vec<Row> {
    let gone = || ends(ExpectedEnd::Status(0)).exactly("parent", 0);
    let changes = [
        "did see another module",
        "did see another built-in",
        "did see another variable",
        "did see another environment",
        "did see another signal",
        "did see another limit",
    ];
    vec![
        after_ruby("S04-ruby-kill", does_in_ruby("kill"), gone().saying(&["did kill"])),
        after_ruby("S04-ruby-stop", does_in_ruby("stop"), gone().saying(&["did stop"])),
        after_ruby("P04-ruby", does_in_ruby("imitate").may(&["stay"]), says(&["did stay"])),
        after_ruby(
            "P03-ruby",
            does_in_ruby("leave_threads").says("did leave 4 threads"),
            says(&["did leave 4 threads"]),
        ),
        after_ruby(
            "W06-ruby",
            does_in_ruby("wait").may(&["wait"]),
            says(&["did wait", "did meet an earlier turn"]),
        ),
        after_ruby("W04-ruby", does_in_ruby("change").may(&["see another"]), says(&changes)),
        remembers("R03-ruby", does_in_ruby),
    ]
}

/// Pair of turns: the first is given a text that the second one looks for.
fn remembers(id: &'static str, does: fn(&'static str) -> Turn) -> Row {
    let one = does("remember").with("told-secret-of-turn-one").with("tfdsfu.pg.uvso.pof");
    row(id)
        .with(Setting::Server)
        .then(one.may(&["hear"]).says("did find what was told"))
        .then(does("search").with("tfdsfu.pg.uvso.pof"))
        .control(says(&["did hear told-secret-of-turn-one", "did find what was told"]))
}

fn reaching() -> Vec<Row> {
    let gone = || ends(ExpectedEnd::Status(0)).exactly("parent", 0);
    vec![
        after(
            "S03-server",
            does("kill_all").earns(&[Answered, Crash]),
            ends(ExpectedEnd::Status(0)).exactly("bystander", 0),
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
            script(IN_PYTHON).with("flood").earns(&[Timeout]).hits(&[Processes]),
            ends(ExpectedEnd::Status(0)).at_least("processes", 300),
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
        remembers("R03-server", does),
    ]
}
