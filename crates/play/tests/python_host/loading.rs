//! Imported modules, called callables, and ways to call them.

use super::fixture::{Host, Place, agent, answer_of};

const SAYS_NAME: &str = "class Agent:\n    def next_move(self, game_state, player_state):\n        \
                         return __name__\n";

fn name_of(place: &Place, path: &str, more: &[&str]) -> String {
    let mut host = Host::start(&place.path(path), more);
    assert!(host.is_ready(), "{path}");
    host.ask().expect("it answers").1
}

#[test]
fn every_form_of_a_path_is_understood() {
    let place = Place::new()
        .with("one.py", SAYS_NAME)
        .with("pack/__init__.py", "from .inner import Agent\n")
        .with("pack/inner.py", SAYS_NAME)
        .with("deep/__init__.py", "")
        .with("deep/er/__init__.py", "")
        .with("deep/er/me.py", SAYS_NAME)
        .with("arx_ii-13/__init__.py", SAYS_NAME);
    for (path, name) in [
        ("one.py", "one"),
        ("one", "one"),
        ("pack", "pack.inner"),
        ("pack/__init__.py", "pack.inner"),
        ("deep/er/me.py", "deep.er.me"),
        ("arx_ii-13", "arx_ii-13"),
    ] {
        assert_eq!(name_of(&place, path, &[]), name, "{path}");
    }
}

#[test]
fn a_package_keeps_its_name_in_a_folder_of_another_name() {
    let place = Place::new()
        .with("bot/__init__.py", "from champion.inner import Agent\nfrom . import inner\n")
        .with("bot/inner.py", SAYS_NAME);
    assert_eq!(name_of(&place, "bot/__init__.py", &["champion"]), "champion.inner");
}

#[test]
fn modules_beside_an_agent_can_be_imported() {
    let place = Place::new()
        .with("me.py", &format!("import helper\n{}", agent("return helper.WORD")))
        .with("helper.py", "WORD = 'helped'\n");
    assert_eq!(name_of(&place, "me.py", &[]), "helped");
}

#[test]
fn lower_case_agent_comes_first() {
    let source = agent("return 'upper'") + &agent("return 'lower'").replace("Agent", "agent");
    assert_eq!(answer_of(&source).1, "lower");
}

#[test]
fn a_function_that_makes_an_agent_will_do() {
    let source =
        agent("return 'made'").replace("Agent", "Made") + "def agent():\n    return Made()\n";
    assert_eq!(answer_of(&source).1, "made");
}

#[test]
fn the_documented_constructor_gets_the_number_and_nothing() {
    let source = "class Agent:\n    def __init__(self, player_num, env):\n        \
                  self.told = repr((player_num, env))\n    def next_move(self, game_state, player_state):\n        \
                  return self.told\n";
    assert_eq!(answer_of(source).1, "(1, None)");
    let optional = source.replace("self, player_num, env", "self, player_num=9, env=8");
    assert_eq!(answer_of(&optional).1, "(9, 8)");
}

#[test]
fn chance_is_seeded_before_the_import_unless_the_agent_does_it() {
    let drawn = |seeding: &str| {
        let source = format!("import random\n{seeding}\nDRAWN = random.random()\n");
        answer_of(&(source + &agent("return repr(DRAWN)"))).1
    };
    // `random.Random(42).random()` and `random.Random(7).random()`.
    assert_eq!(drawn(""), "0.6394267984578837");
    assert_eq!(drawn("random.seed(7)"), "0.32383276483316237");
}
