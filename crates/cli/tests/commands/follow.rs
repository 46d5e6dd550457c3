//! `joust run --follow`: bots that are added, change, break and are removed during a run.

use std::fs;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;
use joust_testkit::serving::Serving;

use super::small;

/// Returns the output until everything is played.
fn until_it_waits(run: &mut Serving) -> String {
    let mut said = String::new();
    loop {
        let line = run.next_line();
        assert!(!line.is_empty(), "it ended after:\n{said}");
        said += &line;
        if line.contains("waiting for bots") {
            return said;
        }
    }
}

fn bots_in_the_table(env: &TestEnv) -> Vec<String> {
    let table = env.run(["standings", "--format", "csv"]).expect(0).stdout;
    let mut bots: Vec<String> = ["late", "shooter", "waiter", "walker"].map(str::to_owned).into();
    bots.retain(|bot| table.contains(bot.as_str()));
    bots
}

#[test]
fn bots_that_come_change_break_and_go_are_followed_until_ctrl_c() {
    let env = small();
    let mut run = Serving::start(&env, &["run", "--follow", "--live", "127.0.0.1:0"]);
    let said = until_it_waits(&mut run);
    assert!(said.contains("league: 6 bouts"), "{said}");
    bot(&env, "late", "echo W");
    let said = until_it_waits(&mut run);
    assert!(said.contains("12 bouts, 6 have"), "{said}");
    bot(&env, "late", "echo S");
    let said = until_it_waits(&mut run);
    assert!(said.contains("12 bouts, 6 have"), "{said}");
    env.write("bots/broken/bot.yaml", "name: broken\n");
    let said = until_it_waits(&mut run);
    assert!(said.contains("not built: `broken`") && said.contains("between 4 bots"), "{said}");
    fs::remove_dir_all(env.path().join("bots/walker")).expect("it is there");
    let said = until_it_waits(&mut run);
    assert!(said.contains("6 bouts, 6 have") && !said.contains("broken"), "{said}");
    run.interrupt();
    assert_eq!(bots_in_the_table(&env), ["late", "shooter", "waiter"]);
    let again = env.run(["run"]).expect(0).stderr;
    assert!(again.contains("6 bouts, 6 have a result already"), "{again}");
}

#[test]
fn options_of_a_run_that_ends_are_refused_with_follow() {
    let env = small();
    for words in [
        &["--dry-run"][..],
        &["--only", "walker"],
        &["--shard", "1/2"],
        &["--fresh"],
        &["--strict"],
        &["--workers", "nats://127.0.0.1:9"],
    ] {
        let ran = env.run(["run", "--follow"].iter().chain(words)).expect(2);
        let told = format!("the argument '--follow' cannot be used with '{}", words[0]);
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    }
}
