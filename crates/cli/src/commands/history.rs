//! `joust history`: everything that was recorded of a bout.

use joust_model::{
    BoutId, DecisionRow, StoredBout, TurnLog, TurnRecord, UNASKED, UNJUDGED, escaped,
    escaped_bytes, is_referee_error,
};
use joust_report::format_timestamp;
use joust_report::json::Turns;
use joust_store::{Access, Change, HistoryRow, Store};
use serde_json::{Value, json};

use super::{bout, find, shared};
use crate::args::{BoutSelector, HistoryArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// All that was recorded of a bout.
struct AuditTrail {
    bout: BoutId,
    /// The current result; `None` when there is none.
    now: Option<StoredBout>,
    rows: Vec<HistoryRow>,
    decisions: Vec<DecisionRow>,
}

pub(super) async fn execute(args: HistoryArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.which.source, Access::ReadOnly, screen).await?;
    let trail = read(&store, &args.which, screen).await?;
    match args.output.format {
        TextFormat::Text => screen.result(&text(&trail)),
        TextFormat::Json => screen.result(&format!("{:#}\n", object(&trail)?)),
    }
    Ok(Status::Done)
}

async fn read(store: &Store, which: &BoutSelector, screen: Screen) -> Result<AuditTrail, Failure> {
    let (bout, now) = match &which.bout[..] {
        [id] => match (find::by_id(store, id).await?, store.bout_of_history(id).await?) {
            (Some(stored), _) => (stored.plan.bout, Some(stored)),
            (None, Some(bout)) => (bout, None),
            (None, None) => of_bots(store, which, screen).await?,
        },
        _ => of_bots(store, which, screen).await?,
    };
    let rows = store.history(bout).await?;
    let mut decisions = Vec::new();
    if let Some(stored) = newest(now.as_ref(), &rows) {
        let of_event = store.decisions(&stored.plan.event).await?;
        let sits = |row: &DecisionRow| stored.plan.seats.iter().any(|seat| seat.bot == row.bot);
        decisions = of_event.into_iter().filter(sits).collect();
    }
    Ok(AuditTrail { bout, now, rows, decisions })
}

/// Returns the result that stands, else the last one that did.
fn newest<'a>(now: Option<&'a StoredBout>, rows: &'a [HistoryRow]) -> Option<&'a StoredBout> {
    now.or_else(|| rows.iter().rev().find_map(|row| row.before.as_ref()))
}

async fn of_bots(
    store: &Store,
    which: &BoutSelector,
    screen: Screen,
) -> Result<(BoutId, Option<StoredBout>), Failure> {
    let stored = find::bout(store, which, screen).await?;
    Ok((stored.plan.bout, Some(stored)))
}

fn text(trail: &AuditTrail) -> String {
    let mut text = match newest(trail.now.as_ref(), &trail.rows) {
        Some(stored) => bout::headline(stored),
        None => format!("bout {}\n", trail.bout),
    };
    let mut lines: Vec<(i64, String)> = Vec::new();
    for row in &trail.rows {
        if let Some(before) = &row.before {
            lines.push((finished_at(before), format!("result\n{}", indented(before))));
        }
        lines.push((row.at, format!("{}: {}\n", what(row), quote_reason(&row.reason))));
    }
    if let Some(now) = &trail.now {
        let stands =
            if trail.rows.iter().any(|row| row.before.is_some()) { ", which stands" } else { "" };
        lines.push((finished_at(now), format!("result{stands}\n{}", indented(now))));
    }
    for row in &trail.decisions {
        let (bot, decision) = (escaped(&row.bot), row.decision.name());
        lines.push((row.at, format!("`{bot}` {decision}: {}\n", quote_reason(&row.reason))));
    }
    lines.sort_by_key(|(at, _)| *at);
    for (at, line) in lines {
        text += &format!("{}  {line}", format_timestamp(at));
    }
    text
}

/// Returns the name of a history entry in words.
fn what(row: &HistoryRow) -> &'static str {
    match row.change {
        Change::Amended => "amended, the result before is superseded",
        Change::Replaced => "replaced, the result before is superseded",
        Change::Voided => "a try was voided",
        Change::Rerun => "rerun",
    }
}

/// No line begins with a stranger's text.
fn quote_reason(reason: &str) -> String {
    reason.lines().map(escaped).collect::<Vec<_>>().join("\n                          | ")
}

fn indented(stored: &StoredBout) -> String {
    let result = &stored.result;
    let played =
        format!("on {} by joust {}\n", escaped(&result.machine), escaped(&result.joust_version));
    let lines = bout::summary(stored) + &played + &failed_at(stored);
    lines.lines().map(|line| format!("                      {line}\n")).collect()
}

/// Names the seats whose answers a referee has failed at, a line for each.
pub(super) fn failed_at(stored: &StoredBout) -> String {
    let line = |turn: &TurnRecord| {
        let bot = &stored.plan.seats[usize::from(turn.seat)].bot;
        let (round, seat, verdict) = (turn.round, turn.seat, turn.verdict());
        let (bot, answer) = (escaped(bot), escaped_bytes(&turn.output));
        let mut line = match turn.reason == UNASKED {
            true => format!("{UNASKED}\n"),
            false => {
                format!("{UNJUDGED}: round {round}, seat {seat}, `{bot}`, {verdict}, `{answer}`\n")
            }
        };
        if !turn.stderr.is_empty() {
            let said = String::from_utf8_lossy(&turn.stderr);
            said.lines().for_each(|words| line += &format!("| {}\n", escaped(words)));
        }
        line
    };
    unjudged(stored).iter().map(line).collect()
}

/// Returns the turns whose answers a referee has failed at.
fn unjudged(stored: &StoredBout) -> Vec<TurnRecord> {
    if !is_referee_error(&stored.result.ended) {
        return Vec::new();
    }
    let turns = TurnLog::read(&stored.result.turn_log).unwrap_or_default();
    let seats = stored.plan.seats.len();
    let is_one = |turn: &TurnRecord| {
        [UNJUDGED, UNASKED].contains(&&*turn.reason) && usize::from(turn.seat) < seats
    };
    turns.into_iter().filter(is_one).collect()
}

fn finished_at(stored: &StoredBout) -> i64 {
    let took = i64::try_from(stored.result.took.as_millis()).unwrap_or(0);
    stored.result.started_at.saturating_add(took)
}

fn object(trail: &AuditTrail) -> Result<Value, Failure> {
    let result = |stored: &StoredBout| -> Result<Value, Failure> {
        let mut bout = json!(bout::object(stored, Turns::Hidden)?);
        bout["finished"] = format_timestamp(finished_at(stored)).into();
        let failed_at = unjudged(stored);
        if !failed_at.is_empty() {
            let answer = |turn: &TurnRecord| {
                json!({
                    "round": turn.round, "seat": turn.seat,
                    "bot": stored.plan.seats[usize::from(turn.seat)].bot,
                    "verdict": turn.verdict().name(), "answer": escaped_bytes(&turn.output),
                    "stderr": escaped_bytes(&turn.stderr),
                })
            };
            bout["failed_at"] = failed_at.iter().map(answer).collect();
        }
        Ok(bout)
    };
    let mut history = Vec::new();
    for row in &trail.rows {
        history.push(json!({
            "change": row.change.name(), "reason": row.reason, "date": format_timestamp(row.at),
            "superseded": row.before.as_ref().map(result).transpose()?,
        }));
    }
    let decision = |row: &DecisionRow| {
        let name = row.decision.name();
        json!({ "bot": row.bot, "decision": name, "reason": row.reason, "date": format_timestamp(row.at) })
    };
    Ok(json!({
        "bout": trail.bout.to_string(),
        "result": trail.now.as_ref().map(result).transpose()?,
        "history": history,
        "decisions": trail.decisions.iter().map(decision).collect::<Vec<_>>(),
    }))
}
