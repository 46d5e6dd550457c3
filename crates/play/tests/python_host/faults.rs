//! Agents that fail.

use super::fixture::{Host, agent};

#[test]
fn an_import_that_fails_ends_the_host_unready() {
    for source in ["import no_such_module_anywhere\n", "class Agent(:\n", "raise ValueError('x')\n"]
    {
        let mut host = Host::of(source);
        assert_eq!(host.message(), None, "{source}");
        let end = host.end();
        assert_eq!(end.status.code(), Some(1), "{source}");
        assert!(end.stderr.contains("Traceback"), "{}", end.stderr);
    }
}

#[test]
fn a_module_without_an_agent_is_ready_and_does_nothing() {
    let mut host = Host::of("class Bot:\n    pass\n");
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("false".into(), "None".into())));
    assert!(host.end().stderr.contains("me has neither `agent` nor `Agent`"));
}

#[test]
fn a_constructor_that_raises_leaves_a_player_that_does_nothing() {
    let mut host =
        Host::of("class Agent:\n    def __init__(self):\n        raise ValueError('no')\n");
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("false".into(), "None".into())));
    assert!(host.end().stderr.contains("ValueError: no"));
}

#[test]
fn an_exception_is_shown_and_the_agent_is_called_again() {
    let body = "if player_state.reward == 12:\n    player_state.missing\nreturn 'u'";
    let mut host = Host::of(&agent(body));
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("raised".into(), "AttributeError".into())));
    assert_eq!(host.ask(), Some(("raised".into(), "AttributeError".into())));
    let end = host.end();
    assert_eq!(end.stderr.matches("in next_move").count(), 2, "{}", end.stderr);
    assert!(end.status.success());
}

#[test]
fn sys_exit_ends_the_agent() {
    let mut host = Host::of(&agent("import sys\nsys.exit(3)"));
    assert!(host.is_ready());
    assert_eq!(host.ask(), None);
    assert_eq!(host.end().status.code(), Some(3));
    let mut host = Host::of("import sys\nsys.exit('no wish to play')\n");
    assert!(!host.is_ready());
    let end = host.end();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(1), "no wish to play\n"));
}

#[test]
fn a_thread_does_not_keep_the_host() {
    let source =
        "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,)).start()\n";
    let mut host = Host::of(&(source.to_owned() + &agent("return 'u'")));
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("str".into(), "u".into())));
    assert!(host.end().status.success());
}

#[test]
fn a_thread_that_prints_does_not_disturb_answers() {
    let source = "import threading\ndef talk():\n    for _ in range(20000):\n        print('A' * 50)\n\
                  threading.Thread(target=talk, daemon=True).start()\n";
    let mut host = Host::of(&(source.to_owned() + &agent("return 'u'")));
    // Nobody reads standard error before the end: it must not be needed for answers to come.
    assert!(host.is_ready());
    for _ in 0..50 {
        assert_eq!(host.ask(), Some(("str".into(), "u".into())));
    }
    drop(host.end());
}

#[test]
fn logging_goes_to_standard_output_from_info_on() {
    let body = "import logging\nlogging.debug('silent')\nlogging.info('loud')\nreturn 'u'";
    let mut host = Host::of(&agent(body));
    assert!(host.is_ready());
    assert_eq!(host.ask(), Some(("str".into(), "u".into())));
    assert_eq!(host.end().stderr, "INFO:root:loud\n");
}
