//! Result lines of the test program.

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How a row went.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// As it must, with notes.
    Passed(String),
    /// Not as it must.
    Failed(Vec<String>),
    /// This tier cannot enforce it.
    Ignored(String),
}

/// Counts outcomes and prints one line for each.
pub(crate) struct Tally {
    started: Instant,
    filtered: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    passed: usize,
    ignored: usize,
    failures: Vec<(String, Vec<String>)>,
}

impl Tally {
    pub(crate) fn new(filtered: usize) -> Self {
        Self { started: Instant::now(), filtered, state: Mutex::default() }
    }

    pub(crate) fn add(&self, id: &str, outcome: Outcome) {
        let mut state = self.state();
        match outcome {
            Outcome::Passed(notes) => {
                println!("test {id} ... ok{notes}");
                state.passed += 1;
            }
            Outcome::Ignored(reason) => {
                println!("test {id} ... ignored, {reason}");
                state.ignored += 1;
            }
            Outcome::Failed(reasons) => {
                // Reasons stand beside the line too: of a long output only a part may be kept.
                println!("test {id} ... FAILED\n  {}", reasons.join("\n  "));
                state.failures.push((id.to_owned(), reasons));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints the failures and the closing line.
    pub(crate) fn close(&self) -> ExitCode {
        let state = self.state();
        if !state.failures.is_empty() {
            println!("\nfailures:\n");
        }
        for (id, reasons) in &state.failures {
            println!("---- {id} ----");
            reasons.iter().for_each(|reason| println!("  {reason}"));
        }
        let result = if state.failures.is_empty() { "ok" } else { "FAILED" };
        println!(
            "\ntest result: {result}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
            state.passed,
            state.failures.len(),
            state.ignored,
            self.filtered,
            self.started.elapsed().as_secs_f64()
        );
        if state.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
