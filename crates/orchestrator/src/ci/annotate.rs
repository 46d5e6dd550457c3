//! Annotations: log lines that GitHub shows beside the file that they concern.
//!
//! A runner interprets commands in any log line, so these lines consist of our own words only. Text
//! from a bot is escaped twice in them, once as everywhere and once as workflow commands require.

use std::path::Path;

use super::report::{BotState, ChangeReport};
use crate::candidate::TestAnswer;
use joust_model::escaped;

/// The longest message, characters.
const LONGEST: usize = 800;

/// Most lines; GitHub shows ten of a step.
const MOST: usize = 100;

/// Returns one workflow command for every refusal, problem and bot that failed,
/// each on a line of its own, of at most 100 of them.
pub fn annotations(report: &ChangeReport) -> Vec<String> {
    let refusals = report.refusals.iter().map(|refusal| {
        let bot = refusal.bot.as_ref().map(|bot| format!("`{bot}`: ")).unwrap_or_default();
        let message = format!("{bot}{}", refusal.reason);
        command("error", refusal.file.as_deref(), [None; 2], "Refused", &message)
    });
    let problems = report.problems.iter().map(|problem| {
        let place = [problem.line, problem.column];
        command("error", Some(&problem.file), place, "Not a bot", &problem.message)
    });
    let bots = report.events.iter().flat_map(|event| &event.bots);
    let failed = bots.filter_map(|bot| {
        if let Some(fault) = &bot.not_built {
            let file = fault.file.as_deref().or(bot.path.as_deref());
            let reason = fault.reason.lines().next().unwrap_or_default();
            let message = format!("`{}`: {}: {reason}", bot.bot, fault.word);
            return Some(command("error", file, [fault.line, None], "Not built", &message));
        }
        let trial = bot.trial.as_ref()?;
        let level = match bot.state {
            BotState::Fine => return None,
            BotState::PlaysWithFaults => "warning",
            BotState::Broken => "error",
        };
        let share = trial.faults_percent;
        let message = format!("`{}`: {share:.1} % of its turns earned a fault", bot.bot);
        Some(command(level, bot.path.as_deref(), [None; 2], "Faults", &message))
    });
    let weaker =
        report.gates.iter().filter(|gate| gate.test.answer == TestAnswer::Weaker).map(|gate| {
            let mut bots = report.events.iter().flat_map(|event| &event.bots);
            let path = bots.find(|bot| bot.bot == gate.bot).and_then(|bot| bot.path.as_deref());
            let message = format!("`{}` is not stronger than the version it replaces", gate.bot);
            command("error", path, [None; 2], "Weaker", &message)
        });
    refusals.chain(problems).chain(failed).chain(weaker).take(MOST).collect()
}

/// Returns a workflow command; `place` is a line and a column, from 1.
fn command(
    level: &str,
    file: Option<&Path>,
    place: [Option<usize>; 2],
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some(file) = file {
        properties.push(format!("file={}", property(&file.to_string_lossy())));
    }
    for (name, number) in ["line", "col"].iter().zip(place) {
        properties.extend(number.map(|number| format!("{name}={number}")));
    }
    properties.push(format!("title={}", property(title)));
    let message: String = escaped(message).chars().take(LONGEST).collect();
    format!("::{level} {}::{}", properties.join(","), data(&message))
}

/// Escapes a message for a workflow command.
fn data(text: &str) -> String {
    escaped(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property for a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_stays_in_its_place() {
        let file = Path::new("bots/a,line=1::x\n::set-output name=a::b/bot.yaml");
        let message = "bad\r\n::error::forged %0A##[error]x\u{1b}[2J";
        let line = command("error", Some(file), [Some(3), Some(7)], "Not a bot", message);
        assert_eq!(
            line,
            "::error file=bots/a%2Cline=1%3A%3Ax\\u{a}%3A%3Aset-output name=a%3A%3Ab/bot.yaml,line=3,col=7,\
             title=Not a bot::bad\\u{d}\\u{a}::error::forged %250A\\u{23}#[error]x\\u{1b}[2J"
        );
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn a_message_of_any_length_is_cut() {
        let line = command("error", None, [None; 2], "Faults", &"x".repeat(1_000_000));
        assert!(line.len() < 1000, "{}", line.len());
    }
}
