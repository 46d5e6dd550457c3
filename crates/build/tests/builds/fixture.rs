//! One host and one set of tools for all tests; a store and bots for each.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use joust_bots::{BotSource, Candidate, read_bot};
use joust_build::{Builder, FolderStore, PlacedBuild, SCRATCH, seat_spec};
use joust_config::{BuildLimits, Requirements, Time};
use joust_model::cancel::Cancel;
use joust_model::{Bytes, Limits};
use joust_referee::Catalogue;
use joust_sandbox::{
    FileOutcome, Host, HostOptions, ProgramLimits, PutFile, Seat, TakeFile, Tier, Turn, TurnReport,
};
use joust_toolchain::{BOT, Languages, Machine, NotBuilt, Toolchains};

/// The host.
pub(crate) fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let tier = Tier::from_environment().expect("A, B or C");
        let options = HostOptions { tier, ..HostOptions::default() };
        Host::probe(&options).expect("this host runs seats")
    })
}

/// The tools of this machine.
pub(crate) fn toolchains() -> &'static Toolchains {
    static TOOLS: OnceLock<Toolchains> = OnceLock::new();
    TOOLS.get_or_init(|| Toolchains::new(Arc::new(Languages::shipped()), Machine::this()))
}

/// A folder with bots and a store of its own.
pub(crate) struct Fixture {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: FolderStore,
    pub(crate) limits: BuildLimits,
    requirements: Requirements,
    pub(crate) cancel: Cancel,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let cache = folder.path().join("cache");
        Self::with_store(folder, &cache)
    }

    /// Makes one with the store that tests of commands use, so that the prepared part of builds of
    /// Go is compiled once for all of them.
    pub(crate) fn sharing() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        Self::with_store(folder, Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache")))
    }

    fn with_store(folder: tempfile::TempDir, cache: &Path) -> Self {
        let store = FolderStore::open(cache).expect("a store can be made");
        let time = Time(Duration::from_secs(120));
        let limits = BuildLimits { time, ..BuildLimits::default() };
        let requirements = Requirements::default();
        Self { folder, store, limits, requirements, cancel: Cancel::default() }
    }

    /// Returns a comment that no other run has, so that the build is not in the store yet.
    pub(crate) fn never_built(&self) -> String {
        format!("// {}\n", self.folder.path().display())
    }

    /// Writes the bot `name` with these files.
    pub(crate) fn write(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = self.folder.path().join("bots").join(name);
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    pub(crate) fn read(&self, path: &Path, toolchains: &Toolchains) -> BotSource {
        self.read_for("battlebots", path, toolchains)
    }

    fn read_for(&self, game: &str, path: &Path, toolchains: &Toolchains) -> BotSource {
        let game = Catalogue::built_in().find(game).expect("it ships with Joust").clone();
        let candidate = Candidate::new(path, game.spec(), toolchains.languages().sources());
        read_bot(&candidate, &self.store.archives()).expect("the bot can be read")
    }

    pub(crate) fn builder<'a>(&'a self, toolchains: &'a Toolchains) -> Builder<'a> {
        Builder {
            host: host(),
            toolchains,
            store: &self.store,
            limits: &self.limits,
            memory: Bytes::from_mib(512),
            requirements: &self.requirements,
            cancel: &self.cancel,
        }
    }

    /// Writes and builds a bot.
    pub(crate) fn build(
        &self,
        name: &str,
        files: &[(&str, &str)],
    ) -> Result<PlacedBuild, NotBuilt> {
        let path = self.write(name, files);
        self.builder(toolchains()).build(&self.read(&path, toolchains()))
    }

    /// Writes and builds a bot that is described by `bot.json`.
    pub(crate) fn build_project(
        &self,
        name: &str,
        files: &[(&str, &str)],
    ) -> Result<PlacedBuild, NotBuilt> {
        let path = self.write(name, files);
        let bot = self.read_for("bomberman-2016", &path, toolchains());
        self.builder(toolchains()).build(&bot)
    }

    /// Builds a bot whose `build` runs a Bash script.
    pub(crate) fn build_script(&self, name: &str, script: &str) -> Result<PlacedBuild, NotBuilt> {
        let manifest = format!("name: {name}\nlanguage: bash\nbuild: bash make.sh\nrun: ./bot\n");
        self.build(name, &[("bot.yaml", &manifest), ("make.sh", script)])
    }

    /// Returns the log of a bot whose build failed.
    pub(crate) fn failed_log(&self, name: &str) -> String {
        let path = self.folder.path().join("bots").join(name);
        let bot = self.read(&path, toolchains());
        let log = self.builder(toolchains()).failed_log(&bot).expect("it can be built");
        fs::read_to_string(log.expect("it has a log")).expect("the log can be read")
    }
}

/// Runs one turn of a build with `view` as its last argument.
pub(crate) fn turn(build: &PlacedBuild, view: &str) -> TurnReport {
    let limits = Limits::default();
    let mut seat = Seat::start(host(), &seat_spec(build, &limits, &[], 7)).expect("a seat");
    let mut command = build.command.clone();
    command.push(OsString::from(view));
    let turn = Turn {
        command: &command,
        folder: Path::new(SCRATCH),
        put: &[],
        take: &[],
        limits: ProgramLimits { cpu: limits.cpu, wall: limits.turn },
    };
    seat.turn(&turn).expect("a report")
}

/// Runs one turn of a build as games with files do, and returns what it left in
/// `move.txt`.
pub(crate) fn moved(build: &PlacedBuild) -> String {
    let limits = Limits { memory: Bytes::from_mib(1024), ..Limits::default() };
    let mut seat = Seat::start(host(), &seat_spec(build, &limits, &[], 7)).expect("a seat");
    let mut command = build.command.clone();
    command.extend(["A".into(), OsString::from("/scratch/replay/0/A")]);
    command.extend(build.trailing.iter().cloned());
    let file = |name: &str| format!("replay/0/A/{name}");
    let bytes = b"{\"Round\":7}".as_slice().into();
    let minute = Duration::from_secs(60);
    let report = seat.turn(&Turn {
        command: &command,
        folder: Path::new(BOT),
        put: &[PutFile { path: file("state.json"), bytes }],
        take: &[TakeFile { path: file("move.txt"), cap: joust_sandbox::Bytes(64) }],
        limits: ProgramLimits { cpu: minute, wall: minute },
    });
    let report = report.expect("a report");
    match &report.files[0].outcome {
        FileOutcome::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("{other:?}: {}", String::from_utf8_lossy(&report.stderr)),
    }
}

/// Returns what a turn printed.
pub(crate) fn said(build: &PlacedBuild, view: &str) -> String {
    let report = turn(build, view);
    assert_eq!(
        report.ending,
        joust_sandbox::Ending::Exited(0),
        "{}",
        String::from_utf8_lossy(&report.stderr)
    );
    String::from_utf8_lossy(&report.stdout).trim().to_owned()
}
