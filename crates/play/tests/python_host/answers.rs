//! Kinds of answers, and which states are answered.

use super::fixture::{GAME, Host, PLAYER, Place, agent, answer_of};

fn kind_and_value(expression: &str) -> (String, String) {
    answer_of(&agent(&format!("return {expression}")))
}

#[test]
fn a_string_is_its_text() {
    assert_eq!(kind_and_value("'u'"), ("str".into(), "u".into()));
    assert_eq!(kind_and_value("''"), ("str".into(), String::new()));
    assert_eq!(kind_and_value("'\\u2191'"), ("str".into(), "\u{2191}".into()));
    assert_eq!(kind_and_value("'\\udcff'"), ("str".into(), "\\udcff".into()));
}

#[test]
fn a_subclass_of_str_compares_by_value() {
    let source = "import enum\nclass Move(str, enum.Enum):\n    UP = 'u'\n    def __str__(self):\n        \
                  return 'other'\n";
    assert_eq!(
        answer_of(&(source.to_owned() + &agent("return Move.UP"))),
        ("str".into(), "u".into())
    );
    let plain = "import enum\nclass Move(enum.Enum):\n    UP = 'u'\n";
    assert_eq!(answer_of(&(plain.to_owned() + &agent("return Move.UP"))).0, "other");
}

#[test]
fn false_values_are_no_action() {
    for value in ["None", "0", "False", "[]", "()", "{}", "0.0", "b''"] {
        assert_eq!(kind_and_value(value).0, "false", "{value}");
    }
}

#[test]
fn other_values_are_told_apart() {
    for (value, kind) in [
        ("5", "other"),
        ("True", "other"),
        ("2.5", "other"),
        ("b'u'", "other"),
        ("('u',)", "other"),
        ("['u']", "unhashable"),
        ("{'u'}", "unhashable"),
        ("bytearray(b'u')", "unhashable"),
        ("lambda: 'u'", "lost"),
        ("1 / 0", "raised"),
    ] {
        assert_eq!(kind_and_value(value).0, kind, "{value}");
    }
    assert_eq!(kind_and_value("('u', 1)").1, "('u', 1)");
    assert_eq!(kind_and_value("1 / 0").1, "ZeroDivisionError");
    let source = "class Odd:\n    def __bool__(self):\n        raise ValueError('many')\n    \
                  def __repr__(self):\n        raise ValueError('unspeakable')\n";
    let (kind, value) = answer_of(&(source.to_owned() + &agent("return Odd()")));
    assert_eq!(kind, "unclear");
    assert!(value.starts_with("<me.Odd object at 0x"), "{value}");
}

#[test]
fn a_long_answer_is_cut() {
    assert_eq!(kind_and_value("'u' * 10_000_000").1.len(), 4096);
    assert_eq!(kind_and_value("['u'] * 1_000_000").1.len(), 4096);
}

#[test]
fn of_states_that_wait_only_the_newest_is_answered() {
    let mut host = Host::of(&agent("return str(player_state.reward)"));
    assert!(host.is_ready());
    let rich = PLAYER.replace("12", "99");
    host.show(&[(3, GAME, PLAYER), (5, GAME, PLAYER), (7, GAME, &rich)]);
    assert_eq!(host.answer(), Some((7, "str".into(), "99".into())));
    host.show(&[(9, GAME, PLAYER)]);
    assert_eq!(host.answer(), Some((9, "str".into(), "12".into())));
}

#[test]
fn the_newest_is_found_behind_more_than_one_read_takes() {
    let body = "open(__file__ + '.seen', 'w').close()\n\
                while not os.path.exists(__file__ + '.go'): time.sleep(0.001)\nreturn 'u'";
    let source = format!("import os, time\n{}", agent(body));
    let place = Place::new().with("me.py", &source);
    let mut host = Host::start(&place.path("me.py"), &[]);
    assert!(host.is_ready());
    host.widen(1 << 20);
    let states: Vec<_> = (0..1000).map(|request| (request, GAME, PLAYER)).collect();
    host.show(&states[..1]);
    while !place.path("me.py.seen").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    host.show(&states[1..]);
    std::fs::write(place.path("me.py.go"), "").expect("written");
    assert_eq!(host.answer(), Some((0, "str".into(), "u".into())));
    assert_eq!(host.answer(), Some((999, "str".into(), "u".into())));
}

#[test]
fn prints_are_not_answers() {
    let mut host = Host::of(&agent("print('A hello')\nreturn 'u'"));
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("str".into(), "u".into())));
    let end = host.end();
    assert_eq!(end.stderr, "A hello\n");
    assert!(end.status.success());
}

#[test]
fn children_of_an_agent_do_not_hold_the_pipes() {
    let body = "import subprocess, sys\nchild = 'import os; os.write(4, b\"x\")'\n\
                return str(subprocess.call([sys.executable, '-c', child], close_fds=False) != 0)";
    assert_eq!(answer_of(&agent(body)), ("str".into(), "True".into()));
}
