//! A line now and then, for logs and pipes.

use std::io::Write;
use std::time::{Duration, Instant};

use super::label::{
    ProgressRate, describe_alarm, describe_plan, describe_preparation, span, titled,
};
use joust_model::notices::{Listener, Notice};
use joust_model::{counted, escaped};
use parking_lot::Mutex;

/// The longest silence while bouts are played.
const SILENCE: Duration = Duration::from_secs(10);

/// Least number of lines of an event that is long enough.
const LINES_PER_EVENT: u64 = 20;

/// Writes one line for every build, calibration and event, and while bouts are
/// played one line every 5 % of an event, or every ten seconds, with who leads.
#[derive(Debug)]
pub struct Plain<W>(Mutex<PlainState<W>>);

#[derive(Debug)]
struct PlainState<W> {
    out: W,
    event: String,
    bouts: u64,
    finished: u64,
    before: u64,
    started: Instant,
    /// Bouts played of the event, in all its rounds; `None` between events.
    in_progress: Option<EventProgress>,
    written: (u64, Instant),
}

/// An event from its first round to its last.
#[derive(Clone, Debug)]
struct EventProgress {
    event: String,
    played: u64,
    began: Instant,
}

impl<W: Write + Send> Plain<W> {
    /// Makes a listener that writes to `out`. What cannot be written is lost.
    pub fn new(out: W) -> Self {
        let now = Instant::now();
        let state = PlainState {
            out,
            event: String::new(),
            bouts: 0,
            finished: 0,
            before: 0,
            started: now,
            in_progress: None,
            written: (0, now),
        };
        Self(Mutex::new(state))
    }
}

impl<W: Write + Send> Listener for Plain<W> {
    fn notice(&self, notice: &Notice) {
        let now = Instant::now();
        let mut state = self.0.lock();
        let line = describe_alarm(notice).or_else(|| state.line(notice, now));
        if let Some(line) = line {
            _ = state.out.write_all(format!("{line}\n").as_bytes());
        }
    }
}

impl<W> PlainState<W> {
    fn line(&mut self, notice: &Notice, now: Instant) -> Option<String> {
        match notice {
            Notice::LibrariesFetched { language, libraries } => {
                let libraries = escaped(&libraries.join(", "));
                Some(format!("libraries for {}: {libraries}", escaped(language)))
            }
            Notice::Built { bot, cached: false, took } => {
                Some(format!("built `{}` in {:.1} s", escaped(bot), took.as_secs_f64()))
            }
            Notice::Scheduled { event, bouts, finished, round } => {
                self.event = titled(event, *round);
                if self.in_progress.as_ref().is_none_or(|in_progress| in_progress.event != *event) {
                    self.in_progress =
                        Some(EventProgress { event: event.clone(), played: 0, began: now });
                }
                Some(self.begin(*bouts, *finished, now))
            }
            Notice::BoutFinished(_) => self.count_one(now),
            Notice::EventFinished { event } => Some(self.end(event, now)),
            other => describe_plan(other).or_else(|| describe_preparation(other)),
        }
    }

    fn begin(&mut self, bouts: u64, finished: u64, now: Instant) -> String {
        (self.bouts, self.finished, self.before) = (bouts, finished, finished);
        self.started = now;
        self.written = (finished, now);
        match finished {
            0 => format!("{}: {}", self.event, counted(bouts, "bout")),
            1 => format!("{}: {}, 1 has a result already", self.event, counted(bouts, "bout")),
            _ => format!("{}: {bouts} bouts, {finished} have a result already", self.event),
        }
    }

    fn count_one(&mut self, now: Instant) -> Option<String> {
        self.finished += 1;
        self.in_progress.as_mut().into_iter().for_each(|in_progress| in_progress.played += 1);
        let (count, time) = self.written;
        let step = (self.bouts / LINES_PER_EVENT).max(1);
        let is_due = self.finished >= count + step || now.duration_since(time) >= SILENCE;
        let is_too_soon = now.duration_since(time) < Duration::from_secs(1);
        if !is_due || is_too_soon && self.finished < self.bouts {
            return None;
        }
        self.written = (self.finished, now);
        Some(self.progress(now))
    }

    fn progress(&self, now: Instant) -> String {
        let percent = self.finished.saturating_mul(100) / self.bouts.max(1);
        let (event, finished, bouts) = (&self.event, self.finished, self.bouts);
        let elapsed = now.duration_since(self.started);
        let pace = ProgressRate { finished, before: self.before, bouts, elapsed };
        format!("{event}: {finished}/{bouts} bouts ({percent} %), {}", pace.text())
    }

    fn end(&mut self, event: &str, now: Instant) -> String {
        let in_progress = self.in_progress.take();
        let (played, began) =
            in_progress.map_or((0, now), |in_progress| (in_progress.played, in_progress.began));
        let took = span(now.duration_since(began));
        let how = if self.finished < self.bouts { "stopped" } else { "done" };
        format!("{}: {how}, {} played in {took}", escaped(event), counted(played, "bout"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (PlainState<()>, Instant) {
        let now = Instant::now();
        let state = PlainState {
            out: (),
            event: String::new(),
            bouts: 0,
            finished: 0,
            before: 0,
            started: now,
            in_progress: None,
            written: (0, now),
        };
        (state, now)
    }

    fn scheduled(bouts: u64, finished: u64) -> Notice {
        Notice::Scheduled { event: "league".to_owned(), bouts, finished, round: None }
    }

    #[test]
    fn every_build_and_calibration_has_a_line() {
        let plain = Plain::new(Vec::new());
        plain.notice(&Notice::BuildStarted { bot: "ann\n".to_owned(), number: 1, of: 2 });
        let took = Duration::from_millis(1520);
        plain.notice(&Notice::Built { bot: "ann".to_owned(), cached: false, took });
        plain.notice(&Notice::Built { bot: "bob".to_owned(), cached: true, took });
        let (language, game) = ("python".to_owned(), "battlebots".to_owned());
        plain.notice(&Notice::Calibrating { language, game });
        let written = plain.0.into_inner().out;
        assert_eq!(
            String::from_utf8(written).unwrap(),
            "building 1 of 2: `ann\\u{a}`\nbuilt `ann` in 1.5 s\ncalibrating python for battlebots\n"
        );
    }

    #[test]
    fn an_event_says_what_is_there_already() {
        let (mut state, now) = state();
        let fresh = state.line(&scheduled(45, 0), now).unwrap();
        assert_eq!(fresh, "league: 45 bouts");
        let resumed = state.line(&scheduled(45, 20), now).unwrap();
        assert_eq!(resumed, "league: 45 bouts, 20 have a result already");
    }

    #[test]
    fn a_round_is_named_in_every_line_of_it() {
        let (mut state, start) = state();
        let round = Some(joust_model::RoundState { open: 3, of: 7, is_over: false });
        let event = "league".to_owned();
        let scheduled = Notice::Scheduled { event, bouts: 30, finished: 20, round };
        let line = state.line(&scheduled, start).unwrap();
        assert_eq!(line, "league, round 3 of 7: 30 bouts, 20 have a result already");
        let line = state.count_one(start + Duration::from_secs(2)).unwrap();
        assert!(line.starts_with("league, round 3 of 7: 21/30 bouts (70 %)"), "{line}");
    }

    #[test]
    fn the_last_line_counts_the_bouts_of_all_rounds() {
        let (mut state, start) = state();
        for finished in [20, 22] {
            state.line(&scheduled(finished + 2, finished), start);
            (0..2).for_each(|_| _ = state.count_one(start));
        }
        let event = "league".to_owned();
        let end = Notice::EventFinished { event };
        let line = state.line(&end, start + Duration::from_secs(3)).unwrap();
        assert_eq!(line, "league: done, 4 bouts played in 3 s");
        state.line(&scheduled(24, 24), start);
        assert_eq!(state.line(&end, start).unwrap(), "league: done, 0 bouts played in 0 s");
    }

    #[test]
    fn progress_is_written_every_five_percent() {
        let (mut state, start) = state();
        state.line(&scheduled(1000, 0), start);
        let lines: Vec<String> = (1..=1000)
            .filter_map(|second| state.count_one(start + Duration::from_millis(second * 100)))
            .collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[0], "league: 50/1000 bouts (5 %), 10.0 per second, 1 min 35 s left");
        assert_eq!(lines[19], "league: 1000/1000 bouts (100 %), 10.0 per second, 0 s left");
    }

    #[test]
    fn slow_bouts_are_written_every_ten_seconds() {
        let (mut state, start) = state();
        state.line(&scheduled(100_000, 0), start);
        let lines =
            (1..=30).filter_map(|second| state.count_one(start + Duration::from_secs(second)));
        assert_eq!(lines.count(), 3);
    }

    #[test]
    fn fast_bouts_are_not_a_flood() {
        let (mut state, start) = state();
        state.line(&scheduled(20, 0), start);
        let lines = (1..=20).filter_map(|_| state.count_one(start));
        assert_eq!(lines.count(), 1);
    }
}
