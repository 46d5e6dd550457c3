//! Why a bot has no build, and what its faults were.

use super::text::{folded, plain, push, sentence, span};
use crate::ci::report::{BotReport, Fault, LastFault, Trial};
use joust_model::counted;
use joust_report::fenced;

/// Details for a bot's author beside the table.
pub(super) fn details(bot: &BotReport) -> String {
    let mut text = String::new();
    if let Some(fault) = &bot.not_built {
        text.push_str(&build_log(bot, fault));
    }
    let trial = bot.trial.as_ref().filter(|trial| trial.verdicts.faults() > 0);
    if let Some(trial) = trial {
        text.push_str(&last_words(bot, trial));
    }
    text
}

fn build_log(bot: &BotReport, fault: &Fault) -> String {
    let mut text = folded(&format!("Why {} has no build", plain(&bot.bot)));
    let mut reason = fault.reason.lines();
    // The log has what the other lines of the reason say.
    push(&mut text, format_args!("{}\n\n", sentence(reason.next().unwrap_or_default())));
    let lines: Vec<&str> = match fault.log.is_empty() {
        true => reason.collect(),
        false => fault.log.iter().map(String::as_str).collect(),
    };
    if !lines.is_empty() {
        text.push_str("The end of the build's log:\n\n");
        text.push_str(&fenced(&lines));
    }
    text.push_str("\n</details>\n");
    text
}

fn last_words(bot: &BotReport, trial: &Trial) -> String {
    let mut text = folded(&format!("Faults of {}", plain(&bot.bot)));
    let earned = trial.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
    push(
        &mut text,
        format_args!(
            "{}: {}.\n\n",
            counted(trial.turns, "turn"),
            earned.collect::<Vec<_>>().join(", ")
        ),
    );
    if let Some(LastFault { bout, round, verdict, reason, stderr }) = &trial.last_fault {
        push(
            &mut text,
            format_args!("The last: {verdict} in round {round} of bout {}", span(bout)),
        );
        if !reason.is_empty() {
            push(&mut text, format_args!(", {}", span(reason)));
        }
        text.push_str(".\n\n");
        if !stderr.is_empty() {
            text.push_str("The last it wrote to standard error:\n\n");
            text.push_str(&fenced(stderr));
        }
    }
    text.push_str("\n</details>\n");
    text
}
