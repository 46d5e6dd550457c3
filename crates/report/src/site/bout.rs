//! The page of a bout: seats, result, how to check it.

use serde::Serialize;

use super::bout_history::{self, ShownBout, TrailEntry};
use super::event::MatchBouts;
use super::leaderboard::{Heading, heading};
use super::numbers::line_charts::{self, Chart};
use super::page::put;
use super::replay::{self, ReplayError};
use super::{EventSite, Notes, Sink, Site, SiteError, names};
use crate::paint;
use joust_model::{
    BoutPlan, BoutResult, BoutSummary, PublicPart, Round, Setting, StoredBout, TurnRecord, Verdict,
    public_lines, public_text,
};

/// The most turns with a fault that a bout's page lists.
const FAULTS: usize = 50;

#[derive(Debug, Serialize)]
struct BoutPage<'a> {
    event: Heading,
    plan: &'a BoutPlan,
    /// The result without its logs.
    result: &'a BoutResult,
    /// The page of its match, if that has one.
    match_page: Option<String>,
    /// The bouts of its match that have a page.
    siblings: Vec<&'a BoutSummary>,
    /// The page of each seat's bot, if that has one.
    bot_pages: Vec<Option<String>>,
    /// The options of its game.
    options: String,
    #[serde(flatten)]
    turns: BoutTurns<'a>,
    #[serde(flatten)]
    recording: BoutRecording,
    trail: Vec<TrailEntry>,
}

/// Public turns of a bout.
#[derive(Debug, Serialize)]
struct BoutTurns<'a> {
    shows_verdicts: bool,
    shows_times: bool,
    shows_stderr: bool,
    /// The first turns that did not end well.
    faults: Vec<FaultRow<'a>>,
    more_faults: usize,
}

/// Recording of a bout, where replays are public.
#[derive(Debug, Default, Serialize)]
struct BoutRecording {
    /// The file of its replay, from its page.
    replay: Option<String>,
    /// The course of numbers.
    numbers: Vec<Chart>,
    /// The address of the page, where there is a replay and the site's address is known.
    embed: Option<String>,
    /// Reason why the recording cannot be drawn.
    undrawn: Option<String>,
}

/// A turn that did not end well.
#[derive(Debug, Serialize)]
struct FaultRow<'a> {
    round: Round,
    seat: u8,
    bot: &'a str,
    verdict: &'static str,
    reason: &'a str,
    wall_us: u64,
    stderr: String,
}

impl EventSite {
    /// Writes the page of a bout, and its replay when replays are public; adds notes on it. If the
    /// recording is damaged, or this version cannot judge it, the page says so.
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
            let names = stored.plan.seats.iter().map(|seat| public_text(&seat.bot)).collect();
            notes.still = paint::still(&self.games, stored, names).ok();
        }
        let turns = taken.unwrap_or_default();
        let result = stored.result.clone().without_logs();
        let mut page = self.bout_page(site, (&stored.plan, &result), &turns);
        let path = self.path(&names::bout_file(id));
        page.recording = BoutRecording {
            // The turns were read before.
            numbers: line_charts::charts(stored).unwrap_or_default(),
            embed: replay.as_ref().and_then(|_| site.address(&path)),
            replay,
            undrawn: undrawn.filter(|_| site.publication.shows(PublicPart::Replays)),
        };
        page.trail = bout_history::trail(self, site, bout);
        site.put(&path, "bout.html", &page, sink)
    }

    /// Writes the replay; `None` when replays are not public.
    fn replay(
        &self,
        site: &Site,
        stored: &StoredBout,
        sink: &dyn Sink,
    ) -> Result<Result<Option<String>, ReplayError>, SiteError> {
        if !site.publication.shows(PublicPart::Replays) {
            return Ok(Ok(None));
        }
        let data = match replay::data_file(&self.games, stored, &site.publication, site.cancel()) {
            Ok(data) => data,
            Err(error) => return Ok(Err(error)),
        };
        let file = names::replay_file(stored.plan.bout);
        put(sink, &file, &data)?;
        Ok(Ok(Some(format!("../../{file}"))))
    }

    fn bout_page<'a>(
        &'a self,
        site: &Site,
        (plan, result): (&'a BoutPlan, &'a BoutResult),
        turns: &'a [TurnRecord],
    ) -> BoutPage<'a> {
        let bots: Vec<&str> = plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
        let shows_verdicts = site.publication.shows(PublicPart::Verdicts);
        let bad = turns.iter().filter(|turn| shows_verdicts && turn.verdict() != Verdict::Ok);
        let bad: Vec<&TurnRecord> = bad.collect();
        BoutPage {
            event: heading(self),
            plan,
            result,
            match_page: self.meeting_of(&bots).map(|_| names::match_file(&bots)),
            siblings: self.siblings(&bots),
            bot_pages: bots.iter().map(|bot| self.bot_page(bot)).collect(),
            options: options(plan),
            turns: BoutTurns {
                shows_verdicts,
                shows_times: site.publication.shows(PublicPart::Times),
                shows_stderr: site.publication.shows(PublicPart::Stderr),
                more_faults: bad.len().saturating_sub(FAULTS),
                faults: bad.into_iter().take(FAULTS).map(|turn| fault(&bots, turn)).collect(),
            },
            recording: BoutRecording::default(),
            trail: Vec::new(),
        }
    }

    /// The bouts of the match between `bots`.
    fn siblings(&self, bots: &[&str]) -> Vec<&BoutSummary> {
        let places = self.meeting_of(bots).into_iter().flat_map(|meeting| &meeting.bouts);
        places.map(|place| &self.bouts.listed[*place]).collect()
    }

    /// Returns the match between `bots`, if it has a page.
    fn meeting_of(&self, bots: &[&str]) -> Option<&MatchBouts> {
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        let same = |meeting: &&MatchBouts| {
            meeting.bots.iter().map(|bot| &**bot).eq(sorted.iter().copied())
        };
        self.meetings_of(sorted.first()?).find(same)
    }
}

/// An error with what caused it, in one line.
fn why(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<_> = causes.map(|error| public_text(&error.to_string())).collect();
    causes.join(": ")
}

fn options(plan: &BoutPlan) -> String {
    let option = |(name, value): (&String, &Setting)| match value {
        Setting::Bool(value) => format!("{name} {value}"),
        Setting::Int(value) => format!("{name} {value}"),
        Setting::Text(value) => format!("{name} {value}"),
    };
    plan.options.0.iter().map(option).collect::<Vec<_>>().join(", ")
}

fn fault<'a>(bots: &[&'a str], turn: &'a TurnRecord) -> FaultRow<'a> {
    FaultRow {
        round: turn.round,
        seat: turn.seat,
        bot: bots.get(usize::from(turn.seat)).copied().unwrap_or_default(),
        verdict: turn.verdict().name(),
        reason: &turn.reason,
        wall_us: turn.wall_us,
        stderr: public_lines(&turn.stderr),
    }
}
