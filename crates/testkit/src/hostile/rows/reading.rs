//! R01 to R06: reading what is not its own.

use joust_referee::Verdict::NoOutput;

use crate::hostile::row::{Row, Setting, SiteSecret, behaves, row, says};
use crate::hostile::{Observation, TestSite};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("R01")
            .with(Setting::RootControl)
            .excused('C', "other processes are seen", "it did see process")
            .then(behaves("read_processes").may(&["have a parent"]))
            .control(says(&[
                "did see process",
                "did read the environment of",
                "did read the kernel log",
            ])),
        row("R01-machine")
            .excused('C', "`/proc` is the machine's", "it did read")
            .then(behaves("read_machine"))
            .control(says(&[
                "did read /proc/cgroups",
                "did read /proc/cmdline",
                "did read /proc/fs",
            ])),
        row("R02")
            .then(behaves("show_environment").check("a fixed list", only_what_was_given))
            .control(says(&[]).revealing(SiteSecret::Secret)),
        row("R02-others")
            .then(behaves("search_environments").check("no secret", no_secret))
            .control(says(&[]).revealing(SiteSecret::Secret)),
        row("R03")
            .then(behaves("move_bytes").with("33").by_file().may(&["write the move"]))
            .then(behaves("look_for_moves").with("{opponent}").by_file().earns(&[NoOutput]))
            .control(says(&[
                "did read another's state",
                "did find the move",
                "did see another's folder",
            ])),
        row("R04").then(search()).control(found()),
        row("R05").then(search()).control(found()),
        row("R06")
            .excused('C', "folders keep the host's paths", "not so: no path")
            .then(behaves("show_place").check("no path and no name of the host", names_nothing))
            .control(says(&[]).revealing(SiteSecret::HostFolder)),
    ]
}

fn search() -> crate::hostile::row::Turn {
    behaves("search_files").with("{host}").check("no secret", no_secret)
}

fn found() -> crate::hostile::row::Control {
    says(&["did enter the folder of the host", "did open"]).revealing(SiteSecret::Secret)
}

fn no_secret(seen: &Observation, place: &TestSite) -> Result<(), String> {
    if seen.said().contains(&place.secret) {
        Err("the secret was found".to_owned())
    } else {
        Ok(())
    }
}

/// The environment is what the suite gives every row, and the folder is the
/// neutral one.
fn only_what_was_given(seen: &Observation, place: &TestSite) -> Result<(), String> {
    let run = format!("env RUN={}", place.run);
    let neutral = ["env SCRATCH=/scratch", "env PROGRAM=/program", run.as_str(), "cwd /program"];
    let names = ["env SCRATCH=", "env PROGRAM=", run.as_str(), "cwd "];
    // Without name spaces folders keep the host's paths.
    let has_neutral_paths = seen.allowed.tier < 'C';
    let known = if has_neutral_paths { neutral } else { names };
    let is_known = |line: &str| match has_neutral_paths {
        true => known.contains(&line),
        false => known.iter().any(|known| line.starts_with(known)),
    };
    let said = seen.said();
    match said.lines().find(|line| !is_known(line)) {
        Some(line) => Err(format!("`{line}` as well")),
        None if said.lines().count() == known.len() => no_secret(seen, place),
        None => Err(format!("only {said:?}")),
    }
}

/// Neither the row's folder on the host, nor the host's name, nor a user's.
fn names_nothing(seen: &Observation, place: &TestSite) -> Result<(), String> {
    let host_name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let folder = place.host.display().to_string();
    let said = seen.said();
    for forbidden in [folder.as_str(), place.run.as_str(), "/home/", "joust-hostile"] {
        if said.contains(forbidden) {
            return Err(format!("`{forbidden}` is named"));
        }
    }
    let node = format!("node {}", host_name.trim());
    if said.lines().any(|line| line == node) { Err("the host is named".to_owned()) } else { Ok(()) }
}
