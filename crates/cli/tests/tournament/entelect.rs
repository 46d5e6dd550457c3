//! Bots of the Entelect Challenge, as published: `bot.json`, files in, files out.

use joust_testkit::env::TestEnv;
use serde_json::Value;

use crate::league::empty;

/// Places its fleet, then shoots at one square after the other.
const SHOOTER: &str = "import json, sys\n\
    state = json.load(open(sys.argv[2] + '/state.json'))\n\
    size, number = state['MapDimension'], state['Round']\n\
    fleet = ['Carrier', 'Battleship', 'Cruiser', 'Submarine', 'Destroyer']\n\
    if state['Phase'] == 1:\n \
    lines = ['%s 0 %d East' % (ship, y) for y, ship in enumerate(fleet)]\n \
    open(sys.argv[2] + '/place.txt', 'w').write('\\r\\n'.join(lines))\n\
    else:\n \
    shot = '1,%d,%d' % (number % size, number // size % size)\n \
    open(sys.argv[2] + '/command.txt', 'w').write(shot)\n";

fn python(env: &TestEnv, name: &str, source: &str) {
    let manifest = format!(
        "\u{feff}{{ 'NickName': '{name}', \"botType\": 5, // as on Windows\n\
         'ProjectLocation': '', 'RunFile': '.\\\\Bot.py', }}"
    );
    env.write(&format!("bots/{name}/bot.json"), &manifest);
    env.write(&format!("bots/{name}/bot.py"), source);
}

fn play(env: &TestEnv, first: &str, second: &str) -> Value {
    let bots = [format!("bots/{first}"), format!("bots/{second}")];
    let [first, second] = [bots[0].as_str(), bots[1].as_str()];
    let arguments = ["play", "battleships-2017", first, second, "--format", "json", "--turns"];
    env.run(arguments).expect(0).json()
}

fn count(bout: &Value, seat: usize, verdict: &str) -> u64 {
    bout["seats"][seat]["verdicts"][verdict].as_u64().unwrap_or(0)
}

#[test]
fn a_published_bot_plays_a_whole_bout_and_one_that_leaves_nothing_loses() {
    let env = empty();
    python(&env, "shooter", SHOOTER);
    python(&env, "idle", "pass\n");
    let bout = play(&env, "shooter", "idle");
    assert_eq!(bout["seats"][0]["rank"], 1, "{bout}");
    assert_eq!(count(&bout, 0, "ok"), bout["rounds"].as_u64().unwrap_or(0), "{bout}");
    assert_eq!(count(&bout, 1, "ok"), 0);
    assert!(count(&bout, 1, "no-output") > 0);
}

#[test]
fn the_exit_status_is_recorded_and_the_answer_counts() {
    let env = empty();
    python(&env, "shooter", SHOOTER);
    python(&env, "failing", &format!("{SHOOTER}sys.exit(3)\n"));
    let bout = play(&env, "failing", "shooter");
    assert_eq!(count(&bout, 0, "ok"), 0, "{bout}");
    assert!(count(&bout, 0, "exit-nonzero") > 5);
    let turns = bout["turns"].as_array().expect("turns");
    let own = turns.iter().filter(|turn| turn["seat"] == 0);
    let idle = own.filter(|turn| turn["action"].as_str().unwrap_or_default().is_empty()).count();
    assert_eq!(idle, 0, "every answer was taken: {bout}");
}
