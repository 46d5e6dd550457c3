//! Bots that are built again when their source changes while they play.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::single::Single;
use crate::bots::Build;
use crate::channel::{Limiting, Reloading, Successor};
use crate::executor::bout::{Occupant, Occupied, opening};
use crate::executor::{Equipment, Failure};
use crate::model::BoutPlan;
use crate::notices::Listener;
use crate::play::{Flow, Moment, Watcher};

/// What is watched for changes.
pub struct Reload<'a> {
    /// Where the bots' sources are, in the order of the bots.
    pub sources: &'a [PathBuf],
    /// Who hears of builds.
    pub listener: &'a dyn Listener,
}

/// A source as it was: every file's path, size and time of change.
type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

struct Watched {
    seat: usize,
    source: PathBuf,
    stamp: Stamp,
    successor: Successor,
}

/// Looks at a bot's source before each of its turns.
pub(super) struct Reloader<'a> {
    single: &'a Single<'a>,
    listener: &'a dyn Listener,
    equipment: &'a Equipment,
    plan: &'a BoutPlan,
    cores: &'a [usize],
    watched: Vec<Watched>,
    inner: &'a mut dyn Watcher,
}

impl<'a> Reloader<'a> {
    /// Seats the bots whose sources are watched; the first sits in seat `first`.
    pub(super) fn seat_all(
        (single, reload): (&'a Single<'a>, &Reload<'a>),
        (equipment, plan): (&'a Equipment, &'a BoutPlan),
        (first, cores): (usize, &'a [usize]),
        inner: &'a mut dyn Watcher,
        occupied: &mut Occupied,
    ) -> Result<Self, Failure> {
        let mut watched = Vec::new();
        for (index, (source, (_, build))) in reload.sources.iter().zip(single.bots).enumerate() {
            let (seat, successor) = (first + index, Successor::default());
            let opening = opening(equipment, plan, (cores, single.limiting), (seat, build));
            let channel = Reloading::open(single.event.game.channel(), opening, successor.clone())
                .map_err(|error| Failure::Infrastructure(error.to_string()))?;
            occupied.insert(seat, Occupant::Asked(Box::new(channel)));
            let (source, stamp) = (source.clone(), stamp(source));
            watched.push(Watched { seat, source, stamp, successor });
        }
        let listener = reload.listener;
        Ok(Self { single, listener, equipment, plan, cores, watched, inner })
    }

    /// Builds the bot of `seat` again when its source has changed. One that
    /// cannot be built plays on as it was; the listener tells why.
    fn look(&mut self, seat: usize) {
        let Some(watched) = self.watched.iter_mut().find(|watched| watched.seat == seat) else {
            return;
        };
        let now = stamp(&watched.source);
        if now == watched.stamp {
            return;
        }
        watched.stamp = now;
        let source = watched.source.clone();
        if let Some(build) = self.build(&source) {
            let manner: (&[usize], Limiting) = (self.cores, self.single.limiting);
            let opening = opening(self.equipment, self.plan, manner, (seat, &build));
            self.watched.iter().filter(|one| one.seat == seat).for_each(|one| {
                one.successor.leave(opening.clone());
            });
        }
    }

    fn build(&self, source: &Path) -> Option<std::sync::Arc<Build>> {
        let (workshop, event) = (self.single.workshop, self.single.event);
        match workshop.read_bot(source, event.game) {
            Ok(bot) => workshop.build(&[bot], event, self.listener).pop()?.ok(),
            Err(problems) => {
                for problem in problems {
                    let text = format!("not reloaded: {problem}");
                    self.listener.notice(&crate::notices::Notice::Warning(text));
                }
                None
            }
        }
    }
}

impl Watcher for Reloader<'_> {
    fn see(&mut self, moment: &Moment<'_>) -> Flow {
        if let Moment::Asked { seat, .. } = moment {
            self.look(usize::from(*seat));
        }
        self.inner.see(moment)
    }
}

/// Returns how a source looks now; what cannot be read looks like nothing.
fn stamp(source: &Path) -> Stamp {
    let mut stamp = Stamp::new();
    let mut left = vec![source.to_owned()];
    while let Some(path) = left.pop() {
        let Ok(what) = fs::symlink_metadata(&path) else { continue };
        if what.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path()));
        } else {
            stamp.push((path, what.len(), what.modified().ok()));
        }
    }
    stamp.sort_unstable();
    stamp
}
