//! Worker: plays one row in a seat, in a process of its own, so that everything the sandbox
//! leaves can be distinguished from what other rows do.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use joust_sandbox::{
    Host, HostOptions, Pipes, Program, ProgramLimits, RunningProgram, Seat, ServerConnection, Tier,
};
use joust_testkit::clean_state::{CleanState, OwnState, StateWatch};
use joust_testkit::hostile::{
    Answer, Clocks, Command, Dialogue, Meanwhile, Observation, Partial, Row, Setting, TestSite,
    Turn, Verdict, arguments, judge, rows,
};

use crate::calibrate::{Calibration, calibrate};
use crate::figures::{is_contended, note, own_cpu, record};
use crate::outside::{self, OutsideListeners};
use crate::suite::Outcome;
use crate::talk::{self, Talked};
use crate::waits::Waits;
use crate::{tier, turns};

/// The argument that makes this program a worker.
pub(crate) const DOOR: &str = "--worker";

/// C1 to C6 hold so soon after a turn.
const SOON: Duration = Duration::from_millis(500);
/// Time that a tame program may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// And so soon where there are very many files.
const LATER: Duration = Duration::from_secs(5);
/// Number of times that the turns of a row are played that says `Often`.
const OFTEN: usize = 300;
/// The same where an interpreter is started for each, most of them from nothing.
const OFTEN_IN_PYTHON: usize = 60;
/// Attempts at a row when the machine was too busy for it.
const CONTENDED_ATTEMPTS: usize = 4;

/// Plays the row named first in the place named second, and writes the outcome
/// to the file named third.
pub(crate) fn main(words: &[String]) -> ExitCode {
    let [id, host, result] = words else { return ExitCode::from(2) };
    let Some(row) = rows::all().into_iter().find(|row| row.id == id) else {
        return ExitCode::from(2);
    };
    let row = if turns::starts().is_some() { row.in_python() } else { Ok(row) };
    let Ok(row) = row else { return ExitCode::from(2) };
    let outcome =
        play_row(&row, Path::new(host)).unwrap_or_else(|reason| Outcome::Failed(vec![reason]));
    match write_result(Path::new(result), &outcome) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}

fn write_result(path: &Path, outcome: &Outcome) -> std::io::Result<()> {
    let text = match outcome {
        Outcome::Passed(notes) => format!("passed\n{notes}"),
        Outcome::Ignored(reason) => format!("ignored\n{reason}"),
        Outcome::Failed(reasons) => format!("failed\n{}", reasons.join("\n")),
    };
    std::fs::OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}

/// Reads what a worker wrote; `None` when it wrote nothing.
pub(crate) fn read_result(path: &Path) -> Option<Outcome> {
    let text = std::fs::read_to_string(path).ok()?;
    let (word, rest) = text.split_once('\n')?;
    match word {
        "passed" => Some(Outcome::Passed(rest.to_owned())),
        "ignored" => Some(Outcome::Ignored(rest.to_owned())),
        "failed" => Some(Outcome::Failed(rest.lines().map(str::to_owned).collect())),
        _ => None,
    }
}

fn play_row(row: &Row, host: &Path) -> Result<Outcome, String> {
    let listeners =
        OutsideListeners::open().map_err(|error| format!("listen on loopback: {error}"))?;
    let place = TestSite::at(host, listeners.port(), listeners.free_port());
    let watch = watch(&place);
    let before = watch.look();
    let mut notes = String::new();
    let mut wrong = Vec::new();
    let mut partial = None;
    for attempt in 1..=CONTENDED_ATTEMPTS {
        let played = play_in_host(row, &place, &watch)?;
        if let Some(reason) = played.ignored {
            return Ok(Outcome::Ignored(reason));
        }
        partial = played.partial;
        wrong = played.wrong;
        notes = played.notes;
        if wrong.is_empty() || !played.contended && !played.is_late {
            break;
        }
        if attempt == CONTENDED_ATTEMPTS && played.contended {
            return Ok(contended(&wrong));
        }
    }
    wrong.extend(watch.differences_within(&before, OwnState::Compared, patience(row)));
    Ok(match partial {
        _ if !wrong.is_empty() => Outcome::Failed(wrong),
        Some(partial) => Outcome::Ignored(format!("{}: {}", partial.instead, partial.why)),
        None => Outcome::Passed(notes),
    })
}

/// Too busy four times in a row: no verdict about time can be trusted. What is
/// left behind has nothing to do with that.
fn contended(wrong: &[String]) -> Outcome {
    let left: Vec<_> = wrong.iter().filter(|wrong| wrong.starts_with('C')).cloned().collect();
    match left.is_empty() {
        true => Outcome::Ignored(format!("contended: {}", wrong.join("; "))),
        false => Outcome::Failed(left),
    }
}

fn watch(place: &TestSite) -> StateWatch {
    StateWatch {
        run: place.run.clone(),
        folders: vec![place.program.clone(), place.opponent.clone(), place.secret_file()],
        observer: std::process::id(),
        surroundings: tier::surroundings(),
    }
}

fn patience(row: &Row) -> Duration {
    if row.setting.contains(&Setting::Huge) { LATER } else { SOON }
}

/// Result of playing a row once.
#[derive(Default)]
struct Played {
    /// Why it could not be played.
    ignored: Option<String>,
    wrong: Vec<String>,
    notes: String,
    contended: bool,
    /// True when nothing is wrong but that a look came late; it may not do so every time.
    is_late: bool,
    /// Limit or verdict that this tier could not enforce, and did not.
    partial: Option<Partial>,
}

/// Plays the row once.
fn play_in_host(row: &Row, place: &TestSite, watch: &StateWatch) -> Result<Played, String> {
    let options = HostOptions { tier: tier::wanted()?, ..HostOptions::default() };
    let host = Host::probe(&options).map_err(|error| error.to_string())?;
    if let Some(wanted) = options.tier
        && host.tier() != wanted
    {
        return Err(format!("the host gave tier {}", host.tier()));
    }
    if row.setting.contains(&Setting::OwnUser)
        && let Some(reason) = tier::shared_user(&host)
    {
        return Ok(Played { ignored: Some(reason), ..Played::default() });
    }
    Session::start(&host, row, place, watch)?.play()
}

struct Session<'a> {
    host: &'a Host,
    row: &'a Row,
    place: &'a TestSite,
    watch: &'a StateWatch,
    /// Gone for the moment in which it is handed on.
    seat: Option<Seat>,
    neighbour: Option<Seat>,
    /// Measured cost of the interpreter, for a row whose turns are played often.
    measured: Option<Calibration>,
}

impl<'a> Session<'a> {
    fn start(
        host: &'a Host,
        row: &'a Row,
        place: &'a TestSite,
        watch: &'a StateWatch,
    ) -> Result<Self, String> {
        let seat = Some(start_seat(host, row, place)?);
        let wants_neighbour = row.setting.contains(&Setting::Neighbour);
        let neighbour = wants_neighbour.then(|| start_seat(host, row, place)).transpose()?;
        Ok(Self { host, row, place, watch, seat, neighbour, measured: None })
    }

    fn play(mut self) -> Result<Played, String> {
        let mut played = Played::default();
        let often = if turns::starts().is_some() { OFTEN_IN_PYTHON } else { OFTEN };
        let times = if self.row.setting.contains(&Setting::Often) { often } else { 1 };
        for _ in 0..times {
            for (index, turn) in self.row.turns.iter().enumerate() {
                let (seen, wrong, partial) = self.play_turn(turn)?;
                played.contended |= is_contended(&seen);
                played.is_late |= self.is_late(&seen, &wrong);
                played.partial = played.partial.or(partial);
                played.notes = note(&seen);
                let say = |wrong: String| name_turn(&wrong, index, &played.notes);
                played.wrong.extend(wrong.into_iter().map(say));
            }
            if !played.wrong.is_empty() {
                break;
            }
        }
        Ok(played)
    }

    fn is_late(&self, seen: &Observation, wrong: &[String]) -> bool {
        let tier = tier::letter(self.host.tier());
        let explains = |setting: &Setting| match setting {
            Setting::Looks { tiers, wrong: late, waited } => {
                tiers.contains(tier)
                    && seen.stall >= *waited
                    && wrong.iter().all(|wrong| wrong.starts_with(late))
            }
            _ => false,
        };
        !wrong.is_empty() && self.row.setting.iter().any(explains)
    }

    /// Ends the bout of the seat and begins another one, as the next bout of a bot does.
    fn hand_on(&mut self) -> Result<(), String> {
        let stopped = self.seat.take().map_or(Ok(()), Seat::stop);
        stopped.map_err(|error| format!("stop the seat: {error}"))?;
        self.seat = Some(start_seat(self.host, self.row, self.place)?);
        Ok(())
    }

    fn seat(&mut self) -> &mut Seat {
        self.seat.as_mut().expect("it is handed on whole")
    }

    fn play_turn(
        &mut self,
        turn: &Turn,
    ) -> Result<(Observation, Vec<String>, Option<Partial>), String> {
        if are_handed_on() {
            self.hand_on()?;
        }
        let calibration = self.calibration(turn)?;
        let limits = turns::limits(calibration, turn.clocks);
        let before = self.watch.look();
        let mut wrong = self.ask_neighbour();
        let seen = match &turn.talk {
            Some(talk) => self.talk(turn, talk, limits, calibration)?,
            None => self.ask(turn, limits),
        };
        let (unlike, partial) = self.judge(turn, &seen);
        wrong.extend(unlike);
        wrong.extend(record(&seen));
        wrong.extend(self.coldness(&seen));
        wrong.extend(self.left_over(&before));
        wrong.extend(self.ask_neighbour());
        if seen.ended == joust_testkit::hostile::ProcessEnd::Lost && seen.verdict == Verdict::Crash
        {
            self.seat = Some(start_seat(self.host, self.row, self.place)?);
        }
        Ok((seen, wrong, partial))
    }

    /// Returns what is wrong with a turn; or, when that is only a verdict or a
    /// limit that this tier cannot enforce, what that is.
    fn judge(&self, turn: &Turn, seen: &Observation) -> (Vec<String>, Option<Partial>) {
        let wrong = judge(turn, seen, self.place);
        match tier::shortfall(self.row, self.host.tier()) {
            Some(partial) if partial.excuses(&wrong, seen.verdict) => (vec![], Some(partial)),
            _ => (wrong, None),
        }
    }

    /// A row about servers has one in each of its turns, where the host can keep it from programs.
    fn coldness(&self, seen: &Observation) -> Option<String> {
        let reason = seen.cold.as_ref()?;
        let is_about_servers = self.row.setting.contains(&Setting::Server);
        (is_about_servers && tier::keeps_servers(self.host))
            .then(|| format!("it was started cold: {reason}"))
    }

    /// Returns the cost of starting a turn's interpreter, measured each time unless the row's
    /// turns are played often, where that would take most of the row's time.
    fn calibration(&mut self, turn: &Turn) -> Result<Calibration, String> {
        if let Some(measured) = self.measured {
            return Ok(measured);
        }
        let measured = calibrate(self.seat(), &turn.command)?;
        self.measured = self.row.setting.contains(&Setting::Often).then_some(measured);
        Ok(measured)
    }

    fn ask(&mut self, turn: &Turn, limits: ProgramLimits) -> Observation {
        let command = arguments(&turn.command, Path::new("/program"), self.place);
        let (used_before, waits) = (own_cpu(), Waits::look());
        let (host, row, place) = (self.host, self.row, self.place);
        let elsewhere = Elsewhere { host, row, place };
        let seat = self.seat();
        let attempt = turn.meanwhile.map(|meanwhile| {
            move || match meanwhile {
                Meanwhile::MakeSeat => is_kept_from_seats(host, row, place),
                Meanwhile::GetOneOfEach => {
                    !says_in_another_seat("get_one_of_each", "did get one of each", &elsewhere)
                }
                Meanwhile::Overhear => says_in_another_seat("overhear", "did overhear", &elsewhere),
                other => outside::gets_through(other, place),
            }
        });
        let tried =
            outside::try_while(attempt, || turns::play(seat, &command, limits, turn.answer));
        let mut seen = turns::seen(tried.result, limits, self.host.tier());
        seen.observer_cpu = own_cpu().saturating_sub(used_before);
        seen.stall = seen.stall.max(waits.grown());
        seen.reached = tried.reached;
        seen
    }

    /// Speaks with a program that stays, in a seat of its own, which is there for
    /// another one afterwards.
    fn talk(
        &mut self,
        turn: &Turn,
        talk: &Dialogue,
        limits: ProgramLimits,
        calibration: Calibration,
    ) -> Result<Observation, String> {
        let command = arguments(&turn.command, Path::new("/program"), self.place);
        let seat = start_seat(self.host, self.row, self.place)?;
        let (used_before, waits) = (own_cpu(), Waits::look());
        let talked = match talk::hold(seat, &command, talk, limits.wall, calibration) {
            Ok(talked) => talked,
            Err(error) => return Ok(turns::seen(Err(error), limits, self.host.tier())),
        };
        let used = own_cpu().saturating_sub(used_before);
        let waited = waits.grown();
        let Talked { mut seat, heard } = talked;
        let again = answer_tamely(&mut seat, self.place, self.host.tier());
        seat.stop().map_err(|error| format!("stop the seat: {error}"))?;
        if again.verdict != Verdict::Ok {
            let (verdict, said) = (again.verdict, again.said());
            return Err(format!("the next program of the seat got {verdict}: {said}"));
        }
        let mut seen = turns::heard(heard, limits, self.host.tier());
        seen.observer_cpu = used;
        seen.stall = seen.stall.max(waited);
        Ok(seen)
    }

    fn left_over(&self, before: &CleanState) -> Vec<String> {
        self.watch.differences_within(before, OwnState::Ignored, patience(self.row))
    }

    /// Checks that a tame program in another seat answers as if it were alone.
    fn ask_neighbour(&mut self) -> Vec<String> {
        let Some(seat) = &mut self.neighbour else { return vec![] };
        let seen = answer_tamely(seat, self.place, self.host.tier());
        if seen.verdict == Verdict::Ok {
            return vec![];
        }
        vec![format!("the neighbour got {} ({:?}): {}", seen.verdict, seen.ended, seen.said())]
    }
}

fn within(turn: Duration) -> Clocks {
    Clocks { turn: Some(turn), cpu: None }
}

/// One turn of a tame program.
fn answer_tamely(seat: &mut Seat, place: &TestSite, tier: Tier) -> Observation {
    let tame = Command::Behaviour("only_answer", vec![]);
    let command = arguments(&tame, Path::new("/program"), place);
    let limits = turns::limits(Calibration::default(), within(Duration::from_secs(5)));
    turns::seen(turns::play(seat, &command, limits, Answer::Printed), limits, tier)
}

/// Makes a seat, plays a tame turn in it, starts a program that stays and connects to it.
fn is_kept_from_seats(host: &Host, row: &Row, place: &TestSite) -> bool {
    let mut spec = turns::seat_spec(row, place);
    spec.host_sockets.may_listen = true;
    let Ok(mut seat) = Seat::start(host, &spec) else { return true };
    let verdict = answer_tamely(&mut seat, place, host.tier()).verdict;
    verdict != Verdict::Ok || !can_talk(seat, place)
}

/// Host, row and place for another seat.
struct Elsewhere<'a> {
    host: &'a Host,
    row: &'a Row,
    place: &'a TestSite,
}

/// Has a program of another seat do something, and says whether it said so.
fn says_in_another_seat(deed: &'static str, word: &str, elsewhere: &Elsewhere<'_>) -> bool {
    let Elsewhere { host, row, place } = *elsewhere;
    let Ok(mut seat) = start_seat(host, row, place) else { return false };
    let command = arguments(&Command::Behaviour(deed, vec![]), Path::new("/program"), place);
    let limits = turns::limits(Calibration::default(), within(PATIENCE));
    let played = turns::play(&mut seat, &command, limits, Answer::Printed);
    turns::seen(played, limits, host.tier()).said().contains(word)
}

/// Starts a tame server with pipes, connects to it, and ends it.
fn can_talk(seat: Seat, place: &TestSite) -> bool {
    let tame = Command::Behaviour("listen_and_stay", vec![]);
    let command = arguments(&tame, Path::new("/program"), place);
    let limits = ProgramLimits { cpu: PATIENCE, wall: PATIENCE };
    let folder = Path::new("/program");
    let program = Program { command: &command, folder, put: &[], pipes: Pipes::Two, limits };
    let connects = |live: &mut RunningProgram| loop {
        match live.connect(8000, false) {
            Ok(ServerConnection::Made(_)) => return true,
            Ok(ServerConnection::Refused(_)) if !live.has_ended() => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => return false,
        }
    };
    let started = seat.start_program(&program);
    started.is_ok_and(|mut live| connects(&mut live) && live.end().is_ok())
}

fn start_seat(host: &Host, row: &Row, place: &TestSite) -> Result<Seat, String> {
    let start = if are_handed_on() { Seat::acquire } else { Seat::start };
    start(host, &turns::seat_spec(row, place)).map_err(|error| format!("start a seat: {error}"))
}

/// Returns whether every turn is a bout of its own, in a seat that earlier ones may have had.
fn are_handed_on() -> bool {
    std::env::var("JOUST_SEATS").is_ok_and(|seats| seats == "handed-on")
}

fn name_turn(wrong: &str, index: usize, note: &str) -> String {
    format!("{wrong} (turn {index}:{note})")
}
