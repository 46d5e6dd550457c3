//! The sequential test of graded outcomes, and how often it errs in simulated bouts.

use joust_standings::ratings::sprt::{SequentialTest, Sprt, SprtDecision};
use joust_standings::ratings::{MirrorSet, Pentanomial, score_of_elo};

use super::fixtures::bout;
use super::reference::{BoutOutcome, add_pair};

/// Numbers between 0 and 1: SplitMix64, by its published constants.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn test(elo: [f64; 2]) -> Sprt {
    Sprt::new(elo, 0.05, 0.05).expect("a test")
}

/// Plays comparisons until a test of `top` grades stops; each is won with the probability
/// that `elo` means.
fn simulated(draws: &mut Draws, elo: f64, top: usize) -> (SprtDecision, u64) {
    let mut graded = SequentialTest::new(test([-40.0, 40.0]), top);
    while graded.judgement().finding == SprtDecision::Undecided {
        let wins = (0..top / 2).filter(|_| draws.next() < score_of_elo(elo)).count();
        graded.add(2 * wins);
    }
    (graded.judgement().finding, graded.outcomes())
}

/// Returns how many of 1,000 tests found H1.
fn found_h1(elo: f64, top: usize) -> usize {
    let mut draws = Draws(2026);
    (0..1000).filter(|_| simulated(&mut draws, elo, top).0 == SprtDecision::H1).count()
}

#[test]
fn a_weaker_bot_passes_no_oftener_than_the_error_rate_allows() {
    // One in twenty, and three standard deviations of a thousand such tests.
    for top in [4, 24] {
        let passed = found_h1(-40.0, top);
        assert!(passed <= 71, "{passed} of 1000 tests with {top} grades");
    }
}

#[test]
fn a_stronger_bot_fails_no_oftener_than_the_error_rate_allows() {
    for top in [4, 24] {
        let failed = 1000 - found_h1(40.0, top);
        assert!(failed <= 71, "{failed} of 1000 tests with {top} grades");
    }
}

#[test]
fn level_bots_pass_about_every_other_time_after_more_outcomes() {
    let passed = found_h1(0.0, 4);
    assert!((420..=580).contains(&passed), "{passed} of 1000");
    let mean = |elo: f64| {
        let mut draws = Draws(7);
        (0..300).map(|_| simulated(&mut draws, elo, 4).1).sum::<u64>() / 300
    };
    let [level, apart] = [0.0, 80.0].map(mean);
    assert!(apart * 2 < level, "{apart} pairs for 80 Elo, {level} for none");
}

#[test]
fn four_grades_above_none_are_mirror_pairs() {
    let sprt = test([0.0, 30.0]);
    let (mut graded, mut classes) = (SequentialTest::new(sprt, 4), Pentanomial::default());
    let pairs = [(2, 2), (2, 1), (0, 1), (1, 1), (2, 0), (2, 2), (0, 0)];
    for (one, other) in pairs.map(|(one, other)| (BoutOutcome::ALL[one], BoutOutcome::ALL[other])) {
        add_pair(&mut classes, one, other);
        let judged = graded.add(usize::from(one.halves() + other.halves()));
        assert_eq!(judged, sprt.judge(&classes.classes()));
    }
    assert_eq!(graded.estimate(), sprt.estimate(&classes.classes()));
    assert_eq!((graded.outcomes(), graded.counts()), (7, &classes.classes()[..]));
    assert_eq!(classes, Pentanomial { ll: 1, ld: 1, wl: 1, dd: 1, wd: 1, ww: 2 });
}

#[test]
fn a_stopped_test_takes_nothing_more() {
    let mut graded = SequentialTest::new(test([-40.0, 40.0]), 4);
    while graded.judgement().finding == SprtDecision::Undecided {
        graded.add(4);
    }
    let (judgement, outcomes) = (graded.judgement(), graded.outcomes());
    graded.add(0);
    assert_eq!((graded.judgement(), graded.outcomes()), (judgement, outcomes));
    assert_eq!(judgement.finding, SprtDecision::H1);
}

#[test]
fn a_mirror_pair_is_a_set_with_the_points_of_both_bouts() {
    let bouts = [
        bout(&[("ann", 1), ("bob", 2)], 0, 5),
        bout(&[("bob", 1), ("ann", 1)], 1, 5),
        bout(&[("ann", 2), ("cleo", 1)], 2, 6),
        bout(&[("bob", 1), ("cleo", 2)], 3, 7),
    ];
    let sets = MirrorSet::all(&bouts, "ann");
    assert_eq!(sets.len(), 1, "a bout without its mirror is no set: {sets:?}");
    assert_eq!((sets[0].grade(), sets[0].top(), &*sets[0].opponents[0]), (3, 4, "bob"));
    assert_eq!((sets[0].lead(), sets[0].lead_over("bob")), (0.5, Some(0.5)));
    assert_eq!(sets[0].lead_over("cleo"), None);
    let bobs = MirrorSet::all(&bouts, "bob");
    assert_eq!((bobs.len(), bobs[0].grade()), (1, 1));
}

#[test]
fn a_set_of_three_counts_every_opponent_in_every_bout() {
    let bouts = [
        bout(&[("ann", 1), ("bob", 2), ("cleo", 3)], 0, 5),
        bout(&[("bob", 1), ("cleo", 2), ("ann", 3)], 0, 5),
        bout(&[("cleo", 2), ("ann", 1), ("bob", 2)], 0, 5),
    ];
    let sets = MirrorSet::all(&bouts, "ann");
    assert_eq!((&sets[0].halves[..], sets[0].grade(), sets[0].top()), (&[4, 4][..], 8, 12));
    for other in ["bob", "cleo"] {
        let lead = sets[0].lead_over(other).expect("they met");
        assert!((lead - 1.0 / 3.0).abs() < 1e-12, "{other}: {lead}");
    }
    let twice_in_a_seat = [bouts[0].clone(), bouts[0].clone(), bouts[1].clone()];
    assert_eq!(MirrorSet::all(&twice_in_a_seat, "ann"), []);
}

#[test]
fn only_the_same_bouts_of_two_versions_compare() {
    let won = MirrorSet::all(
        &[bout(&[("ann", 1), ("bob", 2)], 0, 5), bout(&[("bob", 2), ("ann", 1)], 1, 5)],
        "ann",
    );
    let lost = MirrorSet::all(
        &[bout(&[("ann", 2), ("bob", 1)], 0, 5), bout(&[("bob", 1), ("ann", 2)], 1, 5)],
        "ann",
    );
    assert!(won[0].is_comparable(&lost[0]));
    let of_other_luck = MirrorSet { seed: joust_model::Seed(6), ..lost[0].clone() };
    assert!(!won[0].is_comparable(&of_other_luck));
}
