//! A bout in words, for people.

use std::fmt::Write;

use joust_orchestrator::model::{SeatResult, StoredBout, counted, escaped};
use joust_orchestrator::report::json::{self, Turns};

use crate::error::Failure;
use crate::exit_code::Status;

/// Returns a bout as programs read it, with its turns if `turns`.
pub(super) fn json(stored: &StoredBout, turns: bool) -> Result<String, Failure> {
    let turns = if turns { Turns::Shown } else { Turns::Hidden };
    let bout =
        json::bout(stored, turns).map_err(|error| Failure::from_error(Status::Database, &error))?;
    Ok(json::pretty(&bout))
}

/// Returns the line that names a bout.
pub(super) fn headline(stored: &StoredBout) -> String {
    let plan = &stored.plan;
    let bots: Vec<_> = plan.seats.iter().map(|seat| escaped(&seat.bot)).collect();
    format!(
        "bout {} of {} ({}, rules {}, seed {}): {}\n",
        plan.bout,
        plan.event,
        plan.game,
        plan.rules,
        plan.seed,
        bots.join(" vs ")
    )
}

/// Returns how a bout ended, a line a seat.
pub(super) fn summary(stored: &StoredBout) -> String {
    let result = &stored.result;
    let mut text = format!(
        "{} after {}, state {}, tier {}{}{}\n",
        result.ended,
        counted(result.rounds, "round"),
        &result.state_hash[..result.state_hash.len().min(16)],
        result.tier,
        if result.contended { ", contended" } else { "" },
        if result.oversubscribed { ", oversubscribed" } else { "" },
    );
    for (number, seat) in result.seats.iter().enumerate() {
        text.push_str(&seat_line(number, seat, stored.plan.clock.is_some()));
    }
    text
}

fn seat_line(number: usize, seat: &SeatResult, is_on_a_clock: bool) -> String {
    let mut line = format!(
        "  seat {number}  {}  rank {}  score {}  cpu {} ms",
        escaped(&seat.bot),
        seat.rank,
        seat.score,
        seat.cpu.as_millis(),
    );
    // On a clock nobody waits for a client.
    if !(is_on_a_clock && seat.wall.is_zero()) {
        let _ = write!(line, "  wall {} ms", seat.wall.as_millis());
    }
    let _ = write!(line, "  peak {} KiB ", seat.peak_memory_bytes / 1024);
    for (verdict, count) in seat.verdicts.iter() {
        let _ = write!(line, " {verdict} {count}");
    }
    let limits: Vec<_> = seat.limits().iter().map(|limit| limit.name()).collect();
    if !limits.is_empty() {
        let _ = write!(line, "  limits hit: {}", limits.join(" "));
    }
    line.push('\n');
    line
}
