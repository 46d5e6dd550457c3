//! Control of a row: runs its programs without the sandbox, where they can do no harm, and
//! checks that they do what their line says, so that a harmless program does not pass.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use super::row::{ExpectedEnd, Setting, SiteSecret};
use super::{Meanwhile, Programs, Row, TestSite, arguments};
use crate::time_scale::scaled;

/// Time for a program that does not end by itself, where the machine is not busy.
pub const LIMIT: Duration = Duration::from_millis(1500);

/// Observation without the sandbox.
#[derive(Clone, Debug)]
pub struct ControlObservation {
    ended: ControlEnd,
    figures: BTreeMap<String, u64>,
    stdout: Vec<u8>,
    stderr: String,
    reached: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ControlEnd {
    Running,
    Status(i32),
    Signal(i32),
}

/// Returns the command that runs the control of `row` at `place`, whose
/// `program` folder the programs may damage; they are ended after `limit`.
pub fn command(row: &Row, place: &TestSite, programs: &Programs, limit: Duration) -> Process {
    let shared_network = row.turns.iter().any(|turn| turn.meanwhile.is_some())
        || row.line().starts_with('N') && row.line() < "N05";
    let mut process = Process::new(&programs.stage);
    if row.setting.contains(&Setting::OddProcess) {
        process.arg("odd-process");
    }
    process
        .arg("--")
        .arg(&programs.control)
        .arg(&place.host)
        .arg(scaled(limit).as_millis().to_string())
        .arg(if shared_network { "keep-net" } else { "own-net" })
        .arg("--")
        .args(words(row, place))
        .env_clear()
        .env("SCRATCH", place.host.join("scratch"))
        .env("PROGRAM", &place.program)
        .env("RUN", &place.run)
        .env("JOUST_TEST_SECRET", &place.secret)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    process
}

fn words(row: &Row, place: &TestSite) -> Vec<OsString> {
    let mut words = Vec::new();
    for turn in &row.turns {
        if !words.is_empty() {
            words.push("--then--".into());
        }
        if let Some(talk) = &turn.talk {
            words.extend(talk.control_words(place));
        }
        words.extend(arguments(&turn.command, &place.program, place));
    }
    words
}

/// Returns the attempt from outside while the row's programs run.
pub fn meanwhile(row: &Row) -> Option<Meanwhile> {
    row.turns.iter().find_map(|turn| turn.meanwhile)
}

/// Reads what the control left in `host`; `reached` is how often the test
/// got through from outside meanwhile.
///
/// # Errors
///
/// When a file is missing or its report makes no sense.
pub fn read(host: &Path, reached: u32) -> io::Result<ControlObservation> {
    let report = std::fs::read_to_string(host.join("report"))?;
    let (ended, figures) = read_report(&report)?;
    Ok(ControlObservation {
        ended,
        figures,
        stdout: std::fs::read(host.join("out"))?,
        stderr: String::from_utf8_lossy(&std::fs::read(host.join("err"))?).into_owned(),
        reached,
    })
}

/// Reads a report. Later turns overwrite earlier ones, except for figures that grow.
fn read_report(report: &str) -> io::Result<(ControlEnd, BTreeMap<String, u64>)> {
    let mut figures = BTreeMap::new();
    let mut ended = None;
    for line in report.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["ended", "running"] => ended = Some(ControlEnd::Running),
            ["ended", "status", number] => ended = number.parse().ok().map(ControlEnd::Status),
            ["ended", "signal", number] => ended = number.parse().ok().map(ControlEnd::Signal),
            ["state", state] => grow(&mut figures, "stopped", u64::from(*state == "T")),
            [name @ ("bystander" | "parent"), value] => shrink(&mut figures, name, number(value)),
            [name, value] => grow(&mut figures, name, number(value)),
            _ => return Err(io::Error::other(format!("`{line}` in the control's report"))),
        }
    }
    let ended = ended.ok_or_else(|| io::Error::other("the control's report has no end"))?;
    Ok((ended, figures))
}

fn number(value: &str) -> u64 {
    value.parse().unwrap_or(0)
}

fn grow(figures: &mut BTreeMap<String, u64>, name: &str, value: u64) {
    let kept = figures.entry(name.to_owned()).or_default();
    *kept = value.max(*kept);
}

fn shrink(figures: &mut BTreeMap<String, u64>, name: &str, value: u64) {
    let kept = figures.entry(name.to_owned()).or_insert(value);
    *kept = value.min(*kept);
}

/// Judges that the kernel would not even start the control.
pub fn judge_refusal(row: &Row, error: &io::Error) -> Vec<String> {
    let wanted = row.control.ends;
    if wanted == error.raw_os_error().map(ExpectedEnd::Refused) {
        return vec![];
    }
    vec![format!("control: {error}")]
}

/// Returns what the programs did not do that their line says they do.
pub fn judge(row: &Row, seen: &ControlObservation, place: &TestSite) -> Vec<String> {
    let control = &row.control;
    let mut wrong = Vec::new();
    if let Some(ends) = control.ends
        && !has_ended(ends, seen.ended)
    {
        wrong.push(format!("ended {:?}, not {ends:?}", seen.ended));
    }
    for line in control.says.iter().filter(|line| !seen.stderr.contains(**line)) {
        wrong.push(format!("did not say `{line}`, but `{}`", start(&seen.stderr)));
    }
    for secret in
        control.reveals.iter().filter(|secret| !seen.stderr.contains(&text(**secret, place)))
    {
        wrong.push(format!("did not tell the {secret:?}"));
    }
    judge_figures(row, seen, &mut wrong);
    if let Some(bytes) = &control.stdout
        && *bytes != seen.stdout
    {
        wrong.push(format!("printed `{}`", seen.stdout.escape_ascii()));
    }
    if control.reached && seen.reached == 0 {
        wrong.push("nobody outside was reached".to_owned());
    }
    wrong.iter().map(|wrong| format!("control: {wrong}")).collect()
}

fn judge_figures(row: &Row, seen: &ControlObservation, wrong: &mut Vec<String>) {
    let figure = |name: &str| seen.figures.get(name).copied().unwrap_or(0);
    for (name, least) in &row.control.at_least {
        if figure(name) < *least {
            wrong.push(format!("{name} {}, not {least} or more", figure(name)));
        }
    }
    for (name, value) in &row.control.exactly {
        if figure(name) != *value {
            wrong.push(format!("{name} {}, not {value}", figure(name)));
        }
    }
}

fn has_ended(wanted: ExpectedEnd, seen: ControlEnd) -> bool {
    match (wanted, seen) {
        (ExpectedEnd::Never, ControlEnd::Running) => true,
        (ExpectedEnd::Status(wanted), ControlEnd::Status(status)) => wanted == status,
        (ExpectedEnd::Signal(wanted), ControlEnd::Signal(signal)) => wanted == signal,
        _ => false,
    }
}

fn text(secret: SiteSecret, place: &TestSite) -> String {
    match secret {
        SiteSecret::Secret => place.secret.clone(),
        SiteSecret::HostFolder => place.host.display().to_string(),
    }
}

fn start(text: &str) -> String {
    text.chars().take(400).collect::<String>().escape_debug().to_string()
}
