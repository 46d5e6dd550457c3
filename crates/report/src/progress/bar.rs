//! A bar that is redrawn, for a terminal.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parking_lot::Mutex;

use super::label::{
    ProgressRate, describe_alarm, describe_plan, describe_preparation, match_of, titled,
};
use super::terminal::Terminal;
use joust_model::BoutId;
use joust_model::notices::{Listener, Notice};

/// Time before whose end nothing is shown.
const SILENCE: Duration = Duration::from_millis(250);

/// Interval at which the clock and the rate are drawn again.
const REDRAW: Duration = Duration::from_millis(200);

/// Most matches that are named at once.
const NAMED_MATCHES: usize = 3;

const BOUTS: &str = "{prefix} {wide_bar} {pos}/{len} bouts, {pace}\n  {wide_msg}";
const PREPARATION: &str = "{spinner} {wide_msg}";

/// Draws bouts done, rate, time left, and the matches in progress on a terminal; before
/// that, builds and calibration. Nothing is drawn in the first quarter of a second, and nothing
/// while the terminal is borrowed.
#[derive(Debug)]
pub struct Bar {
    pub(super) bar: ProgressBar,
    pub(super) terminal: Terminal,
    is_placed: AtomicBool,
    playing: Mutex<BTreeMap<BoutId, String>>,
}

impl Bar {
    /// Makes a bar on `terminal`.
    pub fn new(terminal: Terminal) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style(PREPARATION));
        let (is_placed, playing) = Default::default();
        Self { bar, terminal, is_placed, playing }
    }

    /// Gives the bar its place, as soon as there is something to show.
    pub(super) fn place(&self) {
        if !self.is_placed.swap(true, Ordering::Relaxed) {
            self.bar.reset();
            self.terminal.add(self.bar.clone());
            self.bar.enable_steady_tick(REDRAW);
            self.terminal.reveal_after(SILENCE);
        }
    }

    /// Shows a message in place of the last one.
    pub fn show_message(&self, message: String) {
        self.place();
        self.bar.set_message(message);
    }

    /// Removes the bar until there is something to show again.
    pub(super) fn leave(&self) {
        if self.is_placed.swap(false, Ordering::Relaxed) {
            self.terminal.remove(&self.bar);
        }
    }

    fn begin(&self, title: String, bouts: u64, finished: u64) {
        self.place();
        self.restart(bouts, finished);
        self.bar.set_prefix(title);
        self.show_message(String::new());
    }

    fn restart(&self, bouts: u64, finished: u64) {
        self.bar.reset();
        let write_pace = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let pace = ProgressRate {
                finished: state.pos(),
                before: finished,
                bouts,
                elapsed: state.elapsed(),
            };
            _ = out.write_str(&pace.text());
        };
        self.bar.set_style(style(BOUTS).with_key("pace", write_pace));
        self.bar.set_length(bouts);
        self.bar.set_position(finished);
    }

    fn end(&self) {
        self.bar.set_message("");
        self.leave();
    }

    fn show_playing(&self, change: impl FnOnce(&mut BTreeMap<BoutId, String>)) {
        let mut playing = self.playing.lock();
        change(&mut playing);
        let message = named(&playing);
        drop(playing);
        self.show_message(message);
    }
}

pub(super) fn style(template: &'static str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant that is tested")
}

/// Returns the matches that are being played, each once.
fn named(playing: &BTreeMap<BoutId, String>) -> String {
    let mut matches: Vec<&str> = playing.values().map(String::as_str).collect();
    matches.sort_unstable();
    matches.dedup();
    let more = matches.len().saturating_sub(NAMED_MATCHES);
    matches.truncate(NAMED_MATCHES);
    let shown = matches.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

impl Listener for Bar {
    fn notice(&self, notice: &Notice) {
        if let Some(text) = describe_alarm(notice).or_else(|| describe_plan(notice)) {
            self.terminal.show_text(&format!("{text}\n"));
        }
        if let Some(text) = describe_preparation(notice) {
            self.show_message(text);
        }
        match notice {
            Notice::Scheduled { event, bouts, finished, round } => {
                self.begin(titled(event, *round), *bouts, *finished);
            }
            Notice::BoutStarted(bout) => {
                self.show_playing(|playing| _ = playing.insert(bout.bout, match_of(bout)));
            }
            Notice::BoutFinished(result) => {
                self.show_playing(|playing| _ = playing.remove(&result.bout));
                self.bar.inc(1);
            }
            Notice::BoutVoided { bout, .. } => {
                self.show_playing(|playing| _ = playing.remove(&bout.bout));
            }
            Notice::EventFinished { .. } => self.end(),
            _ => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_model::{BoutPlan, BuildHash, Limits, Occupant, SeatPlan, Seed};

    fn plan(number: u32, bots: [&str; 2]) -> Box<BoutPlan> {
        let seat = |bot: &str| SeatPlan {
            bot: bot.to_owned(),
            occupant: Occupant::Build(BuildHash([0; 32])),
        };
        Box::new(BoutPlan {
            bout: BoutPlan::id("cup", "league", &bots, number),
            event: "league".to_owned(),
            game: "battlebots".to_owned(),
            revision: 1,
            referee: None,
            rules: "documented".to_owned(),
            options: Default::default(),
            seed: Seed(1),
            match_number: 0,
            number,
            seats: bots.map(seat).to_vec(),
            limits: Limits::default().into(),
            clock: None,
        })
    }

    fn scheduled() -> Notice {
        Notice::Scheduled { event: "lea\u{1b}gue".to_owned(), bouts: 40, finished: 10, round: None }
    }

    #[test]
    fn the_bar_begins_where_the_last_run_ended() {
        let bar = Bar::new(Terminal::default());
        bar.notice(&scheduled());
        assert_eq!((bar.bar.position(), bar.bar.length()), (10, Some(40)));
        assert_eq!(bar.bar.prefix(), "lea\\u{1b}gue");
    }

    #[test]
    fn the_matches_being_played_are_named_once() {
        let bar = Bar::new(Terminal::default());
        bar.notice(&scheduled());
        bar.notice(&Notice::BoutStarted(plan(0, ["bob", "ann"])));
        bar.notice(&Notice::BoutStarted(plan(1, ["ann", "bob"])));
        bar.notice(&Notice::BoutStarted(plan(0, ["ann", "e\nve"])));
        assert_eq!(bar.bar.message(), "ann - bob, ann - e\\u{a}ve");
    }

    #[test]
    fn a_voided_bout_is_not_counted() {
        let bar = Bar::new(Terminal::default());
        bar.notice(&scheduled());
        bar.notice(&Notice::BoutStarted(plan(0, ["bob", "ann"])));
        let (bout, reason) = (plan(0, ["bob", "ann"]), "no memory".to_owned());
        bar.notice(&Notice::BoutVoided { bout, reason, attempt: 1 });
        assert_eq!((bar.bar.position(), bar.bar.message().as_str()), (10, ""));
    }

    #[test]
    fn only_a_few_matches_are_named() {
        let id = |number| BoutPlan::id("cup", "league", &["a"], number);
        let playing = (0..5).map(|number| (id(number), format!("match {number}"))).collect();
        assert_eq!(named(&playing), "match 0, match 1, match 2 and 2 more");
    }
}
