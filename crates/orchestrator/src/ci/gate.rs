//! Is a bot's new version stronger than the one it replaces?
//!
//! The two meet in mirror pairs, which a sequential test looks at one after the
//! other in the order of their numbers, until it can tell. Pairs are played in
//! batches, so a few more may be recorded than counted; which of them count does
//! not depend on how many are played at once.
//!
//! The bouts are those of an event of their own, in a database of their own:
//! they are replayed, rerun and verified like any others, and count in no table.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::pipeline::{self, Cancel, Ended, Listener, RunError, RunOptions};
use joust_bots::BotSource;
use joust_config::{Event, Examples, Logs, Tournament};
use joust_model::{BoutSummary, BuildHash, ScheduleKind, Seats};
use joust_store::{Access, Store, StoreError};
use joust_tables::ratings::sprt::{Finding, Judgement, Running, Sprt};
use joust_tables::ratings::{Outcome, Pentanomial};

/// Mirror pairs of a batch.
const BATCH: u32 = 8;

/// Settings of the gate.
#[derive(Clone, Debug)]
pub struct GateSettings {
    /// The test, in normalised Elo.
    pub test: Sprt,
    /// Error rates: H1 accepted where H0 holds, and the reverse.
    pub rates: [f64; 2],
    /// The most mirror pairs that are played.
    pub most_pairs: u32,
    /// Database of the bouts.
    pub database: PathBuf,
}

/// Result of the gate for a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// The event the bot is of.
    pub event: String,
    /// The event its bouts are kept under.
    pub gate_event: String,
    /// The bot.
    pub bot: String,
    /// Answer.
    pub answer: Answer,
    /// Why nothing was found.
    pub reason: Option<String>,
    /// The log-likelihood ratio of H1 and H0.
    pub llr: f64,
    /// At the first and below H0 is accepted, at the second and above H1.
    pub bounds: [f64; 2],
    /// The differences of H0 and H1, normalised Elo.
    pub elo: [f64; 2],
    /// Error rates: H1 accepted where H0 holds, and the reverse.
    pub rates: [f64; 2],
    /// The mirror pairs that counted, by their score 0, ¼, ½, ¾ and 1.
    pub classes: [u64; 5],
    /// Bouts that are recorded, those that did not count included.
    pub recorded: u64,
    /// The difference as it shows, with the ends of its 95 % interval, logistic Elo.
    pub difference: Option<[f64; 3]>,
    /// Likelihood that the new version is the stronger one.
    pub superiority: Option<f64>,
}

/// Answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// H0: it is not stronger.
    Weaker,
    /// H1: it is stronger.
    Stronger,
    /// Neither, after as many pairs as there may be.
    Undecided,
    /// Neither yet: the budget was used up.
    Unfinished,
    /// Nothing was asked.
    NotAsked,
}

/// A bot that is to be compared with what it replaces.
pub(super) struct Duel<'a> {
    pub(super) tournament: &'a Tournament,
    pub(super) event: &'a Event,
    pub(super) now: BotSource,
    pub(super) key: BuildHash,
    pub(super) before: BotSource,
    pub(super) settings: &'a GateSettings,
    pub(super) options: &'a RunOptions,
    /// End of the budget.
    pub(super) until: Option<Instant>,
}

impl Duel<'_> {
    /// Plays until the test can tell.
    pub(super) async fn fight(
        &self,
        listener: &Arc<dyn Listener>,
        cancel: &Cancel,
    ) -> Result<(GateReport, Ended), RunError> {
        let name = self.now.name().to_owned();
        let mut before = self.before.clone();
        before.manifest.name = format!("{name} (base)");
        let most = self.settings.most_pairs.max(1);
        let mut pairs = 0;
        loop {
            pairs = (pairs + BATCH).min(most);
            let tournament = self.stage(pairs);
            let field = vec![vec![self.now.clone(), before.clone()]];
            let options = self.options();
            let run =
                pipeline::run_with(&tournament, &options, field, listener.clone(), cancel.clone())
                    .await?;
            let failed = run.events.iter().flat_map(|event| &event.failed).next();
            if let Some((bot, _)) = failed {
                let whose = if *bot == name { "it" } else { "the version it replaces" };
                let reason = format!("{whose} cannot be built");
                return Ok((self.not_asked(&name, reason), run.ended));
            }
            let (test, recorded) = self.judge(&tournament, &name).await?;
            let decided = test.judgement().finding != Finding::Undecided;
            if decided || run.ended != Ended::Complete || pairs == most {
                let mut report = self.report(&name, &test, recorded);
                if !decided && run.ended == Ended::BudgetUsedUp {
                    report.answer = Answer::Unfinished;
                }
                return Ok((report, run.ended));
            }
        }
    }

    /// A tournament of the two, with `pairs` mirror pairs.
    fn stage(&self, pairs: u32) -> Tournament {
        let mut event = self.event.clone();
        event.id = self.id();
        event.players_per_match = 2;
        event.bouts = pairs * 2;
        event.mirror = true;
        event.seats = Seats::Drawn;
        event.schedule = ScheduleKind::RoundRobin;
        event.deadline = None;
        event.examples = Examples::Keep;
        event.logs = Logs::All;
        let mut tournament = self.tournament.clone();
        tournament.events = vec![event];
        tournament.database.clone_from(&self.settings.database);
        tournament
    }

    /// The version is part of it, so that another one draws other seeds.
    fn id(&self) -> String {
        let version = self.key.to_string();
        format!("gate-{}-{}-{}", self.event.id, self.now.name(), &version[..8])
    }

    fn options(&self) -> RunOptions {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        RunOptions {
            events: Vec::new(),
            shard: None,
            budget: self.until.map(|until| left(until).max(Duration::from_millis(1))),
            ..self.options.clone()
        }
    }

    /// Gives the recorded pairs to the test, in the order of their numbers.
    async fn judge(
        &self,
        tournament: &Tournament,
        name: &str,
    ) -> Result<(Running, u64), StoreError> {
        let store = Store::open(&tournament.database, Access::ReadOnly).await?;
        let mut bouts = store.results(&self.id()).await?;
        store.close().await;
        bouts.sort_by_key(|bout| bout.number);
        let mut test = Running::new(self.settings.test);
        for (number, pair) in bouts.chunks(2).enumerate() {
            let Some([one, other]) = outcomes(pair, number, name) else { break };
            test.add(one, other);
        }
        Ok((test, bouts.len() as u64))
    }

    fn report(&self, name: &str, test: &Running, recorded: u64) -> GateReport {
        let Judgement { llr, bounds, finding } = test.judgement();
        let estimate = test.estimate();
        GateReport {
            event: self.event.id.clone(),
            gate_event: self.id(),
            bot: name.to_owned(),
            answer: match finding {
                Finding::H0 => Answer::Weaker,
                Finding::H1 => Answer::Stronger,
                Finding::Undecided => Answer::Undecided,
            },
            reason: None,
            llr,
            bounds: [bounds.lower, bounds.upper],
            elo: self.settings.test.elo(),
            rates: self.settings.rates,
            classes: test.pairs().classes(),
            recorded,
            difference: estimate.map(|found| [found.elo, found.interval[0], found.interval[1]]),
            superiority: estimate.map(|found| found.superiority),
        }
    }

    /// Returns the report of a duel that there was no time for.
    pub(super) fn unbegun(&self) -> GateReport {
        let nothing = Running::new(self.settings.test);
        let report = self.report(self.now.name(), &nothing, 0);
        GateReport { answer: Answer::Unfinished, ..report }
    }

    fn not_asked(&self, name: &str, reason: String) -> GateReport {
        let nothing = Running::new(self.settings.test);
        GateReport {
            answer: Answer::NotAsked,
            reason: Some(reason),
            difference: None,
            superiority: None,
            classes: Pentanomial::default().classes(),
            ..self.report(name, &nothing, 0)
        }
    }
}

/// Returns the two outcomes of pair `number`; `None` when one is missing.
fn outcomes(pair: &[BoutSummary], number: usize, name: &str) -> Option<[Outcome; 2]> {
    let [one, other] = pair else { return None };
    let first = u32::try_from(number * 2).ok()?;
    let is_pair = one.number == first && other.number == first + 1 && one.seed == other.seed;
    is_pair.then_some(())?;
    Some([Outcome::of(one, name)?, Outcome::of(other, name)?])
}
