//! One row: a program, what it must earn, and its control.

use std::time::Duration;

use joust_referee::{Limit, Verdict};

pub use super::unsandboxed::{Control, ExpectedEnd, SiteSecret, ends, says};
use super::{Dialogue, Observation, TestSite};

/// A further requirement of a row: nothing, or what is wrong.
pub type Check = fn(&Observation, &TestSite) -> Result<(), String>;

/// One program of ours against one line of the catalogue.
#[derive(Clone)]
pub struct Row {
    /// The line's id, and what tells the row from others of that line:
    /// `O13-bom`.
    pub id: &'static str,
    /// Turns, one after the other in one seat.
    pub turns: Vec<Turn>,
    /// Expected behaviour of the same programs without a sandbox.
    pub control: Control,
    /// Peculiarities of the place it runs in.
    pub setting: Vec<Setting>,
    /// Tiers that cannot enforce all that the row asks for.
    pub partial: Vec<Partial>,
}

/// Gap of a tier: a part of a row that it cannot enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The tier's letter.
    pub tier: char,
    /// The missing enforcement.
    pub why: &'static str,
    /// The verdict that is accepted, and marked, there.
    pub instead: Verdict,
    /// Beginning of an excused failure, beside a verdict or a limit.
    pub excused: &'static str,
}

impl Partial {
    /// Returns whether all that is wrong is what the tier cannot enforce.
    pub fn excuses(&self, wrong: &[String], verdict: Verdict) -> bool {
        let known = ["verdict ", "limit ", self.excused];
        self.instead == verdict
            && !wrong.is_empty()
            && wrong.iter().all(|wrong| known.iter().any(|start| wrong.starts_with(start)))
    }
}

/// One turn of a row.
#[derive(Clone)]
pub struct Turn {
    /// The command.
    pub command: Command,
    /// Form of the answer.
    pub answer: Answer,
    /// The verdicts it may earn; one unless the line leaves a choice that only
    /// the host decides.
    pub verdicts: Vec<Verdict>,
    /// Limits that must be touched.
    pub hits: Vec<Limit>,
    /// Limits that may be touched beside those the verdict names.
    pub may_hit: Vec<Limit>,
    /// The signal that must have ended it, when it crashed.
    pub signal: Option<i32>,
    /// Lines its standard error must have.
    pub says: Vec<&'static str>,
    /// Words that may follow `did`; every other one is a failure.
    pub may_do: Vec<&'static str>,
    /// Special check.
    pub check: Option<(&'static str, Check)>,
    /// Attempt from outside meanwhile; it must never succeed.
    pub meanwhile: Option<Meanwhile>,
    /// Limits of time other than the suite's.
    pub clocks: Clocks,
    /// The program stays and is asked these requests; the turn is all of them.
    pub talk: Option<Dialogue>,
}

/// Form of a program's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// On standard output, an action of BattleBots.
    Printed,
    /// By the file `move.txt` in its scratch, a move of Bomberman 2016.
    File,
}

/// A program and its arguments. In arguments `{port}`, `{free-port}`, `{host}`,
/// `{opponent}`, `{secret-file}` and `{referee}` stand for those of the place.
#[derive(Clone, Debug)]
pub enum Command {
    /// A behaviour of the hostile program.
    Behaviour(&'static str, Vec<String>),
    /// A script from the program's folder, in Python or Ruby as its name ends, and its arguments.
    Script(&'static str, Vec<String>),
    /// A shell script from the program's folder.
    Shell(&'static str),
    /// A file of the program's folder, started directly.
    File(&'static str),
}

/// Limits of time of a turn; `None` is what the suite gives every turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    /// Limit of the wall clock.
    pub turn: Option<Duration>,
    /// Limit of processor time.
    pub cpu: Option<Duration>,
}

/// Attempt from outside while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    /// To be kept from locking the interpreter.
    LockInterpreter,
    /// To connect to the free port.
    ConnectPort,
    /// To connect to an abstract socket named after the run.
    ConnectAbstract,
    /// To be kept from making a seat, playing a turn in it, starting a program that stays and
    /// connecting to it.
    MakeSeat,
    /// To be kept, in another seat, from something that the kernel counts for each user.
    GetOneOfEach,
    /// Receives, in another seat, what the program sends through a file that every seat reads.
    Overhear,
}

/// Peculiarity of the place of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Process 1 runs the row.
    Init,
    /// Its standard streams are closed.
    ClosedStreams,
    /// It ignores SIGCHLD.
    IgnoredChildren,
    /// Its mask of file modes is 0777.
    OddMask,
    /// It may have 64 descriptors.
    FewDescriptors,
    /// Everything that programs inherit and can reset has an unusual value: signals, limits,
    /// scheduling, settings, timers, environment. The control has it, too.
    OddProcess,
    /// It is nice, and has lower hard limits.
    LowPriority,
    /// It runs in a control group that allows less memory than a seat; needs a superuser.
    SmallGroup,
    /// It is about what the kernel counts for each user of the host, so it is played where every
    /// seat has one of its own.
    OwnUser,
    /// The kernel starts a program of the host's for each crash, if the machine lets us say so.
    PipedCores,
    /// A second seat plays a tame turn before and after, and must not notice.
    Neighbour,
    /// Clean-up may take 5 s: there are very many files.
    Huge,
    /// The program's folder has a file `big` of twice the memory limit.
    BigFile,
    /// The game forbids child processes.
    NoChildren,
    /// Its Python scripts are copies of a server of the seat, where the host can keep it from them.
    Server,
    /// The number that is checked is known by looks alone, and one may come late on a busy
    /// machine: the row is played again then, but may not fail so every time.
    Looks {
        /// The tiers that look, by their letters.
        tiers: &'static str,
        /// Beginning of the failure.
        wrong: &'static str,
        /// For how long something must have been kept waiting that turn.
        waited: Duration,
    },
    /// The turns are played 300 times in the seat.
    Often,
    /// Mark of a control that needs a real superuser; others skip the control.
    RootControl,
}

/// Makes a row.
pub fn row(id: &'static str) -> Row {
    Row { id, turns: vec![], control: Control::default(), setting: vec![], partial: vec![] }
}

/// Makes a turn of the hostile program.
pub fn behaves(name: &'static str) -> Turn {
    turn(Command::Behaviour(name, vec![]))
}

/// Makes a turn of a Python script.
pub fn script(name: &'static str) -> Turn {
    turn(Command::Script(name, vec![]))
}

/// Makes a turn of any command.
pub fn turn(command: Command) -> Turn {
    Turn {
        command,
        answer: Answer::Printed,
        verdicts: vec![Verdict::Ok],
        hits: vec![],
        may_hit: vec![],
        signal: None,
        says: vec![],
        may_do: vec![],
        check: None,
        meanwhile: None,
        clocks: Clocks::default(),
        talk: None,
    }
}

impl Row {
    /// The line of the catalogue.
    pub fn line(&self) -> &'static str {
        self.id.split('-').next().unwrap_or(self.id)
    }

    /// Adds a turn.
    #[must_use]
    pub fn then(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Sets the control.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// Adds something odd.
    #[must_use]
    pub fn with(mut self, setting: Setting) -> Self {
        self.setting.push(setting);
        self
    }

    /// Excuses `tiers` from enforcing it: its last turn may earn
    /// `instead` there.
    #[must_use]
    pub fn partial(mut self, tiers: &str, why: &'static str, instead: Verdict) -> Self {
        let excused = "verdict ";
        self.partial.extend(tiers.chars().map(|tier| Partial { tier, why, instead, excused }));
        self
    }

    /// Excuses `tier` from enforcing it, which shows in the failure of an
    /// answer that counts.
    #[must_use]
    pub fn excused(mut self, tier: char, why: &'static str, excused: &'static str) -> Self {
        self.partial.push(Partial { tier, why, instead: Verdict::Ok, excused });
        self
    }
}

impl Turn {
    /// Adds an argument before the view.
    #[must_use]
    pub fn with(mut self, argument: impl Into<String>) -> Self {
        if let Command::Behaviour(_, arguments) | Command::Script(_, arguments) = &mut self.command
        {
            arguments.push(argument.into());
        }
        self
    }

    /// Has it answer by a file.
    #[must_use]
    pub fn by_file(mut self) -> Self {
        self.answer = Answer::File;
        self
    }

    /// Sets the verdicts; `ok` when this is not called.
    #[must_use]
    pub fn earns(mut self, verdicts: &[Verdict]) -> Self {
        self.verdicts = verdicts.to_vec();
        self
    }

    /// Names limits that must be touched.
    #[must_use]
    pub fn hits(mut self, limits: &[Limit]) -> Self {
        self.hits = limits.to_vec();
        self
    }

    /// Names limits that may be touched.
    #[must_use]
    pub fn may_hit(mut self, limits: &[Limit]) -> Self {
        self.may_hit = limits.to_vec();
        self
    }

    /// Requires a crash by this signal.
    #[must_use]
    pub fn crashes_by(mut self, signal: i32) -> Self {
        self.verdicts = vec![Verdict::Crash];
        self.signal = Some(signal);
        self
    }

    /// Requires a line of standard error.
    #[must_use]
    pub fn says(mut self, line: &'static str) -> Self {
        self.says.push(line);
        self
    }

    /// Allows something to have been done.
    #[must_use]
    pub fn may(mut self, deeds: &[&'static str]) -> Self {
        self.may_do.extend_from_slice(deeds);
        self
    }

    /// Adds what is special.
    #[must_use]
    pub fn check(mut self, words: &'static str, check: Check) -> Self {
        self.check = Some((words, check));
        self
    }

    /// Has the test try something from outside meanwhile.
    #[must_use]
    pub fn while_trying(mut self, meanwhile: Meanwhile) -> Self {
        self.meanwhile = Some(meanwhile);
        self
    }

    /// Sets the limit of the wall clock.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.clocks.turn = Some(limit);
        self
    }

    /// Sets the limit of processor time, for a turn whose claim is not about time.
    #[must_use]
    pub fn working(mut self, limit: Duration) -> Self {
        self.clocks.cpu = Some(limit);
        self
    }
}
