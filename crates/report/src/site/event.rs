//! An event made ready: its tables, and which of its matches have pages.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::numbers::spread::Numbers;
use super::rating::{Rating, Ratings};
use super::survey::BoutSurvey;
use super::{
    Notes, Sink, Site, SiteError, bot, cross, data, leaderboard, match_page, names, overview, page,
};
use crate::paint::card;
use joust_model::{BotVersion, BoutId, BoutSummary, EventInfo, StoredBout};
use joust_referee::{Catalogue, Game};
use joust_standings::standings::{Standings, StandingsRow};

/// Input of an event's pages, before its bouts come.
#[derive(Clone, Debug)]
pub struct EventInput {
    /// The games there are.
    pub games: Catalogue,
    /// The event, its field and the decisions on it.
    pub info: EventInfo,
    /// Its title for people.
    pub title: String,
    /// Survey of all bouts that count.
    pub survey: BoutSurvey,
    /// The bouts of matches that have pages ([`BoutSurvey::chosen`]), in schedule order.
    pub bouts: Vec<BoutSummary>,
    /// The builds each bot has played with, the oldest first.
    pub versions: Vec<BotVersion>,
}

/// An event made ready for its pages.
#[derive(Debug)]
pub struct EventSite {
    pub(super) games: Catalogue,
    pub(super) info: EventInfo,
    pub(super) title: String,
    pub(super) standings: Standings,
    pub(super) ratings: Ratings,
    pub(super) bouts: EventBouts,
    pub(super) folder: String,
    pub(super) numbers: Numbers,
    /// The bout to show first, chosen before any is drawn.
    pub(super) best: Option<BoutId>,
    versions: HashMap<String, Vec<BotVersion>>,
    places: HashMap<String, usize>,
}

/// Bouts and matches of an event that have a page.
#[derive(Debug)]
pub(super) struct EventBouts {
    /// The bouts with a page, in schedule order.
    pub(super) listed: Vec<BoutSummary>,
    /// Number of bouts that count, with a page or without.
    pub(super) all: usize,
    /// The matches with a page, in schedule order.
    pub(super) matches: Vec<MatchBouts>,
    /// Places of each bot's matches.
    matches_of: HashMap<Arc<str>, Vec<usize>>,
}

/// A match with a page.
#[derive(Debug)]
pub(super) struct MatchBouts {
    /// Its bots by name.
    pub(super) bots: Vec<Arc<str>>,
    /// Its bouts, as places in the event's.
    pub(super) bouts: Vec<usize>,
}

/// A page of an event that is made when all bouts have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The leaderboard.
    Leaderboard,
    /// The leaderboard of a big field, whole.
    Everybody,
    /// The rules.
    Rules,
    /// The standings for programs.
    StandingsJson,
    /// The standings for spreadsheets.
    StandingsCsv,
    /// The bouts for spreadsheets.
    BoutsCsv,
    /// The picture that chats show beside a link to the event; none without the site's address.
    Preview,
    /// The cross table of a big field.
    Cross,
    /// The cross table of a very big field, as a picture.
    CrossPicture,
    /// The page of a bot, by its place in the standings.
    Bot(usize),
    /// The page of a match, by its place among those that have one.
    Match(usize),
}

impl EventSite {
    /// Makes an event ready, with pages for the bouts of the input.
    pub fn new(input: EventInput) -> Self {
        let EventInput { games, info, title, survey, bouts, versions } = input;
        let (gathered, all_bouts) = survey.into_gathered();
        let (standings, ratings) = gathered.into_board(&info);
        let matches = meetings(&bouts);
        let matches_of = by_bots(&matches);
        let places = standings.rows.iter().enumerate();
        let places = places.map(|(place, row)| (row.bot.name.clone(), place)).collect();
        let mut by_bot: HashMap<String, Vec<BotVersion>> = HashMap::new();
        for version in versions {
            by_bot.entry(version.bot.clone()).or_default().push(version);
        }
        let mut event = Self {
            best: None,
            ratings: Ratings::of(ratings),
            folder: names::event_folder(&info.settings.id),
            versions: by_bot,
            numbers: Numbers::default(),
            games,
            info,
            title,
            standings,
            bouts: EventBouts { listed: bouts, all: all_bouts, matches, matches_of },
            places,
        };
        event.best = event.best_bout(&Notes::default()).map(|bout| bout.bout);
        event
    }

    /// Returns the event's id.
    pub fn id(&self) -> &str {
        &self.info.settings.id
    }

    /// Starts to collect the numbers of the bots.
    pub fn begin_numbers(&self) -> Numbers {
        Numbers::of(self.standings.playing().iter().map(|row| &*row.bot.name))
    }

    /// Sets the collected numbers of the bots.
    #[must_use]
    pub fn with_numbers(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// Returns the game, if there is one of that name.
    pub(super) fn game(&self) -> Option<&Game> {
        self.games.find(&self.info.settings.game)
    }

    /// Names the bouts that have a page, in schedule order.
    pub fn bouts(&self) -> impl Iterator<Item = BoutId> + '_ {
        self.bouts.listed.iter().map(|bout| bout.bout)
    }

    /// Names the pages that are made when all bouts have come.
    pub fn pages(&self) -> Vec<Page> {
        let mut pages = vec![Page::Leaderboard, Page::Preview];
        pages.extend([Page::StandingsJson, Page::StandingsCsv, Page::BoutsCsv]);
        if leaderboard::is_long(self) {
            pages.push(Page::Everybody);
        }
        if leaderboard::has_rules(self) {
            pages.push(Page::Rules);
        }
        if cross::has_page(self) {
            pages.push(Page::Cross);
        }
        if cross::has_picture(self) {
            pages.push(Page::CrossPicture);
        }
        pages.extend((0..self.standings.rows.len()).map(Page::Bot));
        pages.extend((0..self.bouts.matches.len()).map(Page::Match));
        pages
    }

    /// Writes one of [`EventSite::pages`].
    ///
    /// # Errors
    ///
    /// [`SiteError`] when it cannot be written.
    pub fn page(
        &self,
        site: &Site,
        page: Page,
        notes: &Notes,
        sink: &dyn Sink,
    ) -> Result<(), SiteError> {
        let path = self.path_of(page);
        match page {
            Page::Leaderboard => {
                site.put(&path, "event.html", &leaderboard::page(self, site), sink)
            }
            Page::Everybody => {
                site.put(&path, "everybody.html", &leaderboard::everybody(self, site), sink)
            }
            Page::Preview if site.has_previews() => {
                page::put(sink, &path, &card::png(&overview::event_preview(self, site, notes)))
            }
            Page::Preview => Ok(()),
            Page::Rules => site.put(&path, "rules.html", &leaderboard::rules(self, site), sink),
            Page::StandingsJson | Page::StandingsCsv | Page::BoutsCsv if !data::is_public(site) => {
                Ok(())
            }
            Page::StandingsJson => {
                page::put(sink, &path, data::standings(self, site, "json").as_bytes())
            }
            Page::StandingsCsv => {
                page::put(sink, &path, data::standings(self, site, "csv").as_bytes())
            }
            Page::BoutsCsv => page::put(sink, &path, data::bouts(self).as_bytes()),
            Page::Cross => site.put(&path, "cross.html", &cross::page(self), sink),
            Page::CrossPicture => page::put(sink, &path, &cross::drawn(self)),
            Page::Bot(place) => {
                site.put(&path, "bot.html", &bot::page(self, site, place, notes), sink)
            }
            Page::Match(place) => {
                let page = match_page::page(self, site, &self.bouts.matches[place]);
                site.put(&path, "match.html", &page, sink)
            }
        }
    }

    /// Returns where one of [`EventSite::pages`] is, from the top of the site.
    pub fn path_of(&self, page: Page) -> String {
        match page {
            Page::Leaderboard => self.path("index.html"),
            Page::Everybody => self.path("all.html"),
            Page::Cross => self.path("cross.html"),
            Page::Rules => self.path("rules.html"),
            Page::Preview => self.path(names::PREVIEW),
            Page::StandingsJson => self.path(data::STANDINGS_JSON),
            Page::StandingsCsv => self.path(data::STANDINGS_CSV),
            Page::BoutsCsv => self.path(data::BOUTS_CSV),
            Page::CrossPicture => self.path(names::CROSS_PICTURE),
            Page::Bot(place) => self.path(&names::bot_file(&self.standings.rows[place].bot.name)),
            Page::Match(place) => self.path(&self.bouts.matches[place].file()),
        }
    }

    /// Returns where the page of a bout is, from the top of the site.
    pub fn path_of_bout(&self, bout: BoutId) -> String {
        self.path(&names::bout_file(bout))
    }

    /// Names the bouts whose turns a page shows, in schedule order: those of a bot, for
    /// its own page.
    pub fn bouts_noted_on(&self, page: Page) -> Vec<BoutId> {
        let Page::Bot(place) = page else { return Vec::new() };
        let bot = &*self.standings.rows[place].bot.name;
        let sits = |bout: &&BoutSummary| bout.seats.iter().any(|seat| &*seat.bot == bot);
        self.bouts.listed.iter().filter(sits).map(|bout| bout.bout).collect()
    }

    /// Returns the bout to see first, if replays are made.
    pub fn best(&self) -> Option<BoutId> {
        self.best
    }

    /// Returns the bout to see first: of those that can be watched the one whose bots have the
    /// best places in all; of the bouts of these bots the closest, then the longest, then the one
    /// that comes first in the schedule.
    pub(super) fn best_bout(&self, notes: &Notes) -> Option<&BoutSummary> {
        let place = |bot: &str| self.place(bot).unwrap_or(usize::MAX / 64);
        let order = |bout: &&BoutSummary| {
            let places: usize = bout.seats.iter().map(|seat| place(&seat.bot)).sum();
            (places, margin(bout), Reverse(bout.rounds), bout.match_number, bout.number)
        };
        let can_be_drawn = |bout: &&BoutSummary| !notes.undrawn.contains(&bout.bout);
        self.bouts.listed.iter().filter(can_be_drawn).min_by_key(order)
    }

    /// Adds notes on a bout without making its page; none if its recording is damaged.
    pub fn note(&self, site: &Site, bout: &StoredBout, notes: &mut Notes) {
        if notes.take(&self.games, bout, &site.publication).is_err() {
            notes.undrawn.insert(bout.plan.bout);
        }
    }

    /// Returns a file's path from the top of the site.
    pub(super) fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }

    /// Returns the row of a bot of the field.
    pub(super) fn row(&self, bot: &str) -> Option<&StandingsRow> {
        self.places.get(bot).map(|place| &self.standings.rows[*place])
    }

    /// Returns a bot's place in the standings.
    pub(super) fn place(&self, bot: &str) -> Option<usize> {
        self.places.get(bot).copied()
    }

    /// Returns the file of a bot's page, from the event's folder.
    pub(super) fn bot_page(&self, bot: &str) -> Option<String> {
        self.places.contains_key(bot).then(|| names::bot_file(bot))
    }

    /// Returns a bot's rating.
    pub(super) fn rating(&self, place: usize) -> Option<Rating> {
        self.ratings.at(place)
    }

    /// Returns the builds of a bot, the oldest first.
    pub(super) fn versions(&self, bot: &str) -> &[BotVersion] {
        self.versions.get(bot).map_or(&[], Vec::as_slice)
    }

    /// Returns the matches of a bot that have a page, in schedule order.
    pub(super) fn meetings_of(&self, bot: &str) -> impl Iterator<Item = &MatchBouts> {
        let places = self.bouts.matches_of.get(bot).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.bouts.matches[*place])
    }

    /// Returns the bouts of a bot that have a page, match by match in schedule order.
    pub(super) fn bouts_of(&self, bot: &str) -> impl Iterator<Item = &BoutSummary> {
        let bouts = self.meetings_of(bot).flat_map(|meeting| &meeting.bouts);
        bouts.map(|place| &self.bouts.listed[*place])
    }

    /// Returns how many bots the event has, whether or not they play.
    pub fn bots(&self) -> usize {
        self.standings.rows.len()
    }

    /// Returns how many bouts have no page.
    pub fn unshown(&self) -> usize {
        self.bouts.all - self.bouts.listed.len()
    }

    /// Returns when the last bout of the event began, milliseconds since 1970.
    pub(super) fn last_at(&self) -> Option<i64> {
        self.versions.values().flatten().map(|version| version.last_at).max()
    }

    /// Returns whether bots answer to a clock: a round is called a tick then.
    pub(super) fn is_on_a_clock(&self) -> bool {
        let options = self.info.settings.options.to_referee();
        self.game().and_then(|game| game.spec().clock(&options)).is_some()
    }

    /// Returns how many bots meet in a match.
    pub(super) fn is_of_two(&self) -> bool {
        self.info.settings.bots_per_match <= 2
    }
}

impl MatchBouts {
    /// Returns its file within the event's folder.
    pub(super) fn file(&self) -> String {
        let bots: Vec<&str> = self.bots.iter().map(|bot| &**bot).collect();
        names::match_file(&bots)
    }
}

/// Returns the distance between the first two scores of a bout.
fn margin(bout: &BoutSummary) -> u64 {
    let mut seats: Vec<_> = bout.seats.iter().collect();
    seats.sort_by_key(|seat| seat.rank);
    match seats[..] {
        [first, second, ..] => first.score.distance(second.score),
        _ => 0,
    }
}

/// Gathers the bouts of each group of bots, in schedule order.
fn meetings(bouts: &[BoutSummary]) -> Vec<MatchBouts> {
    let mut meetings: Vec<MatchBouts> = Vec::new();
    let mut places: HashMap<Vec<Arc<str>>, usize> = HashMap::new();
    for (number, bout) in bouts.iter().enumerate() {
        let mut bots: Vec<_> = bout.seats.iter().map(|seat| Arc::clone(&seat.bot)).collect();
        bots.sort_unstable();
        let place = *places.entry(bots).or_insert_with_key(|bots| {
            meetings.push(MatchBouts { bots: bots.clone(), bouts: Vec::new() });
            meetings.len() - 1
        });
        meetings[place].bouts.push(number);
    }
    meetings
}

fn by_bots(meetings: &[MatchBouts]) -> HashMap<Arc<str>, Vec<usize>> {
    let mut by_bots: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for (place, meeting) in meetings.iter().enumerate() {
        for bot in &meeting.bots {
            by_bots.entry(Arc::clone(bot)).or_default().push(place);
        }
    }
    by_bots
}
