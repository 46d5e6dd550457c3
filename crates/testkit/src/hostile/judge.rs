//! Judges one turn of a row by what was seen of it.

use joust_referee::{Limit, LimitSet, Verdict};

use super::{Observation, ProcessEnd, TestSite, Turn};

/// Returns everything that is wrong with a turn; nothing when it is as the
/// catalogue wants it.
pub fn judge(turn: &Turn, seen: &Observation, place: &TestSite) -> Vec<String> {
    let mut wrong = Vec::new();
    judge_verdict(turn, seen, &mut wrong);
    judge_limits(turn, seen, &mut wrong);
    judge_words(turn, seen, &mut wrong);
    if let Some((words, check)) = turn.check
        && let Err(reason) = check(seen, place)
    {
        wrong.push(format!("not so: {words}: {reason}"));
    }
    if seen.reached > 0 {
        wrong.push(format!("somebody outside was reached {} times", seen.reached));
    }
    wrong
}

fn judge_verdict(turn: &Turn, seen: &Observation, wrong: &mut Vec<String>) {
    if !turn.verdicts.contains(&seen.verdict) {
        let wanted: Vec<_> = turn.verdicts.iter().map(|verdict| verdict.name()).collect();
        let limits = names(seen.limits);
        wrong.push(format!(
            "verdict {} ({:?}, limits {limits}), not {}; stdout `{}`, stderr `{}`",
            seen.verdict,
            seen.ended,
            wanted.join(" or "),
            start(&seen.stdout),
            start(&seen.stderr),
        ));
    }
    if let Some(talk) = &turn.talk
        && !talk.answers.is_empty()
        && talk.answers != seen.answers
    {
        let (seen, wanted) = (list(&seen.answers), list(&talk.answers));
        wrong.push(format!("verdict of each request: {seen}, not {wanted}"));
    }
    if let Some(signal) = turn.signal
        && seen.ended != ProcessEnd::Signal(signal)
    {
        wrong.push(format!("ended {:?}, not by signal {signal}", seen.ended));
    }
}

fn list(verdicts: &[Verdict]) -> String {
    verdicts.iter().map(|verdict| verdict.name()).collect::<Vec<_>>().join(", ")
}

fn start(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(300)].escape_ascii().to_string()
}

fn names(limits: LimitSet) -> String {
    let names: Vec<_> = limits.iter().map(Limit::name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

/// Limits that a verdict speaks of.
fn implied(verdict: Verdict) -> &'static [Limit] {
    match verdict {
        Verdict::MemoryLimit => &[Limit::Memory],
        Verdict::OutputLimit => &[Limit::Stdout, Limit::Stderr, Limit::AnswerFile],
        Verdict::CpuLimit => &[Limit::Cpu],
        Verdict::Timeout => &[Limit::Wall],
        Verdict::DiskLimit => &[Limit::Disk, Limit::Files],
        _ => &[],
    }
}

fn judge_limits(turn: &Turn, seen: &Observation, wrong: &mut Vec<String>) {
    for limit in turn.hits.iter().filter(|limit| !seen.limits.contains(**limit)) {
        wrong.push(format!("limit {} was not touched", limit.name()));
    }
    let named = implied(seen.verdict);
    if !named.is_empty() && !named.iter().any(|limit| seen.limits.contains(*limit)) {
        wrong.push(format!("{} without its limit: {}", seen.verdict, names(seen.limits)));
    }
    let known = |limit: &Limit| {
        turn.hits.contains(limit) || turn.may_hit.contains(limit) || named.contains(limit)
    };
    for limit in seen.limits.iter().filter(|limit| !known(limit)) {
        wrong.push(format!("limit {} was touched", limit.name()));
    }
}

fn judge_words(turn: &Turn, seen: &Observation, wrong: &mut Vec<String>) {
    let said = seen.said();
    for line in turn.says.iter().filter(|line| !said.lines().any(|said| said == **line)) {
        wrong.push(format!("did not say `{line}`, but `{}`", start(&seen.stderr)));
    }
    let harmless = |deed: &str| {
        turn.may_do.iter().any(|allowed| deed.contains(allowed))
            || turn.says.iter().any(|line| line.strip_prefix("did ") == Some(deed))
    };
    for deed in said.lines().filter_map(|line| line.strip_prefix("did ")) {
        if !harmless(deed) {
            wrong.push(format!("it did {deed}"));
        }
    }
}
