//! Survey of an event's bouts before any is drawn: its tables, and which matches have pages.
//!
//! Bouts are added one after the other and need not be kept; those of matches that have pages are
//! asked for afterwards.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use joust_model::{BoutId, BoutSummary, EventInfo, digest_number};
use joust_standings::event_results::EventResults;

/// Bots of a match, as a hash of their names: a large league has many matches.
type Group = u64;

/// Survey of a match.
#[derive(Clone, Debug)]
struct MatchCount {
    /// The place of its first bout in the schedule.
    first: (u64, u32, BoutId),
    bouts: u32,
}

/// Survey of an event's bouts.
#[derive(Clone, Debug)]
pub struct BoutSurvey {
    gathered: EventResults,
    bouts: usize,
    matches: HashMap<Group, MatchCount>,
    /// Number of bouts of each bot.
    of_bots: BTreeMap<Arc<str>, usize>,
}

/// The bouts that have pages.
#[derive(Clone, Debug)]
pub enum BoutSelection {
    /// All.
    All,
    /// The bouts of some matches.
    Matches(HashSet<Group>),
    /// The newest of each bot.
    Newest {
        /// Bouts of each bot that are still to come.
        left: BTreeMap<Arc<str>, usize>,
        /// Bouts of each bot that have pages.
        of_each: usize,
    },
}

impl BoutSurvey {
    /// Makes an empty survey.
    pub fn of(event: &EventInfo) -> Self {
        let gathered = EventResults::of(event, None);
        let (matches, of_bots) = (HashMap::new(), BTreeMap::new());
        Self { gathered, bouts: 0, matches, of_bots }
    }

    /// Surveys bouts that are all at hand, in schedule order.
    pub fn of_bouts(event: &EventInfo, bouts: &[BoutSummary]) -> Self {
        let mut survey = Self::of(event);
        bouts.iter().for_each(|bout| survey.add(bout));
        survey
    }

    /// Returns whether bouts must be added in schedule order.
    pub fn needs_order(&self) -> bool {
        self.gathered.needs_order()
    }

    /// Returns the data for the tables, and the number of bouts. The counts of matches are freed
    /// before ratings need the memory.
    pub(super) fn into_gathered(self) -> (EventResults, usize) {
        (self.gathered, self.bouts)
    }

    /// Adds a bout that counts.
    pub fn add(&mut self, bout: &BoutSummary) {
        self.gathered.add(bout);
        self.bouts += 1;
        let first = (bout.match_number, bout.number, bout.bout);
        let seen = self.matches.entry(group(bout)).or_insert(MatchCount { first, bouts: 0 });
        seen.bouts += 1;
        seen.first = seen.first.min(first);
        for seat in &bout.seats {
            match self.of_bots.get_mut(&seat.bot) {
                Some(bouts) => *bouts += 1,
                None => _ = self.of_bots.insert(Arc::clone(&seat.bot), 1),
            }
        }
    }

    /// Chooses the matches that have pages: all, or whole ones evenly along the schedule, with
    /// at most `most` bouts.
    pub fn chosen(&self, most: u32) -> BoutSelection {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if self.bouts <= most {
            return BoutSelection::All;
        }
        let mut matches: Vec<(&Group, &MatchCount)> = self.matches.iter().collect();
        matches.sort_unstable_by_key(|(_, seen)| seen.first);
        let sizes: Vec<usize> = matches.iter().map(|(_, seen)| seen.bouts as usize).collect();
        let even = even(&sizes, most);
        BoutSelection::Matches(even.into_iter().map(|place| *matches[place].0).collect())
    }

    /// Chooses the newest bouts of each bot: all if there are at most `most`, otherwise as many of
    /// each bot as add up to about `most`, but at least two.
    pub fn newest(&self, most: usize) -> BoutSelection {
        if self.bouts <= most {
            return BoutSelection::All;
        }
        let left = self.of_bots.clone();
        let of_each = (2 * most / left.len().max(1)).max(2);
        BoutSelection::Newest { left, of_each }
    }
}

impl BoutSelection {
    /// Returns whether a bout has a page; it is asked for each bout that was surveyed once, those
    /// that were stored later later.
    pub fn has(&mut self, bout: &BoutSummary) -> bool {
        let (all, of_each) = match self {
            Self::All => return true,
            Self::Matches(groups) => return groups.contains(&group(bout)),
            Self::Newest { left, of_each } => (left, *of_each),
        };
        let mut is_new = false;
        for seat in &bout.seats {
            // A bot without an entry has joined since the survey.
            let Some(left) = all.get_mut(&seat.bot) else { return true };
            is_new |= *left <= of_each;
            *left = left.saturating_sub(1);
        }
        is_new
    }
}

fn group(bout: &BoutSummary) -> Group {
    let mut bots: Vec<&[u8]> = bout.seats.iter().map(|seat| seat.bot.as_bytes()).collect();
    bots.sort_unstable();
    digest_number("joust-survey-match-1", &bots)
}

/// Returns the places of matches of these sizes, evenly chosen, that have at most `most` bouts.
fn even(sizes: &[usize], most: usize) -> Vec<usize> {
    let (all, bouts) = (sizes.len(), sizes.iter().sum::<usize>());
    let wanted = all * most / bouts.max(1);
    let is_wanted = |place: &usize| (place + 1) * wanted / all > place * wanted / all;
    let mut left = most;
    let mut fits = |place: &usize| {
        let fits = sizes[*place] <= left;
        left -= if fits { sizes[*place] } else { 0 };
        fits
    };
    (0..all).filter(is_wanted).filter(|place| fits(place)).collect()
}

#[cfg(test)]
mod tests {
    use joust_model::{SeatSummary, Seed};
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn of_many_matches_as_many_whole_ones_as_fit_are_chosen() {
        assert_eq!(even(&[2; 5], 10).len(), 5);
        assert_eq!(even(&[2; 500], 100).len(), 50);
        assert_eq!(even(&[3; 10], 10).len(), 3);
        assert_eq!(even(&[2; 10], 0).len(), 0);
    }

    #[test]
    fn of_many_bouts_each_bot_keeps_its_newest() {
        let seat = |bot: &str, rank| SeatSummary {
            bot: bot.into(),
            rank,
            score: 0.into(),
            verdicts: Arc::default(),
        };
        let bout = |number: u32| BoutSummary {
            bout: BoutId::of("cup", &[&number.to_le_bytes()]),
            match_number: u64::from(number),
            number: 0,
            seed: Seed(0),
            rounds: 1,
            is_isolated: true,
            seats: vec![seat(&format!("ann-{}", number % 10), 1), seat("bob", 2)],
        };
        let bouts: Vec<BoutSummary> = (0..1000).map(bout).collect();
        let event = EventInfo {
            settings: fixtures::event("cup"),
            bots: Vec::new(),
            decisions: Vec::new(),
            referee_errors: 0,
        };
        let survey = BoutSurvey::of_bouts(&event, &bouts);
        let kept = |most: usize| -> Vec<u64> {
            let mut newest = survey.newest(most);
            let kept = bouts.iter().filter(|bout| newest.has(bout));
            kept.map(|bout| bout.match_number).collect()
        };
        assert_eq!(kept(1000).len(), 1000);
        assert_eq!(kept(22), (960..1000).collect::<Vec<u64>>(), "four of each of eleven");
        assert_eq!(kept(1).len(), 20, "two of each at least");
    }

    #[test]
    fn uneven_matches_never_have_more_bouts_than_allowed() {
        let sizes = [1, 9, 1, 9, 1, 9, 1, 9];
        let chosen = even(&sizes, 12);
        assert!(chosen.iter().map(|place| sizes[*place]).sum::<usize>() <= 12);
    }
}
