//! What is being played: the page that only a server has.

use std::time::Duration;

use serde::Serialize;

use super::leaderboard::Moment;
use super::{Site, names, shown, text};
use joust_model::{BoutId, Public, Score};

/// What is being played, and what came last.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// In a sentence or two, without line ends: what the run does.
    pub said: String,
    /// Each event that the run has come to, the newest last.
    pub played: Vec<Played>,
    /// Bouts that are being played, the oldest first.
    pub playing: Vec<Playing>,
    /// How many more are being played.
    pub more_playing: usize,
    /// The newest bouts that ended, the newest first.
    pub finished: Vec<Finished>,
    /// Machines that played, with how many bouts of this run each.
    pub machines: Vec<(String, u64)>,
}

/// How far an event is.
#[derive(Clone, Debug)]
pub struct Played {
    /// The event's id.
    pub event: String,
    /// Its bouts.
    pub bouts: u64,
    /// Those with a result.
    pub finished: u64,
    /// How long the rest will take, when that can be said.
    pub left: Option<Duration>,
}

/// A bout that is being played.
#[derive(Clone, Debug)]
pub struct Playing {
    /// Its event's id.
    pub event: String,
    /// The number of the bout within its match, from 1.
    pub number: u32,
    /// Its bots by seat.
    pub bots: Vec<String>,
    /// How long it has been played.
    pub since: Duration,
}

/// A bout that ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The bout.
    pub bout: BoutId,
    /// Its event's id.
    pub event: String,
    /// Who sat where.
    pub seats: Vec<FinishedSeat>,
    /// Why it ended.
    pub ended: String,
    /// When it began, milliseconds since 1970.
    pub at: i64,
}

/// A seat of a bout that ended.
#[derive(Clone, Debug)]
pub struct FinishedSeat {
    /// The bot.
    pub bot: String,
    /// Its rank, from 1.
    pub rank: u8,
    /// Its score.
    pub score: Score,
}

impl Now {
    /// Where the page is.
    pub const PAGE: &'static str = "now.html";
}

#[derive(Debug, Serialize)]
pub(super) struct NowPage {
    said: String,
    has_boards: bool,
    played: Vec<PlayedRow>,
    playing: Vec<PlayingRow>,
    more_playing: usize,
    finished: Vec<FinishedRow>,
    machines: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
struct PlayedRow {
    event: String,
    folder: String,
    bouts: String,
    finished: String,
    percent: u64,
    left: Option<String>,
}

#[derive(Debug, Serialize)]
struct PlayingRow {
    event: String,
    number: u32,
    bots: Vec<String>,
    since: String,
}

#[derive(Debug, Serialize)]
struct FinishedRow {
    page: String,
    event: String,
    seats: Vec<Seat>,
    ended: String,
    at: Moment,
}

#[derive(Debug, Serialize)]
struct Seat {
    name: String,
    score: String,
    is_first: bool,
}

/// Returns the page.
pub(super) fn page(site: &Site, now: &Now) -> NowPage {
    NowPage {
        said: text::public(&now.said),
        has_boards: site.publication.shows(Public::Replays),
        played: now.played.iter().map(|event| played(site, event)).collect(),
        playing: now.playing.iter().map(|bout| playing(site, bout)).collect(),
        more_playing: now.more_playing,
        finished: now.finished.iter().map(|bout| finished(site, bout)).collect(),
        machines: now
            .machines
            .iter()
            .map(|(name, bouts)| (text::public(name), shown::count(*bouts)))
            .collect(),
    }
}

fn played(site: &Site, event: &Played) -> PlayedRow {
    PlayedRow {
        event: site.tournament.title_of(&event.event),
        folder: names::event_folder(&event.event),
        bouts: shown::count(event.bouts),
        finished: shown::count(event.finished),
        percent: event.finished * 100 / event.bouts.max(1),
        left: event.left.map(about),
    }
}

fn playing(site: &Site, bout: &Playing) -> PlayingRow {
    PlayingRow {
        event: site.tournament.title_of(&bout.event),
        number: bout.number,
        bots: bout.bots.iter().map(|bot| text::public(bot)).collect(),
        since: about(bout.since),
    }
}

fn finished(site: &Site, bout: &Finished) -> FinishedRow {
    let seat = |seat: &FinishedSeat| Seat {
        name: text::public(&seat.bot),
        score: shown::score(seat.score),
        is_first: seat.rank == 1,
    };
    FinishedRow {
        page: format!("{}/{}", names::event_folder(&bout.event), names::bout_file(bout.bout)),
        event: site.tournament.title_of(&bout.event),
        seats: bout.seats.iter().map(seat).collect(),
        ended: text::public(&bout.ended),
        at: Moment::of(bout.at),
    }
}

/// Returns a time in whole seconds, minutes or hours.
fn about(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::super::TournamentInput;
    use super::*;
    use joust_model::Publication;

    #[test]
    fn times_are_short_and_names_are_harmless() {
        assert_eq!(
            [59, 119, 130, 7260].map(|s| about(Duration::from_secs(s))),
            ["59 s", "119 s", "2 min", "2 h 1 min"]
        );
        let bout = Playing {
            event: "league".to_owned(),
            number: 2,
            bots: vec!["me@mail.example".to_owned(), "e\u{1b}ve".to_owned()],
            since: Duration::from_secs(3),
        };
        let site = Site::new(TournamentInput::default(), &[], Publication::default());
        let now = Now { playing: vec![bout], ..Now::default() };
        assert_eq!(page(&site, &now).playing[0].bots, ["[e-mail]", "e\\u{1b}ve"]);
    }
}
