//! Search among results: which bouts are wanted, by bots, outcome and faults.

use joust_model::{BoutSummary, SeatSummary, Verdict};

/// Filter of bouts; the default accepts all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoutSearch {
    /// Bots that all sat in the bout.
    pub bots: Vec<String>,
    /// Outcome for the first of them; without bots, for any bot.
    pub outcome: Option<BotOutcome>,
    /// Fault of the first of them; without bots, of any bot.
    pub fault: Option<FaultFilter>,
    /// The bout's number within its match, from 0.
    pub number: Option<u32>,
}

/// Outcome of a bout for a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotOutcome {
    /// It won.
    Won,
    /// It drew with others.
    Drawn,
    /// It lost.
    Lost,
}

/// Fault of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultFilter {
    /// Anything.
    Any,
    /// It earned this verdict.
    Earned(Verdict),
}

impl BoutSearch {
    /// Returns whether a bout matches.
    pub fn matches(&self, bout: &BoutSummary) -> bool {
        let sat = |bot: &String| bout.seats.iter().any(|seat| *seat.bot == **bot);
        self.bots.iter().all(sat)
            && self.number.is_none_or(|number| bout.number == number)
            && self.any_own(bout, |seat| match self.outcome {
                None => true,
                Some(wanted) => bot_outcome(bout, seat) == wanted,
            })
            && self.any_own(bout, |seat| match self.fault {
                None => true,
                Some(FaultFilter::Any) => seat.verdicts.faults() > 0,
                Some(FaultFilter::Earned(verdict)) => {
                    seat.verdicts.iter().any(|(earned, count)| earned == verdict && count > 0)
                }
            })
    }

    /// Asks for the seats of the first bot, or for all.
    fn any_own(&self, bout: &BoutSummary, wanted: impl Fn(&SeatSummary) -> bool) -> bool {
        let is_own = |seat: &&SeatSummary| self.bots.first().is_none_or(|bot| **bot == *seat.bot);
        bout.seats.iter().filter(is_own).any(wanted)
    }
}

/// Returns the outcome of a bout for a seat.
pub fn bot_outcome(bout: &BoutSummary, seat: &SeatSummary) -> BotOutcome {
    let first = bout.seats.iter().filter(|other| other.rank == 1).count();
    match (seat.rank, first) {
        (1, 1) => BotOutcome::Won,
        (1, _) => BotOutcome::Drawn,
        _ => BotOutcome::Lost,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use joust_model::{BoutId, Seed, VerdictCounts};

    use super::*;

    fn bout(seats: [(&str, u8, Verdict); 2]) -> BoutSummary {
        let seat = |(bot, rank, verdict): (&str, u8, Verdict)| {
            let mut verdicts = VerdictCounts::default();
            verdicts.add(verdict);
            SeatSummary { bot: bot.into(), rank, score: 0.into(), verdicts: Arc::new(verdicts) }
        };
        let seats = seats.map(seat).to_vec();
        BoutSummary {
            bout: BoutId([0; 8]),
            match_number: 0,
            number: 1,
            seed: Seed(0),
            rounds: 1,
            is_isolated: true,
            seats,
        }
    }

    #[test]
    fn outcome_and_fault_are_those_of_the_first_bot() {
        let lost = bout([("ann", 2, Verdict::Crash), ("ben", 1, Verdict::Ok)]);
        let search = |bots: &[&str], outcome, fault| BoutSearch {
            bots: bots.iter().map(|bot| (*bot).to_owned()).collect(),
            outcome,
            fault,
            number: None,
        };
        let crash = Some(FaultFilter::Earned(Verdict::Crash));
        assert!(search(&["ann", "ben"], Some(BotOutcome::Lost), crash).matches(&lost));
        assert!(!search(&["ben", "ann"], Some(BotOutcome::Lost), None).matches(&lost));
        assert!(!search(&["ben"], None, Some(FaultFilter::Any)).matches(&lost));
        assert!(search(&[], Some(BotOutcome::Won), Some(FaultFilter::Any)).matches(&lost));
        assert!(!search(&["cat"], None, None).matches(&lost));
    }

    #[test]
    fn several_first_have_drawn() {
        let drawn = bout([("ann", 1, Verdict::Ok), ("ben", 1, Verdict::Ok)]);
        assert_eq!(bot_outcome(&drawn, &drawn.seats[0]), BotOutcome::Drawn);
        let second = BoutSearch {
            number: Some(1),
            outcome: Some(BotOutcome::Drawn),
            ..BoutSearch::default()
        };
        assert!(second.matches(&drawn));
        assert!(!BoutSearch { number: Some(0), ..second }.matches(&drawn));
    }
}
