//! Tests of `programs`: programs of bots stay for a bout or for a match.

use joust_model::Programs;

use super::pondering::read_own;

#[test]
fn programs_stay_for_a_match_where_it_is_written() {
    let programs = |setting, game| read_own(setting, game).programs;
    assert_eq!(programs("", ""), Programs::Bout);
    assert_eq!(programs("programs: bout", ""), Programs::Bout);
    assert_eq!(programs("programs: match", ""), Programs::Match);
    assert_eq!(programs("programs: match", "channel: lines\n"), Programs::Match);
}

#[test]
fn programs_that_are_started_for_each_answer_stay_for_no_match() {
    let refused = super::refuse(&super::with_event_lines("programs: match"));
    assert!(refused.contains("no bot of `battlebots` can stay for a match"), "{refused}");
}
