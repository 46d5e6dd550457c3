//! Trust in guests: which of their bouts are played a second time, and what follows from that.
//!
//! A guest is a worker of somebody else. What it sends is judged again as everybody's is, which
//! pins every state to the actions; what it can still invent are actions and faults. So bouts of
//! a guest are played a second time by a worker of one's own: each at first, fewer the longer
//! both agree, never fewer than one of fifty. Which ones is drawn after the result is there. A
//! fault that only its machine saw and that cost a bot something is always played again.
//!
//! Where the two differ, a third play decides: if both of one's own agree, the guest's is
//! forged, unless one machine may just have been slower than the other; if they differ too, bots
//! draw their own luck, and only what comes out on average can be compared ([`crate::rates`]).
//! Whoever claims slowness is believed less each time, so that it hides nothing for long.

use joust_model::{BoutId, BoutResult, BuildHash, SeatResult, VerdictCounts};
use joust_referee::Verdict;

/// How names of guests begin; the server lets nobody speak under another name.
pub const GUEST: &str = "guest-";

/// The smallest probability of a second play.
pub const LEAST: f64 = 0.02;

/// After so many agreements every second bout is played again, unless faults were unfounded.
const CAUTION: f64 = 10.0;

/// How many times unfounded faults double that.
const MOST_DOUBLINGS: u32 = 16;

/// Says whether the worker of this name is somebody else's.
#[must_use]
pub fn is_guest(worker: &str) -> bool {
    worker.starts_with(GUEST)
}

/// What came of a second play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Both are alike.
    Agreed,
    /// Machines of one's own saw fewer faults; the guest's may be slow.
    Unfounded,
    /// Machines of one's own saw bots that were too slow more often; the guest's may be fast.
    Spared,
    /// The bots draw their own luck.
    Luck,
    /// The guest invented what the bots did.
    Forged,
}

/// How far a guest is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    agreed: u32,
    /// How often faults differed.
    unfounded: u32,
}

impl Trust {
    /// Returns the probability that its next bout is played a second time.
    #[must_use]
    pub fn probability(&self) -> f64 {
        let caution = CAUTION * f64::from(1_u32 << self.unfounded.min(MOST_DOUBLINGS));
        (caution / (caution + f64::from(self.agreed))).max(LEAST)
    }

    /// Learns what came of a second play.
    pub fn learn(&mut self, finding: Finding) {
        match finding {
            Finding::Agreed => self.agreed = self.agreed.saturating_add(1),
            Finding::Luck => {}
            Finding::Unfounded | Finding::Spared => {
                self.agreed = 0;
                self.unfounded = self.unfounded.saturating_add(1);
            }
            Finding::Forged => self.agreed = 0,
        }
    }
}

/// Says whether a bout is played a second time; `secret` is known to the coordinator alone.
#[must_use]
pub fn is_drawn(secret: u64, bout: BoutId, probability: f64) -> bool {
    let drawn = BuildHash::of("joust-spot-check-1", &[&secret.to_le_bytes(), &bout.0]);
    let number = drawn.0.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
    ((number >> 11) as f64) < probability * (1_u64 << 53) as f64
}

/// Says whether a bot lost something by a fault of which there is nothing but the machine's
/// word: the bout, or that it had won it alone.
#[must_use]
pub fn has_decisive_fault(result: &BoutResult) -> bool {
    let firsts = result.seats.iter().filter(|seat| seat.rank <= 1).count();
    let lost = |seat: &SeatResult| seat.rank > 1 || firsts > 1;
    result.seats.iter().any(|seat| lost(seat) && has_told_fault(&seat.verdicts))
}

/// Says whether there are verdicts that do not follow from what a bot wrote.
#[must_use]
pub fn has_told_fault(verdicts: &VerdictCounts) -> bool {
    told_faults(verdicts) > 0
}

/// Returns how many verdicts do not follow from what a bot wrote. Counts are what somebody sent,
/// and may be as large as they can.
fn told_faults(verdicts: &VerdictCounts) -> u64 {
    let follows = |verdict| matches!(verdict, Verdict::Ok | Verdict::IllegalOutput);
    verdicts
        .iter()
        .filter(|(verdict, _)| !follows(*verdict))
        .map(|(_, count)| u64::from(count))
        .sum()
}

/// Returns how many verdicts say that a bot was too slow, as on a machine with much else to do.
fn slow_turns(verdicts: &VerdictCounts) -> u64 {
    [Verdict::Timeout, Verdict::CpuLimit]
        .map(|verdict| u64::from(verdicts.of(verdict)))
        .iter()
        .sum()
}

/// Says whether `one` has more than `other` of what is counted at any seat of any bout.
fn has_more(
    one: &[BoutResult],
    other: &[BoutResult],
    count: impl Fn(&VerdictCounts) -> u64,
) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.any(|(one, other)| {
        let mut both = one.seats.iter().zip(&other.seats);
        both.any(|(one, other)| count(&one.verdicts) > count(&other.verdicts))
    })
}

/// Says whether two results of one plan are alike in all that bots and referee decide.
#[must_use]
pub fn are_alike(one: &BoutResult, other: &BoutResult) -> bool {
    let seats = |result: &BoutResult| -> Vec<_> {
        result.seats.iter().map(|seat| (seat.rank, seat.score, seat.verdicts)).collect()
    };
    one.key == other.key
        && one.ended == other.ended
        && one.state_hash == other.state_hash
        && one.action_log == other.action_log
        && seats(one) == seats(other)
}

/// Judges a guest's results of a match by two plays of one's own that it differs from.
#[must_use]
pub fn judged(guest: &[BoutResult], first: &[BoutResult], second: &[BoutResult]) -> Finding {
    let alike = |one: &[BoutResult], other: &[BoutResult]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_alike(one, other))
    };
    match () {
        () if alike(guest, first) || alike(guest, second) => Finding::Agreed,
        () if !alike(first, second) => Finding::Luck,
        () if has_more(guest, first, told_faults) => Finding::Unfounded,
        () if has_more(first, guest, slow_turns) => Finding::Spared,
        () => Finding::Forged,
    }
}

#[cfg(test)]
mod tests {
    use joust_model::{Occupant, SeatPlan};
    use joust_testkit::chance::Chance;
    use joust_testkit::made_up;

    use super::*;

    /// A guest that forges so many of a thousand bouts after so many agreements.
    #[derive(Clone, Copy, Debug)]
    struct Forger {
        permille: u64,
        agreed: u32,
    }

    impl Forger {
        /// Returns how many forged bouts it takes until one is found.
        fn forged_until_found(self, seed: u64) -> u64 {
            let (mut chance, mut forged) = (Chance(seed), 0);
            let mut trust = Trust { agreed: self.agreed, unfounded: 0 };
            loop {
                if !chance.permille(self.permille) {
                    if chance.happens(trust.probability()) {
                        trust.learn(Finding::Agreed);
                    }
                    continue;
                }
                forged += 1;
                if is_drawn(seed, BoutId(chance.any().to_be_bytes()), trust.probability()) {
                    return forged;
                }
            }
        }

        /// Returns how many of a thousand are found within so many forged bouts.
        fn found_within(self, forged: u64) -> usize {
            (0..1000).filter(|seed| self.forged_until_found(*seed) <= forged).count()
        }
    }

    #[test]
    fn nineteen_of_twenty_forgers_are_found_within_a_hundred_and_fifty_whenever_they_begin() {
        for permille in [10, 50, 200] {
            for agreed in [0, 90, 100_000] {
                let forger = Forger { permille, agreed };
                let found = forger.found_within(150);
                assert!(found >= 940, "{forger:?}: {found} of 1000");
            }
        }
    }

    #[test]
    fn who_forges_a_fifth_from_the_beginning_is_found_within_a_few() {
        let found = Forger { permille: 200, agreed: 0 }.found_within(5);
        assert!(found >= 950, "{found} of 1000");
    }

    /// Returns a result of two bots, the first of which has this verdict.
    fn result(ranks: [u8; 2], verdict: Verdict) -> BoutResult {
        let plan = |bot: &str| SeatPlan {
            bot: bot.to_owned(),
            occupant: Occupant::Build(BuildHash([0; 32])),
        };
        let seats = ["ann", "bob"].iter().zip(ranks);
        let seats: Vec<_> = seats.map(|(bot, rank)| made_up::seat(&plan(bot), rank, 3)).collect();
        let mut result = crate::signature::tests::result(seats);
        result.seats[0].verdicts.add(verdict);
        result
    }

    #[test]
    fn a_difference_that_a_slow_machine_explains_is_no_forgery() {
        let [ok, crash, slow, other] =
            [Verdict::Ok, Verdict::Crash, Verdict::Timeout, Verdict::IllegalOutput]
                .map(|verdict| [result([1, 2], verdict)]);
        let judge = |guest, own| judged(guest, own, own);
        assert_eq!(
            judge(&slow, &ok),
            Finding::Unfounded,
            "it cost nothing, and may have been seen"
        );
        assert_eq!(judge(&crash, &ok), Finding::Unfounded);
        assert_eq!(judge(&ok, &slow), Finding::Spared, "one's own machine may be the slow one");
        assert_eq!(judge(&ok, &crash), Finding::Forged, "no speed hides a crash");
        assert_eq!(judge(&other, &ok), Finding::Forged);
        assert_eq!(judged(&ok, &slow, &ok), Finding::Agreed);
        assert_eq!(judged(&other, &slow, &ok), Finding::Luck);
        let mut all = result([1, 2], Verdict::Ok);
        all.seats[0].verdicts.0 = [u32::MAX; 12];
        assert_eq!(judge(&[all], &ok), Finding::Unfounded, "whatever a guest sends is a number");
    }

    #[test]
    fn who_claims_slowness_again_and_again_is_checked_ever_more() {
        let mut trust = Trust::default();
        let mut after = |unfounded: u32| {
            (0..unfounded).for_each(|_| trust.learn(Finding::Unfounded));
            (0..100).for_each(|_| trust.learn(Finding::Agreed));
            trust.probability()
        };
        let probabilities = [0, 1, 2, 4, 8].map(&mut after);
        assert!(probabilities.is_sorted_by(|one, other| one < other), "{probabilities:?}");
        assert!(probabilities[4] > 0.9, "{probabilities:?}");
    }

    #[test]
    fn a_fault_that_cost_a_bot_the_bout_or_half_of_it_is_decisive() {
        assert!(has_decisive_fault(&result([2, 1], Verdict::Timeout)));
        assert!(has_decisive_fault(&result([1, 1], Verdict::Crash)), "it might have won");
        assert!(!has_decisive_fault(&result([1, 2], Verdict::Timeout)), "it has won");
        assert!(!has_decisive_fault(&result([2, 1], Verdict::IllegalOutput)), "all can see it");
    }

    #[test]
    fn agreement_makes_second_plays_rare_and_a_difference_makes_them_usual_again() {
        let mut trust = Trust::default();
        assert!((trust.probability() - 1.0).abs() < f64::EPSILON);
        (0..10).for_each(|_| trust.learn(Finding::Agreed));
        assert!((trust.probability() - 0.5).abs() < f64::EPSILON);
        (0..1000).for_each(|_| trust.learn(Finding::Agreed));
        trust.learn(Finding::Luck);
        assert!((trust.probability() - LEAST).abs() < f64::EPSILON);
        trust.learn(Finding::Unfounded);
        assert!((trust.probability() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn second_plays_are_as_many_as_they_should_be_and_nobody_else_knows_which() {
        let drawn = |secret| -> Vec<u64> {
            let all = 0..10_000_u64;
            all.filter(|it| is_drawn(secret, BoutId(it.to_be_bytes()), LEAST)).collect()
        };
        let (one, other) = (drawn(1), drawn(2));
        assert!((150..250).contains(&one.len()), "{}", one.len());
        let both = one.iter().filter(|it| other.contains(it)).count();
        assert!(both < 20, "{both}");
    }
}
