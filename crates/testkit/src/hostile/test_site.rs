//! Makes the place a row runs in, and fills a row's commands in.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::row::{Command, Setting};
use super::{Programs, Row, TestSite};

/// A BattleBots view, which every turn gets as its last argument.
const VIEW: &str = "..........\n.Y........\n..........\n..........\n..........\n..........\n\
                    ..........\n..........\n........X.\n..........\nY hp=10\nX hp=10\n";

/// The interpreters of scripts.
const PYTHON: &str = "/usr/bin/python3";
const RUBY: &str = "/usr/bin/ruby";

/// Returns the interpreter of a script, and a text in its language that does nothing.
pub fn interpreter(script: &str) -> Interpreter {
    match script.ends_with(".rb") {
        true => Interpreter { words: &[RUBY, "--disable=gems"], nothing: &["-e", "1"] },
        false => Interpreter { words: &[PYTHON], nothing: &["-c", "pass"] },
    }
}

/// Interpreter of a script.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter {
    /// The program and its options.
    pub words: &'static [&'static str],
    /// Words with which it does nothing.
    pub nothing: &'static [&'static str],
}

impl Interpreter {
    /// Returns whether this machine has it.
    pub fn is_there(&self) -> bool {
        Path::new(self.words[0]).exists()
    }
}

/// Twice the memory limit of the suite.
const BIG_FILE_BYTES: u64 = 128 << 20;

impl TestSite {
    /// Names the place in the folder `host`, made by [`make_site`].
    pub fn at(host: &Path, port: u16, free_port: u16) -> Self {
        let name = host.file_name().map(|name| name.to_string_lossy().into_owned());
        let run = name.unwrap_or_default();
        Self {
            host: host.to_owned(),
            program: host.join("program"),
            opponent: host.join("opponent"),
            secret: format!("secret-of-{run}"),
            run,
            port,
            free_port,
            referee: std::process::id(),
        }
    }

    /// Returns the file with secrets.
    pub fn secret_file(&self) -> PathBuf {
        self.host.join("joust-secret.db")
    }
}

/// Makes a place for `row` in the new folder `host`, which every user may enter.
///
/// # Errors
///
/// When a file cannot be written.
pub fn make_site(row: &Row, host: &Path, programs: &Programs) -> io::Result<()> {
    let place = TestSite::at(host, 0, 0);
    for folder in [host, &place.program, &place.opponent] {
        make_folder(folder, 0o755)?;
    }
    make_folder(&host.join("scratch"), 0o777)?;
    write(&place.opponent.join("state"), place.secret.as_bytes(), 0o644)?;
    write(&place.secret_file(), place.secret.as_bytes(), 0o644)?;
    fill_program(&place.program, programs)?;
    if row.setting.contains(&Setting::BigFile) {
        fs::File::create(place.program.join("big"))?.set_len(BIG_FILE_BYTES)?;
    }
    Ok(())
}

fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

fn fill_program(folder: &Path, programs: &Programs) -> io::Result<()> {
    let hostile = fs::read(&programs.hostile)?;
    let mut wrong_machine = hostile.clone();
    // The machine an ELF file is for; 0xfffe is none.
    wrong_machine[18..20].copy_from_slice(&[0xfe, 0xff]);
    write(&folder.join("hostile"), &hostile, 0o755)?;
    if let Some(library) = &programs.library {
        write(&folder.join("hostile.so"), &fs::read(library)?, 0o755)?;
    }
    write(&folder.join("wrong-machine"), &wrong_machine, 0o755)?;
    write(&folder.join("not-executable"), &hostile, 0o644)?;
    write(&folder.join("no-first-line"), b"echo N\n", 0o755)?;
    write(&folder.join("cr-lf"), b"#!/bin/sh\r\necho N\r\n", 0o755)?;
    write(&folder.join("other"), b"a file of the bot\n", 0o644)?;
    make_folder(&folder.join("apart"), 0o755)?;
    for entry in fs::read_dir(&programs.scripts)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_owned()).unwrap_or_default();
        write(&folder.join(shipped_as(&name)), &fs::read(&path)?, 0o755)?;
    }
    Ok(())
}

/// One script shadows a module, another would shadow the interpreter, and one imports the module
/// that is shadowed.
fn shipped_as(name: &std::ffi::OsStr) -> &std::ffi::OsStr {
    let shipped = match name.to_str() {
        Some("shadow.py") => "json.py",
        Some("servers.py") => "apart/servers.py",
        Some("servers.rb") => "apart/servers.rb",
        _ => return name,
    };
    std::ffi::OsStr::new(shipped)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    fs::File::create(path)?.write_all(bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Returns the program and arguments of `command`, found in `program`, with
/// the view as last argument.
pub fn arguments(command: &Command, program: &Path, place: &TestSite) -> Vec<OsString> {
    let own = |name: &str| program.join(name).into_os_string();
    let mut words: Vec<OsString> = match command {
        Command::Behaviour(name, given) => {
            let given = given.iter().map(|word| fill(word, place).into());
            [own("hostile"), (*name).into()].into_iter().chain(given).collect()
        }
        Command::Script(script, given) => {
            let given = given.iter().map(|word| fill(word, place).into());
            let words = interpreter(script).words.iter().map(OsString::from);
            words.chain([own(script)]).chain(given).collect()
        }
        Command::Shell(script) => vec!["/bin/sh".into(), own(script)],
        Command::File(name) => vec![own(name)],
    };
    words.push(VIEW.into());
    words
}

fn fill(word: &str, place: &TestSite) -> String {
    match word {
        "{port}" => place.port.to_string(),
        "{free-port}" => place.free_port.to_string(),
        "{referee}" => place.referee.to_string(),
        "{host}" => place.host.display().to_string(),
        "{opponent}" => place.opponent.display().to_string(),
        "{secret-file}" => place.secret_file().display().to_string(),
        other => other.to_owned(),
    }
}
