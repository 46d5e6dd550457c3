//! A host with an agent, spoken to over its two pipes.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::fcntl::{FcntlArg, fcntl};

const HOST: &str = include_str!("../../src/channel/live/python_class/host.py");
const AGENT: &str = include_str!("../../../referee/src/games/coderone_dungeon/agent.py");

/// Two players, a block of each kind, ammo, treasure, a bomb on player 0.
pub(crate) const GAME: &str = r#"{"tick_number":7,"is_over":false,"size":[12,10],"players":"04040b09","blocks":[["ib","00010002"],["sb","0301"],["ob","0503"]],"ammo":"0606","treasure":"0607","bombs":"0404"}"#;

/// View of player 0 of itself.
pub(crate) const PLAYER: &str =
    r#"{"id":0,"ammo":2,"hp":3,"location":"0404","reward":12,"power":2}"#;

/// A folder that is removed afterwards.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    /// Writes a file and the folders it is in.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        let file = self.0.path().join(path);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(file, text).expect("a file can be written");
        self
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.0.path().join(inside)
    }
}

/// A running host.
pub(crate) struct Host {
    child: Child,
    _place: Option<Place>,
}

/// End of a host: its status, and all that its agent wrote to standard error.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

impl Host {
    /// Starts a host of an agent with this source.
    pub(crate) fn of(source: &str) -> Self {
        let place = Place::new().with("me.py", source);
        let path = place.path("me.py");
        Self { _place: Some(place), ..Self::start(&path, &[]) }
    }

    /// Starts a host of the agent at `path`. Standard input and output become
    /// the descriptors 3 and 4, standard output goes to standard error.
    pub(crate) fn start(path: &Path, more: &[&str]) -> Self {
        Self::start_with(Path::new("python3"), path, more)
    }

    /// As [`Host::start`], with this interpreter.
    pub(crate) fn start_with(python: &Path, path: &Path, more: &[&str]) -> Self {
        let child = Command::new("sh")
            .args(["-c", r#"exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@""#, "sh"])
            .arg(python)
            .args(["-c", HOST, "coderone.dungeon.agent", AGENT])
            .arg(path)
            .arg("0")
            .args(more)
            .env("JOUST_SEED", "42")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell and Python 3 are on this machine");
        Self { child, _place: None }
    }

    /// Reads one message; `None` when no more will come.
    pub(crate) fn message(&mut self) -> Option<Vec<u8>> {
        let pipe = self.child.stdout.as_mut().expect("it is a pipe");
        let mut length = [0; 4];
        pipe.read_exact(&mut length).ok()?;
        let mut message = vec![0; u32::from_le_bytes(length) as usize];
        pipe.read_exact(&mut message).expect("a message is whole");
        Some(message)
    }

    pub(crate) fn is_ready(&mut self) -> bool {
        self.message().as_deref() == Some(b"R")
    }

    /// Sends states in one piece.
    pub(crate) fn show(&mut self, states: &[(u32, &str, &str)]) {
        let mut bytes = Vec::new();
        for (request, game, player) in states {
            let length = u32::try_from(8 + game.len() + player.len()).expect("it is short");
            let game_length = u32::try_from(game.len()).expect("it is short");
            for number in [length, *request, game_length] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(game.as_bytes());
            bytes.extend(player.as_bytes());
        }
        let pipe = self.child.stdin.as_mut().expect("it is a pipe");
        pipe.write_all(&bytes).expect("the host reads");
    }

    /// Lets so many bytes of states wait.
    pub(crate) fn widen(&self, bytes: i32) {
        let pipe = self.child.stdin.as_ref().expect("it is a pipe");
        fcntl(pipe, FcntlArg::F_SETPIPE_SZ(bytes)).expect("a pipe can be as wide");
    }

    /// Reads an answer: request, kind, value.
    pub(crate) fn answer(&mut self) -> Option<(u32, String, String)> {
        let message = self.message()?;
        let (head, rest) = message.split_at(6);
        assert_eq!(head[0], b'A');
        let request = u32::from_le_bytes(head[1..5].try_into().expect("four bytes"));
        let (kind, value) = rest.split_at(usize::from(head[5]));
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it is UTF-8");
        Some((request, text(kind), text(value)))
    }

    /// Shows the sample state and returns kind and value of the answer.
    pub(crate) fn ask(&mut self) -> Option<(String, String)> {
        self.show(&[(1, GAME, PLAYER)]);
        self.answer().map(|(_, kind, value)| (kind, value))
    }

    /// Sends no more states and waits for the end.
    pub(crate) fn end(mut self) -> End {
        drop(self.child.stdin.take());
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().expect("it is a pipe");
        pipe.read_to_string(&mut stderr).expect("it is UTF-8");
        End { status: self.child.wait().expect("it was started"), stderr }
    }
}

/// Returns what an agent with this source answers to the sample state.
pub(crate) fn answer_of(source: &str) -> (String, String) {
    let mut host = Host::of(source);
    assert!(host.is_ready(), "{source}");
    host.ask().expect("it answers")
}

/// Makes an agent whose `next_move` has this body.
pub(crate) fn agent(body: &str) -> String {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    format!("class Agent:\n    def next_move(self, game_state, player_state):\n{body}")
}
