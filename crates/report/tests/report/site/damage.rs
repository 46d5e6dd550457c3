//! Damaged recordings: the site is made all the same, and its pages say so.

use joust_model::{PublicPart, Publication};
use joust_testkit::html::problems;

use crate::fixtures::site::{League, league, page};

fn text_of_bout(league: &League, place: usize, publication: &Publication) -> String {
    let files = league.site(publication);
    assert_eq!(problems(&files), Vec::<String>::new());
    let id = league.bouts[place].stored.plan.bout;
    assert!(!files.contains_key(&format!("replays/{id}.js")));
    page(&files, &format!("league/bouts/{id}.html")).text
}

#[test]
fn a_damaged_action_log_is_said_on_the_page_of_its_bout() {
    let mut league = league(&["anna", "bert"]);
    league.bouts[1].stored.result.action_log = b"no compression".to_vec();
    let text = text_of_bout(&league, 1, &Publication::default());
    assert!(text.contains("This recording cannot be drawn: the action log is damaged: "), "{text}");
    assert!(text.contains("bert") && text.contains("joust verify"), "{text}");
    let id = league.bouts[0].stored.plan.bout;
    assert!(league.site(&Publication::default()).contains_key(&format!("replays/{id}.js")));
}

#[test]
fn a_damaged_turn_log_is_said_and_the_scores_stay() {
    let mut league = league(&["anna", "bert"]);
    league.bouts[0].stored.result.turn_log.truncate(7);
    let text = text_of_bout(&league, 0, &Publication::default());
    assert!(text.contains("This recording cannot be drawn: "), "{text}");
    assert!(text.contains("What each seat did") && text.contains("knock-out"), "{text}");
}

#[test]
fn a_bout_of_another_version_is_said() {
    let mut league = league(&["anna", "bert"]);
    league.bouts[0].stored.plan.revision = 7;
    let text = text_of_bout(&league, 0, &Publication::default());
    assert!(text.contains("was played under revision 7 of the rules"), "{text}");
}

#[test]
fn where_replays_are_not_public_nobody_misses_one() {
    let mut league = league(&["anna", "bert"]);
    league.bouts[0].stored.result.turn_log.truncate(7);
    let publication =
        Publication { public: [PublicPart::Verdicts].into(), ..Publication::default() };
    let text = text_of_bout(&league, 0, &publication);
    assert!(!text.contains("cannot be drawn"), "{text}");
}
