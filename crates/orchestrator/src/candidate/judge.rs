//! Judge of a session: evaluation of the recorded bouts.

use std::collections::{BTreeMap, HashMap};

use joust_model::{BotRow, BoutSummary};
use joust_standings::ratings::sprt::{SequentialTest, Sprt, SprtDecision};
use joust_standings::ratings::{MirrorSet, RankLead};

use super::report::{FieldTest, OpponentRecord, TestState, VersionReport};
use super::versions::LastVersion;

/// Judgement of a candidate by its recorded bouts.
pub(super) struct CandidateJudgement {
    pub(super) opponents: Vec<OpponentRecord>,
    pub(super) bouts: u64,
    pub(super) turns: u64,
    /// Turns of the candidate with a fault, by verdict.
    pub(super) faults: BTreeMap<String, u64>,
    /// Rounds in which every match of the schedule has its set.
    pub(super) rounds: u32,
    /// Sequential test of the sets in the order of the schedule.
    pub(super) test: SequentialTest,
    /// The same with the score against the field; `None` before the first set.
    pub(super) field: Option<FieldTest>,
    pub(super) last: Option<VersionReport>,
    /// True when every test that can be decided is, with every match played at least once.
    pub(super) is_decided: bool,
}

/// Evidence about a candidate.
pub(super) struct CandidateEvidence<'a> {
    pub(super) bot: &'a str,
    /// Bots of a match, the candidate included.
    pub(super) players: u8,
    /// The opponents of each match, in the order of the schedule.
    pub(super) groups: &'a [Vec<String>],
    pub(super) bouts: &'a [BoutSummary],
    pub(super) rows: &'a [BotRow],
    pub(super) last: Option<&'a LastVersion>,
}

impl CandidateEvidence<'_> {
    pub(super) fn judge(&self, sprt: Sprt) -> CandidateJudgement {
        let sets = MirrorSet::all(self.bouts, self.bot);
        let (ordered, rounds) = self.in_order(&sets);
        let whole = &ordered[..rounds as usize * self.groups.len()];
        let players = usize::from(self.players);
        let mut test = SequentialTest::new(sprt, 2 * players * players.saturating_sub(1));
        ordered.iter().for_each(|set| _ = test.add(set.grade() as usize));
        let is_found = test.judgement().finding != SprtDecision::Undecided;
        let compared = self.last.and_then(|last| last.compare(&ordered, self.rows, sprt));
        let is_compared = compared.as_ref().is_none_or(|compared| compared.is_over);
        let (mut turns, mut faults) = (0, BTreeMap::new());
        let own = self.bouts.iter().flat_map(|bout| bout.seats.iter());
        for seat in own.filter(|seat| &*seat.bot == self.bot) {
            for (verdict, count) in seat.verdicts.iter() {
                turns += u64::from(count);
                if !verdict.is_ok() {
                    *faults.entry(verdict.to_string()).or_insert(0) += u64::from(count);
                }
            }
        }
        CandidateJudgement {
            opponents: self.opponents(&sets),
            bouts: self.bouts.len() as u64,
            turns,
            faults,
            rounds,
            field: field(&test, whole, &sets),
            test,
            last: compared.map(|compared| compared.comparison),
            is_decided: rounds > 0 && is_found && is_compared,
        }
    }

    /// Returns the sets in the order of the schedule, up to the first that is missing, and how
    /// many rounds of them are whole.
    fn in_order<'a>(&self, sets: &'a [MirrorSet]) -> (Vec<&'a MirrorSet>, u32) {
        let key = |set: &'a MirrorSet| {
            let opponents: Vec<&str> = set.opponents.iter().map(|name| &**name).collect();
            ((set.number, opponents), set)
        };
        let known: HashMap<(u32, Vec<&str>), &MirrorSet> = sets.iter().map(key).collect();
        let mut ordered = Vec::new();
        for round in 0.. {
            for group in self.groups {
                let opponents = group.iter().map(String::as_str).collect();
                let Some(set) = known.get(&(round, opponents)) else { return (ordered, round) };
                ordered.push(*set);
            }
            if self.groups.is_empty() {
                break;
            }
        }
        (ordered, 0)
    }

    fn opponents(&self, sets: &[MirrorSet]) -> Vec<OpponentRecord> {
        let mut names: Vec<&str> = self.groups.iter().flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| self.against(name, sets)).collect()
    }

    fn against(&self, opponent: &str, sets: &[MirrorSet]) -> OpponentRecord {
        let leads: Vec<f64> = sets.iter().filter_map(|set| set.lead_over(opponent)).collect();
        let mut against = OpponentRecord {
            bot: opponent.to_owned(),
            won: Vec::new(),
            drawn: Vec::new(),
            lost: Vec::new(),
            superiority: RankLead::of(&leads).map(|lead| lead.superiority),
        };
        for bout in self.bouts {
            let rank = |bot: &str| bout.seats.iter().find(|seat| &*seat.bot == bot);
            let (Some(own), Some(other)) = (rank(self.bot), rank(opponent)) else { continue };
            let list = match own.rank.cmp(&other.rank) {
                std::cmp::Ordering::Less => &mut against.won,
                std::cmp::Ordering::Equal => &mut against.drawn,
                std::cmp::Ordering::Greater => &mut against.lost,
            };
            list.push(bout.bout.to_string());
        }
        against
    }
}

/// Returns the test with the score of whole rounds, as opponents that were met more often would
/// count for more; of all sets where no round is whole.
fn field(test: &SequentialTest, whole: &[&MirrorSet], all: &[MirrorSet]) -> Option<FieldTest> {
    let leads: Vec<f64> = match whole {
        [] => all.iter().map(MirrorSet::lead).collect(),
        whole => whole.iter().map(|set| set.lead()).collect(),
    };
    let lead = RankLead::of(&leads)?;
    let share = |lead: f64| f64::midpoint(lead, 1.0);
    Some(FieldTest {
        state: TestState::of(test),
        sets: test.outcomes(),
        score: [lead.mean, lead.interval[0], lead.interval[1]].map(share),
        superiority: test.estimate().map_or(lead.superiority, |stopped| stopped.superiority),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use joust_model::{BoutId, SeatSummary, Seed};

    use super::super::report::TestAnswer;
    use super::super::try_bot::usual_test;
    use super::*;

    /// The two bouts of a mirror pair of `ann`, with her ranks.
    fn pair(opponent: &str, round: u32, ranks: [u8; 2]) -> Vec<BoutSummary> {
        let seat = |bot: &str, rank: u8| SeatSummary {
            bot: Arc::from(bot),
            rank,
            score: 0.into(),
            verdicts: Arc::default(),
        };
        let bout = |number: u32| {
            let own = ranks[number as usize];
            let mut seats = vec![seat("ann", own), seat(opponent, 3 - own)];
            seats.rotate_left(number as usize);
            BoutSummary {
                bout: BoutId::of("cup", &[opponent.as_bytes(), &[round as u8, number as u8]]),
                match_number: 0,
                number: 2 * round + number,
                seed: Seed(u64::from(round) << 32 | u64::from(opponent.as_bytes()[0])),
                rounds: 1,
                is_isolated: true,
                seats,
            }
        };
        (0..2).map(bout).collect()
    }

    fn judged(bouts: &[BoutSummary]) -> CandidateJudgement {
        let groups = [vec!["cleo".to_owned()], vec!["bob".to_owned()]];
        let (bot, players, groups) = ("ann", 2, &groups[..]);
        let evidence = CandidateEvidence { bot, players, groups, bouts, rows: &[], last: None };
        evidence.judge(usual_test())
    }

    #[test]
    fn sets_count_in_the_order_of_the_schedule_up_to_the_first_that_is_missing() {
        let mut bouts = pair("bob", 0, [1, 1]);
        bouts.extend(pair("bob", 1, [1, 1]));
        assert_eq!(judged(&bouts).field.expect("sets").sets, 0, "`cleo` comes first");
        bouts.extend(pair("cleo", 0, [2, 2]));
        let judged = judged(&bouts);
        let test = judged.field.expect("sets");
        assert_eq!((judged.rounds, test.sets, judged.bouts), (1, 2, 6));
        assert!((test.score[0] - 0.5).abs() < 1e-9, "`bob` counts as often as `cleo`: {test:?}");
        assert!(!judged.is_decided);
    }

    #[test]
    fn every_opponent_has_its_bouts() {
        let mut bouts = pair("bob", 0, [1, 2]);
        bouts.extend(pair("cleo", 0, [2, 2]));
        let opponents = judged(&bouts).opponents;
        let counts = |against: &OpponentRecord| {
            (against.bot.clone(), against.won.len(), against.drawn.len(), against.lost.len())
        };
        let counts: Vec<_> = opponents.iter().map(counts).collect();
        assert_eq!(counts, [("bob".to_owned(), 1, 0, 1), ("cleo".to_owned(), 0, 0, 2)]);
        assert!(opponents[1].superiority < opponents[0].superiority);
    }

    #[test]
    fn a_bot_that_wins_everything_is_found_to_be_stronger_and_no_sooner_than_all_were_met() {
        let mut bouts = Vec::new();
        let mut rounds = 0;
        while !judged(&bouts).is_decided {
            for bot in ["bob", "cleo"] {
                bouts.extend(pair(bot, rounds, [1, 1]));
            }
            rounds += 1;
            assert!(rounds < 40, "it is decided");
        }
        let test = judged(&bouts).field.expect("sets");
        assert_eq!(test.state.answer, TestAnswer::Stronger);
        assert!(test.superiority > 0.95, "{test:?}");
    }
}
