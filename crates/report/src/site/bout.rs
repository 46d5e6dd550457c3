//! The page of a bout: who sat where, what came of it, how to check it.

use serde::Serialize;

use super::event::Meeting;
use super::leaderboard::{Heading, Moment, heading};
use super::numbers::course::{self, Chart};
use super::page::put;
use super::past::{self, Entry, ShownBout};
use super::replay::{self, Publish, ReplayError};
use super::{EventSite, Notes, Sink, Site, SiteError, names, shown, text};
use crate::paint;
use joust_model::{
    BoutId, BoutSummary, Public, SeatResult, Setting, StoredBout, TurnRecord, Verdict,
};

/// The most turns with a fault that a bout's page lists.
const FAULTS: usize = 50;

#[derive(Debug, Serialize)]
struct BoutPage {
    event: Heading,
    id: String,
    number: u32,
    /// The page of its match, if that has one.
    match_page: Option<String>,
    /// The bouts of its match that have a page.
    siblings: Vec<Sibling>,
    seats: Vec<Seat>,
    winner: Option<String>,
    facts: Vec<(&'static str, String)>,
    hashes: Vec<(&'static str, String)>,
    remarks: Vec<&'static str>,
    played: Moment,
    took: String,
    rounds: u32,
    ended: String,
    on_a_clock: bool,
    verdicts: bool,
    times: bool,
    faults: Vec<Fault>,
    more_faults: String,
    replay: Option<Replay>,
    /// The course of numbers, where replays are public.
    numbers: Vec<Chart>,
    /// The address of the page, and that of its replay alone, where the site's is known.
    embed: Option<String>,
    /// Why the recording cannot be drawn.
    undrawn: Option<String>,
    trail: Vec<Entry>,
}

/// A bout of the same match.
#[derive(Debug, Serialize)]
struct Sibling {
    number: u32,
    page: String,
    is_this: bool,
}

#[derive(Debug, Serialize)]
struct Seat {
    number: usize,
    name: String,
    page: Option<String>,
    rank: u8,
    score: String,
    verdicts: Vec<(&'static str, u32)>,
    faults: u32,
    limits: String,
    cpu: String,
    wall: String,
    memory: String,
    idle: u32,
    late: u32,
    build: String,
    short: String,
    calibration: String,
}

/// A turn that did not end well.
#[derive(Debug, Serialize)]
struct Fault {
    round: u32,
    seat: u8,
    name: String,
    verdict: &'static str,
    reason: String,
    wall: String,
    stderr: Option<String>,
}

#[derive(Debug, Serialize)]
struct Replay {
    src: String,
    bout: String,
}

impl EventSite {
    /// Writes the page of a bout, and its replay when those are public; takes
    /// notes of it. A recording that is damaged, or that this version cannot
    /// judge, has a page that says so.
    ///
    /// # Errors
    ///
    /// [`SiteError`] when they cannot be written.
    pub fn bout(
        &self,
        site: &Site,
        bout: &ShownBout,
        notes: &mut Notes,
        sink: &dyn Sink,
    ) -> Result<(), SiteError> {
        let stored = &bout.stored;
        let id = stored.plan.bout;
        let taken = notes.take(&self.games, stored, &site.publication);
        let (replay, undrawn) = match (&taken, self.replay(site, stored, sink)?) {
            (Err(error), _) => (None, Some(why(error))),
            (Ok(_), Err(error)) => (None, Some(why(&error))),
            (Ok(_), Ok(replay)) => (replay, None),
        };
        if undrawn.is_some() {
            notes.undrawn.insert(id);
        }
        if replay.is_some() && site.has_previews() && self.best == Some(id) {
            let names = stored.plan.seats.iter().map(|seat| text::public(&seat.bot)).collect();
            notes.still = paint::still(&self.games, stored, names).ok();
        }
        let mut page = self.bout_page(site, stored, &taken.unwrap_or_default(), replay);
        page.undrawn = undrawn.filter(|_| site.publication.shows(Public::Replays));
        page.trail = past::trail(self, site, bout);
        site.put(&self.path(&names::bout_file(id)), "bout.html", &page, sink)
    }

    /// Writes the replay; `None` when replays are not public.
    fn replay(
        &self,
        site: &Site,
        stored: &StoredBout,
        sink: &dyn Sink,
    ) -> Result<Result<Option<Replay>, ReplayError>, SiteError> {
        if !site.publication.shows(Public::Replays) {
            return Ok(Ok(None));
        }
        let publish = Publish {
            verdicts: site.publication.shows(Public::Verdicts),
            times: site.publication.shows(Public::Times),
            output: site.publication.shows(Public::Stderr),
        };
        let data = match replay::data_file(&self.games, stored, publish) {
            Ok(data) => data,
            Err(error) => return Ok(Err(error)),
        };
        let (bout, file) = (stored.plan.bout, names::replay_file(stored.plan.bout));
        put(sink, &file, &data)?;
        Ok(Ok(Some(Replay { src: format!("../../{file}"), bout: bout.to_string() })))
    }

    fn bout_page(
        &self,
        site: &Site,
        stored: &StoredBout,
        turns: &[TurnRecord],
        replay: Option<Replay>,
    ) -> BoutPage {
        let (plan, result) = (&stored.plan, &stored.result);
        let bots: Vec<&str> = plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
        let verdicts = site.publication.shows(Public::Verdicts);
        let (faults, more_faults) =
            if verdicts { faults(site, stored, turns) } else { Default::default() };
        BoutPage {
            event: heading(self),
            id: plan.bout.to_string(),
            number: plan.number + 1,
            match_page: self.meeting_of(&bots).map(|_| names::match_file(&bots)),
            siblings: self.siblings(plan.bout, &bots),
            seats: result.seats.iter().enumerate().map(|(n, seat)| self.seat(n, seat)).collect(),
            winner: winner(&result.seats),
            facts: facts(stored),
            hashes: hashes(stored),
            remarks: remarks(stored),
            played: Moment::of(result.started_at),
            took: shown::time(result.took),
            rounds: result.rounds,
            ended: text::public(&result.ended),
            on_a_clock: plan.clock.is_some(),
            verdicts,
            times: site.publication.shows(Public::Times),
            faults,
            more_faults,
            // The turns were read before.
            numbers: course::charts(stored).unwrap_or_default(),
            embed: replay
                .as_ref()
                .and_then(|_| site.address(&self.path(&names::bout_file(plan.bout)))),
            replay,
            undrawn: None,
            trail: Vec::new(),
        }
    }

    /// The bouts of the match between `bots`.
    fn siblings(&self, this: BoutId, bots: &[&str]) -> Vec<Sibling> {
        let meeting = self.meeting_of(bots);
        let bouts = meeting.map(|meeting| meeting.bouts.as_slice()).unwrap_or_default();
        let bouts = bouts.iter().map(|place| &self.bouts[*place]);
        let sibling = |bout: &BoutSummary| Sibling {
            number: bout.number + 1,
            page: names::bout_file(bout.bout),
            is_this: bout.bout == this,
        };
        bouts.map(sibling).collect()
    }

    /// Returns the match between `bots`, if it has a page.
    fn meeting_of(&self, bots: &[&str]) -> Option<&Meeting> {
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        let same =
            |meeting: &&Meeting| meeting.bots.iter().map(|bot| &**bot).eq(sorted.iter().copied());
        self.meetings_of(sorted.first()?).find(same)
    }

    fn seat(&self, number: usize, seat: &SeatResult) -> Seat {
        let build = seat.occupant.identity().to_string();
        let limits: Vec<_> = seat.limits_hit.iter().map(|limit| limit.name()).collect();
        Seat {
            number,
            name: text::public(&seat.bot),
            page: self.bot_page(&seat.bot),
            rank: seat.rank,
            score: shown::score(seat.score),
            verdicts: seat.verdicts.iter().map(|(verdict, n)| (verdict.name(), n)).collect(),
            faults: seat.verdicts.faults(),
            limits: limits.join(", "),
            cpu: shown::time(seat.cpu),
            wall: shown::time(seat.wall),
            memory: shown::bytes(seat.peak_memory_bytes),
            idle: seat.ticks_idle,
            late: seat.answers_late,
            short: build[..12].to_owned(),
            build,
            calibration: format!(
                "{} processor, {} wall",
                shown::time(seat.calibration.cpu),
                shown::time(seat.calibration.wall)
            ),
        }
    }
}

/// An error with what caused it, in one line.
fn why(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<_> = causes.map(|error| text::public(&error.to_string())).collect();
    causes.join(": ")
}

fn winner(seats: &[SeatResult]) -> Option<String> {
    let best = seats.iter().map(|seat| seat.rank).min()?;
    let mut first = seats.iter().filter(|seat| seat.rank == best);
    let winner = first.next()?;
    first.next().is_none().then(|| text::public(&winner.bot))
}

fn facts(stored: &StoredBout) -> Vec<(&'static str, String)> {
    let (plan, result) = (&stored.plan, &stored.result);
    let option = |(name, value): (&String, &Setting)| {
        let value = match value {
            Setting::Bool(value) => value.to_string(),
            Setting::Int(value) => value.to_string(),
            Setting::Text(value) => value.clone(),
        };
        text::public(&format!("{name} {value}"))
    };
    let options: Vec<_> = plan.options.0.iter().map(option).collect();
    let mut facts = vec![
        ("Game", format!("{}, revision {}", text::public(&plan.game), plan.revision)),
        ("Rules", text::public(&plan.rules)),
        ("Options", options.join(", ")),
        ("Seed", plan.seed.to_string()),
        ("Sandbox tier", result.tier.to_string()),
        ("Machine", text::public(&result.machine)),
        ("Joust", text::public(&result.joust_version)),
    ];
    if let Some(clock) = plan.clock {
        facts.insert(4, ("Clock", clock.name().to_owned()));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn hashes(stored: &StoredBout) -> Vec<(&'static str, String)> {
    let result = &stored.result;
    vec![("Final state", text::public(&result.state_hash)), ("Plan", result.key.to_string())]
}

fn remarks(stored: &StoredBout) -> Vec<&'static str> {
    let result = &stored.result;
    let remarks = [
        (
            !result.tier.is_isolated(),
            "Played without isolation: any bot could have changed the result.",
        ),
        (result.contended, "The machine was short of processors when that mattered."),
        (result.oversubscribed, "More bots were thinking than cores were set aside."),
        (result.ticks_late > 0, "The machine was late for some ticks."),
    ];
    remarks.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect()
}

/// The first turns with a fault, and how many more there are.
fn faults(site: &Site, stored: &StoredBout, turns: &[TurnRecord]) -> (Vec<Fault>, String) {
    let bad = || turns.iter().filter(|turn| turn.verdict() != Verdict::Ok);
    let more = bad().count().saturating_sub(FAULTS);
    let faults = bad().take(FAULTS).map(|turn| fault(site, stored, turn)).collect();
    (faults, if more == 0 { String::new() } else { shown::count(more as u64) })
}

fn fault(site: &Site, stored: &StoredBout, turn: &TurnRecord) -> Fault {
    let seat = stored.plan.seats.get(usize::from(turn.seat));
    let shows_stderr = site.publication.shows(Public::Stderr) && !turn.stderr.is_empty();
    Fault {
        round: turn.round,
        seat: turn.seat,
        name: seat.map(|seat| text::public(&seat.bot)).unwrap_or_default(),
        verdict: turn.verdict().name(),
        reason: text::public(&turn.reason),
        wall: shown::time(std::time::Duration::from_micros(turn.wall_us)),
        stderr: shows_stderr.then(|| text::public_lines(&turn.stderr)),
    }
}
