//! State of a run, as far as spectators know it from notices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_model::notices::Notice;
use joust_model::{BoutId, RoundState};
use joust_referee::Scene;

use crate::screens::{Screens, StartedBout};

/// Bouts of this run that have to end before the time left is estimated.
const ESTIMATED_AFTER: u64 = 3;

/// One thing that spectators learn of a run.
#[derive(Clone, Debug)]
pub(crate) enum RunEvent {
    /// A bot is being built.
    Building { number: usize, of: usize },
    /// A language is being measured.
    Calibrating,
    /// An event begins.
    Scheduled { event: String, bouts: u64, finished: u64, round: Option<RoundState> },
    /// A bout begins.
    Started(StartedBout),
    /// A round of a bout is over.
    Position { bout: BoutId, round: u32, scene: Arc<Scene> },
    /// A bout is over and stored.
    Finished(BoutId),
    /// A bout was voided.
    Voided(BoutId),
    /// An event is over.
    EventFinished,
    /// Everything is played; bots that come are waited for.
    Waiting,
    /// The run is over.
    Over,
}

impl RunEvent {
    /// Returns the part of a notice that is for spectators.
    pub(crate) fn of(notice: &Notice) -> Option<Self> {
        Some(match notice {
            Notice::BuildStarted { number, of, .. } => Self::Building { number: *number, of: *of },
            Notice::Calibrating { .. } => Self::Calibrating,
            Notice::Scheduled { event, bouts, finished, round } => Self::Scheduled {
                event: event.clone(),
                bouts: *bouts,
                finished: *finished,
                round: *round,
            },
            Notice::BoutStarted(plan) => Self::Started(StartedBout {
                bout: plan.bout,
                event: plan.event.clone(),
                bots: plan.seats.iter().map(|seat| seat.bot.clone()).collect(),
            }),
            Notice::Position { bout, round, scene } => {
                Self::Position { bout: *bout, round: *round, scene: Arc::clone(scene) }
            }
            Notice::BoutFinished(result) => Self::Finished(result.bout),
            Notice::BoutVoided { bout, .. } => Self::Voided(bout.bout),
            Notice::EventFinished { .. } => Self::EventFinished,
            Notice::Waiting { .. } => Self::Waiting,
            Notice::Closing => Self::Over,
            _ => return None,
        })
    }
}

/// Phase of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RunPhase {
    /// Another process may be playing.
    #[default]
    Unknown,
    /// Bots are found.
    Beginning,
    /// So many bots of so many are being built.
    Building { number: usize, of: usize },
    /// Languages are being measured.
    Calibrating,
    /// Bouts are played.
    Playing,
    /// Everything is played; bots that come are waited for.
    Waiting,
    /// Nothing more will be played.
    Over,
}

/// State of a run.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    pub(crate) phase: RunPhase,
    /// The event that is played, or was played last.
    event: Option<EventProgress>,
    /// The boards that are shown.
    pub(crate) screens: Screens,
}

#[derive(Debug)]
struct EventProgress {
    id: String,
    bouts: u64,
    /// Bouts that had a result when the run came to the event.
    before: u64,
    finished: u64,
    began: Instant,
    round: Option<RoundState>,
    is_over: bool,
}

impl RunState {
    /// Returns the state of a run that begins.
    pub(crate) fn of_a_run() -> Self {
        Self { phase: RunPhase::Beginning, ..Self::default() }
    }

    /// Applies what happened `at` that time.
    pub(crate) fn apply(&mut self, happened: RunEvent, at: Instant) {
        match happened {
            RunEvent::Building { number, of } => self.phase = RunPhase::Building { number, of },
            RunEvent::Calibrating => self.phase = RunPhase::Calibrating,
            RunEvent::Scheduled { event: id, bouts, finished, round } => {
                self.phase = RunPhase::Playing;
                let (before, began, is_over) = (finished, at, false);
                self.event =
                    Some(EventProgress { id, bouts, before, finished, began, round, is_over });
            }
            RunEvent::Started(bout) => self.screens.begin(bout),
            RunEvent::Position { bout, round, scene } => self.screens.show(bout, round, scene),
            RunEvent::Finished(bout) => {
                self.screens.end(bout);
                self.event.iter_mut().for_each(|event| event.finished += 1);
            }
            RunEvent::Voided(bout) => self.screens.end(bout),
            RunEvent::EventFinished => {
                self.event.iter_mut().for_each(|event| event.is_over = true);
            }
            RunEvent::Waiting => self.phase = RunPhase::Waiting,
            RunEvent::Over => {
                self.screens.clear();
                self.phase = RunPhase::Over;
            }
        }
    }

    /// Returns the state in a few words, with events as `titled` calls them by their ids; empty
    /// when it is unknown.
    pub(crate) fn line(&self, at: Instant, titled: &dyn Fn(&str) -> String) -> String {
        match self.phase {
            RunPhase::Unknown => String::new(),
            RunPhase::Beginning => "the run begins".to_owned(),
            RunPhase::Building { number, of } => format!("building bots, {number} of {of}"),
            RunPhase::Calibrating => "measuring what each language costs".to_owned(),
            RunPhase::Playing => {
                self.event.as_ref().map(|event| event.line(at, titled)).unwrap_or_default()
            }
            RunPhase::Waiting => "everything is played; waiting for bots".to_owned(),
            RunPhase::Over => "the run is over".to_owned(),
        }
    }
}

impl EventProgress {
    /// Returns how long the rest will take if bouts go on as until now.
    fn left(&self, at: Instant) -> Option<Duration> {
        let (done, left) = (self.finished - self.before, self.bouts.saturating_sub(self.finished));
        if done < ESTIMATED_AFTER || left == 0 || self.is_over {
            return None;
        }
        let elapsed = at.saturating_duration_since(self.began).as_secs_f64();
        Duration::try_from_secs_f64(elapsed * left as f64 / done as f64).ok()
    }

    fn line(&self, at: Instant, titled: &dyn Fn(&str) -> String) -> String {
        let Self { id, finished, bouts, .. } = self;
        let round = self.round.map(|RoundState { open, of, .. }| format!(", round {open} of {of}"));
        let round = round.unwrap_or_default();
        let left = match self.left(at).map(|left| left.as_secs()) {
            None => String::new(),
            Some(seconds @ 0..120) => format!(", about {seconds} s left"),
            Some(seconds) => format!(", about {} min left", seconds.div_ceil(60)),
        };
        format!("{}{round}: {finished} of {bouts} bouts{left}", titled(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(number: u8) -> RunEvent {
        RunEvent::Finished(BoutId([number; 8]))
    }

    fn playing() -> (RunState, Instant) {
        let (mut state, began) = (RunState::of_a_run(), Instant::now());
        let event = "league".to_owned();
        state.apply(RunEvent::Scheduled { event, bouts: 10, finished: 4, round: None }, began);
        (state, began)
    }

    fn line(state: &RunState, at: Instant) -> String {
        state.line(at, &str::to_owned)
    }

    #[test]
    fn the_time_left_is_estimated_from_the_bouts_of_this_run() {
        let (mut state, began) = playing();
        let at = began + Duration::from_secs(30);
        state.apply(finished(1), at);
        assert_eq!(line(&state, at), "league: 5 of 10 bouts");
        state.apply(finished(2), at);
        state.apply(finished(3), at);
        assert_eq!(line(&state, at), "league: 7 of 10 bouts, about 30 s left");
    }

    #[test]
    fn an_event_that_goes_on_has_the_newest_figures() {
        let (mut state, began) = playing();
        state.apply(RunEvent::Waiting, began);
        assert_eq!(line(&state, began), "everything is played; waiting for bots");
        let event = "league".to_owned();
        let round = Some(RoundState { open: 2, of: 7, is_over: false });
        state.apply(RunEvent::Scheduled { event, bouts: 16, finished: 10, round }, began);
        assert_eq!(line(&state, began), "league, round 2 of 7: 10 of 16 bouts");
    }

    #[test]
    fn the_end_is_shown() {
        let (mut state, began) = playing();
        state.apply(RunEvent::Over, began);
        assert_eq!(
            (line(&state, began).as_str(), state.phase),
            ("the run is over", RunPhase::Over)
        );
    }
}
