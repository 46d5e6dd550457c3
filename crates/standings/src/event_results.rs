//! Gathered results: everything of the bouts of an event that its leaderboard is made of.
//!
//! Bouts are added one after the other and need not be kept: what stays is a line for each bot
//! and for each pair that met.

use joust_model::{BoutSummary, EventInfo};

use crate::ratings::Totals;
use crate::ratings::event::{EventRatings, Model, Skills, rate_totals};
use crate::standings::{Count, Standings, playing};

/// Counts from which an event's standings and ratings are computed.
#[derive(Clone, Debug)]
pub struct EventResults {
    requested: Model,
    count: Count,
    rated: RatingData,
}

/// Counts from which ratings are computed.
#[derive(Clone, Debug)]
enum RatingData {
    Pairs(Totals),
    Skills(Skills),
}

impl EventResults {
    /// Begins with no bout; `None` for the usual model of the event.
    pub fn of(event: &EventInfo, model: Option<Model>) -> Self {
        let seats = event.settings.bots_per_match;
        let requested = model.unwrap_or_else(|| Model::default_for(seats));
        let rated = match requested.applicable_to(seats) {
            Model::BradleyTerry => RatingData::Pairs(Totals::new(event.settings.mirror)),
            Model::Skill(model) => RatingData::Skills(Skills::of(model, playing(event))),
        };
        Self { requested, count: Count::of(event), rated }
    }

    /// Returns whether bouts must be added in schedule order; otherwise their order does not
    /// matter.
    pub fn needs_order(&self) -> bool {
        matches!(self.rated, RatingData::Skills(_))
    }

    /// Adds a bout.
    pub fn add(&mut self, bout: &BoutSummary) {
        self.count.add(bout);
        match &mut self.rated {
            RatingData::Pairs(totals) => totals.add(bout),
            RatingData::Skills(skills) => skills.add(bout),
        }
    }

    /// Returns the standings, and the ratings of the bots that play in the order of their rows.
    /// Gathered results are dropped as soon as they are not needed: a large league has many pairs.
    #[must_use]
    pub fn into_board(self, event: &EventInfo) -> (Standings, EventRatings) {
        let Self { requested, count, rated } = self;
        let standings = count.standings(event, &event.settings.tie_breaks);
        drop(count);
        let rows = standings.playing().iter();
        let bots: Vec<_> = rows.map(|row| row.bot.name.as_str()).collect();
        let ratings = match rated {
            RatingData::Pairs(totals) => rate_totals(&bots, totals),
            RatingData::Skills(skills) => skills.ratings(&bots),
        };
        (standings, ratings.note_requested(requested))
    }

    /// Returns the ratings of some bots, in their order. Bouts in which others sat do not count
    /// where pairs are rated.
    pub fn ratings_of(&self, bots: &[&str]) -> EventRatings {
        let ratings = match &self.rated {
            RatingData::Pairs(totals) => rate_totals(bots, totals),
            RatingData::Skills(skills) => skills.ratings(bots),
        };
        ratings.note_requested(self.requested)
    }
}
