//! `joust standings`: ratings, the matrix of superiority, and the table as it moves.

use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStdout, Command};

use joust_testkit::league::SMALL;

use super::small;

#[test]
fn ratings_name_their_model_and_have_intervals() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    assert!(
        ran.stdout.contains("rating") && ran.stdout.contains("Bradley-Terry"),
        "{}",
        ran.stdout
    );
    let events = env.run(["standings", "--format", "json"]).expect(0).json();
    assert_eq!(events[0]["ratings"]["model"], "bradley-terry");
    let rows = events[0]["rows"].as_array().expect("rows");
    let numbers = |name: &str| -> Vec<f64> {
        rows.iter().map(|row| row[name].as_f64().expect("a number")).collect()
    };
    assert!(numbers("rating").iter().sum::<f64>().abs() < 0.01);
    let inside = |((low, rating), high): ((&f64, &f64), &f64)| low < rating && rating < high;
    let (low, high) = (numbers("rating_low"), numbers("rating_high"));
    assert!(low.iter().zip(&numbers("rating")).zip(&high).all(inside), "{rows:?}");
    assert!(events[0].get("superiority").is_none(), "nobody asked for it");
}

#[test]
fn the_model_can_be_chosen_and_superiority_be_shown() {
    let env = small();
    env.run(["run"]).expect(0);
    let words = ["standings", "--model", "trueskill", "--superiority", "--format", "json"];
    let events = env.run(words).expect(0).json();
    assert_eq!(events[0]["ratings"]["model"], "trueskill");
    assert!(events[0]["superiority"][0][1].is_f64(), "{}", events[0]["superiority"]);
    let table = env.run(["standings", "--superiority"]).expect(0).stdout;
    assert!(table.contains("stronger, in %"), "{table}");
    let refused = env.run(["standings", "--model", "elo"]).expect(2);
    assert!(refused.stderr.contains("bradley-terry"), "{}", refused.stderr);
}

#[test]
fn a_bout_alone_has_a_rating_and_an_explanation() {
    let env = small();
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 1"));
    std::fs::remove_dir_all(env.path().join("bots/waiter")).expect("it can be removed");
    let table = env.run(["run"]).expect(0).stdout;
    assert!(table.contains("note: fewer than 10 mirror pairs"), "{table}");
    assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
}

/// Reads until a line has `sign`, and returns all that was read.
fn read_until(lines: &mut BufReader<ChildStdout>, sign: &str) -> String {
    let mut read = String::new();
    loop {
        let mut line = String::new();
        let count = lines.read_line(&mut line).expect("it can be read");
        assert!(count > 0, "`{sign}` never came:\n{read}");
        read.push_str(&line);
        if line.contains(sign) {
            return read;
        }
    }
}

#[test]
fn the_watched_table_is_printed_again_when_it_has_changed_until_ctrl_c() {
    let env = small();
    env.run(["run"]).expect(0);
    let mut child = env.start(["standings", "--watch", "--interval", "20ms"]);
    let mut lines = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
    let first = read_until(&mut lines, "6 of 6 bouts");
    assert!(!first.contains("withdrawn"), "{first}");
    let words = ["bot", "withdraw", "walker", "--event", "league", "--reason", "moved away"];
    env.run(words).expect(0);
    let second = read_until(&mut lines, "withdrawn on");
    assert!(second.contains("2 of 2 bouts"), "{second}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("it can be read");
    assert!(!rest.contains("bouts"), "it was printed although nothing had changed: {rest}");
    assert_eq!(child.wait().expect("it can be waited for").code(), Some(0));
}

#[test]
fn watching_ends_when_nobody_reads() {
    let env = small();
    env.run(["run"]).expect(0);
    let mut child = env.start(["standings", "--watch", "--interval", "20ms"]);
    let mut lines = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
    read_until(&mut lines, "6 of 6 bouts");
    drop(lines);
    env.run(["bot", "withdraw", "walker", "--event", "league", "--reason", "gone"]).expect(0);
    assert_eq!(child.wait().expect("it can be waited for").code(), Some(0));
}

#[test]
fn progress_says_who_leads() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("leading: "), "{}", ran.stderr);
}
