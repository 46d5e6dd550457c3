//! Runner of tests for programs with a `main` of their own, which start themselves as the
//! launcher of seats. Arguments and output are those of Rust's own test programs.
#![expect(clippy::print_stdout, reason = "a test program tells its results")]

use std::num::NonZeroUsize;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// A test: its name is its claim.
pub type Test = (&'static str, fn());

/// Tests of one file, with the file's name.
pub type Group = (&'static str, &'static [Test]);

/// Runs the tests whose `group::name` contains an argument that is no option, and none that
/// follows a `--skip`, several at a time: as many as `RUST_TEST_THREADS` says, or as there are
/// processors.
#[must_use]
pub fn main(groups: &[Group]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = chooser(&words);
    let all: Vec<(String, fn())> = groups
        .iter()
        .flat_map(|(group, tests)| {
            tests.iter().map(move |(name, test)| (format!("{group}::{name}"), *test))
        })
        .collect();
    let left_out = all.len();
    let chosen: Vec<_> = all.into_iter().filter(|(name, _)| is_chosen(name)).collect();
    let left_out = left_out - chosen.len();
    if words.iter().any(|word| word == "--list") {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", chosen.len());
    let began = Instant::now();
    let failed = run(&chosen);
    close(&failed, chosen.len(), left_out, began)
}

/// Returns what says whether a test is one that the words of a command line ask for.
fn chooser(words: &[String]) -> impl Fn(&str) -> bool {
    let (mut wanted, mut skipped) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--skip" => skipped.extend(words.next()),
            option if option.starts_with('-') => {}
            _ => wanted.push(word),
        }
    }
    let has = |parts: &[&String], name: &str| parts.iter().any(|part| name.contains(*part));
    move |name| (wanted.is_empty() || has(&wanted, name)) && !has(&skipped, name)
}

/// Prints a line among the results: what was left out, and why.
pub fn say(line: &str) {
    println!("{line}");
}

/// Runs tests and returns the names of those that failed.
fn run(tests: &[(String, fn())]) -> Vec<String> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some((name, test)) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let passed = catch_unwind(test).is_ok();
                    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
                    if !passed {
                        failed.lock().expect("nobody panics with it").push(name.clone());
                    }
                }
            });
        }
    });
    failed.into_inner().expect("nobody panics with it")
}

fn threads() -> usize {
    let told = std::env::var("RUST_TEST_THREADS").ok().and_then(|text| text.parse().ok());
    told.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

fn close(failed: &[String], count: usize, left_out: usize, began: Instant) -> ExitCode {
    if !failed.is_empty() {
        println!("\nfailures:\n    {}", failed.join("\n    "));
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {left_out} filtered out; finished in {:.2}s\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        count - failed.len(),
        failed.len(),
        began.elapsed().as_secs_f64()
    );
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_tests_and_skip_them() {
        let chosen = |line: &str| {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            let is_chosen = chooser(&words);
            ["maven::fails", "maven::plays", "npm::plays"]
                .map(|name| if is_chosen(name) { 'x' } else { '.' })
                .iter()
                .collect::<String>()
        };
        for (line, expected) in [
            ("", "xxx"),
            ("--nocapture", "xxx"),
            ("maven", "xx."),
            ("fails npm", "x.x"),
            ("--skip maven", "..x"),
            ("plays --skip maven --skip cargo", "..x"),
            ("--skip", "xxx"),
        ] {
            assert_eq!(chosen(line), expected, "{line}");
        }
    }
}
