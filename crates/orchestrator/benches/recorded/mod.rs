//! Bouts of BattleBots as a run records them, without a program being run.
//!
//! Two bots walk, shoot and drop mines at random, but take no step that hurts a bot within the next
//! rounds, so that bouts last to the end with all weapons in play. Their actions go through the
//! bout loop and its logs; times and memory are made up, and one answer in fifty is a fault.

mod script;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::{
    BotRow, BoutPlan, BoutResult, BuildHash, EventSettings, Exit, GameOptions, Limits, Mirror,
    Occupant, SeatPlan, SeatResult, Seed, Setting,
};
use joust_play::channel::{Answered, Channel, ChannelError, Request, Usage};
use joust_play::{NullObserver, Played, TurnBout, play};
use joust_referee::{Limit, Parts, Verdict};
use joust_store::{Access, Store, TournamentRow};
use joust_testkit::fixtures;

use script::Script;

type Done<T> = Result<T, Box<dyn Error>>;

/// Rounds of every bout.
pub(crate) const ROUNDS: u32 = 200;

pub(crate) const EVENT: &str = "battlebots";
/// Number of bouts that are played; those after them have their recordings under other names.
const JUDGED: u64 = 10_000;

/// Bouts stored together.
const GROUP: usize = 256;

/// Fills a new database with `bouts` bouts between `bots`.
pub(crate) async fn fill(path: &Path, bots: u64, bouts: u64) -> Done<()> {
    let store = Store::open(path, Access::CreateOrOpen).await?;
    store
        .put_tournament(&TournamentRow {
            name: "Bench".to_owned(),
            seed: Seed(7),
            seed_is_drawn: false,
        })
        .await?;
    store.put_event(&settings()).await?;
    let field: Vec<_> = (0..bots).map(bot).collect();
    store.put_bots(EVENT, &field).await?;
    let (mut group, mut judged) = (Vec::new(), Vec::new());
    for number in 0..bouts {
        let plan = plan(number, bots)?;
        let result = match judged.get(usize::try_from(number % JUDGED)?) {
            Some(result) => again(&plan, result),
            None => played(&plan)?,
        };
        if number < JUDGED && bouts > JUDGED {
            judged.push(result.clone());
        }
        group.push((plan, result));
        if group.len() == GROUP || number + 1 == bouts {
            store.put_bouts(&group).await?;
            group.clear();
        }
    }
    store.close().await;
    Ok(())
}

fn settings() -> EventSettings {
    EventSettings {
        game: EVENT.to_owned(),
        options: options(),
        mirror: Mirror::Off,
        ..fixtures::event(EVENT)
    }
}

fn options() -> GameOptions {
    GameOptions([("max_rounds".to_owned(), Setting::Int(i64::from(ROUNDS)))].into())
}

fn bot(number: u64) -> BotRow {
    BotRow {
        name: name(number),
        author: format!("author {}", number % 97),
        language: "python3".to_owned(),
        build: Some(build(number)),
        registration: u32::try_from(number).unwrap_or(u32::MAX),
        ..BotRow::default()
    }
}

fn name(number: u64) -> String {
    format!("bot-{number:04}")
}

fn build(number: u64) -> BuildHash {
    BuildHash::of("bench", &[&number.to_le_bytes()])
}

/// Returns the plan of bout `number`: each bot meets the next one, then the one after it, and so
/// on.
pub(crate) fn plan(number: u64, bots: u64) -> Done<BoutPlan> {
    let (one, other) = (number % bots, (number + 1 + number / bots % (bots - 1)) % bots);
    let seats =
        [one, other].map(|bot| SeatPlan { bot: name(bot), occupant: Occupant::Build(build(bot)) });
    Ok(BoutPlan {
        bout: BoutPlan::id("bench", EVENT, &["match"], u32::try_from(number)?),
        event: EVENT.to_owned(),
        game: EVENT.to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: options().into(),
        seed: Seed((number % JUDGED).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        match_number: number,
        number: 0,
        seats: seats.to_vec(),
        limits: Limits::default().into(),
        clock: None,
    })
}

/// Returns the result of a bout like one that was played.
fn again(plan: &BoutPlan, like: &BoutResult) -> BoutResult {
    let mut result = BoutResult { bout: plan.bout, key: plan.key(), ..like.clone() };
    for (seat, planned) in result.seats.iter_mut().zip(&plan.seats) {
        (seat.bot, seat.occupant) = (planned.bot.clone(), planned.occupant);
    }
    result
}

/// Plays a bout.
pub(crate) fn played(plan: &BoutPlan) -> Done<BoutResult> {
    let [one, other] = script::scripts(plan.seed.0, ROUNDS);
    let mut channels: Vec<Box<dyn Channel>> = vec![Box::new(Acting(one)), Box::new(Acting(other))];
    let game = joust_testkit::game(&plan.game);
    let table = TurnBout {
        game: &game,
        plan,
        channels: &mut channels,
        observer: &mut NullObserver,
        cancel: &Cancel::default(),
        processors: joust_play::Processors::ForEverySeat,
        programs: joust_model::ProgramLifetime::Bout,
    };
    let played = play(table)?;
    assert_eq!(played.outcome.rounds, ROUNDS, "a bout ended early");
    Ok(result(plan, &played))
}

fn result(plan: &BoutPlan, played: &Played) -> BoutResult {
    let seats = (0..plan.seats.len()).map(|seat| seat_result(plan, played, seat)).collect();
    BoutResult {
        ended: played.outcome.ended.to_string(),
        rounds: played.outcome.rounds,
        state_hash: played.state_hash.to_string(),
        machine: "bench".to_owned(),
        contended: played.ledger.contended,
        took: Duration::from_secs(6),
        action_log: played.ledger.action_log(),
        turn_log: played.ledger.turn_log(),
        ..fixtures::result(plan, plan.key(), seats)
    }
}

fn seat_result(plan: &BoutPlan, played: &Played, seat: usize) -> SeatResult {
    let (ledger, outcome) = (&played.ledger.seats[seat], played.outcome.seats.0[seat]);
    SeatResult {
        score: outcome.score,
        verdicts: ledger.verdicts,
        limits_hit: ledger.limits_hit,
        cpu: ledger.used.cpu,
        wall: ledger.used.wall,
        stall: ledger.used.stall,
        peak_memory_bytes: ledger.used.peak_memory_bytes,
        ..fixtures::seat(&plan.seats[seat], outcome.rank, 0)
    }
}

/// A seat that acts by its script.
struct Acting(Script);

impl Channel for Acting {
    fn ask(&mut self, _: &Request<'_>) -> Result<Answered, ChannelError> {
        let (lot, text) = self.0.next();
        let answer = Answered::with(Parts::single(text.as_bytes()));
        let mut answered = Answered { usage: usage(lot), output: text.into_bytes(), ..answer };
        match lot % 100 {
            0 => late(&mut answered),
            1 => failed(&mut answered),
            _ => {}
        }
        Ok(answered)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        Ok(())
    }
}

fn usage(lot: u32) -> Usage {
    let lot = u64::from(lot);
    Usage {
        wall: Duration::from_micros(12_000 + lot % 9_001),
        cpu: Duration::from_micros(9_000 + lot % 2_999),
        cpu_partial: false,
        stall: Duration::from_micros(lot % 97),
        peak_memory_bytes: (8 << 20) + (lot % 64) * 4096,
        is_cold_start: false,
    }
}

fn late(answered: &mut Answered) {
    answered.parts = Parts::none();
    answered.verdict = Verdict::Timeout;
    answered.limits_hit.insert(Limit::Wall);
    answered.exit = Exit::Killed;
    answered.usage.wall = Duration::from_secs(2);
    answered.output.clear();
}

fn failed(answered: &mut Answered) {
    answered.parts = Parts::none();
    answered.verdict = Verdict::ExitNonzero;
    answered.exit = Exit::Status(1);
    answered.stderr = b"Traceback (most recent call last):\n  File \"bot.py\", line 9, in \
        <module>\nIndexError: list index out of range\n"
        .to_vec();
}
