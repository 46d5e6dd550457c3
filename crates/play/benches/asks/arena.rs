//! Bouts of the benchmark: its referees and bots, built, and the plans.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use joust_build::PlacedBuild;
use joust_gamekit::{Capability, ExpectedGame};
use joust_model::cancel::Cancel;
use joust_model::{
    BoutId, BoutPlan, BuildHash, GameOptions, Limits, Occupant, SeatPlan, Seed, Setting,
};
use joust_play::executor::Equipment;
use joust_play::external::{ExternalReferee, IdleReferees, LastWords, RefereeProgram};
use joust_referee::{
    AnswerForm, Catalogue, ExternalSpec, Game, GameSpec, OptionSpec, RefereeHash, TimeRule,
    ViewerSpec,
};
use joust_sandbox::Folder;
use joust_toolchain::BOT;

use super::seated;

/// The id of every game here.
pub(crate) const GAME: &str = "discs";

/// Files of the folder `programs`, by their names in the arena.
const SOURCES: [(&str, &str); 9] = [
    ("referee.rs", include_str!("programs/referee.rs")),
    ("referee.py", include_str!("programs/referee.py")),
    ("referee_tic_tac_toe.py", include_str!("programs/tic_tac_toe.py")),
    ("referee_open_spiel.py", include_str!("programs/open_spiel.py")),
    ("kaggle.py", include_str!("programs/kaggle.py")),
    ("bot.c", include_str!("programs/bot.c")),
    ("bot.py", include_str!("programs/bot.py")),
    ("echo.c", include_str!("programs/echo.c")),
    ("echo.py", include_str!("programs/echo.py")),
];

/// A program of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    CompiledReferee,
    PythonReferee,
    TicTacToe,
    OpenSpiel,
    Kaggle,
    CBot,
    PythonBot,
    CEcho,
    PythonEcho,
}

impl Program {
    fn file(self) -> &'static str {
        match self {
            Self::CompiledReferee => "referee",
            Self::PythonReferee => "referee.py",
            Self::TicTacToe => "referee_tic_tac_toe.py",
            Self::OpenSpiel => "referee_open_spiel.py",
            Self::Kaggle => "kaggle.py",
            Self::CBot => ".joust/bot",
            Self::PythonBot => "bot.py",
            Self::CEcho => "echo",
            Self::PythonEcho => "echo.py",
        }
    }

    /// The folder of a bot, with the files of its build; for a referee, the folder of all programs.
    fn folder(self, all: &Path) -> PathBuf {
        match self {
            Self::CBot => all.join("c-bot"),
            Self::PythonBot => all.join("python-bot"),
            _ => all.to_owned(),
        }
    }
}

/// The folder with all programs.
pub(crate) struct Arena {
    folder: PathBuf,
    python: OsString,
    /// A folder with packages of Python.
    packages: Option<PathBuf>,
}

impl Arena {
    /// Builds all programs in `folder`.
    pub(crate) fn build(folder: &Path) -> Result<Self, Box<dyn Error>> {
        for (name, text) in SOURCES {
            fs::write(folder.join(name), text)?;
        }
        let [c_bot, python_bot] = [Program::CBot, Program::PythonBot].map(|bot| bot.folder(folder));
        fs::create_dir_all(c_bot.join(".joust"))?;
        fs::create_dir(&python_bot)?;
        fs::rename(folder.join("bot.c"), c_bot.join("bot.c"))?;
        fs::rename(folder.join("bot.py"), python_bot.join("bot.py"))?;
        let kits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamekit/kits");
        fs::copy(kits.join("rust/joust.rs"), folder.join("joust.rs"))?;
        fs::copy(kits.join("python/joust.py"), folder.join("joust.py"))?;
        run(folder, &["rustc", "--edition=2021", "-O", "-o", "referee", "referee.rs"])?;
        run(&c_bot, &["gcc", "-O2", "-o", ".joust/bot", "bot.c"])?;
        run(folder, &["gcc", "-O2", "-o", "echo", "echo.c"])?;
        let python = std::env::var_os("JOUST_PYTHON").unwrap_or_else(|| "/usr/bin/python3".into());
        let packages = std::env::var_os("JOUST_BENCH_PACKAGES").map(PathBuf::from);
        Ok(Self { folder: folder.to_owned(), python, packages })
    }

    /// Returns the command that starts a program outside any sandbox.
    pub(crate) fn bare(&self, program: Program) -> Command {
        let words = self.words(program, &program.folder(&self.folder));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
        command
    }

    /// Returns whether Python finds a package here.
    pub(crate) fn has_package(&self, name: &str) -> bool {
        let mut command = Command::new(&self.python);
        command.args(["-c", &format!("import importlib.util as u; u.find_spec('{name}').name")]);
        command.env("PYTHONPATH", self.packages.as_deref().unwrap_or(Path::new("")));
        command.stderr(std::process::Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn words(&self, program: Program, folder: &Path) -> Vec<OsString> {
        let file = folder.join(program.file()).into_os_string();
        match program.file().ends_with(".py") {
            true => vec![self.python.clone(), file],
            false => vec![file],
        }
    }

    fn placed(&self, program: Program) -> PlacedBuild {
        let folder = program.folder(&self.folder);
        let mut build = seated::build(&folder, self.words(program, Path::new(BOT)));
        build.hash = hash(program);
        build.environment = vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
            ("PYTHONPATH".into(), "/packages".into()),
        ];
        let packages = self.packages.clone();
        build.folders.extend(packages.map(|host| Folder { host, inside: "/packages".into() }));
        build
    }

    /// A machine with both bots, and a game with this referee.
    pub(crate) fn equipment(&self, referee: Program) -> Result<Equipment, Box<dyn Error>> {
        let bots = [Program::CBot, Program::PythonBot].map(|bot| self.placed(bot));
        let mut equipment = seated::equipment(bots)?;
        let program = RefereeProgram {
            host: equipment.host.clone(),
            build: Arc::new(self.placed(referee)),
            limits: Limits::default(),
            idle: IdleReferees::default(),
            last_words: LastWords::default(),
            cancel: Cancel::default(),
            expected: ExpectedGame {
                id: GAME.to_owned(),
                version: "1".to_owned(),
                can: vec![Capability::Bouts, Capability::Rejudge],
            },
        };
        let game = Game::new(Arc::new(ExternalReferee::new(spec(), program)));
        equipment.games = Catalogue::built_in().with(game)?;
        Ok(equipment)
    }
}

fn hash(program: Program) -> BuildHash {
    BuildHash::of("bench", &[program.file().as_bytes()])
}

fn run(folder: &Path, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let status = Command::new(words[0]).args(&words[1..]).current_dir(folder).status()?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed", words.join(" ")).into()) }
}

fn spec() -> GameSpec {
    GameSpec {
        id: GAME.to_owned(),
        channel: "lines".to_owned(),
        options: vec![OptionSpec::int("asks", 1..=1_000_000, 1, "asks of a bout")],
        external: Some(ExternalSpec {
            hash: RefereeHash([1; 32]),
            answer: AnswerForm::Lines(1),
            times: TimeRule::default(),
            is_repeatable: true,
            stays: true,
            viewer: ViewerSpec::default(),
        }),
        ..joust_testkit::game("connect-four").spec().clone()
    }
}

/// The plan of bout `number`, which has so many asks, between two seats of `bot`.
pub(crate) fn plan(number: u32, asks: u32, bot: Program) -> BoutPlan {
    let seat = |name: &str| SeatPlan { bot: name.to_owned(), occupant: Occupant::Build(hash(bot)) };
    let spec = spec();
    BoutPlan {
        bout: BoutId(u64::from(number).to_le_bytes()),
        event: "bench".to_owned(),
        game: GAME.to_owned(),
        revision: spec.revision,
        referee: BoutPlan::referee_of(&spec),
        rules: spec.default_rules().to_owned(),
        options: GameOptions([("asks".to_owned(), Setting::Int(asks.into()))].into()).into(),
        seed: Seed(number.into()),
        match_number: 0,
        number,
        seats: vec![seat("one"), seat("two")],
        limits: Limits { bout: Duration::from_secs(3600), ..Limits::default() }.into(),
        clock: None,
    }
}
