//! The player's controls: keys, buttons, links to a round, and who does without.

use super::played::{Clean, bout_of};

const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";

#[test]
fn keys_step_play_and_go_to_the_ends() {
    let clean = Clean::watch(bout_of("coderone-dungeon"));
    let last = clean.0.run("return joustViewer.player.replay.last").as_u64().expect("a number");
    let after = |key: &str| {
        clean.0.press(key);
        clean.frame()
    };
    assert_eq!([after(RIGHT), after(RIGHT), after(LEFT)], [1, 2, 1]);
    assert_eq!([after(END), after(RIGHT), after(HOME), after(LEFT)], [last, last, 0, 0]);
    clean.0.press(" ");
    clean.0.wait_for("joustViewer.player.isPlaying && joustViewer.player.frame > 2");
    clean.0.press(" ");
    clean.0.wait_for("!joustViewer.player.isPlaying");
    let stopped = clean.frame();
    assert_eq!(clean.frame(), stopped);
    clean.end();
}

#[test]
fn a_key_in_a_field_is_the_fields() {
    let clean = Clean::watch(bout_of("battlebots"));
    clean.0.run("document.getElementById('replay-speed').focus()");
    clean.0.press(END);
    assert_eq!(clean.frame(), 0);
    assert_eq!(clean.0.run("return document.getElementById('replay-speed').value"), "64");
    clean.end();
}

#[test]
fn buttons_do_what_they_say_and_the_slider_seeks() {
    let clean = Clean::watch(bout_of("bomberman-2016"));
    let after = |name: &str| {
        clean.0.click(&format!("#replay-{name}"));
        clean.frame()
    };
    let last = clean.0.run("return joustViewer.player.replay.last").as_u64().expect("a number");
    assert_eq!([after("forward"), after("forward"), after("back")], [1, 2, 1]);
    assert_eq!([after("last"), after("first")], [last, 0]);
    clean.0.run(
        "const slider = document.getElementById('replay-slider'); slider.value = 7; \
         slider.dispatchEvent(new Event('input'))",
    );
    assert_eq!(clean.frame(), 7);
    clean.0.run("document.getElementById('replay-slider').focus()");
    clean.0.press(RIGHT);
    assert_eq!(clean.frame(), 8);
    clean.end();
}

#[test]
fn the_address_names_the_round_and_opens_it() {
    let bout = bout_of("battlebots");
    let clean = Clean::open(&format!("{}#round=5&seat=1", bout.page()));
    clean.await_replay();
    assert_eq!(clean.frame(), 5);
    let eyes = "return document.getElementById('replay-eyes').value";
    assert_eq!(clean.0.run(eyes), "1");
    let row = "return document.querySelector('.rv-current th').textContent";
    assert_eq!(clean.0.run(row), "5");
    clean.0.press(RIGHT);
    assert!(clean.0.address().ends_with("#round=6&seat=1"), "{}", clean.0.address());
    clean.0.run("location.hash = '#start'");
    clean.0.wait_for("joustViewer.player.frame === 0 && joustViewer.player.eyes === -1");
    clean.0.click(".rv-rounds tbody tr:nth-child(4) a");
    clean.0.wait_for("joustViewer.player.frame === 3");
    clean.0.run("location.hash = '#round=99999999'");
    clean.0.wait_for("joustViewer.player.frame === joustViewer.player.replay.last");
    clean.end();
}

#[test]
fn each_round_is_told_to_those_who_listen() {
    let bout = bout_of("battlebots");
    let clean = Clean::watch(bout);
    clean.0.press(RIGHT);
    let told = clean.0.run("return document.getElementById('replay-live').textContent");
    let told = told.as_str().expect("a text");
    assert!(told.starts_with("round 1. "), "{told}");
    for seat in bout.json["seats"].as_array().expect("seats") {
        let name = seat["bot"].as_str().expect("a name");
        assert!(
            told.contains(&format!("{name}: ")) && told.contains(&format!("{name} hp ")),
            "{told}"
        );
    }
    clean.end();
}

#[test]
#[ignore = "long: a browser for each game"]
fn who_wants_no_motion_gets_none() {
    let clean = Clean::watch(bout_of("battlebots"));
    clean.0.reduce_motion();
    clean.0.press(RIGHT);
    assert!(clean.0.run("return joustViewer.player.tween").is_null());
    assert_eq!(clean.0.run("return joustViewer.player.board.floats.length"), 0);
    clean.0.click("#replay-play");
    clean.0.wait_for("replay.dataset.frame === replay.dataset.last");
    clean.end();
}
