//! The effective configuration, every value written out.

use std::time::Duration;

use serde_yaml::{Mapping, Value};

use super::build::{BuildLimits, Network};
use super::duration::show_duration;
use super::entries::{Entries, OtherFiles, Unowned};
use super::event::{CLOCKS, Dependencies, Event, Examples, Pattern, SEATS, TIE_BREAKS};
use super::tournament::Tournament;
use joust_model::{Bytes, Limits, Public, Publication, Setting};

/// Writes the effective configuration as YAML: read from the same folder it
/// gives the same tournament again.
#[must_use]
pub fn show(tournament: &Tournament) -> String {
    let database = tournament.database.strip_prefix(&tournament.folder);
    let database = database.unwrap_or(&tournament.database);
    let mut root = Section::default();
    root.put("name", tournament.name.as_str());
    root.put("seed", tournament.seed);
    root.put("database", database.to_string_lossy().as_ref());
    root.put("keep_sources", tournament.keep_sources);
    root.put("report", report(&tournament.report));
    root.put("events", tournament.events.iter().map(event).collect::<Vec<_>>());
    root.put("entries", entries(&tournament.entries));
    if !tournament.languages.is_empty() {
        let languages = tournament.languages.iter();
        let languages = languages.map(|(id, value)| (id.as_str().into(), value.clone()));
        root.put("languages", Value::Mapping(languages.collect()));
    }
    serde_yaml::to_string(&Value::Mapping(root.0)).expect("plain values are YAML")
}

fn report(publication: &Publication) -> Value {
    let mut section = Section::default();
    let public = publication.public.iter().map(|one| word(*one, &Public::NAMES));
    section.put("public", public.collect::<Vec<_>>());
    section.put("bouts", publication.bouts);
    Value::Mapping(section.0)
}

#[derive(Default)]
struct Section(Mapping);

impl Section {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.into(), value.into());
    }

    fn duration(&mut self, key: &str, value: Duration) {
        self.put(key, show_duration(value));
    }

    fn size(&mut self, key: &str, value: Bytes) {
        self.put(key, value.to_string());
    }
}

fn pattern(pattern: &Pattern) -> Value {
    if pattern.name.is_none() && pattern.language.is_none() {
        return pattern.text.as_str().into();
    }
    let mut section = Section::default();
    section.put("path", pattern.text.as_str());
    for (key, value) in [("name", &pattern.name), ("language", &pattern.language)] {
        if let Some(value) = value {
            section.put(key, value.as_str());
        }
    }
    Value::Mapping(section.0)
}

fn event(event: &Event) -> Value {
    let mut section = Section::default();
    section.put("id", event.id.as_str());
    section.put("game", event.game.id());
    section.put("rules", event.rules.as_str());
    section.put("options", options(event));
    if let Some(clock) = event.clock {
        section.put("clock", word(clock, &CLOCKS));
    }
    section.put("bots", event.bots.iter().map(pattern).collect::<Vec<_>>());
    section.put("bouts", event.bouts);
    section.put("mirror", event.mirror);
    section.put("seats", word(event.seats, &SEATS));
    section.put("players_per_match", u64::from(event.players_per_match));
    section.put("max_matches", event.max_matches.map_or(Value::Null, Value::from));
    section.put("limits", limits(&event.limits));
    section.put("build", build(&event.build));
    section.put("calibration", calibration(event.calibration_runs));
    section.put("examples", word(event.examples, &Examples::WORDS));
    section.put("one_per_owner", event.one_per_owner);
    section.put("deadline", event.deadline.map_or(Value::Null, deadline));
    let tie_breaks = event.tie_breaks.iter();
    section.put("tie_breaks", tie_breaks.map(|one| word(*one, &TIE_BREAKS)).collect::<Vec<_>>());
    section.put("languages", versions(event));
    section.put("dependencies", word(event.dependencies, &Dependencies::WORDS));
    section.put("provides", provides(event));
    Value::Mapping(section.0)
}

fn entries(entries: &Entries) -> Value {
    let mut section = Section::default();
    let owners = entries.owners.iter();
    let owners = owners.map(|(bot, login)| (bot.as_str().into(), login.as_str().into()));
    section.put("owners", Value::Mapping(owners.collect()));
    section.put("maintainers", entries.maintainers.clone());
    section.put("unowned", word(entries.unowned, &Unowned::WORDS));
    section.put("other_files", word(entries.other_files, &OtherFiles::WORDS));
    Value::Mapping(section.0)
}

fn options(event: &Event) -> Value {
    let value = |setting: &Setting| match setting {
        Setting::Bool(value) => Value::from(*value),
        Setting::Int(value) => Value::from(*value),
        Setting::Text(value) => Value::from(value.as_str()),
    };
    let options = event.options.0.iter();
    Value::Mapping(options.map(|(name, setting)| (name.as_str().into(), value(setting))).collect())
}

fn versions(event: &Event) -> Value {
    let versions = event.language_versions.iter();
    Value::Mapping(versions.map(|(id, text)| (id.as_str().into(), text.as_str().into())).collect())
}

fn provides(event: &Event) -> Value {
    let sets = event.provides.iter();
    Value::Mapping(sets.map(|(id, set)| (id.as_str().into(), set.names.clone().into())).collect())
}

fn limits(limits: &Limits) -> Value {
    let mut section = Section::default();
    section.duration("cpu", limits.cpu);
    section.duration("turn", limits.turn);
    section.duration("kill", limits.kill);
    section.size("memory", limits.memory);
    section.put("processes", limits.processes);
    section.size("output", limits.output);
    section.size("disk", limits.disk);
    section.put("network", "none");
    section.duration("start", limits.start);
    section.duration("bout", limits.bout);
    if let Some(cpu_bout) = limits.cpu_bout {
        section.duration("cpu_bout", cpu_bout);
    }
    section.size("stderr", limits.stderr);
    section.put("files", limits.files);
    section.put("descriptors", limits.descriptors);
    section.put("cores_per_bot", limits.cores_per_bot);
    Value::Mapping(section.0)
}

fn build(build: &BuildLimits) -> Value {
    let mut section = Section::default();
    section.duration("time", build.time);
    section.size("memory", build.memory);
    section.size("disk", build.disk);
    section.put("processes", build.processes);
    section.put("network", word(build.network, &Network::WORDS));
    section.size("output", build.output);
    Value::Mapping(section.0)
}

fn calibration(runs: u32) -> Value {
    let mut section = Section::default();
    section.put("runs", runs);
    Value::Mapping(section.0)
}

fn deadline(milliseconds: i64) -> Value {
    match jiff::Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.to_string().into(),
        Err(_) => Value::Null,
    }
}

fn word<T: PartialEq>(value: T, words: &[(&'static str, T)]) -> &'static str {
    let found = words.iter().find(|(_, other)| *other == value);
    found.expect("every value has its word").0
}
