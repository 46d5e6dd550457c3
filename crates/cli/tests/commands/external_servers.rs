//! Bots that are web servers in a custom game: the example of the page `games`, as it is.

use joust_testkit::env::TestEnv;

use super::env;

const PAGE: &str = include_str!("../../docs/games.md");
const KIT: &str = include_str!("../../../gamekit/kits/python/joust.py");

/// Returns the files of the page's section, whose first lines are comments with their names.
fn example() -> Vec<(&'static str, &'static str)> {
    let section = PAGE.split_once("### Bots that are web servers").expect("the page has it").1;
    let blocks = section.split("```").skip(1).step_by(2);
    let file = |block: &'static str| {
        let (_, text) = block.split_once('\n')?;
        let name = text.lines().next()?.strip_prefix("# ")?;
        (!name.contains(' ')).then_some((name, text))
    };
    blocks.filter_map(file).take(4).collect()
}

fn game() -> TestEnv {
    let env = env();
    let files = example();
    let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["game.yaml", "referee.py", "bots/quick/main.py", "bots/quick/bot.yaml"]);
    files.iter().for_each(|(name, text)| env.write(name, text));
    env.write("joust.py", KIT);
    env
}

#[test]
fn the_example_of_the_page_is_in_order_and_plays() {
    let env = game();
    let said = env.run(["game", "check", ".", "--seeds", "1"]).expect(0).stdout;
    assert!(said.ends_with("OK: bouts can be replayed exactly\n"), "{said}");
    let main = example()[2].1;
    env.write("bots/wrong/main.py", &main.replace("2 * asked", "3 * asked"));
    env.write("bots/wrong/bot.yaml", "name: wrong\nlanguage: python\n");
    let bout = env.run(["play", ".", "bots/quick", "bots/wrong", "--format", "json"]);
    let bout = bout.expect(0).json();
    assert_eq!(bout["seats"][0]["verdicts"]["ok"], 5, "{bout}");
    assert_eq!(bout["seats"][1]["verdicts"]["illegal-output"], 5, "{bout}");
    assert_eq!(bout["seats"][0]["rank"], 1, "{bout}");
}

#[test]
fn each_part_of_a_request_begins_a_line_of_its_own() {
    let env = game();
    env.write("bots/other/main.py", example()[2].1);
    env.write("bots/other/bot.yaml", "name: other\nlanguage: python\n");
    let event = "  - { game: double, bots: [bots/*], bouts: 1 }\n";
    env.write("tournament.yaml", &format!("games:\n  double: {{ referee: . }}\nevents:\n{event}"));
    env.run(["run"]).expect(0);
    let round = |seat: &[&str]| {
        let replay = ["replay", "quick", "other", "--round", "1"];
        env.run(replay.iter().chain(seat)).expect(0).stdout
    };
    let one = round(&["--seat", "0"]);
    assert!(one.contains("}\n--- method\nPOST\n--- path\n/double\n--- content-type\n"), "{one}");
    let all = round(&[]);
    assert_eq!(all.matches(&format!("\n--- view of seat 0\n{one}\n")).count(), 1, "{all}");
    assert!(all.contains("\n--- view of seat 1\n--- body\n"), "{all}");
    assert!(all.contains("\nround 1: "), "{all}");
}

#[test]
fn an_answer_form_and_a_request_that_is_none_are_refused() {
    let env = game();
    let yaml = example()[0].1;
    env.write("game.yaml", &format!("{yaml}answer: {{ lines: 1 }}\n"));
    let refused = env.run(["game", "check", "."]).expect(2).stderr;
    assert!(refused.contains("the response to a request is the answer"), "{refused}");
    env.write("game.yaml", yaml);
    let referee = example()[1].1;
    env.write("referee.py", &referee.replace("POST /double", "post double"));
    let said = env.run(["game", "check", ".", "--seeds", "1"]).expect(1);
    let said = said.stdout + &said.stderr;
    assert!(said.contains("a view that is no request"), "{said}");
}
