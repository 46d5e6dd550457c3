//! Calibration: measures the cost of a do-nothing bot in a language, which is added to the limits.
//!
//! The shipped calibration bots are embedded in the program. A run is one turn in a normal seat,
//! with the game's first view. The caller ensures that nothing else plays on the machine meanwhile.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use joust_referee::{Files, Game, GameSpec, Output, Outputs, Part, Parts, Seed, Setup, StartError};
use joust_sandbox::{Ending, ProgramLimits, PutFile, Seat, StartKind, Turn};

use crate::channel::{self, CalibrationMethod};
use crate::rounds::is_referee_error;
use joust_bots::{Candidate, read_bot};
use joust_build::{Builder, PlacedBuild, SCRATCH, seat_spec};
use joust_model::cancel::Cancel;
use joust_model::{Calibration, GameOptions, Limits};
use joust_toolchain::NotBuilt;

/// Language, path and bytes of every file of the shipped calibration bots.
static SHIPPED: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/calibration_bots.rs"));

/// The least time limit of one run.
const PATIENCE: Duration = Duration::from_secs(60);
/// A spread of more than this many medians causes a second measurement.
const WIDE: u32 = 3;

/// Returns whether the limits of `game`'s bots include the start of their language; its channel
/// determines that.
pub fn is_calibrated(game: &GameSpec) -> bool {
    channel::find(&game.channel)
        .is_ok_and(|it| it.calibration_method == CalibrationMethod::WholeRuns)
}

/// Reason why a language has no calibration.
#[derive(Debug, thiserror::Error)]
pub enum NotCalibrated {
    /// The language has no do-nothing bot.
    #[error("there is no calibration bot for `{0}`")]
    NoBot(String),
    /// The do-nothing bot was not built.
    #[error("the calibration bot was not built: {0}")]
    NotBuilt(NotBuilt),
    /// The do-nothing bot failed.
    #[error("the calibration bot failed: {0}")]
    Failed(String),
    /// The run is being stopped.
    #[error("stopped")]
    Stopped,
    /// The machine is at fault.
    #[error("infrastructure-error: {0}")]
    Infrastructure(String),
}

impl NotCalibrated {
    /// Returns whether the machine is at fault.
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Infrastructure(_))
    }
}

impl From<NotBuilt> for NotCalibrated {
    fn from(reason: NotBuilt) -> Self {
        match reason {
            NotBuilt::Stopped => Self::Stopped,
            NotBuilt::Infrastructure(trouble) => Self::Infrastructure(trouble),
            other => Self::NotBuilt(other),
        }
    }
}

/// Parameters of a calibration: a language is measured for one game.
#[derive(Clone, Copy)]
pub struct CalibrationRequest<'a> {
    /// Builds the calibration bots; its host runs them.
    pub builder: &'a Builder<'a>,
    /// The game.
    pub game: &'a Game,
    /// One of its rule sets.
    pub rules: &'a str,
    /// Its options.
    pub options: &'a GameOptions,
    /// Limits of a bot, apart from those on time.
    pub limits: &'a Limits,
    /// The processors that a bot would use.
    pub cores: &'a [usize],
    /// Number of runs, at least 1.
    pub runs: u32,
    /// The tournament's folder, with the languages that it adds.
    pub folder: &'a Path,
    /// The time of day, milliseconds since 1970.
    pub now: i64,
    /// The machine's name.
    pub machine: &'a str,
}

/// One run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CalibrationRun {
    cpu: Duration,
    wall: Duration,
}

/// Measures the language called `language`.
///
/// # Errors
///
/// [`NotCalibrated`], with the reason.
pub fn measure(
    request: &CalibrationRequest<'_>,
    language: &str,
) -> Result<Calibration, NotCalibrated> {
    let build = build(request, language)?;
    let first = first_request(request)?;
    let mut seat = CalibrationBot::start(request, &build, &first)?;
    // The first run warms the machine's caches, as the first turns of a tournament do, and is not
    // counted.
    seat.run()?;
    let mut runs = seat.runs(request.runs)?;
    if is_wide(&runs) {
        let again = seat.runs(request.runs)?;
        if spread(&again) < spread(&runs) {
            runs = again;
        }
    }
    Ok(Calibration {
        language: build.measured_as(request.limits),
        game: request.game.id().to_owned(),
        runs: request.runs.max(1),
        cpu: median(runs.iter().map(|run| run.cpu)),
        wall: median(runs.iter().map(|run| run.wall)),
        spread: spread(&runs),
        measured_at: request.now,
        machine: request.machine.to_owned(),
    })
}

fn build(request: &CalibrationRequest<'_>, language: &str) -> Result<PlacedBuild, NotCalibrated> {
    let ours = |error: std::io::Error| NotCalibrated::Infrastructure(error.to_string());
    let languages = request.builder.toolchains.languages();
    let own = languages.get(language).and_then(|language| language.calibration.as_ref());
    let work = request.builder.store.work().map_err(ours)?;
    let folder = match own {
        Some(own) => request.folder.join(own),
        None => unpack(language, work.path()).map_err(ours)?,
    };
    if !folder.is_dir() {
        return Err(NotCalibrated::NoBot(language.to_owned()));
    }
    let candidate = Candidate::new(&folder, request.game.spec(), languages.sources());
    let archives = request.builder.store.archives();
    let bot = read_bot(&candidate, &archives).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        NotCalibrated::Failed(all.join("; "))
    })?;
    Ok(request.builder.build(&bot)?)
}

/// Writes the shipped bot of a language beneath `target`.
fn unpack(language: &str, target: &Path) -> std::io::Result<std::path::PathBuf> {
    let folder = target.join(language);
    for (_, path, bytes) in SHIPPED.iter().filter(|(owner, _, _)| *owner == language) {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&folder))?;
        fs::write(file, bytes)?;
    }
    Ok(folder)
}

/// First view of the first seat, with its files.
#[derive(Default)]
struct FirstRequest {
    view: Parts,
    files: Option<Files>,
}

/// Returns the first request to the first seat; an empty one for a game with a clock.
fn first_request(request: &CalibrationRequest<'_>) -> Result<FirstRequest, NotCalibrated> {
    let seats = request.game.spec().seats.fewest;
    let names: Vec<String> = (0..seats).map(|seat| format!("calibration {seat}")).collect();
    let options = request.options.to_referee();
    let setup =
        Setup { rules: request.rules, options: &options, seed: Seed(0), seats, names: &names };
    let mut outputs = Outputs::new();
    match request.game.start(&setup, &mut outputs) {
        Ok(_) => {}
        // Errors of an external referee are reported by the bouts.
        Err(StartError::Judge(error)) if is_referee_error(request.game, &error) => {
            return Ok(FirstRequest::default());
        }
        Err(error) => return Err(NotCalibrated::Infrastructure(error.to_string())),
    }
    let asked = outputs.drain().find_map(|output| match output {
        Output::Ask { parts, files, .. } => Some(FirstRequest { view: parts, files }),
        _ => None,
    });
    Ok(asked.unwrap_or_default())
}

impl FirstRequest {
    /// Returns the request as arguments and files, in the form of the game's channel.
    fn carried(&self) -> (Vec<OsString>, Vec<PutFile>) {
        let folder = self.files.as_ref().map(channel::files_folder);
        let path = |name: &str| match &folder {
            Some(folder) => format!("{folder}/{name}"),
            None => name.to_owned(),
        };
        let named = || self.view.0.iter().filter(|part| !part.name.is_empty());
        let put = |part: &Part| PutFile { path: path(&part.name), bytes: part.bytes.clone() };
        let files: Vec<PutFile> = named().map(put).collect();
        let arguments = match (&self.files, &folder, self.view.get("")) {
            (Some(files), Some(folder), _) => {
                vec![(&*files.key).into(), format!("{SCRATCH}/{folder}").into()]
            }
            (_, _, Some(argument)) if files.is_empty() => {
                vec![String::from_utf8_lossy(argument).into_owned().into()]
            }
            _ => vec![SCRATCH.into()],
        };
        (arguments, files)
    }
}

/// A calibration bot in its seat.
struct CalibrationBot<'a> {
    cancel: &'a Cancel,
    seat: Seat,
    command: Vec<OsString>,
    files: Vec<PutFile>,
}

impl<'a> CalibrationBot<'a> {
    fn start(
        request: &CalibrationRequest<'a>,
        build: &PlacedBuild,
        first: &FirstRequest,
    ) -> Result<Self, NotCalibrated> {
        let spec = seat_spec(build, request.limits, request.cores, 0);
        let seat = Seat::start(request.builder.host, &spec)
            .map_err(|error| NotCalibrated::Infrastructure(error.to_string()))?;
        let (arguments, files) = first.carried();
        let command = build.command.iter().cloned().chain(arguments).collect();
        Ok(Self { cancel: request.builder.cancel, seat, command, files })
    }

    fn runs(&mut self, runs: u32) -> Result<Vec<CalibrationRun>, NotCalibrated> {
        (0..runs.max(1)).map(|_| self.run()).collect()
    }

    fn run(&mut self) -> Result<CalibrationRun, NotCalibrated> {
        let limits = ProgramLimits { cpu: PATIENCE, wall: PATIENCE };
        let turn = Turn {
            command: &self.command,
            folder: Path::new(SCRATCH),
            put: &self.files,
            take: &[],
            limits,
        };
        let ours = |error: &dyn std::error::Error| NotCalibrated::Infrastructure(error.to_string());
        let stopper = self.seat.stopper().map_err(|error| ours(&error))?;
        let stopping = self.cancel.on_cancel(move || stopper.stop());
        let report = self.seat.turn(&turn);
        drop(stopping);
        if self.cancel.is_cancelled() {
            return Err(NotCalibrated::Stopped);
        }
        let report = report.map_err(|error| ours(&error))?;
        if let StartKind::ColdBecause(reason) = &report.start {
            return Err(NotCalibrated::Failed(format!("it cannot be kept warm: {reason}")));
        }
        if report.ending == Ending::Exited(0) {
            return Ok(CalibrationRun { cpu: report.usage.cpu, wall: report.usage.wall });
        }
        let lines = joust_build::error_extract::error_lines(&report).join("\n  | ");
        let ending = joust_build::build_log::ending(report.ending);
        Err(NotCalibrated::Failed(format!("it {ending}\n  | {lines}")))
    }
}

fn median(values: impl Iterator<Item = Duration>) -> Duration {
    let mut values: Vec<Duration> = values.collect();
    values.sort_unstable();
    match values.len() {
        0 => Duration::ZERO,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2,
    }
}

/// Returns the slowest minus the fastest run.
fn spread(runs: &[CalibrationRun]) -> Duration {
    let walls = || runs.iter().map(|run| run.wall);
    walls().max().unwrap_or_default().saturating_sub(walls().min().unwrap_or_default())
}

fn is_wide(runs: &[CalibrationRun]) -> bool {
    spread(runs) > median(runs.iter().map(|run| run.wall)) * WIDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_toolchain::Languages;

    fn runs(walls: &[u64]) -> Vec<CalibrationRun> {
        let run =
            |wall: &u64| CalibrationRun { cpu: Duration::ZERO, wall: Duration::from_millis(*wall) };
        walls.iter().map(run).collect()
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let milliseconds =
            |values: &[u64]| median(values.iter().copied().map(Duration::from_millis));
        assert_eq!(milliseconds(&[9, 1, 5]), Duration::from_millis(5));
        assert_eq!(milliseconds(&[9, 1, 5, 7]), Duration::from_millis(6));
    }

    #[test]
    fn a_spread_over_three_medians_is_wide() {
        assert!(!is_wide(&runs(&[10, 10, 40])));
        assert!(is_wide(&runs(&[10, 10, 41])));
    }

    #[test]
    fn only_games_whose_bots_stay_for_the_bout_are_not_calibrated() {
        let games = joust_referee::Catalogue::built_in();
        let others = games.iter().filter(|game| !is_calibrated(game.spec()));
        let others: Vec<_> = others.map(Game::id).collect();
        assert_eq!(others, ["battlesnake", "coderone-dungeon"]);
    }

    #[test]
    fn every_shipped_language_brings_its_calibration_bot() {
        for (id, _) in Languages::shipped().iter() {
            assert!(SHIPPED.iter().any(|file| file.0 == id && file.1 == "bot.yaml"), "{id}");
        }
    }
}
