//! Tests of `programs`: programs of bots stay for a bout or for a match.

use joust_model::ProgramLifetime;

use super::pondering::read_own;

#[test]
fn programs_stay_for_a_match_where_it_is_written() {
    let programs = |setting, game| read_own(setting, game).programs;
    assert_eq!(programs("", ""), ProgramLifetime::Bout);
    assert_eq!(programs("programs: bout", ""), ProgramLifetime::Bout);
    assert_eq!(programs("programs: match", ""), ProgramLifetime::Match);
    assert_eq!(programs("programs: match", "channel: lines\n"), ProgramLifetime::Match);
}

#[test]
fn programs_that_are_started_for_each_answer_stay_for_no_match() {
    let refused = super::refuse(&super::with_event_lines("programs: match"));
    assert!(refused.contains("no bot of `battlebots` can stay for a match"), "{refused}");
}
