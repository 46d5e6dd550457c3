//! `logs:` of an event: bouts whose turns are not kept, and how to get them.

use joust_testkit::league::{SMALL, bout_ids};

use super::small;

#[test]
fn a_bout_without_turns_says_so_and_gets_them_by_a_rerun() {
    let env = small();
    env.write("tournament.yaml", &format!("{SMALL}    logs: none\n"));
    env.run(["run"]).expect(0);
    let verified = env.run(["verify"]).expect(0).stdout;
    assert!(verified.contains("6 bouts without turns"), "{verified}");
    let id = bout_ids(&env).remove(0);
    let refused = env.run(["replay", &id]).expect(1).stderr;
    assert!(
        refused.contains("its turns were not kept") && refused.contains("--amend"),
        "{refused}"
    );
    env.run(["report", "--out", "site"]).expect(0);
    let again = env.run(["rerun", &id, "--amend", "--reason", "to see it"]).expect(0).stdout;
    assert!(again.contains("it ended in the same position"), "{again}");
    env.run(["replay", &id]).expect(0);
    let again = env.run(["rerun", &id]).expect(0).stdout;
    assert!(again.contains("turns are the same"), "{again}");
    let verified = env.run(["verify"]).expect(0).stdout;
    assert!(verified.contains("5 bouts without turns"), "{verified}");
    // What is kept decides no result: nothing is played again.
    env.write("tournament.yaml", SMALL);
    let planned = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(planned.contains("0 bouts to play"), "{planned}");
}
