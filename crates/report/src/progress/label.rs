//! Labels of notices.

use std::path::Path;
use std::time::Duration;

use joust_model::notices::{EventEstimate, ExpectedTime, Notice};
use joust_model::{BoutPlan, RoundState, counted, escaped};

/// Returns the lines about something a person should know in any style:
/// warnings, bots that were lost, bouts that were voided.
pub fn describe_alarm(notice: &Notice) -> Option<String> {
    match notice {
        Notice::NotBuilt { bot, reason } => {
            let reason = indented(reason);
            Some(format!("not built: `{}`\n{reason}", escaped(bot)).trim_end().to_owned())
        }
        Notice::BoutVoided { bout, reason, attempt } => {
            Some(format!("voided: {} (try {attempt}): {}", name_of(bout), escaped(reason)))
        }
        Notice::BeingRead { database } => Some(format!("warning: {}", beside(database))),
        Notice::Warning(text) => Some(format!("warning: {}", lines(text).join("\n"))),
        _ => None,
    }
}

/// Returns what an event that begins is called, with the round that is played.
pub(super) fn titled(event: &str, round: Option<RoundState>) -> String {
    let event = escaped(event);
    match round {
        Some(RoundState { open, of, .. }) => format!("{event}, round {open} of {of}"),
        None => event,
    }
}

/// Names the files that belong to a database while it is read.
fn beside(database: &Path) -> String {
    let file = escaped(&database.display().to_string());
    format!(
        "somebody is reading `{file}`: its newest results are in `{file}-wal`, which belongs to it; \
         copy both, or run any command on it once nobody reads"
    )
}

/// Returns the line about what a run has to do: what is planned, what workers do, and whom it waits
/// for.
pub(super) fn describe_plan(notice: &Notice) -> Option<String> {
    match notice {
        Notice::Planned(estimate) => Some(planned(estimate)),
        Notice::Workers(text) => Some(text.clone()),
        Notice::Waiting { bots } => {
            let bots = counted(*bots as u64, "bot");
            Some(format!(
                "everything is played between {bots}; waiting for bots that come or change"
            ))
        }
        _ => None,
    }
}

fn planned(estimate: &EventEstimate) -> String {
    let EventEstimate { event, matches, bouts, time, .. } = estimate;
    let event = escaped(event);
    if *bouts == 0 {
        return format!("{event}: nothing to play");
    }
    let time = match time {
        ExpectedTime::Unknown => String::new(),
        ExpectedTime::Measured(time) => format!(", about {}", span(*time)),
        ExpectedTime::AtMost(time) => format!(", at most {}", span(*time)),
    };
    let (matches, bouts) = (counted(*matches, "match"), counted(*bouts, "bout"));
    format!("{event}: {matches}, {bouts} to play{time}")
}

/// Returns the line about what is being made ready for the bouts.
pub(super) fn describe_preparation(notice: &Notice) -> Option<String> {
    match notice {
        Notice::LibrariesStarted { language } => {
            Some(format!("fetching libraries for {}", escaped(language)))
        }
        Notice::BuildStarted { bot, number, of } => {
            Some(format!("building {number} of {of}: `{}`", escaped(bot)))
        }
        Notice::Calibrating { language, game } => {
            Some(format!("calibrating {} for {}", escaped(language), escaped(game)))
        }
        _ => None,
    }
}

/// Returns `ann - bob, bout 3`; numbers are counted from 1 for people.
pub(super) fn name_of(bout: &BoutPlan) -> String {
    format!("{}, bout {}", match_of(bout), u64::from(bout.number) + 1)
}

/// Returns the bots of a bout in the order of their names.
pub(super) fn match_of(bout: &BoutPlan) -> String {
    let mut bots: Vec<String> = bout.seats.iter().map(|seat| escaped(&seat.bot)).collect();
    bots.sort_unstable();
    bots.join(" - ")
}

/// Returns `3 s`, `4 min 10 s` or `2 h 5 min`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Progress of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgressRate {
    /// Bouts with a result.
    pub(super) finished: u64,
    /// Bouts that had one before this run.
    pub(super) before: u64,
    /// Bouts of the event.
    pub(super) bouts: u64,
    /// Time since playing began.
    pub(super) elapsed: Duration,
}

impl ProgressRate {
    /// Returns `9.5 per second, 4 min 10 s left`; nothing is known before the
    /// first bout.
    pub(super) fn text(self) -> String {
        let played = self.finished.saturating_sub(self.before);
        if played == 0 {
            return "rate not known yet".to_owned();
        }
        let rate = played as f64 / self.elapsed.as_secs_f64().max(0.001);
        let left = self.bouts.saturating_sub(self.finished) as f64 / rate;
        let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
        format!("{rate:.1} per second, {} left", span(left))
    }
}

fn indented(text: &str) -> String {
    lines(text).iter().map(|line| format!("  {line}\n")).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bot_supplied_is_escaped() {
        let notice = Notice::NotBuilt {
            bot: "evil\u{1b}[2J".to_owned(),
            reason: "line one\nline\ttwo\u{202e}".to_owned(),
        };
        let expected = "not built: `evil\\u{1b}[2J`\n  line one\n  line\\u{9}two\\u{202e}";
        assert_eq!(describe_alarm(&notice).unwrap(), expected);
    }

    #[test]
    fn bouts_of_an_earlier_run_do_not_count_for_the_rate() {
        let elapsed = Duration::from_secs(10);
        let pace = ProgressRate { finished: 1050, before: 1000, bouts: 2000, elapsed };
        assert_eq!(pace.text(), "5.0 per second, 3 min 10 s left");
        assert_eq!(ProgressRate { finished: 1000, ..pace }.text(), "rate not known yet");
    }

    #[test]
    fn spans_are_short() {
        assert_eq!(span(Duration::from_secs(9)), "9 s");
        assert_eq!(span(Duration::from_secs(250)), "4 min 10 s");
        assert_eq!(span(Duration::from_secs(7500)), "2 h 5 min");
    }
}
