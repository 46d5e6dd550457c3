//! A hostile coordinator: a worker starts nothing that its stage names.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use joust_cluster::envelope::{self, WireMessage};
use joust_cluster::{RequiredBuild, Stage, Work};
use joust_model::{BuildHash, GameOptions, Limits, Tier};
use serde::{Deserialize, Serialize};

use crate::lab::Lab;
use crate::wire::Wire;

/// A stage as a hostile coordinator writes it, with a languages table of its own.
#[derive(Serialize, Deserialize)]
struct HostileStage {
    tournament: String,
    title: String,
    epoch: u64,
    version: String,
    lease: Duration,
    work: HostileWork,
    classes: [(); 0],
}

#[derive(Serialize, Deserialize)]
struct HostileWork {
    #[serde(flatten)]
    work: Work,
    languages: String,
}

impl WireMessage for HostileStage {
    const KIND: u8 = Stage::KIND;
    const NAME: &'static str = Stage::NAME;
}

fn work(language: &str, own_languages: BTreeMap<String, BuildHash>) -> Work {
    let needed = RequiredBuild {
        build: BuildHash([1; 32]),
        result: BuildHash([2; 32]),
        language: language.to_owned(),
        toolchain: "1".to_owned(),
    };
    Work {
        event: "../../event".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        limits: Limits::default(),
        seats: 2,
        tier: Tier::A,
        calibration_runs: u32::MAX,
        own_languages,
        builds: vec![needed],
        library_sets: Vec::new(),
        referee: None,
    }
}

/// Returns the bytes of such a stage, which a worker can read.
fn sent(work: Work, languages: &str) -> Vec<u8> {
    let stage = HostileStage {
        tournament: "t".to_owned(),
        title: "T".to_owned(),
        epoch: 1,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        lease: Duration::from_secs(30),
        work: HostileWork { work, languages: languages.to_owned() },
        classes: [],
    };
    let bytes = envelope::write(&stage).expect("it is short");
    envelope::read::<Stage>(&bytes).expect("a field that nobody knows is left out");
    bytes
}

/// Makes a program that leaves a mark when it is started.
fn program(path: &Path, mark: &Path) {
    fs::write(path, format!("#!/bin/sh\ntouch {}\necho 1\n", mark.display())).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is there");
}

#[test]
fn a_stage_starts_no_program_that_it_names() {
    let Some(lab) = Lab::new() else { return };
    let (evil, mark) = (lab.env.path().join("evil"), lab.env.path().join("mark"));
    program(&evil, &mark);
    let evil = evil.display();
    let tool = format!(r#"{{"find": ["{evil}"], "version": ["{evil}"], "ask": ["{evil}"]}}"#);
    let variants = format!(r#"[{{"name": "x", "tools": {{"x": {tool}}}, "run": ["{evil}"]}}]"#);
    for (language, is_named) in [("python", false), ("python", true), ("evil", true)] {
        let table = format!(r#"{{"{language}": {{"title": "x", "variants": {variants}}}}}"#);
        let hash = BuildHash::of("x", &[table.as_bytes()]);
        let own = is_named.then(|| (language.to_owned(), hash)).into_iter().collect();
        let stage = sent(work(language, own), &table);
        let answering = Wire::answering(lab.server.port(), "joust.hello", stage);
        let said = lab.worker("victim", &["--once"]).end().expect(4).stderr;
        drop(answering);
        let why = match is_named {
            true => "the tournament defines it in another way than this worker",
            false => "python: 1 is needed",
        };
        assert!(said.contains(why), "{said}");
        assert!(!mark.exists(), "{language}: a program of the stage was started");
    }
}
