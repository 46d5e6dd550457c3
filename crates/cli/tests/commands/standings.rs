//! `joust standings`: ratings and the matrix of superiority.

use joust_testkit::league::SMALL;

use super::small;

#[test]
fn ratings_name_their_model_and_have_intervals() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    assert!(
        ran.stdout.contains("rating") && ran.stdout.contains("Bradley-Terry"),
        "{}",
        ran.stdout
    );
    let events = env.run(["standings", "--format", "json"]).expect(0).json();
    assert_eq!(events[0]["ratings"]["model"], "bradley-terry");
    let rows = events[0]["rows"].as_array().expect("rows");
    let numbers = |name: &str| -> Vec<f64> {
        rows.iter().map(|row| row[name].as_f64().expect("a number")).collect()
    };
    assert!(numbers("rating").iter().sum::<f64>().abs() < 0.01);
    let inside = |((low, rating), high): ((&f64, &f64), &f64)| low < rating && rating < high;
    let (low, high) = (numbers("rating_low"), numbers("rating_high"));
    assert!(low.iter().zip(&numbers("rating")).zip(&high).all(inside), "{rows:?}");
    assert!(events[0].get("superiority").is_none(), "nobody asked for it");
}

#[test]
fn the_model_can_be_chosen_and_superiority_be_shown() {
    let env = small();
    env.run(["run"]).expect(0);
    let words = ["standings", "--model", "trueskill", "--superiority", "--format", "json"];
    let events = env.run(words).expect(0).json();
    assert_eq!(events[0]["ratings"]["model"], "trueskill");
    assert!(events[0]["superiority"][0][1].is_f64(), "{}", events[0]["superiority"]);
    let table = env.run(["standings", "--superiority"]).expect(0).stdout;
    assert!(table.contains("stronger, in %"), "{table}");
    let refused = env.run(["standings", "--model", "elo"]).expect(2);
    assert!(refused.stderr.contains("bradley-terry"), "{}", refused.stderr);
}

#[test]
fn the_file_ranks_the_bots_as_it_is_now() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stdout.contains("ranked by matches won, then bouts won"), "{}", ran.stdout);
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 2\n    rank_by: points"));
    let shown = env.run(["standings"]).expect(0);
    assert!(shown.stdout.contains("ranked by points, then bouts won"), "{}", shown.stdout);
    let note = "note: `league` is ranked by points, bout-wins, head-to-head, sonneborn-berger, \
                fewer-faults, as the tournament's file says now; the last run ranked it by match-wins";
    assert!(shown.stderr.contains(note), "{}", shown.stderr);
    let reported = env.run(["report", "--out", "site"]).expect(0);
    assert!(reported.stderr.contains(note), "{}", reported.stderr);
    let page = std::fs::read_to_string(env.path().join("site/league/index.html")).expect("a page");
    assert!(page.contains("Ranks go by points;"), "{page}");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stdout.contains("ranked by points, then bouts won"), "{}", ran.stdout);
    let shown = env.run(["standings"]).expect(0);
    assert!(!shown.stderr.contains("note:"), "{}", shown.stderr);
}

#[test]
fn a_bout_alone_has_a_rating_and_an_explanation() {
    let env = small();
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", "bouts: 1"));
    std::fs::remove_dir_all(env.path().join("bots/waiter")).expect("it can be removed");
    let table = env.run(["run"]).expect(0).stdout;
    assert!(table.contains("note: few bouts so far"), "{table}");
    assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
}
