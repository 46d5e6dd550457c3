//! Tools in odd places, and what a language costs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use joust_orchestrator::bots::calibrate::{Bench, NotCalibrated, measure};
use joust_orchestrator::bots::{Languages, Machine, NotBuilt, Toolchains};
use joust_orchestrator::model::{Bytes, Calibration, GameOptions, Limits};

use crate::Test;
use crate::fixture::{Fixture, said, toolchains};

pub(crate) const TESTS: &[Test] = &[
    ("an_interpreter_in_a_closed_home_behind_a_shim_runs_bots", closed_home),
    ("a_language_is_calibrated_with_the_games_first_view", calibrated),
    ("every_calibration_bot_reads_the_files_of_a_game", calibrated_with_files),
    ("a_language_without_a_calibration_bot_says_so", no_calibration_bot),
];

/// A language whose interpreter is told from behind a shim: Bash under another
/// name, with a file beside it that it needs.
const MINI: &str = "mini: { title: Mini, extensions: [mini], entry: [main.mini], variants: [{ \
    name: mini, install: apt install mini, programs: { mini: { find: [mini], \
    ask: ['-c', 'echo home=$MINI_HOME'], folders: { home: 'home=' }, program: '{home}/bin/mini', \
    version: [--version], accept: bash } }, environment: { MINI_SHARE: '{mini.home}/share' }, \
    run: ['{mini}', '{entry}'] }] }";

fn write_program(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn closed_home() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let installed = root.join(".minis/versions/5");
    write_program(&installed.join("bin/mini"), &fs::read("/bin/bash").unwrap());
    fs::create_dir(installed.join("share")).unwrap();
    fs::write(installed.join("share/greeting"), "hello from home\n").unwrap();
    let shim = format!("#!/bin/sh\nMINI_HOME={0} exec {0}/bin/mini \"$@\"\n", installed.display());
    write_program(&root.join("shims/mini"), shim.as_bytes());
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();

    let languages = Languages::with(&serde_yaml::from_str(MINI).unwrap()).unwrap();
    let path = root.join("shims");
    let machine = Machine::new(path.as_os_str(), Some(root.clone()), Duration::from_secs(10));
    let toolchains = Toolchains::new(Arc::new(languages), machine);
    let fixture = Fixture::new();
    let script = "cat $MINI_SHARE/greeting; echo $0 $BASH\n";
    let bot =
        fixture.write("a", &[("bot.yaml", "name: a\nlanguage: mini\n"), ("main.mini", script)]);
    let bot = fixture.read(&bot, &toolchains);
    let build = fixture.builder(&toolchains).build(&bot).unwrap();
    let said = said(&build, "");
    assert!(
        said.starts_with("hello from home\n/bot/main.mini /toolchains/mini/bin/mini"),
        "{said}"
    );
}

fn bench(fixture: &Fixture, language: &str) -> Result<Calibration, NotCalibrated> {
    bench_for("battlebots", 3, fixture, language)
}

fn bench_for(
    game: &str,
    runs: u32,
    fixture: &Fixture,
    language: &str,
) -> Result<Calibration, NotCalibrated> {
    let builder = fixture.builder(toolchains());
    let game = joust_referee::registry::find(game).unwrap();
    let limits = Limits { memory: Bytes::from_mib(1024), ..Limits::default() };
    measure(
        &Bench {
            builder: &builder,
            game,
            rules: game.rule_sets()[0],
            options: &GameOptions::default(),
            limits: &limits,
            cores: &[],
            runs,
            folder: fixture.folder.path(),
            now: 1234,
            machine: "this one",
        },
        language,
    )
}

fn calibrated() {
    let measured = bench(&Fixture::new(), "bash").unwrap();
    assert!(measured.cpu > Duration::ZERO && measured.wall > Duration::ZERO);
    assert!(measured.wall < Duration::from_secs(5), "{measured:?}");
    let told = (measured.language.as_str(), measured.game.as_str(), measured.runs);
    assert_eq!(told, ("bash", "battlebots", 3));
    assert_eq!((measured.measured_at, measured.machine.as_str()), (1234, "this one"));
}

fn no_calibration_bot() {
    let error = bench(&Fixture::new(), "klingon").unwrap_err();
    assert_eq!(error.to_string(), "there is no calibration bot for `klingon`");
}

fn calibrated_with_files() {
    let fixture = Fixture::new();
    let mut measured = 0;
    for (language, _) in toolchains().languages().iter() {
        match bench_for("battleships-2017", 1, &fixture, language) {
            Ok(calibration) => {
                assert_eq!(calibration.game, "battleships-2017", "{language}");
                measured += 1;
            }
            // A language that is not on this machine is no failure of ours.
            Err(NotCalibrated::NotBuilt(NotBuilt::MissingToolchain(_))) => {}
            Err(other) => panic!("{language}: {other}"),
        }
    }
    assert!(measured >= 1, "at least Bash is on every machine");
}
