//! Programs that stay for a match (`programs: match`): bots of a custom game keep running from bout
//! to bout, and their match is played, resumed and played again as a whole.

use joust_testkit::env::TestEnv;
use joust_testkit::league::bout_ids;
use serde_json::Value;

use super::env;
use super::external::{GAME, bouts_played};

/// A bot that prints how many answers its program has given before.
const COUNTS: &str = "
import sys
for asked, line in enumerate(sys.stdin):
    print(f'#joust asked={asked}', file=sys.stderr, flush=True)
    print(1, flush=True)
";

/// A bot that prints the same and whose program ends after its ninth answer.
const ENDS: &str = "
import sys
for asked, line in enumerate(sys.stdin):
    print(f'#joust asked={asked}', file=sys.stderr, flush=True)
    if asked == 9:
        sys.exit(3)
    print(1, flush=True)
";

/// A cup in which a bot of nine stones has four or five answers a bout.
fn cup(bouts: u32) -> TestEnv {
    let env = env();
    for (name, text) in GAME {
        env.write(name, text);
    }
    env.write("bots/counts.py", COUNTS);
    env.write("bots/ends.py", ENDS);
    write_tournament(&env, bouts);
    env
}

fn write_tournament(env: &TestEnv, bouts: u32) {
    env.write(
        "tournament.yaml",
        &format!(
            "games: {{ nim: {{ referee: nim }} }}\nevents:\n  - game: nim\n    bots: ['bots/*']\n    \
             programs: match\n    bouts: {bouts}\n    options: {{ behave: well, stones: 9 }}\n"
        ),
    );
}

/// Numbers that a bot reported in a bout, with its faults and its processor time there.
struct Seen {
    asked: Vec<u64>,
    faults: u64,
    cpu: f64,
}

fn seen(env: &TestEnv, bot: &str) -> Vec<Seen> {
    let of_bout = |id: &String| {
        let bout = env.run(["replay", id, "--format", "json", "--turns"]).expect(0).json();
        let seats = bout["seats"].as_array().expect("a list");
        let seat = seats.iter().position(|seat| seat["bot"] == bot).expect("it played");
        let numbers = bout["numbers"].as_array().expect("a list").iter();
        let own = numbers.filter(|number| number["seat"] == seat);
        let asked = own.filter(|number| number["name"] == "bot.asked");
        let value = |number: &Value| number["value"].as_f64().expect("a number") as u64;
        Seen {
            asked: asked.map(value).collect(),
            faults: seats[seat]["verdicts"]["exit-nonzero"].as_u64().unwrap_or(0),
            cpu: seats[seat]["cpu_ms"].as_f64().expect("it was measured"),
        }
    };
    bout_ids(env).iter().map(of_bout).collect()
}

#[test]
fn a_program_goes_on_from_bout_to_bout_and_one_that_ends_is_started_anew() {
    let env = cup(4);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    let steady = seen(&env, "counts");
    let said: Vec<u64> = steady.iter().flat_map(|bout| bout.asked.iter().copied()).collect();
    assert_eq!(said, (0..said.len() as u64).collect::<Vec<_>>(), "one program for all bouts");
    assert!(steady.iter().all(|bout| !bout.asked.is_empty() && bout.faults == 0));
    let cpu: f64 = steady[1..].iter().map(|bout| bout.cpu).sum();
    assert!(cpu < 3.0 * steady[0].cpu, "each bout has what was used in it");
    let ending = seen(&env, "ends");
    let first = ending.iter().position(|bout| bout.faults > 0).expect("it ends in a bout");
    assert!(first > 0, "not in the first one");
    let starts = ending.iter().filter(|bout| bout.asked.first() == Some(&0));
    assert_eq!(starts.count(), 2, "once in the beginning and once after its end");
    assert_eq!(ending[first + 1].asked.first(), Some(&0));
    assert_eq!(ending[first + 1].faults, 0, "a new program in the next bout");
}

#[test]
fn a_match_that_lacks_a_bout_is_played_again_as_a_whole() {
    let env = cup(2);
    assert_eq!(bouts_played(&env.run(["run"]).expect(0)), 2);
    assert_eq!(bouts_played(&env.run(["run"]).expect(0)), 0);
    write_tournament(&env, 3);
    assert_eq!(bouts_played(&env.run(["run"]).expect(0)), 3);
    let ids = bout_ids(&env);
    let history = env.run(["history", &ids[0]]).expect(0).stdout;
    assert!(history.contains("played afresh"), "{history}");
    let asked = seen(&env, "counts");
    assert!(asked[2].asked.first() > asked[1].asked.last(), "the third goes on with the others");
    // The last bout is played again with those before it.
    let again = env.run(["rerun", &ids[2], "--format", "json"]).expect(0).json();
    assert_eq!(again["reproduced"], true, "{again}");
    env.run(["verify"]).expect(0);
}
