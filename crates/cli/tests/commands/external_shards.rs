//! A custom game in parts: shards that are played separately and joined.

use std::fs;

use super::external::{bouts_played, cup};

#[test]
fn shards_of_a_game_of_ones_own_are_joined_and_judged_again() {
    let (one, two) = (cup("well", "['bots/*']", 4), cup("well", "['bots/*']", 4));
    let first = one.run(["run", "--shard", "1/2"]).expect(0);
    let second = two.run(["run", "--shard", "2/2"]).expect(0);
    assert_eq!(bouts_played(&first) + bouts_played(&second), 12);
    fs::copy(two.path().join("results.db"), one.path().join("two.db")).expect("it is there");
    one.run(["merge", "all.db", "results.db", "two.db"]).expect(0);
    let said = one.run(["verify", "--database", "all.db"]).expect(0).stdout;
    assert!(said.contains("12 bouts agree"), "{said}");
}
