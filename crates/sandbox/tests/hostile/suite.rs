//! Runner of the rows, two at a time: first the control, then the row in a process of its own.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_sandbox::{Host, HostOptions, Tier};
use joust_testkit::hostile::{Programs, Row, Setting, TestSite, build, control, make_site};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::core_pattern::Piped;
use crate::outside::{self, OutsideListeners};
use crate::{group, tier, turns, worker};

/// Rows at a time: more spoil the clocks of each other.
const PARALLEL: usize = 2;
/// Time that a row may take, clean-up and repetitions included.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time that one may take whose turns are played very often.
const LONG_PATIENCE: Duration = Duration::from_secs(400);
/// Attempts of a control on a busy machine before a failure counts; each has twice the
/// time of the one before.
const CONTROL_ATTEMPTS: u32 = 3;

struct Suite {
    programs: Programs,
    base: PathBuf,
    tier: Option<Tier>,
    copies: Mutex<usize>,
}

/// Outcome of a row.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// As it must be, with notes.
    Passed(String),
    /// Not as it must be.
    Failed(Vec<String>),
    /// This tier cannot enforce it.
    Ignored(String),
}

/// Runs `rows`; those that take longest first, so that none of them is left for the end.
pub(crate) fn run(mut arguments: Arguments, mut rows: Vec<Row>) -> ExitCode {
    let (suite, _folder) = prepare().expect("the programs can be built");
    let suite = Arc::new(suite);
    arguments.test_threads.get_or_insert(PARALLEL);
    rows.sort_by_key(|row| !is_long(row));
    let trials = rows.into_iter().map(|row| {
        let suite = Arc::clone(&suite);
        Trial::ignorable_test(row.id, move || match suite.run_row(&row)? {
            Outcome::Passed(notes) => {
                if !notes.is_empty() {
                    println!("  {}:{notes}", row.id);
                }
                Ok(Completion::Completed)
            }
            Outcome::Ignored(reason) => Ok(Completion::ignored_with(reason)),
            Outcome::Failed(reasons) => Err(reasons.join("\n  ").into()),
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// X07: a host without isolation runs nothing.
pub(crate) fn refuse() -> Result<(), Failed> {
    match Host::probe(&HostOptions::default()) {
        Err(_refusal) => Ok(()),
        Ok(host) => Err(format!("the host gave tier {}", host.tier()).into()),
    }
}

fn prepare() -> io::Result<(Suite, tempfile::TempDir)> {
    let tier = tier::wanted().map_err(io::Error::other)?;
    let folder = tempfile::Builder::new().prefix("joust-suite-").tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let programs = build(&folder.path().join("programs"))?;
    let programs = if turns::starts().is_some() { programs.with_library()? } else { programs };
    let base = folder.path().to_owned();
    // In tier B an ordinary user starts it, and may not enter the target folder.
    fs::copy(std::env::current_exe()?, base.join("runner"))?;
    Ok((Suite { programs, base, tier, copies: Mutex::new(0) }, folder))
}

impl Suite {
    fn run_row(&self, row: &Row) -> io::Result<Outcome> {
        let root = nix::unistd::geteuid().is_root();
        if !root && row.setting.contains(&Setting::SmallGroup) {
            return Ok(Outcome::Ignored("needs a group made by a superuser".to_owned()));
        }
        if turns::starts().is_some()
            && let Err(reason) = row.clone().in_python()
        {
            return Ok(Outcome::Ignored(reason.to_owned()));
        }
        if row.setting.contains(&Setting::PipedCores) {
            return self.piped(row);
        }
        let can_be_played = root || !row.setting.contains(&Setting::RootControl);
        if can_be_played && !are_controls_played() {
            let wrong = self.control(row)?;
            if !wrong.is_empty() {
                return Ok(Outcome::Failed(wrong));
            }
        }
        self.sandboxed(row)
    }

    /// Plays a row while the kernel starts a program for each crash: it does so for the control.
    fn piped(&self, row: &Row) -> io::Result<Outcome> {
        let Ok(piped) = Piped::start(&self.base) else {
            return Ok(Outcome::Ignored("the kernel's core pattern is not ours to set".to_owned()));
        };
        let wrong = self.control(row)?;
        if !wrong.is_empty() {
            return Ok(Outcome::Failed(wrong));
        }
        if piped.take_seen() == 0 {
            let reason = "the kernel looks for programs elsewhere than this process";
            return Ok(Outcome::Ignored(reason.to_owned()));
        }
        let outcome = self.sandboxed(row)?;
        Ok(match piped.take_seen() {
            0 => outcome,
            seen => Outcome::Failed(vec![format!("the host's program was started {seen} times")]),
        })
    }

    fn new_place(&self, row: &Row) -> io::Result<PathBuf> {
        let number = {
            let mut copies = self.copies.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *copies += 1;
            *copies
        };
        let name = format!("joust-hostile-{}-{number}", std::process::id());
        let host = self.base.join(name);
        make_site(row, &host, &self.programs)?;
        Ok(host)
    }

    fn control(&self, row: &Row) -> io::Result<Vec<String>> {
        let mut wrong = Vec::new();
        for attempt in 0..CONTROL_ATTEMPTS {
            wrong = self.control_once(row, control::LIMIT * 2_u32.pow(attempt))?;
            if wrong.is_empty() {
                break;
            }
        }
        Ok(wrong)
    }

    fn control_once(&self, row: &Row, limit: Duration) -> io::Result<Vec<String>> {
        let host = self.new_place(row)?;
        let listeners = OutsideListeners::open()?;
        let place = TestSite::at(&host, listeners.port(), listeners.free_port());
        let child = match control::command(row, &place, &self.programs, limit).spawn() {
            Ok(child) => child,
            Err(error) => return Ok(control::judge_refusal(row, &error)),
        };
        let attempt = control::meanwhile(row).map(|meanwhile| {
            let place = &place;
            move || outside::gets_through(meanwhile, place)
        });
        let tried = outside::try_while(attempt, || finish(child, PATIENCE));
        let output = tried.result?;
        if !output.0 {
            return Ok(vec![format!("control: {}", output.1)]);
        }
        let seen = control::read(&host, tried.reached)?;
        let wrong = control::judge(row, &seen, &place);
        remove(&host);
        Ok(wrong)
    }

    fn sandboxed(&self, row: &Row) -> io::Result<Outcome> {
        let host = self.new_place(row)?;
        let result = self.base.join(format!("{}.result", row.id));
        fs::write(&result, "")?;
        fs::set_permissions(&result, fs::Permissions::from_mode(0o666))?;
        let mut stage = Command::new(&self.programs.stage);
        if nix::unistd::geteuid().is_root() {
            stage.env(tier::PRIVATE, "1");
        }
        let child = stage
            .args(tier::stage_words(row, self.tier))
            .arg("--")
            .arg(self.base.join("runner"))
            .args([worker::DOOR, row.id])
            .args([&host, &result])
            .env("JOUST_TEST_SECRET", TestSite::at(&host, 0, 0).secret)
            .env_remove("TMPDIR")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let stage = child.id();
        let patience = if is_long(row) { LONG_PATIENCE } else { PATIENCE };
        let (ended_well, said) = finish(child, patience)?;
        group::remove(stage);
        let outcome = worker::read_result(&result);
        remove(&host);
        Ok(match outcome {
            Some(outcome) if ended_well => outcome,
            _ => Outcome::Failed(vec![format!("the worker ended without a result: {said}")]),
        })
    }
}

fn is_long(row: &Row) -> bool {
    row.setting.contains(&Setting::Often)
}

/// Returns whether an earlier run on this machine has shown that the programs do harm.
fn are_controls_played() -> bool {
    std::env::var("JOUST_CONTROLS").is_ok_and(|controls| controls == "played")
}

/// Waits for a process; returns whether it ended well, and what it complained.
fn finish(mut child: Child, patience: Duration) -> io::Result<(bool, String)> {
    let errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        errors.map(io::read_to_string).transpose().unwrap_or_default().unwrap_or_default()
    });
    let end = Instant::now() + patience;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= end {
            child.kill()?;
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let said = reader.join().unwrap_or_default();
    let late =
        if Instant::now() >= end { format!(", ended after {patience:?}") } else { String::new() };
    Ok((status.success(), format!("{status}{late}: {}", said.trim())))
}

/// Removes a folder. A control may have left folders in it that are immutable or closed to all.
fn remove(host: &Path) {
    let _ =
        Command::new("chattr").args(["-R", "-i", "-a"]).arg(host).stderr(Stdio::null()).status();
    let _ = Command::new("chmod").args(["-R", "u+rwX"]).arg(host).stderr(Stdio::null()).status();
    let _ = Command::new("rm").args(["-rf", "--one-file-system"]).arg(host).status();
}
