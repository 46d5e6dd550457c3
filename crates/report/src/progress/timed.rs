//! A line that is redrawn while bouts are played for a given time, for a terminal; the number of
//! bouts is not known beforehand.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::ProgressState;
use parking_lot::Mutex;

use super::bar::{Bar, style};
use super::label::{describe_alarm, span};
use super::terminal::Terminal;
use joust_model::notices::{Listener, Notice};

const PLAYING: &str = "{spinner} {spent}, {pos} bouts played\n  {wide_msg}";

/// Draws the elapsed time, the bouts played in it and the current result; before that, builds and
/// calibration, as a [`Bar`] does.
#[derive(Debug)]
pub struct Timed {
    bar: Bar,
    /// Longest time for which bouts are played.
    time: Duration,
    is_playing: AtomicBool,
    standing: Mutex<String>,
}

impl Timed {
    /// Makes a line on `terminal` for bouts that are played for `time` at most.
    pub fn new(terminal: Terminal, time: Duration) -> Self {
        let (is_playing, standing) = Default::default();
        Self { bar: Bar::new(terminal), time, is_playing, standing }
    }

    /// Shows where the bouts stand, in one line, until something else is shown.
    pub fn show(&self, standing: String) {
        self.standing.lock().clone_from(&standing);
        if self.is_playing.load(Ordering::Relaxed) {
            self.bar.show_message(standing);
        }
    }

    /// Removes the line.
    pub fn end(&self) {
        self.bar.leave();
    }

    /// Draws bouts from the first one on.
    fn begin(&self) {
        if self.is_playing.swap(true, Ordering::Relaxed) {
            return;
        }
        self.bar.place();
        let time = self.time;
        let write_spent = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            _ = out.write_str(&spent(state.elapsed(), time));
        };
        self.bar.bar.reset();
        self.bar.bar.set_style(style(PLAYING).with_key("spent", write_spent));
        let standing = self.standing.lock().clone();
        self.bar.show_message(standing);
    }
}

/// Returns `1 min 5 s of 5 min 0 s`.
fn spent(elapsed: Duration, of: Duration) -> String {
    format!("{} of {}", span(elapsed.min(of)), span(of))
}

impl Listener for Timed {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::BoutStarted(_) => self.begin(),
            Notice::BoutFinished(_) => self.bar.bar.inc(1),
            Notice::BoutVoided { .. } => {
                let text = describe_alarm(notice);
                text.iter().for_each(|text| self.bar.terminal.show_text(&format!("{text}\n")));
            }
            // Every batch checks again which builds exist.
            Notice::LibrariesStarted { .. }
            | Notice::BuildStarted { .. }
            | Notice::Calibrating { .. }
                if self.is_playing.load(Ordering::Relaxed) => {}
            other => self.bar.notice(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed() -> Timed {
        Timed::new(Terminal::default(), Duration::from_secs(300))
    }

    #[test]
    fn where_bouts_stand_follows_what_is_built() {
        let timed = timed();
        timed.notice(&Notice::BuildStarted { bot: "ann".to_owned(), number: 1, of: 2 });
        timed.show("3 bouts: 1 won, 0 drawn, 2 lost".to_owned());
        assert_eq!(timed.bar.bar.message(), "building 1 of 2: `ann`");
        timed.begin();
        assert_eq!(timed.bar.bar.message(), "3 bouts: 1 won, 0 drawn, 2 lost");
        timed.notice(&Notice::BuildStarted { bot: "ann".to_owned(), number: 1, of: 2 });
        timed.show("4 bouts: 2 won, 0 drawn, 2 lost".to_owned());
        assert_eq!(timed.bar.bar.message(), "4 bouts: 2 won, 0 drawn, 2 lost");
    }

    #[test]
    fn the_time_that_has_passed_is_told_with_all_of_it() {
        let spent = |seconds| spent(Duration::from_secs(seconds), Duration::from_secs(300));
        assert_eq!([spent(65), spent(301)], ["1 min 5 s of 5 min 0 s", "5 min 0 s of 5 min 0 s"]);
    }
}
