//! Cost of a language, measured with the shipped calibration bots.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use joust_build::{Builder, FolderStore};
use joust_config::{BuildLimits, Requirements, Time};
use joust_model::cancel::Cancel;
use joust_model::{Bytes, Calibration, GameOptions, Limits};
use joust_play::calibrate::{CalibrationRequest, NotCalibrated, measure};
use joust_toolchain::{Languages, Machine, NotBuilt, Toolchains};

use crate::fixture::host;
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_language_is_calibrated_with_the_games_first_view", calibrated),
    ("every_calibration_bot_reads_the_files_of_a_game", calibrated_with_files),
    ("a_language_without_a_calibration_bot_says_so", no_calibration_bot),
];

/// The tools of this machine.
fn toolchains() -> &'static Toolchains {
    static TOOLS: OnceLock<Toolchains> = OnceLock::new();
    TOOLS.get_or_init(|| Toolchains::new(Arc::new(Languages::shipped()), Machine::this()))
}

fn bench(language: &str) -> Result<Calibration, NotCalibrated> {
    bench_for("battlebots", 3, language)
}

fn bench_for(game: &str, runs: u32, language: &str) -> Result<Calibration, NotCalibrated> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let store = FolderStore::open(&folder.path().join("cache")).expect("a store can be made");
    let time = Time(Duration::from_secs(120));
    let builder = Builder {
        host: host(),
        toolchains: toolchains(),
        store: &store,
        limits: &BuildLimits { time, ..BuildLimits::default() },
        memory: Bytes::from_mib(512),
        requirements: &Requirements::default(),
        cancel: &Cancel::default(),
    };
    let game = joust_testkit::game(game);
    let limits = Limits { memory: Bytes::from_mib(1024), ..Limits::default() };
    measure(
        &CalibrationRequest {
            builder: &builder,
            game: &game,
            rules: game.spec().default_rules(),
            options: &GameOptions::default(),
            limits: &limits,
            cores: &[],
            runs,
            folder: folder.path(),
            now: 1234,
            machine: "this one",
        },
        language,
    )
}

fn calibrated() {
    let measured = bench("bash").unwrap();
    assert!(measured.cpu > Duration::ZERO && measured.wall > Duration::ZERO);
    assert!(measured.wall < Duration::from_secs(5), "{measured:?}");
    let told = (measured.language.as_str(), measured.game.as_str(), measured.runs);
    assert_eq!(told, ("bash", "battlebots", 3));
    assert_eq!((measured.measured_at, measured.machine.as_str()), (1234, "this one"));
}

fn no_calibration_bot() {
    let error = bench("klingon").unwrap_err();
    assert_eq!(error.to_string(), "there is no calibration bot for `klingon`");
}

fn calibrated_with_files() {
    let mut measured = 0;
    for (language, _) in toolchains().languages().iter() {
        match bench_for("battleships-2017", 1, language) {
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
