//! Tests of the summary, which the author of a change reads first.

use std::fs;

use super::Repository;

#[test]
fn a_newcomer_is_told_in_a_sentence_and_given_the_bouts_that_it_lost() {
    let repository = Repository::new();
    // Each costs it a hit point.
    repository.bot("dan", "echo P");
    repository.commit("one more");
    let ran = repository.ci(&[]).expect(0);
    let sentence = ran.stdout.lines().nth(2).expect("a line");
    assert!(sentence.starts_with("`dan` enters at 4 of 4: lost to 3; slowest turn "), "{sentence}");
    assert!(sentence.ends_with(" % of the limit."), "{sentence}");
    assert!(ran.stdout.contains("`dan` lost 6 bouts:\n\n- against `"), "{}", ran.stdout);
    let lost = repository.of_bot("dan")["trial"]["lost"].clone();
    let lost = lost.as_array().expect("a list");
    assert_eq!(lost.len(), 6);
    for met in lost {
        let id = met["bout"].as_str().expect("an id");
        let name = format!("joust-ci/replays/bout-{}.html", &id[..8]);
        let page = fs::read_to_string(repository.path(&name)).expect("it was written");
        assert!(page.contains(id), "{name}");
        assert!(ran.stdout.contains(&format!("bout `{}`, played by", &id[..8])), "{}", ran.stdout);
    }
    // Another change is reported with other bouts.
    repository.bot("dan", "echo NO");
    repository.commit("it waits");
    repository.ci(&[]).expect(0);
    let lost = repository.of_bot("dan")["trial"]["lost"].as_array().expect("a list").len();
    assert!(lost < 6, "who does nothing loses to few");
    let kept = fs::read_dir(repository.path("joust-ci/replays")).map_or(0, Iterator::count);
    assert_eq!(kept, lost);
}

#[test]
fn a_dry_run_does_not_claim_that_bots_are_ok() {
    let repository = Repository::new();
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let ran = repository.ci(&["--dry-run"]).expect(0);
    assert!(ran.stdout.starts_with("## Joust: a dry run, nothing was played\n"), "{}", ran.stdout);
    assert_eq!(repository.report()["dry_run"], true);
}

#[test]
fn a_tournament_that_cannot_be_read_has_a_summary() {
    let repository = Repository::new();
    repository.write("tournament.yaml", "events: [");
    let ran = repository.env.run(["ci", "--base-database", "base.db"]).expect(2);
    let summary = fs::read_to_string(repository.path("joust-ci/summary.md")).expect("written");
    assert!(summary.starts_with("## Joust: the tournament's file has mistakes\n"), "{summary}");
    let mistake = ran.stderr.lines().next().expect("a line");
    assert!(summary.contains(mistake), "{summary}");
}
