//! Findings of the gate.

use super::text::{MOST_ROWS, push, sentence, span};
use crate::candidate::{Answer, GateReport};
use crate::ci::report::Report;
use joust_model::counted;

/// Each bot that met the version it replaces.
pub(super) fn gates(report: &Report) -> String {
    let mut text = String::new();
    if !report.gates.is_empty() {
        text.push_str("\n### Is it stronger than what it replaces?\n\n");
    }
    for gate in report.gates.iter().take(MOST_ROWS) {
        push(&mut text, format_args!("- {} in {}: ", span(&gate.bot), span(&gate.event)));
        let [zero, one] = gate.test.elo;
        text.push_str(&match gate.test.answer {
            Answer::NotAsked => {
                format!("not asked: {}\n", sentence(gate.reason.as_deref().unwrap_or_default()))
            }
            Answer::Stronger => format!(
                "**yes**, it beats the version it replaces (H1, {one} normalised Elo, accepted); "
            ),
            Answer::Weaker => format!(
                "**no**, it is not stronger than the version it replaces (H0, {zero} normalised Elo, \
                 accepted); "
            ),
            Answer::Undecided => format!(
                "**not decided**, the two are too close for so many bouts (between {zero} and {one}); "
            ),
            Answer::Unfinished => format!(
                "**not decided yet**: the budget was used up; run the same command to continue \
                 (between {zero} and {one}); "
            ),
        });
        if gate.test.answer != Answer::NotAsked {
            text.push_str(&figures_of_gate(gate));
        }
    }
    text
}

fn figures_of_gate(gate: &GateReport) -> String {
    let ([lower, upper], [alpha, beta]) = (gate.test.bounds, gate.test.rates);
    let pairs: u64 = gate.classes.iter().sum();
    let classes = gate.classes.iter().zip(["0", "¼", "½", "¾", "1"]);
    let classes = classes.filter(|(count, _)| **count > 0);
    let classes: Vec<_> = classes.map(|(count, score)| format!("{count} × {score}")).collect();
    let mut text = format!(
        "LLR {:.2} [{lower:.2}, {upper:.2}] at error rates {alpha} and {beta} after {} that scored {}",
        gate.test.llr,
        counted(pairs, "mirror pair"),
        if classes.is_empty() { "nothing".to_owned() } else { classes.join(", ") }
    );
    if let Some([elo, low, high]) = gate.difference {
        push(&mut text, format_args!(", about {elo:+.0} Elo [{low:+.0}, {high:+.0}]"));
    }
    if let Some(superiority) = gate.superiority {
        push(&mut text, format_args!(", {:.1} % likely stronger", 100.0 * superiority));
    }
    push(
        &mut text,
        format_args!(
            ". {} recorded in `gate.db` as {}.\n",
            counted(gate.recorded, "bout"),
            span(&gate.gate_event)
        ),
    );
    text
}
