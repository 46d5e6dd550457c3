//! Matches whose bots keep their programs from bout to bout.
//!
//! The bouts are played one after the other in the calling thread, and either all of them have
//! results or none. A bot's program stays with the bot when it changes seats. A program that ends,
//! in a bout or after it, is started again for the next bout; until then it earns the same verdict
//! at each request. Verdicts, faults and usage are recorded in the bout in which they occurred. A
//! program's standard error is only complete when it ends: then its numbers are assigned to the
//! answers of its bouts in order, and the rest to the last bout.

use std::collections::BTreeMap;

use super::bout::{
    PlayOptions, chain, close_all, failure, open_one, opening_of_seat, processors, result,
};
use super::{Equipment, Failure};
use crate::channel::{self, Answered, Channel, ChannelError, Usage};
use crate::reported_numbers::ReportedNumbers;
use crate::{BoutObserver, NullObserver, Played, TurnBout, game_of, play};
use joust_model::clock;
use joust_model::panics::catch_panic;
use joust_model::{BoutPlan, BoutResult, ProgramLifetime};

/// The program of a bot, over all bouts of the match.
struct PersistentProcess {
    channel: Box<dyn Channel>,
    past: ProcessUsage,
}

/// Usage of a program.
#[derive(Default)]
struct ProcessUsage {
    /// Seats in which it played.
    places: Vec<SeatInBout>,
    /// Resources used before its last bout.
    before: Usage,
    /// Resources used up to the end of its last bout.
    after: Usage,
}

/// A seat in a bout of a match.
#[derive(Clone, Copy)]
struct SeatInBout {
    /// The bout's index in the match.
    bout: usize,
    seat: u8,
}

/// A played bout, until the output of its bots is complete.
struct PlayedBout {
    started_at: i64,
    played: Played,
}

struct MatchRunner<'a> {
    equipment: &'a Equipment,
    plans: &'a [&'a BoutPlan],
    cores: &'a [usize],
    /// The running programs, by their bots' names.
    processes: BTreeMap<String, PersistentProcess>,
    played: Vec<PlayedBout>,
}

/// Plays the bouts of a match in this thread, in the order of `plans`.
///
/// # Errors
///
/// [`Failure`] when the machine failed or the run is being stopped; then no bout counts.
pub fn play_match(
    equipment: &Equipment,
    plans: &[&BoutPlan],
    options: PlayOptions<'_>,
) -> Result<Vec<BoutResult>, Failure> {
    let PlayOptions { cores, oversubscribed, observer, .. } = options;
    let (processes, played) = (BTreeMap::new(), Vec::with_capacity(plans.len()));
    let mut whole = MatchRunner { equipment, plans, cores, processes, played };
    let ended = catch_panic(|| {
        (0..plans.len()).try_for_each(|bout| whole.play(bout, observer))?;
        whole.end_all()
    });
    let ended = ended.unwrap_or_else(|panic| Err(Failure::Infrastructure(panic)));
    let left = std::mem::take(&mut whole.processes).into_values().map(|stay| stay.channel);
    let closed = close_all(left.collect(), Channel::close);
    ended.and(closed)?;
    let results = plans.iter().zip(&whole.played).map(|(plan, it)| BoutResult {
        started_at: it.started_at,
        oversubscribed,
        ..result(equipment, plan, &it.played)
    });
    Ok(results.collect())
}

impl MatchRunner<'_> {
    fn play(&mut self, bout: usize, observer: &mut dyn BoutObserver) -> Result<(), Failure> {
        let plan = self.plans[bout];
        let started_at = clock::now();
        let game = game_of(&self.equipment.games, plan).map_err(failure)?;
        let (mut channels, mut pasts) = (Vec::new(), Vec::new());
        for (number, seat) in (0..).zip(&plan.seats) {
            let mut stay = match self.processes.remove(&seat.bot) {
                Some(stay) => stay,
                None => self.open(plan, usize::from(number))?,
            };
            stay.past.begin_bout(SeatInBout { bout, seat: number });
            channels.push(stay.channel);
            pasts.push(stay.past);
        }
        let played = play(TurnBout {
            game,
            plan,
            channels: &mut channels,
            observer,
            cancel: &self.equipment.cancel,
            processors: processors(plan, self.cores),
            programs: ProgramLifetime::Match,
        });
        let processes = channels
            .into_iter()
            .zip(pasts)
            .map(|(channel, past)| PersistentProcess { channel, past });
        let mut processes: BTreeMap<String, PersistentProcess> =
            plan.seats.iter().map(|seat| seat.bot.clone()).zip(processes).collect();
        let played = match played {
            Ok(played) => played,
            Err(error) => {
                self.processes.append(&mut processes);
                return Err(failure(error));
            }
        };
        self.played.push(PlayedBout { started_at, played });
        processes.into_iter().try_for_each(|(bot, stay)| self.end_bout(bot, stay))
    }

    fn open(&self, plan: &BoutPlan, seat: usize) -> Result<PersistentProcess, Failure> {
        let game = game_of(&self.equipment.games, plan).map_err(failure)?;
        let mut silent = NullObserver;
        let options = PlayOptions::new(self.cores, &mut silent);
        let mut opening = opening_of_seat(self.equipment, plan, &options, seat)?;
        // A program's total limit is the limit of a bout times the number of bouts.
        let bouts = u32::try_from(self.plans.len()).unwrap_or(u32::MAX);
        opening.limits.bout = opening.limits.bout.saturating_mul(bouts);
        opening.limits.cpu_bout = opening.limits.cpu_bout.map(|cpu| cpu.saturating_mul(bouts));
        let channel = open_one(channel::open, &game.spec().channel, opening)?;
        Ok(PersistentProcess { channel, past: ProcessUsage::default() })
    }

    /// Takes over the program of a bot whose bout is over. It is kept for the next bout, or has
    /// ended.
    fn end_bout(&mut self, bot: String, mut stay: PersistentProcess) -> Result<(), Failure> {
        match stay.channel.keep().map_err(machine)? {
            None => self.end(stay),
            Some(used) => {
                stay.past.after = used;
                self.account(&stay.past);
                self.processes.insert(bot, stay);
                Ok(())
            }
        }
    }

    /// Records the usage of the last bout.
    fn account(&mut self, past: &ProcessUsage) {
        let Some(SeatInBout { bout, seat }) = past.places.last().copied() else { return };
        let used = past.after.since(past.before);
        self.played[bout].played.ledger.account_bout(seat, used);
    }

    fn end_all(&mut self) -> Result<(), Failure> {
        while let Some((_, stay)) = self.processes.pop_first() {
            self.end(stay)?;
        }
        Ok(())
    }

    /// Ends a program, and adds its output to its bouts.
    fn end(&mut self, mut stay: PersistentProcess) -> Result<(), Failure> {
        if let Some(ended) = stay.channel.finish().map_err(machine)? {
            stay.past.after = ended.usage;
            self.account(&stay.past);
            self.take(&stay.past.places, &ended);
        }
        stay.channel.close().map_err(machine)
    }

    fn take(&mut self, places: &[SeatInBout], ended: &Answered) {
        let said = ReportedNumbers::of(&ended.stderr);
        let mut before = 0;
        for SeatInBout { bout, seat } in places {
            let ledger = &mut self.played[*bout].played.ledger;
            ledger.take_said(*seat, &said, before);
            before += ledger.answers(*seat);
        }
        if let Some(SeatInBout { bout, seat }) = places.last() {
            let ledger = &mut self.played[*bout].played.ledger;
            ledger.take_stderr(*seat, &said);
            ledger.count_limits(*seat, ended.limits_hit);
        }
    }
}

impl ProcessUsage {
    fn begin_bout(&mut self, place: SeatInBout) {
        self.places.push(place);
        self.before = self.after;
    }
}

fn machine(error: ChannelError) -> Failure {
    Failure::Infrastructure(chain(&error))
}
