//! Turns of one bot in three seats, by how each starts its programs, round by round.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use joust_build::{PlacedBuild, SCRATCH, seat_spec};
use joust_model::{Limits, StartMode};
use joust_sandbox::{Ending, Host, ProgramLimits, Seat, StartKind, Turn, TurnReport};

use super::Result;

/// Rounds before those that count.
const WARM_UP: usize = 5;
const PATIENCE: Duration = Duration::from_secs(60);

/// A bot in its seat.
pub(crate) struct Player {
    starts: StartMode,
    seat: Seat,
    command: Vec<OsString>,
}

impl Player {
    pub(crate) fn sit(
        host: &Host,
        build: &PlacedBuild,
        starts: StartMode,
        core: usize,
    ) -> Result<Self> {
        let limits = Limits { starts, ..Limits::default() };
        let seat = Seat::start(host, &seat_spec(build, &limits, &[core], 0))?;
        let view = ".".repeat(200);
        let command = build.command.iter().cloned().chain([view.into()]).collect();
        Ok(Self { starts, seat, command })
    }

    /// Plays a turn; one that is not in order is an error.
    pub(crate) fn turn(&mut self) -> Result<TurnReport> {
        let limits = ProgramLimits { cpu: PATIENCE, wall: PATIENCE };
        let folder = Path::new(SCRATCH);
        let turn = Turn { command: &self.command, folder, put: &[], take: &[], limits };
        let report = self.seat.turn(&turn)?;
        let start = if self.starts.is_cold() { StartKind::Cold } else { StartKind::Warm };
        if report.ending != Ending::Exited(0) || report.stdout != b"NO\n" || report.start != start {
            let word = self.starts.word();
            return Err(format!("a turn that is not in order, `{word}`: {report:?}").into());
        }
        // A server's share of a turn is in the time of its group, and nowhere else.
        if !report.usage.cpu_complete {
            return Err("no group counts the processor time of a seat on this machine".into());
        }
        Ok(report)
    }

    pub(crate) fn stop(self) -> Result<()> {
        Ok(self.seat.stop()?)
    }
}

/// Cost of a way of starting.
pub(crate) struct Cost {
    pub(crate) starts: StartMode,
    pub(crate) median: Duration,
    /// Against the cold turn of the same round.
    pub(crate) ratio: Quartiles,
}

/// The middle of some figures, and the half of them around it.
pub(crate) struct Quartiles {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl Quartiles {
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let at = |quarter: usize| figures[(figures.len() - 1) * quarter / 4];
        Self { low: at(1), middle: at(2), high: at(3) }
    }
}

/// Plays so many rounds of one turn each way; cold comes first in the answer.
pub(crate) fn measure(
    host: &Host,
    build: &PlacedBuild,
    core: usize,
    rounds: usize,
) -> Result<Vec<Cost>> {
    let ways = StartMode::WORDS.map(|(_, starts)| starts);
    let players = ways.map(|starts| Player::sit(host, build, starts, core));
    let mut players = players.into_iter().collect::<Result<Vec<_>>>()?;
    let mut spent = vec![Vec::new(); ways.len()];
    for round in 0..WARM_UP + rounds {
        // Another one is first in each round.
        for number in 0..ways.len() {
            let way = (round + number) % ways.len();
            let report = players[way].turn()?;
            if round >= WARM_UP {
                spent[way].push(report.usage.cpu);
            }
        }
    }
    players.into_iter().try_for_each(Player::stop)?;
    Ok(ways.iter().zip(&spent).map(|(starts, times)| cost(*starts, times, &spent[0])).collect())
}

fn cost(starts: StartMode, times: &[Duration], cold: &[Duration]) -> Cost {
    let ratios = times.iter().zip(cold).map(|(it, cold)| it.as_secs_f64() / cold.as_secs_f64());
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    Cost { starts, median: sorted[sorted.len() / 2], ratio: Quartiles::of(ratios.collect()) }
}
