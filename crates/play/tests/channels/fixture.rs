//! A bot of one script behind the channel `files`, and a view of two files.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::OnceLock;
use std::time::Duration;

use joust_build::{SCRATCH, seat_limits};
use joust_model::{Bytes, Calibration, Limits};
use joust_play::channel::{self, Answered, Channel, LimitMode, Opening, Request};
use joust_referee::{Files, Part, Parts};
use joust_sandbox::{
    Children, Folder, Host, HostOptions, HostSockets, Network, ScratchUse, SeatSpec, Tier,
};
use joust_testkit::time_scale::scaled;

/// The names of the files that may hold an answer, as in Battleships.
const ANSWERS: &[Cow<'static, str>] = &[Cow::Borrowed("place.txt"), Cow::Borrowed("command.txt")];

pub(crate) fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let tier = Tier::from_environment().expect("A, B or C");
        let options = HostOptions { tier, ..HostOptions::default() };
        Host::probe(&options).expect("this host runs seats")
    })
}

/// A Python bot in its seat.
pub(crate) struct Bot {
    channel: Box<dyn Channel>,
    _program: tempfile::TempDir,
}

impl Bot {
    /// Starts a bot whose program is `source`, after `import os, sys, time` and
    /// `KEY, DIR = sys.argv[1:3]`.
    pub(crate) fn new(source: &str) -> Self {
        Self::with_arguments(source, &[])
    }

    /// As [`Bot::new`], with arguments of the manifest after those of the game.
    pub(crate) fn with_arguments(source: &str, trailing: &[&str]) -> Self {
        let program = tempfile::tempdir().expect("a folder can be made");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(program.path(), mode).expect("it is ours");
        let text = format!("import os, sys, time\nKEY, DIR = sys.argv[1:3]\n{source}\n");
        fs::write(program.path().join("bot.py"), text).expect("a file can be written");
        let opening = opening(&program, trailing);
        let channel = channel::open("files", opening).expect("the channel opens");
        Self { channel, _program: program }
    }

    /// Asks it in the folder `12/A`.
    pub(crate) fn ask(&mut self) -> Answered {
        self.ask_in("12/A")
    }

    /// Asks it in a folder of the bout's files.
    pub(crate) fn ask_in(&mut self, folder: &str) -> Answered {
        self.ask_below(folder, Parts::none())
    }

    /// Asks it in a folder above which files lie.
    pub(crate) fn ask_below(&mut self, folder: &str, above: Parts) -> Answered {
        let (key, folder) = ("A".into(), folder.into());
        let files = Files { key, folder, answers: ANSWERS.into(), above };
        let view = Parts(vec![part("state.json", "{\"Round\":12}"), part("map.txt", "~~~\n")]);
        self.channel
            .ask(&Request {
                view: &view,
                within: Duration::ZERO,
                files: Some(&files),
                idle_seats: None,
            })
            .expect("the machine is well")
    }

    /// Asks it once and ends it.
    pub(crate) fn once(source: &str) -> Answered {
        let mut bot = Self::new(source);
        let answered = bot.ask();
        bot.channel.close().expect("it can be closed");
        answered
    }
}

/// Returns an answer's file as text.
pub(crate) fn text(answered: &Answered, name: &str) -> Option<String> {
    answered.parts.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

pub(crate) fn part(name: &str, text: &str) -> Part {
    Part { name: name.into(), bytes: text.as_bytes().into() }
}

fn limits() -> Limits {
    let second = scaled(Duration::from_secs(1));
    Limits {
        cpu: 2 * second,
        turn: 2 * second,
        kill: 2 * second,
        output: Bytes::from_kib(4),
        disk: Bytes::from_mib(1),
        ..Limits::default()
    }
}

/// Returns the opening of a seat for the program `/bot/bot.py`.
pub(crate) fn opening(program: &tempfile::TempDir, trailing: &[&str]) -> Opening {
    let limits = limits();
    let spec = SeatSpec {
        folders: vec![Folder { host: program.path().to_owned(), inside: "/bot".into() }],
        hidden: Vec::new(),
        written: None,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        scratch: SCRATCH.into(),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: seat_limits(&limits),
        network: Network::None,
        children: Children::Allowed,
        cores: Vec::new(),
        host_sockets: HostSockets::default(),
        warm: None,
    };
    Opening {
        game: joust_testkit::game("bomberman-2016"),
        host: host().clone(),
        spec,
        command: ["/usr/bin/python3", "/bot/bot.py"].map(OsString::from).to_vec(),
        trailing: trailing.iter().map(OsString::from).collect(),
        folder: "/bot".into(),
        seat: 0,
        limits,
        calibration: Calibration::default(),
        limit_mode: LimitMode::Configured,
    }
}
