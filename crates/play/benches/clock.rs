//! Fairness of the clock.
//!
//! Without arguments: a bot that spins 10 ms by its own clock is never charged
//! less than that and seldom more; bots that print all the time are ended at
//! their limit. With `--busy`: a bot that uses 80 % of its limit never times out
//! while every core plays such bouts. `--turns N` sets how many turns.
//!
//! Ends with status 1 when a bar is missed. Figures mean something on a machine
//! that does nothing else.
//!
//! `scripts/bench clock [--busy] [--turns N]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod executed;
mod table;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use joust_model::{BoutPlan, Limits, TurnRecord, Verdict};
use joust_play::executor::{Delivery, Executor, Local, Sharing, available};
use joust_sandbox::affinity;

use joust_testkit::figures::number;

use table::{Bot, MOST_ROUNDS, Result, compile, equipment, percentile, plan, play};

/// Spins 10 ms by its own clock and says how long that was.
const EXACT: &str = "
void _start(void) {
    long start = now_ns(1);
    while (now_ns(1) - start < 10000000) { }
    long spent = now_ns(1) - start;
    say(spent);
    act();
    leave();
}";

/// Prints a byte every millisecond, for ever, that is for 5 s.
const CHATTY: &str = r#"
void _start(void) {
    for (int i = 0; i < 5000; i++) { call(1, 1, (long)"N", 1); nap_ns(1000000); }
    leave();
}"#;

/// Prints 4 KiB to standard error every half millisecond, for 5 s.
const LOUD: &str = "
static char text[4096];
void _start(void) {
    for (int i = 0; i < 10000; i++) { call(1, 2, (long)text, 4096); nap_ns(500000); }
    leave();
}";

/// Uses 80 ms of processor time.
const THINKER: &str = "
void _start(void) {
    while (now_ns(2) < 80000000) { }
    act();
    leave();
}";

const EXACT_TURNS: u32 = 10_000;
const BUSY_TURNS: u32 = 20_000;
const KILLED_TURNS: u32 = 60;
/// Most that 99 of 100 turns may be charged above their true time.
const MOST_ABOVE: Duration = Duration::from_millis(1);
/// Longest time after its limit at which a bot may be ended.
const LATEST_KILL: Duration = Duration::from_millis(20);
/// The limit of bots that never end.
const KILL: Duration = Duration::from_millis(50);

fn main() -> Result<ExitCode> {
    joust_sandbox::launcher::main_if_seat();
    let met = if std::env::args().any(|word| word == "--busy") { busy()? } else { idle()? };
    println!("{}", if met { "every bar is met" } else { "a bar is missed" });
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn idle() -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let exact = compile(folder.path(), "exact", EXACT)?;
    let chatty = compile(folder.path(), "chatty", CHATTY)?;
    let loud = compile(folder.path(), "loud", LOUD)?;
    let equipment = equipment(folder.path(), &[exact.clone(), chatty.clone(), loud.clone()])?;
    let core = *available().last().ok_or("there is no processor")?;
    affinity::pin_this_thread(&[core])?;
    let turns = number("--turns", EXACT_TURNS)?;
    let mut records = Vec::new();
    for bout in bouts([&exact, &exact], turns, &Limits::default()) {
        records.extend(play(&equipment, &bout, core)?);
    }
    let exact_met = report_exact(&records)?;
    let limits = Limits { cpu: KILL * 2, turn: KILL, kill: KILL, ..Limits::default() };
    let mut killed_met = true;
    for bot in [&chatty, &loud] {
        let bout = plan([bot, bot], 0, turns.min(KILLED_TURNS) / 2, &limits);
        killed_met &= report_killed(&bot.name, &play(&equipment, &bout, core)?);
    }
    Ok(exact_met && killed_met)
}

/// Bouts of together `turns` turns.
fn bouts(bots: [&Bot; 2], turns: u32, limits: &Limits) -> Vec<BoutPlan> {
    let mut left = turns.div_ceil(2);
    let mut bouts = Vec::new();
    while left > 0 {
        let rounds = left.min(MOST_ROUNDS);
        let number = u32::try_from(bouts.len()).unwrap_or(u32::MAX);
        bouts.push(plan(bots, number, rounds, limits));
        left -= rounds;
    }
    bouts
}

/// Compares what was charged with what each bot measured itself.
fn report_exact(records: &[TurnRecord]) -> Result<bool> {
    let mut above = Vec::new();
    let (mut below, mut stalled) = (0, 0);
    for record in records {
        let own_ns: u64 = std::str::from_utf8(&record.stderr)?.parse()?;
        let charged_ns = record.wall_us * 1000 + 999;
        below += u32::from(charged_ns < own_ns);
        above.push(charged_ns.saturating_sub(own_ns) / 1000);
        stalled += u32::from(record.stall_us > 1000);
    }
    above.sort_unstable();
    let (middle, most) = (percentile(&above, 50), percentile(&above, 99));
    println!("exact: {} turns of 10 ms by the bot's own clock", records.len());
    println!("  charged below the true time: {below} turns");
    println!(
        "  charged above it: p50 {middle} µs, p99 {most} µs, worst {} µs",
        percentile(&above, 100)
    );
    println!("  waited more than 1 ms for a processor: {stalled} turns");
    let met = below == 0 && u128::from(most) < MOST_ABOVE.as_micros();
    if !met && stalled > 0 {
        println!("  this machine was not idle");
    }
    Ok(met)
}

fn report_killed(name: &str, records: &[TurnRecord]) -> bool {
    let limit = u64::try_from(KILL.as_micros()).unwrap_or(u64::MAX);
    let mut late: Vec<_> =
        records.iter().map(|record| record.wall_us.saturating_sub(limit)).collect();
    late.sort_unstable();
    let timeouts = records.iter().filter(|record| record.verdict() == Verdict::Timeout).count();
    let worst = percentile(&late, 100);
    println!("{name}: {} turns, {timeouts} timeouts", records.len());
    println!("  ended after the limit: p50 {} µs, worst {worst} µs", percentile(&late, 50));
    timeouts == records.len() && u128::from(worst) <= LATEST_KILL.as_micros()
}

/// Every core plays bouts of bots that use 80 % of their limit.
fn busy() -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let thinker = compile(folder.path(), "thinker", THINKER)?;
    let equipment = Arc::new(equipment(folder.path(), std::slice::from_ref(&thinker))?);
    let executor = Local::new(equipment, None, Sharing::OneBotACore);
    let limits = Limits {
        cpu: Duration::from_millis(100),
        turn: Duration::from_millis(200),
        kill: Duration::from_millis(400),
        ..Limits::default()
    };
    let turns = number("--turns", BUSY_TURNS)?;
    // Short bouts, so that every core is busy to the end.
    let each = (turns / 40).clamp(2, 2 * MOST_ROUNDS);
    let plans =
        (0..turns.div_ceil(each)).map(|bout| plan([&thinker, &thinker], bout, each / 2, &limits));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let deliveries = runtime.block_on(executed::run(&executor, plans.collect()));
    report_busy(executor.parallel(), &deliveries)
}

fn report_busy(parallel: usize, deliveries: &[Delivery]) -> Result<bool> {
    let (mut turns, mut late, mut faults, mut contended) = (0, 0, 0, 0);
    let (mut cpu, mut wall, mut stall) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for delivery in deliveries {
        let result = delivery.result.as_ref().map_err(ToString::to_string)?;
        contended += u32::from(result.contended);
        for seat in &result.seats {
            turns += seat.verdicts.0.iter().sum::<u32>();
            late += seat.verdicts.of(Verdict::Timeout);
            faults += seat.verdicts.faults();
            cpu += seat.cpu;
            wall += seat.wall;
            stall += seat.stall;
        }
    }
    let each = |total: Duration| total.as_secs_f64() * 1e3 / f64::from(turns.max(1));
    println!("busy: {turns} turns of 80 ms of processor time, {parallel} bouts at once");
    println!(
        "  a turn: cpu {:.1} ms, wall {:.1} ms, stall {:.1} ms",
        each(cpu),
        each(wall),
        each(stall)
    );
    println!("  timeouts {late}, other faults {}, contended bouts {contended}", faults - late);
    Ok(faults == 0)
}
