//! Ruby bots.

use std::collections::HashSet;
use std::path::Path;

use joust_sandbox::*;

use super::{Comparison, Interpreter, differing, host, warm};

const RUBY: Interpreter = Interpreter {
    command: &["/usr/bin/ruby", "--disable=gems"],
    environment: &[],
    server: ("server.rb", include_str!("../../../build/src/warm/server.rb")),
    variable: ("RUBYOPT", "-r/etc/warm/server.rb"),
    programs: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/warm/programs/ruby"),
    extension: ".rb",
};
/// It runs the text that is its argument.
const TEXT: &str = "run/text.rb";

/// Returns whether there is a Ruby here.
#[expect(clippy::print_stderr, reason = "a test says that it was skipped")]
fn is_there() -> bool {
    let is_there = Path::new(RUBY.command[0]).exists();
    if !is_there {
        eprintln!("skipped: no Ruby here");
    }
    is_there
}

#[test]
fn copies_of_a_server_do_what_programs_do_that_start_from_nothing() {
    if is_there() {
        assert_eq!(differing(&RUBY, "exact", &[]), "");
    }
}

/// Returns the modules that a program requires in lines of their own.
fn required(program: &str) -> Vec<String> {
    let text = std::fs::read(Path::new(RUBY.programs).join(program)).expect("it can be read");
    let text = String::from_utf8_lossy(&text).into_owned();
    let quoted = |line: &str| Some(line.strip_prefix("require \"")?.strip_suffix('"')?.to_owned());
    text.lines().filter_map(quoted).collect()
}

#[test]
fn modules_that_are_loaded_first_change_nothing() {
    if !is_there() {
        return;
    }
    let mut comparison = Comparison::new(&RUBY);
    let mut played = 0;
    for program in RUBY.programs() {
        let required = required(&program);
        let words: Vec<&str> =
            ["exact"].into_iter().chain(required.iter().map(String::as_str)).collect();
        if !required.is_empty() {
            played += 1;
            let difference = comparison.difference(&program, &words);
            assert!(difference.is_none(), "{}", difference.unwrap().shown);
        }
    }
    assert!(played > 20, "{played}");
}

fn runner(words: &[&str]) -> Seat {
    Seat::start(host(), &warm(&RUBY, TEXT, words)).expect("a seat can be made")
}

fn run(seat: &mut Seat, program: &str) -> String {
    let report = super::turn(seat, RUBY.command(TEXT), program);
    assert_eq!(report.start, StartKind::Warm);
    assert_eq!(report.ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&report.stderr));
    String::from_utf8_lossy(&report.stdout).trim().to_owned()
}

#[test]
fn chance_differs_from_turn_to_turn() {
    if !is_there() {
        return;
    }
    let mut seat = runner(&["exact", "securerandom", "set"]);
    let draw = "print rand, ' ', Random.new_seed, ' ', Random.seed, ' ', \
                SecureRandom.hex, ' ', [*1..99].shuffle.join";
    let drawn: Vec<String> = (0..4).map(|_| run(&mut seat, draw)).collect();
    let parts = |at: usize| -> HashSet<&str> {
        drawn.iter().filter_map(|line| line.split(' ').nth(at)).collect()
    };
    assert_eq!([0, 1, 2, 3, 4].map(|at| parts(at).len()), [4; 5], "{drawn:?}");
}

/// The difference for which cold starts are the default: the handbook names it.
#[test]
fn chance_seeded_with_the_hash_of_a_text_differs_only_in_cold_turns() {
    if !is_there() {
        return;
    }
    let drawn = |mut seat: Seat| -> HashSet<Vec<u8>> {
        let draw = "srand('x'.hash); print rand";
        (0..8).map(|_| super::turn(&mut seat, RUBY.command(TEXT), draw).stdout).collect()
    };
    assert!(drawn(Seat::start(host(), &super::spec(&RUBY)).unwrap()).len() > 1);
    assert_eq!(drawn(runner(&["exact"])).len(), 1);
}

#[test]
fn what_a_turn_changes_in_loaded_modules_is_gone_in_the_next() {
    if !is_there() {
        return;
    }
    let mut seat = runner(&["exact", "json", "set"]);
    let change = "p defined?(JSON), JSON.respond_to?(:mine); def JSON.mine = 1; $LOAD_PATH.clear
                  class Array; def size = 9; end; srand(1); ENV.clear; trap('INT') {}; $mine = 1";
    let look = "p JSON.generate([1]), [].size, $LOAD_PATH.size > 2, ENV.size > 1, $mine, \
                JSON.respond_to?(:mine), trap('INT', 'DEFAULT')";
    assert_eq!(run(&mut seat, change), "\"constant\"\nfalse");
    let seen = run(&mut seat, look);
    assert_eq!(seen, "\"[1]\"\n0\ntrue\ntrue\nnil\nfalse\n\"DEFAULT\"");
}

/// Tries a deed on every process that there could be; prints how often it worked.
fn reached(deed: &str) -> String {
    let mut seat = runner(&["exact"]);
    let attempt = format!(
        "others = [*2..400, *31900..32100] - [$$]
         print others.count {{ |o| begin; {deed}; true; rescue SystemCallError; false; end }}"
    );
    let reached = run(&mut seat, &attempt);
    run(&mut seat, "print 1");
    reached
}

#[test]
fn no_program_reaches_its_server() {
    if !is_there() {
        return;
    }
    for deed in [
        "Process.kill(:KILL, o)",
        "Process.kill(:STOP, o)",
        "Process.kill(0, o)",
        "Process.setpriority(Process::PRIO_PROCESS, o, 19)",
        "File.read(\"/proc/#{o}/mem\", 1)",
        "Dir.children(\"/proc/#{o}\")",
    ] {
        assert_eq!(reached(deed), "0", "{deed}");
    }
}

#[test]
fn descriptors_with_which_signals_wake_threads_are_each_copys_own() {
    if !is_there() {
        return;
    }
    let mut seat = runner(&["exact"]);
    let write = "write = RUBY_PLATFORM.start_with?('x86_64') ? 1 : 64
                 [3, 4].each { |it| syscall(write, it, [0x0101010101010101].pack('Q'), 8) }";
    let look =
        "print [3, 4].map { |it| File.read(\"/proc/self/fdinfo/#{it}\")[/count: *(.*)/, 1] }";
    assert_eq!(
        run(&mut seat, &look.replace("print", &format!("{write}; print"))),
        "[\"101010101010101\", \"101010101010101\"]"
    );
    assert_eq!(run(&mut seat, look), "[\"0\", \"0\"]");
}

#[test]
fn a_turn_that_ends_at_a_limit_costs_no_other_turn_anything() {
    if !is_there() {
        return;
    }
    let mut seat = runner(&["exact"]);
    let report = super::turn(&mut seat, RUBY.command(TEXT), "x = 'x' * (200 << 20)");
    assert_eq!((report.start, report.ending), (StartKind::Warm, Ending::MemoryLimit));
    assert_eq!(run(&mut seat, "print 1"), "1");
}

#[test]
fn a_bot_that_is_not_there_or_empty_starts_cold() {
    if !is_there() {
        return;
    }
    for program in ["nothing_here.rb", "run/empty.rb"] {
        let mut seat = Seat::start(host(), &warm(&RUBY, program, &["exact"])).unwrap();
        let report = super::turn(&mut seat, RUBY.command(program), "");
        assert!(matches!(report.start, StartKind::ColdBecause(_)), "{:?}", report.start);
    }
}
