//! T01 to T12: time burnt, slept through and tampered with.

use std::time::Duration;

use joust_referee::Limit::Wall;
use joust_referee::Verdict::{CpuLimit, Ok as Answered, Timeout};

use crate::hostile::row::{ExpectedEnd, Row, Setting, behaves, ends, row, says, script};
use crate::hostile::{Observation, TestSite};
use crate::time_scale::scaled;

const PARTIAL_TIME: &str = "processor time of orphans is counted when they end";

pub(super) fn rows() -> Vec<Row> {
    [burnt(), slept(), self_made_stalls(), tampered()].concat()
}

/// Recorded processor time is within 100 ms of the limit.
fn near_the_limit(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let slack = scaled(Duration::from_millis(100));
    let (used, limit) = (seen.cpu, seen.allowed.cpu);
    if used + slack >= limit && used <= limit + slack { Ok(()) } else { Err(format!("{used:?}")) }
}

fn burnt() -> Vec<Row> {
    let spends = |ms| ends(ExpectedEnd::Never).at_least("cpu_ms", ms);
    vec![
        row("T01")
            .then(
                behaves("burn")
                    .earns(&[CpuLimit])
                    .check("recorded time is within 100 ms of the limit", near_the_limit),
            )
            .control(spends(400)),
        row("T01-python").then(script("busy.py").earns(&[CpuLimit])).control(spends(400)),
        row("T05").then(behaves("burn_in_threads").earns(&[CpuLimit])).control(spends(400)),
        row("T06")
            .then(behaves("burn_in_children").earns(&[CpuLimit]))
            .control(spends(400))
            .partial("BC", PARTIAL_TIME, Timeout),
        row("T06-unseen")
            .then(behaves("burn_unseen").earns(&[CpuLimit]))
            .control(
                ends(ExpectedEnd::Never).saying(&["did burn in children that nobody waits for"]),
            )
            // For kernels that forbid counting.
            .partial("BC", PARTIAL_TIME, Timeout),
        row("T07")
            .then(behaves("leave_burner"))
            .then(behaves("look_for_processes"))
            .control(ends(ExpectedEnd::Status(0)).at_least("left", 1).saying(&["did see process"])),
        row("T12")
            .then(behaves("leave_burner"))
            .then(behaves("nap_and_answer").with("50").check(
                "nobody else used the time",
                |seen, _| {
                    if seen.cpu < scaled(Duration::from_millis(40)) {
                        Ok(())
                    } else {
                        Err(format!("{:?}", seen.cpu))
                    }
                },
            ))
            .control(ends(ExpectedEnd::Status(0)).at_least("cpu_ms", 40)),
    ]
}

fn slept() -> Vec<Row> {
    let long = Duration::from_secs(1);
    vec![
        row("T02")
            .then(behaves("nap").earns(&[Timeout]).check("hardly any processor time", |seen, _| {
                if seen.cpu < scaled(Duration::from_millis(40)) {
                    Ok(())
                } else {
                    Err(format!("{:?}", seen.cpu))
                }
            }))
            .control(ends(ExpectedEnd::Never)),
        row("T03")
            .then(behaves("nap_and_answer").with("950").within(long).may_hit(&[Wall]))
            .control(ends(ExpectedEnd::Status(0)).at_least("wall_ms", 950)),
        row("T04")
            .then(
                behaves("nap_and_answer")
                    .with("397")
                    .earns(&[Answered, Timeout])
                    .check("the verdict follows the time", follows_the_time),
            )
            .then(
                behaves("nap_and_answer")
                    .with("403")
                    .earns(&[Answered, Timeout])
                    .check("the verdict follows the time", follows_the_time),
            )
            .control(ends(ExpectedEnd::Status(0)).at_least("wall_ms", 400)),
    ]
}

/// Checks the times of a turn from which the time of the machine may have been taken off.
fn follows_the_time(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let latest = seen.allowed.turn + 2 * seen.stall;
    let follows = match seen.verdict {
        Answered => seen.wall <= latest,
        _ => seen.wall > seen.allowed.turn,
    };
    if follows { Ok(()) } else { Err(format!("{} after {:?}", seen.verdict, seen.wall)) }
}

/// A stall that a program makes itself buys it no time.
fn gained_nothing(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let latest = seen.allowed.turn + scaled(Duration::from_millis(60));
    // The suite itself is not alone on the machine.
    if seen.wall <= latest + 2 * seen.stall && seen.stall <= seen.allowed.turn / 2 {
        return Ok(());
    }
    Err(format!("{:?} with a stall of {:?}", seen.wall, seen.stall))
}

fn self_made_stalls() -> Vec<Row> {
    let late = |behaviour| {
        let turn = behaves(behaviour).earns(&[Timeout]);
        turn.check("it gained no time", gained_nothing)
    };
    vec![
        row("T02-queue").then(late("queue_in_threads")).control(ends(ExpectedEnd::Never)),
        row("T02-stopped").then(late("stop_a_child")).control(ends(ExpectedEnd::Never)),
    ]
}

fn tampered() -> Vec<Row> {
    vec![
        row("T10")
            .with(Setting::RootControl)
            .then(
                behaves("tamper_with_clocks")
                    .earns(&[CpuLimit])
                    .check("recorded time is within 100 ms of the limit", near_the_limit),
            )
            .control(says(&["did have the right to set the clock"]).at_least("cpu_ms", 400)),
        row("T11")
            .with(Setting::RootControl)
            .then(behaves("grab_processor"))
            .control(says(&["did raise priority", "did enter the real-time class"])),
    ]
}
