//! The ratings of an event: one number for each bot, with its interval.
//!
//! Events of two seats are fitted as a whole ([`super::bradley_terry`]), the others are fed
//! bout by bout in schedule order ([`super::skill`]). Bouts may be given in any
//! order: the ratings are the same to the last bit. What has no number has a text.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::bradley_terry::{Fit, MOST_EXACT, Results};
use super::normal::{Z95, phi};
use super::skill::{Parameters, Skill, SkillModel, after_bout};
use super::totals::Totals;
use joust_model::BoutSummary;

/// With fewer samples than this the spread of a bot's results says too little, and
/// the wider of two intervals is shown.
pub const FEW_SAMPLES: u64 = 10;

/// Note beside such an interval.
const FEW_SAMPLES_NOTE: &str =
    "few bouts so far, or none that differ: the wider of two error estimates is shown";

/// A standard error below this, in Elo, is none.
const NO_SPREAD: f64 = 1e-6;

/// Model by which bots are rated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// All bouts of two at once, in Elo; a draw is half a win.
    BradleyTerry,
    /// Bout by bout, in the units of the skill model.
    Skill(SkillModel),
}

impl Model {
    /// Every model that can be asked for; the model for events of two seats is first.
    pub const ALL: [Self; 3] = [
        Self::BradleyTerry,
        Self::Skill(SkillModel::PlackettLuce),
        Self::Skill(SkillModel::TrueSkill),
    ];

    /// Returns the default model of events.
    pub fn default_for(bots_per_match: u32) -> Self {
        if bots_per_match > 2 { Self::Skill(SkillModel::PlackettLuce) } else { Self::BradleyTerry }
    }

    /// Returns the model by which an event is rated when this one is asked for: the one that is
    /// for two seats gives way to the usual one where more sit in a bout.
    #[must_use]
    pub fn applicable_to(self, bots_per_match: u32) -> Self {
        match (self, Self::default_for(bots_per_match)) {
            (Self::BradleyTerry, default_for @ Self::Skill(_)) => default_for,
            (asked, _) => asked,
        }
    }

    /// Returns the name used in tables, messages and the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BradleyTerry => "bradley-terry",
            Self::Skill(model) => model.name(),
        }
    }

    /// Returns the model called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Returns in one line what a rating means.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::BradleyTerry => {
                "Elo by Bradley-Terry over all bouts, a draw is half a win, mean 0"
            }
            Self::Skill(SkillModel::PlackettLuce) => {
                "Plackett-Luce (Weng-Lin), bouts in schedule order, begins at 25"
            }
            Self::Skill(SkillModel::TrueSkill) => {
                "TrueSkill, bouts in schedule order, begins at 25"
            }
        }
    }
}

/// Something about the ratings that a reader must know, with the bots it is about,
/// whose names are strangers' text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Text of the note.
    pub text: String,
    /// The bots, in the order of the rows; may be empty.
    pub bots: Vec<String>,
}

/// A bot's rating.
#[derive(Clone, Debug, PartialEq)]
pub struct BotRating {
    /// The bot's name.
    pub bot: String,
    /// The rating; `None` for a bot without bouts. Never infinite, never not a number.
    pub rating: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
    /// Its standard error.
    pub se: Option<f64>,
    /// Bouts it rests on.
    pub bouts: u64,
}

/// The ratings of an event.
#[derive(Clone, Debug)]
pub struct EventRatings {
    /// Model that they were made with.
    pub model: Model,
    /// The bots, in the order they were asked for in.
    pub rows: Vec<BotRating>,
    /// Notes that a reader needs.
    pub notes: Vec<Note>,
    certainty: Certainty,
}

#[derive(Clone, Debug)]
enum Certainty {
    /// The fit, the row's place in it, and whether its samples are many.
    Fitted {
        fit: Box<Fit>,
        places: Vec<usize>,
        is_sampled: Vec<bool>,
    },
    Skills,
}

impl EventRatings {
    /// Adds a note when the model that was asked for is for two seats, and this is another.
    #[must_use]
    pub fn note_requested(mut self, asked: Model) -> Self {
        if let (Model::BradleyTerry, Model::Skill(skill)) = (asked, self.model) {
            let text = format!("{} is for two seats; this is {}", asked.name(), skill.name());
            self.notes.insert(0, Note { text, bots: Vec::new() });
        }
        self
    }

    /// Returns the rating of a bot.
    pub fn of(&self, bot: &str) -> Option<&BotRating> {
        self.rows.iter().find(|row| row.bot == bot)
    }

    /// Returns how likely the bot of one row is stronger than the bot of another, from
    /// 0 to 1; `None` for a bot with itself, without bouts, and if the two
    /// cannot be compared because their groups never met.
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let [own, opponent] = [&self.rows[one], &self.rows[other]];
        let (lead, own_se, others_se) = (own.rating? - opponent.rating?, own.se?, opponent.se?);
        if one == other {
            return None;
        }
        match &self.certainty {
            Certainty::Skills => Some(phi(lead / own_se.hypot(others_se).max(f64::MIN_POSITIVE))),
            Certainty::Fitted { fit, places, is_sampled } => {
                let difference = fit.difference(places[one], places[other])?;
                let se = match is_sampled[one] && is_sampled[other] {
                    true => difference.se_robust,
                    false => difference.se_robust.max(difference.se_model),
                };
                Some(difference.superiority(se))
            }
        }
    }

    /// Returns [`EventRatings::superiority`] of each of the first `rows` rows (line) over each
    /// other of these.
    pub fn superiority_matrix(&self, rows: usize) -> Vec<Vec<Option<f64>>> {
        let rows = rows.min(self.rows.len());
        (0..rows).map(|one| (0..rows).map(|other| self.superiority(one, other)).collect()).collect()
    }
}

/// Rates `bots` of an event of two seats by what each pair did in all of its bouts. Totals that
/// are given away are gone before anything is fitted.
pub fn rate_totals(bots: &[&str], totals: impl Borrow<Totals>) -> EventRatings {
    rate_results(bots, move |names| Results::of_totals(names, totals.borrow()))
}

/// Fits all at once what is gathered of bots by their names. Bots are fitted in the order of
/// their names, so that the order of the rows changes nothing.
pub fn rate_results(bots: &[&str], gathered: impl FnOnce(&[&str]) -> Results) -> EventRatings {
    let mut names = bots.to_vec();
    names.sort_unstable();
    names.dedup();
    let place_of: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let mut played = gathered(&names);
    let (samples, played_bouts) = (played.samples(), played.bouts());
    let groups = played.groups();
    let is_finite = played.without_finite_fit().is_none();
    if !is_finite {
        played = played.made_finite();
    }
    let fit = Fit::of(&played);
    let places: Vec<usize> = bots.iter().map(|bot| place_of[bot]).collect();
    let is_sampled = |place: &usize| {
        samples[*place] >= FEW_SAMPLES && fit.covariance.robust.of(*place) > NO_SPREAD
    };
    let is_sampled: Vec<bool> = places.iter().map(is_sampled).collect();
    let row = |((bot, place), is_sampled): ((&&str, &usize), &bool)| {
        let [robust, by_model] =
            [&fit.covariance.robust, &fit.covariance.model].map(|spread| spread.of(*place));
        let se = if *is_sampled { robust } else { robust.max(by_model) };
        let has_bouts = played_bouts[*place] > 0;
        let skill = has_bouts.then_some((fit.elo[*place], se));
        rating(bot, skill, played_bouts[*place])
    };
    let rows: Vec<_> = bots.iter().zip(&places).zip(&is_sampled).map(row).collect();
    let mut notes = notes(
        &rows,
        &Fitted {
            played: &played,
            is_finite,
            names: &names,
            groups: &groups,
            is_sampled: &is_sampled,
        },
    );
    if fit.covariance.is_diagonal() {
        notes.push(Note { text: diagonal_text(), bots: Vec::new() });
    }
    let certainty = Certainty::Fitted { fit: Box::new(fit), places, is_sampled };
    EventRatings { model: Model::BradleyTerry, rows, notes, certainty }
}

fn diagonal_text() -> String {
    format!(
        "above {MOST_EXACT} bots an interval takes the ratings of a bot's opponents for known, so \
         it is a little too narrow"
    )
}

fn rating(bot: &str, skill: Option<(f64, f64)>, bouts: u64) -> BotRating {
    let skill = skill.filter(|(value, se)| value.is_finite() && se.is_finite());
    BotRating {
        bot: bot.to_owned(),
        rating: skill.map(|(value, _)| value),
        low: skill.map(|(value, se)| value - Z95 * se),
        high: skill.map(|(value, se)| value + Z95 * se),
        se: skill.map(|(_, se)| se),
        bouts,
    }
}

/// Facts from which the notes of a fit are made.
struct Fitted<'a> {
    played: &'a Results,
    is_finite: bool,
    names: &'a [&'a str],
    groups: &'a [Vec<usize>],
    is_sampled: &'a [bool],
}

fn notes(rows: &[BotRating], fitted: &Fitted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |text: &str, bots: Vec<String>| {
        notes.push(Note { text: text.to_owned(), bots });
    };
    let named = |is_in: &dyn Fn(usize) -> bool| -> Vec<String> {
        rows.iter()
            .enumerate()
            .filter(|(row, _)| is_in(*row))
            .map(|(_, row)| row.bot.clone())
            .collect()
    };
    let idle = named(&|row| rows[row].bouts == 0);
    if !idle.is_empty() {
        note("no rating without a bout", idle);
    }
    if !fitted.is_finite {
        let perfect = perfect(fitted);
        note(
            "ratings would be infinite, because some bots or groups of bots won or lost every bout; one \
             virtual draw per pairing was added",
            named(&|row| perfect.contains(&rows[row].bot.as_str())),
        );
    }
    let met = fitted.groups.iter().filter(|group| group.len() > 1).count();
    if met > 1 {
        note(
            &format!(
                "the bots fall into {met} groups that never met; each has mean 0, and only bots of \
                 one group can be compared"
            ),
            Vec::new(),
        );
    }
    let few = named(&|row| rows[row].bouts > 0 && !fitted.is_sampled[row]);
    if few.len() == rows.len() && !rows.is_empty() {
        note(FEW_SAMPLES_NOTE, Vec::new());
    } else if !few.is_empty() {
        note(FEW_SAMPLES_NOTE, few);
    }
    notes
}

/// Returns the names of the bots that won, or lost, everything.
fn perfect<'a>(fitted: &Fitted<'a>) -> BTreeSet<&'a str> {
    let mut points = vec![(0_u64, 0_u64); fitted.names.len()];
    for meeting in &fitted.played.meetings {
        let bouts = meeting.bouts();
        let halves = 2 * bouts.wins + bouts.draws;
        for (bot, halves) in meeting.bots.into_iter().zip([halves, 2 * bouts.bouts() - halves]) {
            points[bot].0 += halves;
            points[bot].1 += 2 * bouts.bouts();
        }
    }
    let all = points.into_iter().zip(fitted.names);
    all.filter(|((halves, most), _)| *most > 0 && (*halves == 0 || halves == most))
        .map(|(_, name)| *name)
        .collect()
}

/// Skills after some bouts, given in schedule order: one line for each bot, however many bouts
/// there are.
#[derive(Clone, Debug)]
pub struct Skills {
    model: SkillModel,
    places: BTreeMap<String, usize>,
    skills: Vec<Skill>,
    played: Vec<u64>,
    /// The places of a bout's bots, kept for the next one.
    seats: Vec<usize>,
}

impl Skills {
    /// Begins with no bout; those in which others than `bots` sit do not count.
    pub fn of<'a>(model: SkillModel, bots: impl IntoIterator<Item = &'a str>) -> Self {
        let places: BTreeMap<String, usize> =
            bots.into_iter().map(str::to_owned).zip(0..).collect();
        let (skills, played) = (vec![Skill::default(); places.len()], vec![0; places.len()]);
        Self { model, places, skills, played, seats: Vec::new() }
    }

    /// Adds the next bout: they come by number of the match, then of the bout, then by id.
    pub fn add(&mut self, bout: &BoutSummary) {
        self.seats.clear();
        let places = bout.seats.iter().map_while(|seat| self.places.get(&*seat.bot).copied());
        self.seats.extend(places);
        if self.seats.len() < bout.seats.len() || self.seats.len() < 2 {
            return;
        }
        let before: Vec<Skill> = self.seats.iter().map(|seat| self.skills[*seat]).collect();
        let after = after_bout(self.model, &Parameters::default(), &before, &bout.ranks());
        for (seat, skill) in self.seats.iter().zip(after) {
            self.skills[*seat] = skill;
            self.played[*seat] += 1;
        }
    }

    /// Returns the ratings of `bots`, in their order.
    pub fn ratings(&self, bots: &[&str]) -> EventRatings {
        let row = |bot: &&str| match self.places.get(*bot) {
            Some(place) if self.played[*place] > 0 => {
                let Skill { mu, sigma } = self.skills[*place];
                rating(bot, Some((mu, sigma)), self.played[*place])
            }
            _ => rating(bot, None, 0),
        };
        let rows: Vec<_> = bots.iter().map(row).collect();
        let idle: Vec<_> =
            rows.iter().filter(|row| row.bouts == 0).map(|row| row.bot.clone()).collect();
        let text = "no rating without a bout".to_owned();
        let notes = if idle.is_empty() { Vec::new() } else { vec![Note { text, bots: idle }] };
        EventRatings { model: Model::Skill(self.model), rows, notes, certainty: Certainty::Skills }
    }
}
