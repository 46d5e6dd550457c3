//! Results and ratings straight from the bouts, without totals that are added up: the reference
//! for what the product gathers.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use joust_model::{BoutSummary, EventInfo, Seed};
use joust_standings::ratings::bradley_terry::{Meeting, Results};
use joust_standings::ratings::event::{EventRatings, Model, Skills, rate_results};
use joust_standings::ratings::skill::SkillModel;
use joust_standings::ratings::{Outcomes, Pentanomial};

/// Outcome of a bout for the bot it is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum BoutOutcome {
    /// It was ranked behind.
    Loss,
    /// They were ranked level.
    Draw,
    /// It was ranked ahead.
    Win,
}

impl BoutOutcome {
    /// Every outcome, from worst to best.
    pub(crate) const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// Returns the points in halves: 0, 1 or 2.
    pub(crate) fn halves(self) -> u8 {
        self as u8
    }
}

/// Adds a pair by its two bouts.
pub(crate) fn add_pair(pairs: &mut Pentanomial, one: BoutOutcome, other: BoutOutcome) {
    *match (one.min(other), one.max(other)) {
        (BoutOutcome::Loss, BoutOutcome::Loss) => &mut pairs.ll,
        (BoutOutcome::Loss, BoutOutcome::Draw) => &mut pairs.ld,
        (BoutOutcome::Loss, _) => &mut pairs.wl,
        (BoutOutcome::Draw, BoutOutcome::Draw) => &mut pairs.dd,
        (BoutOutcome::Draw, _) => &mut pairs.wd,
        (BoutOutcome::Win, _) => &mut pairs.ww,
    } += 1;
}

/// One bout of a pair: its bots by place, its seed, which of the two sat first,
/// and how it went for the lower one.
type Played = (usize, usize, Seed, bool, BoutOutcome);

/// Gathers the bouts of two among `names`; others are passed over.
pub(crate) fn results_of(names: &[&str], bouts: &[BoutSummary]) -> Results {
    let places: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let mut played: Vec<_> = bouts.iter().filter_map(|bout| of_bout(&places, bout)).collect();
    played.sort_unstable();
    let pairs = played.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    Results { bots: names.len(), meetings: pairs.map(meeting).collect() }
}

fn of_bout(places: &BTreeMap<&str, usize>, bout: &BoutSummary) -> Option<Played> {
    let [first, second] = bout.seats.as_slice() else { return None };
    let (one, other) = (*places.get(&*first.bot)?, *places.get(&*second.bot)?);
    let (low, high) = (one.min(other), one.max(other));
    let [own, others] = if one == low { [first, second] } else { [second, first] };
    let outcome = match own.rank.cmp(&others.rank) {
        Ordering::Less => BoutOutcome::Win,
        Ordering::Equal => BoutOutcome::Draw,
        Ordering::Greater => BoutOutcome::Loss,
    };
    (low != high).then_some((low, high, bout.seed, one == low, outcome))
}

/// Two bouts with one seed and the seats exchanged are a pair.
fn meeting(played: &[Played]) -> Meeting {
    let mut meeting = Meeting { bots: [played[0].0, played[0].1], ..Meeting::default() };
    let mut rest = played;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match tail {
            [second, after @ ..] if first.2 == second.2 && first.3 != second.3 => {
                add_pair(&mut meeting.pairs, first.4, second.4);
                rest = after;
            }
            _ => *single(&mut meeting.singles, first.4) += 1,
        }
    }
    meeting
}

fn single(singles: &mut Outcomes, outcome: BoutOutcome) -> &mut u64 {
    match outcome {
        BoutOutcome::Loss => &mut singles.losses,
        BoutOutcome::Draw => &mut singles.draws,
        BoutOutcome::Win => &mut singles.wins,
    }
}

/// Rates `bots` by the usual model of the event. Bouts in which others sat do not
/// count, as they do not count in the standings.
pub(crate) fn rate(event: &EventInfo, bots: &[&str], bouts: &[BoutSummary]) -> EventRatings {
    rate_by(Model::default_for(event.settings.bots_per_match), event, bots, bouts)
}

/// Rates `bots` by a model. If bouts have more than two seats, the default model replaces
/// one for two seats, and a note says so.
pub(crate) fn rate_by(
    model: Model,
    event: &EventInfo,
    bots: &[&str],
    bouts: &[BoutSummary],
) -> EventRatings {
    let ratings = match model.applicable_to(event.settings.bots_per_match) {
        Model::BradleyTerry => rate_results(bots, |names| results_of(names, bouts)),
        Model::Skill(model) => by_skill(model, bots, bouts),
    };
    ratings.note_requested(model)
}

/// Feeds bouts, in schedule order.
fn by_skill(model: SkillModel, bots: &[&str], bouts: &[BoutSummary]) -> EventRatings {
    let mut skills = Skills::of(model, bots.iter().copied());
    let mut order: Vec<&BoutSummary> = bouts.iter().collect();
    order.sort_unstable_by_key(|bout| (bout.match_number, bout.number, bout.bout.0));
    order.into_iter().for_each(|bout| skills.add(bout));
    skills.ratings(bots)
}
