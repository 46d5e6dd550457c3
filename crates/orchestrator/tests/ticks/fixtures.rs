//! Bots that are functions, and bouts of the dungeon between them.

use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::recorded_inputs;
use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, ClockMode, Exit, GameOptions, Limits, Occupant,
    SeatPlan, SeatResult, Seed, Setting, StoredBout, TurnLog, TurnRecord,
};
use joust_orchestrator::dispute::verify;
use joust_play::channel::live::{Event, LiveChannel};
use joust_play::channel::{Answered, LimitMode};
use joust_play::{ClockBout, NullObserver, Played, Processors, play_live};
use joust_referee::{Catalogue, Part, Parts, RequestId, Verdict};
use joust_testkit::{fixtures, game};

use crate::scripted::{Script, ScriptedLive};

pub(crate) const NOW: Duration = Duration::ZERO;

/// A bout of the dungeon.
pub(crate) struct Dungeon {
    pub(crate) pace: ClockMode,
    pub(crate) tick_ms: u32,
    pub(crate) iterations: u32,
    pub(crate) limits: Limits,
    pub(crate) processors: Processors,
}

impl Default for Dungeon {
    fn default() -> Self {
        Self {
            pace: ClockMode::Eager,
            tick_ms: 2_000,
            iterations: 20,
            limits: Limits::default(),
            processors: Processors::ForEverySeat,
        }
    }
}

impl Dungeon {
    pub(crate) fn plan(&self) -> BoutPlan {
        let options = [
            ("tick_ms".to_owned(), Setting::Int(self.tick_ms.into())),
            ("max_iterations".to_owned(), Setting::Int(self.iterations.into())),
        ];
        let seat = |name: &str| SeatPlan {
            bot: name.to_owned(),
            occupant: Occupant::Build(BuildHash([7; 32])),
        };
        BoutPlan {
            bout: BoutId([1; 8]),
            event: "dungeon".to_owned(),
            game: "coderone-dungeon".to_owned(),
            revision: game("coderone-dungeon").spec().revision,
            referee: None,
            rules: "original".to_owned(),
            options: GameOptions(options.into_iter().collect()).into(),
            seed: Seed(2026),
            match_number: 0,
            number: 0,
            seats: vec![seat("anna"), seat("bert")],
            limits: self.limits.clone().into(),
            clock: Some(self.pace),
        }
    }

    pub(crate) fn play(&self, bots: [ScriptedLive; 2]) -> Bout {
        self.play_with(bots, None)
    }

    /// Plays it as the record has it.
    pub(crate) fn again(&self, bots: [ScriptedLive; 2], recorded: &Bout) -> Bout {
        self.play_with(bots, Some(&recorded.stored.result.action_log))
    }

    fn play_with(&self, bots: [ScriptedLive; 2], recorded: Option<&[u8]>) -> Bout {
        let plan = self.plan();
        let mut channels: Vec<Box<dyn LiveChannel>> =
            bots.into_iter().map(|bot| Box::new(bot) as Box<dyn LiveChannel>).collect();
        let played = play_live(ClockBout {
            game: &game(&plan.game),
            plan: &plan,
            channels: &mut channels,
            observer: &mut NullObserver,
            cancel: &Cancel::default(),
            limit_mode: LimitMode::Configured,
            processors: self.processors,
            recorded: recorded.map(|log| recorded_inputs(log).expect("a sound log")),
        });
        Bout::new(plan, &played.expect("the bout is played to its end"))
    }
}

/// A bout that was played, as it would be stored.
pub(crate) struct Bout {
    pub(crate) stored: StoredBout,
    pub(crate) turns: Vec<TurnRecord>,
}

impl Bout {
    pub(crate) fn new(plan: BoutPlan, played: &Played) -> Self {
        let seat = |(index, seat): (usize, &SeatPlan)| {
            let (ledger, outcome) = (&played.ledger.seats[index], played.outcome.seats.0[index]);
            SeatResult {
                score: outcome.score,
                verdicts: ledger.verdicts,
                limits_hit: ledger.limits_hit,
                cpu: ledger.used.cpu,
                wall: ledger.used.wall,
                stall: ledger.used.stall,
                peak_memory_bytes: ledger.used.peak_memory_bytes,
                ticks_idle: ledger.ticks_idle,
                answers_late: ledger.answers_late,
                cold_starts: ledger.cold_starts,
                ..fixtures::seat(seat, outcome.rank, 0)
            }
        };
        let seats = plan.seats.iter().enumerate().map(seat).collect();
        let result = BoutResult {
            ended: played.outcome.ended.to_string(),
            rounds: played.outcome.rounds,
            state_hash: played.state_hash.to_string(),
            contended: played.ledger.contended,
            ticks_late: played.ledger.ticks_late,
            took: played.took,
            action_log: played.ledger.action_log(),
            turn_log: played.ledger.turn_log(),
            ..fixtures::result(&plan, plan.key(), seats)
        };
        let turns = TurnLog::read(&result.turn_log).expect("a sound log");
        let bout = Self { stored: StoredBout { plan, result }, turns };
        assert_eq!(
            verify(&Catalogue::built_in(), &bout.stored).expect("it can be judged"),
            [],
            "every bout is sound"
        );
        bout
    }

    pub(crate) fn seat(&self, index: usize) -> &SeatResult {
        &self.stored.result.seats[index]
    }

    pub(crate) fn count(&self, index: usize, verdict: Verdict) -> u32 {
        self.seat(index).verdicts.of(verdict)
    }

    /// Every verdict of a seat that is not `ok`, with its round.
    pub(crate) fn faults(&self, index: u8) -> Vec<(u32, Verdict)> {
        let own = self.turns.iter().filter(|turn| turn.seat == index);
        own.filter(|turn| !turn.verdict().is_ok())
            .map(|turn| (turn.round.0, turn.verdict()))
            .collect()
    }

    /// The actions of a seat, tick by tick.
    pub(crate) fn actions(&self, index: u8) -> Vec<String> {
        let own = self.turns.iter().filter(|turn| turn.seat == index);
        own.map(|turn| turn.action.clone()).collect()
    }
}

pub(crate) fn bot(
    script: impl FnMut(RequestId, &Parts) -> Vec<(Duration, Event)> + Send + 'static,
) -> ScriptedLive {
    ScriptedLive::new(Some(NOW), Box::new(script) as Script)
}

/// Returns the answer of an agent's host for the text `word`.
pub(crate) fn answer(request: RequestId, word: &str) -> Event {
    let part = Part { name: "str".into(), bytes: word.as_bytes().into() };
    Event::Answer { request, parts: Parts(vec![part]) }
}

/// Answers at once, going round and round.
pub(crate) fn instant() -> ScriptedLive {
    slow(NOW)
}

/// Answers each request after a while.
pub(crate) fn slow(after: Duration) -> ScriptedLive {
    let mut words = ["u", "r", "d", "l", "p"].into_iter().cycle();
    bot(move |request, _| vec![(after, answer(request, words.next().unwrap_or("u")))])
}

/// Returns a bot that gives no answer.
pub(crate) fn silent() -> ScriptedLive {
    bot(|_, _| Vec::new())
}

/// Returns the end of a program that crashes.
pub(crate) fn crash() -> Event {
    let crashed = Answered { exit: Exit::Signal(11), ..Answered::fault(Verdict::Crash, "") };
    Event::Ended(Box::new(Answered { stderr: b"a trace".to_vec(), ..crashed }))
}
