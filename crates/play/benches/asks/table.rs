//! Rows of what is printed: a figure, its bar, and whether it is met.

use std::time::Duration;

/// The rows so far.
#[derive(Default)]
pub(crate) struct Rows {
    missed: usize,
}

/// Bar of a figure, with the side on which the figure has to be.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

impl Rows {
    /// Prints a figure beside its bar.
    pub(crate) fn judge(&mut self, what: &str, figure: f64, unit: &str, bar: Bar) {
        let (is_met, sign, bar) = match bar {
            Bar::AtMost(bar) => (figure <= bar, "<=", bar),
            Bar::AtLeast(bar) => (figure >= bar, ">=", bar),
        };
        self.missed += usize::from(!is_met);
        let word = if is_met { "met" } else { "MISSED" };
        println!("{what:<64} {figure:>8.2} {unit:<3} (bar {sign} {bar:.2} {unit}) {word}");
    }

    /// Prints a figure that has no bar.
    pub(crate) fn note(&self, what: &str, figure: f64, unit: &str) {
        println!("{what:<64} {figure:>8.2} {unit}");
    }

    /// Prints that something is not measured.
    pub(crate) fn skip(&self, what: &str, why: &str) {
        println!("SKIPPED: {what}: {why}");
    }

    /// Returns the number of bars that were missed.
    pub(crate) fn missed(&self) -> usize {
        self.missed
    }
}

pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
