//! State of a run, as spectators see it: its phase, its progress, and a few boards of bouts that
//! are being played.
//!
//! A board follows a bout to its end and keeps its last position until another bout needs the
//! place.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_model::notices::Notice;
use joust_model::{BoutId, Round, RoundState};
use joust_referee::Scene;
use joust_report::site::Board;

/// Bouts of this run that have to end before the time left is estimated.
const ESTIMATED_AFTER: u64 = 3;

/// Number of boards.
const BOARDS: usize = 4;

/// Most bouts that are known to be played.
const KNOWN: usize = 64;

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

/// Part of a run's state that pages show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) phase: RunPhase,
    /// The event that is played, or was played last.
    event: Option<EventProgress>,
    pub(crate) boards: Vec<Board>,
}

/// State of a run.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    pub(crate) snapshot: Snapshot,
    /// Bouts that are being played, the newest first.
    playing: VecDeque<Board>,
    /// Moment at which a position of each bout was taken last.
    sampled: HashMap<BoutId, Instant>,
}

#[derive(Clone, Debug)]
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
    /// Returns the state of a run in that phase.
    pub(crate) fn new(phase: RunPhase) -> Self {
        Self { snapshot: Snapshot { phase, ..Snapshot::default() }, ..Self::default() }
    }

    /// Applies a notice of that moment.
    pub(crate) fn apply(&mut self, notice: &Notice, now: Instant) {
        let Snapshot { phase, event: progress, boards } = &mut self.snapshot;
        match notice {
            Notice::BuildStarted { number, of, .. } => {
                *phase = RunPhase::Building { number: *number, of: *of };
            }
            Notice::Calibrating { .. } => *phase = RunPhase::Calibrating,
            Notice::Scheduled { event, bouts, finished, round } => {
                *phase = RunPhase::Playing;
                *progress = Some(EventProgress {
                    id: event.clone(),
                    bouts: *bouts,
                    before: *finished,
                    finished: *finished,
                    began: now,
                    round: *round,
                    is_over: false,
                });
                self.sampled.clear();
            }
            Notice::BoutStarted(plan) => self.start_bout(Board {
                bout: plan.bout,
                event: plan.event.clone(),
                bots: plan.seats.iter().map(|seat| seat.bot.clone()).collect(),
                round: Round::default(),
                scene: Arc::default(),
                is_over: false,
            }),
            Notice::Position { bout, round, scene } => self.show_position(*bout, *round, scene),
            Notice::BoutFinished(result) => {
                progress.iter_mut().for_each(|event| event.finished += 1);
                self.end_bout(result.bout);
            }
            Notice::BoutVoided { bout, .. } => self.end_bout(bout.bout),
            Notice::EventFinished { .. } => {
                progress.iter_mut().for_each(|event| event.is_over = true);
            }
            Notice::Waiting { .. } => *phase = RunPhase::Waiting,
            Notice::Closing => {
                *phase = RunPhase::Over;
                boards.clear();
            }
            _ => {}
        }
    }

    fn start_bout(&mut self, board: Board) {
        self.end_bout(board.bout);
        self.playing.truncate(KNOWN - 1);
        self.playing.push_front(board);
    }

    fn end_bout(&mut self, bout: BoutId) {
        self.sampled.remove(&bout);
        self.playing.retain(|known| known.bout != bout);
        let mut boards = self.snapshot.boards.iter_mut();
        boards.find(|board| board.bout == bout).into_iter().for_each(|board| board.is_over = true);
    }

    /// Shows a position, if its bout has a board or there is room for one.
    fn show_position(&mut self, bout: BoutId, round: Round, scene: &Arc<Scene>) {
        let boards = &mut self.snapshot.boards;
        let own = boards.iter().position(|board| board.bout == bout);
        let place = own.or_else(|| boards.iter().position(|board| board.is_over));
        let place = place.unwrap_or(boards.len());
        let shown = own.map(|place| &boards[place]);
        let known = shown.or_else(|| self.playing.iter().find(|known| known.bout == bout));
        let Some(known) = known.filter(|_| place < BOARDS) else { return };
        let board = Board { round, scene: Arc::clone(scene), ..known.clone() };
        match boards.get_mut(place) {
            Some(shown) => *shown = board,
            None => boards.push(board),
        }
    }

    /// Returns whether the newest position of a bout is wanted, for which there is a board or
    /// room for one, and whose last one is old enough.
    pub(crate) fn wants_position(&mut self, bout: BoutId, between: Duration) -> bool {
        let (boards, now) = (&self.snapshot.boards, Instant::now());
        let has_room =
            boards.len() < BOARDS || boards.iter().any(|board| board.is_over || board.bout == bout);
        let last = self.sampled.get(&bout);
        let is_due = last.is_none_or(|last| now.duration_since(*last) >= between);
        if has_room && is_due {
            self.sampled.insert(bout, now);
        }
        has_room && is_due
    }
}

impl Snapshot {
    /// Returns the state in a few words, with events as `titled` calls them by their ids; empty
    /// when it is unknown.
    pub(crate) fn line(&self, at: Instant, titled: impl Fn(&str) -> String) -> String {
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

    fn line(&self, at: Instant, titled: impl Fn(&str) -> String) -> String {
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
    use joust_model::{BoutPlan, BoutResult};
    use joust_testkit::fixtures;

    use super::*;

    fn scheduled(bouts: u64, finished: u64, round: Option<RoundState>) -> Notice {
        Notice::Scheduled { event: "league".to_owned(), bouts, finished, round }
    }

    fn id(number: u8) -> BoutId {
        BoutId([number; 8])
    }

    fn started(number: u8) -> Notice {
        let (plan, _) = fixtures::bout("league", ["ann", "bob"], 0);
        Notice::BoutStarted(Box::new(BoutPlan { bout: id(number), ..plan }))
    }

    fn finished(number: u8) -> Notice {
        let (_, result) = fixtures::bout("league", ["ann", "bob"], 0);
        Notice::BoutFinished(Box::new(BoutResult { bout: id(number), ..result }))
    }

    fn position(number: u8, round: u32) -> Notice {
        Notice::Position { bout: id(number), round: Round(round), scene: Arc::default() }
    }

    fn line(state: &RunState, at: Instant) -> String {
        state.snapshot.line(at, str::to_owned)
    }

    #[test]
    fn the_time_left_is_estimated_from_the_bouts_of_this_run() {
        let (mut state, began) = (RunState::new(RunPhase::Beginning), Instant::now());
        state.apply(&scheduled(10, 4, None), began);
        let at = began + Duration::from_secs(30);
        state.apply(&finished(1), at);
        assert_eq!(line(&state, at), "league: 5 of 10 bouts");
        state.apply(&finished(2), at);
        state.apply(&finished(3), at);
        assert_eq!(line(&state, at), "league: 7 of 10 bouts, about 30 s left");
    }

    #[test]
    fn an_event_that_goes_on_has_the_newest_figures() {
        let (mut state, began) = (RunState::new(RunPhase::Beginning), Instant::now());
        state.apply(&scheduled(10, 4, None), began);
        state.apply(&Notice::Waiting { bots: 2 }, began);
        assert_eq!(line(&state, began), "everything is played; waiting for bots");
        let round = Some(RoundState { open: 2, of: 7, is_over: false });
        state.apply(&scheduled(16, 10, round), began);
        assert_eq!(line(&state, began), "league, round 2 of 7: 10 of 16 bouts");
    }

    #[test]
    fn the_end_is_shown() {
        let mut state = RunState::new(RunPhase::Playing);
        let now = Instant::now();
        state.apply(&started(1), now);
        state.apply(&position(1, 0), now);
        assert_eq!(state.snapshot.boards.len(), 1);
        state.apply(&Notice::Closing, now);
        assert_eq!(line(&state, now), "the run is over");
        assert_eq!((state.snapshot.phase, state.snapshot.boards.len()), (RunPhase::Over, 0));
    }

    #[test]
    fn a_board_follows_a_bout_until_it_has_ended_and_another_needs_its_place() {
        let (mut state, now) = (RunState::default(), Instant::now());
        let shown = |state: &RunState| -> Vec<(u8, u32, bool)> {
            let boards = state.snapshot.boards.iter();
            boards.map(|board| (board.bout.0[0], board.round.0, board.is_over)).collect()
        };
        for number in 1..=5 {
            state.apply(&started(number), now);
            state.apply(&position(number, 0), now);
        }
        assert_eq!(shown(&state), [(1, 0, false), (2, 0, false), (3, 0, false), (4, 0, false)]);
        state.apply(&position(2, 7), now);
        state.apply(&finished(3), now);
        assert_eq!(shown(&state), [(1, 0, false), (2, 7, false), (3, 0, true), (4, 0, false)]);
        state.apply(&position(9, 1), now);
        assert_eq!(shown(&state)[2], (3, 0, true), "nobody has heard that it began");
        state.apply(&position(5, 9), now);
        assert_eq!(shown(&state)[2], (5, 9, false));
    }

    #[test]
    fn few_positions_are_taken_and_of_few_bouts() {
        let (mut state, now, minute) = (RunState::default(), Instant::now(), 60);
        let between = Duration::from_secs(minute);
        assert!(state.wants_position(id(1), between) && !state.wants_position(id(1), between));
        for number in 1..=4 {
            state.apply(&started(number), now);
            state.apply(&position(number, 0), now);
        }
        assert!(state.wants_position(id(2), between) && !state.wants_position(id(5), between));
        state.apply(&finished(1), now);
        assert!(state.wants_position(id(5), between));
    }
}
