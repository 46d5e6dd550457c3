//! Board: what a run is doing, as far as spectators have heard.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use joust_model::{BoutId, RoundState, escaped};
use joust_report::site::{Finished, Now, Played, Playing};

use crate::happening::{Happening, Started};
use crate::screens::Screens;

/// How many bouts that are being played the page names.
const PLAYING: usize = 50;

/// How many bouts that ended the page names.
const FINISHED: usize = 30;

/// The most machines that are counted.
const MACHINES: usize = 1000;

/// How many bouts tell how long the rest will take.
const TELLING: u64 = 3;

/// What a run is doing.
#[derive(Debug, Default)]
pub(crate) struct Board {
    doing: Doing,
    events: Vec<Event>,
    playing: Vec<Begun>,
    finished: VecDeque<Finished>,
    machines: BTreeMap<String, u64>,
    /// The boards that are shown.
    pub(crate) screens: Screens,
}

/// What a run is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Nobody tells: another process may be playing.
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

#[derive(Debug)]
struct Event {
    id: String,
    bouts: u64,
    /// Those that had a result when the run came to it.
    before: u64,
    finished: u64,
    began: Instant,
    round: Option<RoundState>,
    is_over: bool,
}

#[derive(Debug)]
struct Begun {
    bout: Started,
    at: Instant,
}

impl Board {
    /// Returns the board of a run that begins.
    pub(crate) fn of_a_run() -> Self {
        Self { doing: Doing::Beginning, ..Self::default() }
    }

    /// Returns what the run is at.
    pub(crate) fn doing(&self) -> Doing {
        self.doing
    }

    /// Hears what happened, `at` that time.
    pub(crate) fn hear(&mut self, happening: Happening, at: Instant) {
        match happening {
            Happening::Building { number, of } => self.doing = Doing::Building { number, of },
            Happening::Calibrating => self.doing = Doing::Calibrating,
            Happening::Scheduled { event, bouts, finished, round } => {
                self.doing = Doing::Playing;
                self.playing.clear();
                let before = finished;
                // One that goes on is the last again.
                self.events.retain(|known| known.id != event);
                self.events.push(Event {
                    id: event,
                    bouts,
                    before,
                    finished,
                    began: at,
                    round,
                    is_over: false,
                });
            }
            Happening::Started(bout) => {
                self.forget(bout.bout);
                self.screens.begin(&bout);
                self.playing.push(Begun { bout, at });
            }
            Happening::Position { bout, round, scene } => self.screens.show(bout, round, scene),
            Happening::Finished { bout, machine } => self.finish(*bout, machine),
            Happening::Voided(bout) => self.forget(bout),
            Happening::EventFinished => {
                self.playing.clear();
                self.events.last_mut().into_iter().for_each(|event| event.is_over = true);
            }
            Happening::Waiting => {
                self.playing.clear();
                self.doing = Doing::Waiting;
            }
            Happening::Over => {
                self.screens.clear();
                self.playing.clear();
                self.doing = Doing::Over;
            }
        }
    }

    fn forget(&mut self, bout: BoutId) {
        self.screens.end(bout);
        self.playing.retain(|begun| begun.bout.bout != bout);
    }

    fn finish(&mut self, mut bout: Finished, machine: String) {
        self.forget(bout.bout);
        if let Some(event) = self.events.last_mut() {
            event.finished += 1;
            bout.event.clone_from(&event.id);
        }
        if self.machines.len() < MACHINES || self.machines.contains_key(&machine) {
            *self.machines.entry(machine).or_default() += 1;
        }
        self.finished.truncate(FINISHED - 1);
        self.finished.push_front(bout);
    }

    /// Returns the contents of the page.
    pub(crate) fn now(&self, at: Instant) -> Now {
        let playing = |begun: &Begun| Playing {
            event: begun.bout.event.clone(),
            number: begun.bout.number,
            bots: begun.bout.bots.clone(),
            since: at.saturating_duration_since(begun.at),
        };
        Now {
            said: self.sentence(),
            played: self.events.iter().map(|event| event.played(at)).collect(),
            playing: self.playing.iter().take(PLAYING).map(playing).collect(),
            more_playing: self.playing.len().saturating_sub(PLAYING),
            finished: self.finished.iter().cloned().collect(),
            machines: self.machines.iter().map(|(name, bouts)| (name.clone(), *bouts)).collect(),
        }
    }

    fn sentence(&self) -> String {
        match self.doing {
            Doing::Unknown => "The pages follow the database. What is being played right now is \
                               known to the run's own pages alone (`joust run --live`)."
                .to_owned(),
            Doing::Playing => "What is being played, and the newest results.".to_owned(),
            _ => format!("{}.", capital(&self.line(Instant::now(), &escaped))),
        }
    }

    /// Returns what the run is at, in a few words for every page, with events as `titled` calls
    /// them by their ids; empty when nobody tells.
    pub(crate) fn line(&self, at: Instant, titled: &dyn Fn(&str) -> String) -> String {
        match self.doing {
            Doing::Unknown => String::new(),
            Doing::Beginning => "the run begins".to_owned(),
            Doing::Building { number, of } => format!("building bots, {number} of {of}"),
            Doing::Calibrating => "measuring what each language costs".to_owned(),
            Doing::Playing => {
                self.events.last().map(|event| event.line(at, titled)).unwrap_or_default()
            }
            Doing::Waiting => "everything is played; waiting for bots".to_owned(),
            Doing::Over => "the run is over".to_owned(),
        }
    }
}

impl Event {
    fn played(&self, at: Instant) -> Played {
        let (event, bouts, finished) = (self.id.clone(), self.bouts, self.finished);
        Played { event, bouts, finished, left: self.left(at) }
    }

    /// Returns how long the rest will take if bouts go on as until now.
    fn left(&self, at: Instant) -> Option<Duration> {
        let (done, left) = (self.finished - self.before, self.bouts.saturating_sub(self.finished));
        if done < TELLING || left == 0 || self.is_over {
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(number: u8) -> Happening {
        let bots = vec!["ann".to_owned(), "bob".to_owned()];
        let event = "league".to_owned();
        Happening::Started(Started { bout: BoutId([number; 8]), event, number: 1, bots })
    }

    fn finished(number: u8) -> Happening {
        let bout = Finished {
            bout: BoutId([number; 8]),
            event: String::new(),
            seats: Vec::new(),
            ended: "last one standing".to_owned(),
            at: 0,
        };
        Happening::Finished { bout: Box::new(bout), machine: "box".to_owned() }
    }

    fn playing() -> (Board, Instant) {
        let (mut board, began) = (Board::of_a_run(), Instant::now());
        let event = "league".to_owned();
        board.hear(Happening::Scheduled { event, bouts: 10, finished: 4, round: None }, began);
        (board, began)
    }

    #[test]
    fn a_bout_is_on_the_board_until_it_has_ended_or_is_void() {
        let (mut board, began) = playing();
        for number in 1..=3 {
            board.hear(started(number), began);
        }
        board.hear(started(3), began);
        board.hear(finished(1), began);
        board.hear(Happening::Voided(BoutId([2; 8])), began);
        let now = board.now(began + Duration::from_secs(5));
        assert_eq!(now.playing.len(), 1);
        assert_eq!(now.playing[0].since, Duration::from_secs(5));
        assert_eq!((now.finished.len(), now.finished[0].event.as_str()), (1, "league"));
        assert_eq!(now.machines, [("box".to_owned(), 1)]);
    }

    #[test]
    fn the_time_left_is_told_by_the_bouts_of_this_run() {
        let (mut board, began) = playing();
        let at = began + Duration::from_secs(30);
        board.hear(finished(1), at);
        assert_eq!(board.line(at, &escaped), "league: 5 of 10 bouts");
        board.hear(finished(2), at);
        board.hear(finished(3), at);
        assert_eq!(board.line(at, &escaped), "league: 7 of 10 bouts, about 30 s left");
    }

    #[test]
    fn only_the_newest_results_are_kept() {
        let (mut board, began) = playing();
        (0..100).for_each(|number| board.hear(finished(number), began));
        let now = board.now(began);
        assert_eq!(now.finished.len(), FINISHED);
        assert_eq!(now.finished[0].bout, BoutId([99; 8]));
    }

    #[test]
    fn an_event_that_goes_on_is_the_same_event() {
        let (mut board, began) = playing();
        board.hear(Happening::Waiting, began);
        assert_eq!(board.line(began, &escaped), "everything is played; waiting for bots");
        let event = "league".to_owned();
        let round = Some(RoundState { open: 2, of: 7, is_over: false });
        board.hear(Happening::Scheduled { event, bouts: 16, finished: 10, round }, began);
        assert_eq!(board.line(began, &escaped), "league, round 2 of 7: 10 of 16 bouts");
        assert_eq!(board.now(began).played.len(), 1);
    }

    #[test]
    fn the_end_is_told() {
        let (mut board, began) = playing();
        board.hear(started(1), began);
        board.hear(Happening::Over, began);
        assert_eq!(
            (board.line(began, &escaped).as_str(), board.doing()),
            ("the run is over", Doing::Over)
        );
        assert!(board.now(began).playing.is_empty());
    }
}
