//! Bots that are built again when their source changes while they play.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::seating::Seating;
use super::single::{BoutSetup, Single};
use super::watch::Stamp;
use joust_build::PlacedBuild;
use joust_model::BoutPlan;
use joust_model::notices::{Listener, Notice};
use joust_play::channel::live::ReloadingLive;
use joust_play::channel::{ChannelError, Opening, Reloading, Succession, Successor};
use joust_play::executor::bout::{BotSeat, Occupied, SeatedChannel, opening};
use joust_play::executor::{Equipment, Failure};
use joust_play::{Flow, Moment, Watcher};

/// Time between checks of the sources while a clock runs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Sources to watch for changes.
pub struct Reload<'a> {
    /// Paths of the bots' sources, in the order of the bots.
    pub sources: &'a [PathBuf],
    /// Listener to builds.
    pub listener: &'a dyn Listener,
}

struct Watched {
    name: String,
    seat: usize,
    source: PathBuf,
    stamp: Stamp,
    successor: Successor,
}

/// The sources of the bots of a bout.
pub(super) struct Sources<'a> {
    single: &'a Single<'a>,
    listener: &'a dyn Listener,
    equipment: &'a Equipment,
    plan: &'a BoutPlan,
    cores: &'a [usize],
    watched: Vec<Watched>,
}

impl<'a> Sources<'a> {
    /// Seats the bots whose sources are watched.
    pub(super) fn seat_all(
        single: &'a Single<'a>,
        reload: &Reload<'a>,
        setup: BoutSetup<'a>,
        seating: Seating,
        occupied: &mut Occupied,
    ) -> Result<Self, Failure> {
        let BoutSetup { equipment, plan, cores } = setup;
        let mut watched = Vec::new();
        for (index, (source, (name, build))) in reload.sources.iter().zip(single.bots).enumerate() {
            let (seat, successor) = (seating.bot(index), Successor::default());
            let (game, limiting) = (&single.event.game, single.limiting);
            let of = BotSeat { game, plan, seat, build, cores, limiting };
            let opening = opening(equipment, &of);
            let occupant = occupant(single, opening, successor.clone())
                .map_err(|error| Failure::Infrastructure(error.to_string()))?;
            occupied.insert(seat, occupant);
            let (source, stamp, name) = (source.clone(), Stamp::of(source), name.clone());
            watched.push(Watched { name, seat, source, stamp, successor });
        }
        let listener = reload.listener;
        Ok(Self { single, listener, equipment, plan, cores, watched })
    }

    /// Checks all sources again and again until it is stopped.
    pub(super) fn watch(&mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            for index in 0..self.watched.len() {
                self.look(index);
                self.tell_news(index);
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        (0..self.watched.len()).for_each(|index| self.tell_news(index));
    }

    /// Builds a bot again when its source has changed. One that cannot be built
    /// plays on as it was; the listener tells why.
    fn look(&mut self, index: usize) {
        let watched = &mut self.watched[index];
        let now = Stamp::of(&watched.source);
        if now == watched.stamp {
            return;
        }
        watched.stamp = now;
        let (seat, source, name) = (watched.seat, watched.source.clone(), watched.name.clone());
        if let Some(build) = self.build(&name, &source) {
            let (plan, cores, limiting) = (self.plan, self.cores, self.single.limiting);
            let game = &self.single.event.game;
            let of = BotSeat { game, plan, seat, build: &build, cores, limiting };
            let opening = opening(self.equipment, &of);
            self.watched[index].successor.leave(opening);
        }
    }

    fn tell_news(&self, index: usize) {
        let watched = &self.watched[index];
        for news in watched.successor.news() {
            let bot = watched.name.clone();
            self.listener.notice(&match news {
                Succession::TookOver => Notice::TookOver { bot },
                Succession::Failed(reason) => Notice::BotEnded { bot, reason, is_successor: true },
                Succession::Ended(reason) => Notice::BotEnded { bot, reason, is_successor: false },
            });
        }
    }

    fn build(&self, bot: &str, source: &Path) -> Option<std::sync::Arc<PlacedBuild>> {
        let (machine, event) = (self.single.machine, self.single.event);
        match machine.read_bot(source, &event.game) {
            Ok(found) => machine.build(&[found], event, self.listener).pop()?.ok(),
            Err(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                self.listener
                    .notice(&Notice::NotBuilt { bot: bot.to_owned(), reason: lines.join("\n") });
                None
            }
        }
    }
}

/// Opens a seat whose bot may have a successor.
fn occupant(
    single: &Single<'_>,
    opening: Opening,
    successor: Successor,
) -> Result<SeatedChannel, ChannelError> {
    let channel = &single.event.game.spec().channel;
    Ok(match single.event.clock {
        None => SeatedChannel::Asked(Box::new(Reloading::open(channel, opening, successor)?)),
        Some(_) => {
            SeatedChannel::OnTheClock(Box::new(ReloadingLive::open(channel, opening, successor)?))
        }
    })
}

/// Watcher that checks a bot's source before each of its turns: for games that wait.
pub(super) struct Reloader<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) inner: &'a mut dyn Watcher,
}

impl Watcher for Reloader<'_> {
    fn see(&mut self, moment: &Moment<'_>) -> Flow {
        if let Moment::Asked { seat, .. } = moment {
            let seat = usize::from(*seat);
            let index = self.sources.watched.iter().position(|watched| watched.seat == seat);
            if let Some(index) = index {
                self.sources.look(index);
            }
        }
        if let Moment::Turn(_) = moment {
            (0..self.sources.watched.len()).for_each(|index| self.sources.tell_news(index));
        }
        self.inner.see(moment)
    }
}
