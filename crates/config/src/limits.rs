//! `limits:` — what a bot may use in a bout.

use std::time::Duration;

use joust_referee::ClockSpec;

use super::game_defaults::GameDefaults;
use super::section::{Section, Written};
use joust_model::{Bytes, Limits};

/// Most processes, files or descriptors that can be granted.
pub(super) const MOST: u32 = 1_000_000;

/// Most cores a bot can have.
pub(super) const MOST_CORES: u32 = 1024;

/// Limits as written in one place; what is left out comes from below.
#[derive(Clone, Debug, Default)]
pub(super) struct LimitsLayer {
    pub(super) cpu: Option<Written<Duration>>,
    pub(super) turn: Option<Written<Duration>>,
    pub(super) kill: Option<Written<Duration>>,
    pub(super) start: Option<Written<Duration>>,
    pub(super) bout: Option<Written<Duration>>,
    pub(super) cpu_bout: Option<Written<Duration>>,
    memory: Option<Written<Bytes>>,
    output: Option<Written<Bytes>>,
    stderr: Option<Written<Bytes>>,
    disk: Option<Written<Bytes>>,
    processes: Option<Written<u32>>,
    descriptors: Option<Written<u32>>,
    files: Option<Written<u32>>,
    cores_per_bot: Option<Written<u32>>,
}

impl LimitsLayer {
    /// Reads a `limits:` section.
    pub(super) fn read(section: Section<'_>) -> Self {
        let duration = |key| section.item(key).and_then(|item| item.duration());
        let size = |key| section.item(key).and_then(|item| item.size());
        let count = |key, most| section.item(key).and_then(|item| item.count(most));
        let layer = Self {
            cpu: duration("cpu"),
            turn: duration("turn"),
            kill: duration("kill"),
            memory: size("memory"),
            processes: count("processes", MOST),
            output: size("output"),
            disk: size("disk"),
            start: duration("start"),
            bout: duration("bout"),
            cpu_bout: duration("cpu_bout"),
            stderr: size("stderr"),
            files: count("files", MOST),
            descriptors: count("descriptors", MOST),
            cores_per_bot: count("cores_per_bot", MOST_CORES),
        };
        check_network(&section);
        section.finish();
        layer
    }

    /// Lays this over `below`.
    pub(super) fn over(self, below: &Self) -> Self {
        let below = below.clone();
        Self {
            cpu: self.cpu.or(below.cpu),
            turn: self.turn.or(below.turn),
            kill: self.kill.or(below.kill),
            memory: self.memory.or(below.memory),
            processes: self.processes.or(below.processes),
            output: self.output.or(below.output),
            disk: self.disk.or(below.disk),
            start: self.start.or(below.start),
            bout: self.bout.or(below.bout),
            cpu_bout: self.cpu_bout.or(below.cpu_bout),
            stderr: self.stderr.or(below.stderr),
            files: self.files.or(below.files),
            descriptors: self.descriptors.or(below.descriptors),
            cores_per_bot: self.cores_per_bot.or(below.cores_per_bot),
        }
    }

    /// Fills in what was left out from the game's defaults.
    pub(super) fn complete(&self, game: &GameDefaults) -> Limits {
        let cores_per_bot = value(self.cores_per_bot.as_ref(), game.limits.cores_per_bot);
        let game = game.limits_with_cores(cores_per_bot);
        Limits {
            cpu: value(self.cpu.as_ref(), game.cpu),
            turn: value(self.turn.as_ref(), game.turn),
            kill: value(self.kill.as_ref(), game.kill),
            memory: value(self.memory.as_ref(), game.memory),
            processes: value(self.processes.as_ref(), game.processes),
            descriptors: value(self.descriptors.as_ref(), game.descriptors),
            output: value(self.output.as_ref(), game.output),
            stderr: value(self.stderr.as_ref(), game.stderr),
            disk: value(self.disk.as_ref(), game.disk),
            files: value(self.files.as_ref(), game.files),
            start: value(self.start.as_ref(), game.start),
            bout: value(self.bout.as_ref(), game.bout),
            cpu_bout: None,
            cores_per_bot,
        }
    }

    /// Returns the processor time of a whole bout of a game on a clock: four
    /// fifths of what its ticks can last, unless something else is written.
    pub(super) fn cpu_bout(&self, clock: &ClockSpec, bout: Duration) -> Duration {
        let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
        value(self.cpu_bout.as_ref(), ticks.min(bout) / 5 * 4)
    }
}

fn value<T: Copy>(written: Option<&Written<T>>, otherwise: T) -> T {
    written.map_or(otherwise, |written| written.value)
}

/// A bot never has a network; the key is there to say so.
fn check_network(section: &Section<'_>) {
    let Some(item) = section.item("network") else { return };
    let Some(text) = item.text() else { return };
    if text.value != "none" {
        let hint =
            "a bot never has one: write `none`; only builds can, with `build: { network: open }`";
        item.refuse(format!("network `{}` is not possible", text.value), Some(hint.to_owned()));
    }
}
