//! A custom game whose referee shows no board: its positions are text.

use std::path::Path;

use joust_testkit::browser::Browser;
use joust_testkit::env::TestEnv;
use joust_testkit::league::bout_ids;

const TOURNAMENT: &str = "games: { nim: { referee: nim } }\nevents:\n  - game: nim\n    \
                          bots: [one.sh, two.sh]\n    bouts: 1\n";

const BOT: &str = "#!/bin/sh\nwhile read -r line; do echo 1; done\n";

fn played() -> TestEnv {
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache");
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(Path::new(cache));
    let referee = include_str!("../commands/external/referee.py");
    env.write("nim/referee.py", &referee.replace("scene=scene, ", ""));
    env.write("nim/game.yaml", include_str!("../commands/external/game.yaml"));
    env.write("nim/rules.md", include_str!("../commands/external/rules.md"));
    env.write("one.sh", BOT);
    env.write("two.sh", BOT);
    env.write("tournament.yaml", TOURNAMENT);
    env.run(["run", "--strict"]).expect(0);
    env
}

#[test]
fn the_text_of_a_position_stands_in_place_of_the_board() {
    let env = played();
    env.run(["report", "--out", "site"]).expect(0);
    let bout = &bout_ids(&env)[0];
    env.run(["replay", bout, "--html=alone.html"]).expect(0);
    let folder = env.path().display();
    for page in [format!("site/nim/bouts/{bout}.html"), "alone.html".to_owned()] {
        let browser = Browser::open();
        browser.go(&format!("file://{folder}/{page}"));
        browser.wait_for(
            "window.joustViewer && joustViewer.player || document.querySelector('.rv-error')",
        );
        assert_eq!(
            browser.run("return document.querySelector('.rv-error')?.textContent").as_str(),
            None
        );
        let shown = "return [document.querySelector('#replay-text').innerText, \
                     document.querySelector('#replay-board').offsetWidth]";
        let before = browser.run(shown);
        assert!(before[0].as_str().is_some_and(|text| !text.is_empty()), "{before}");
        assert_eq!(before[1], 0);
        browser.click("#replay-last");
        assert_ne!(browser.run(shown)[0], before[0]);
        assert_eq!(browser.console(), [""; 0]);
    }
}

#[test]
fn an_animation_that_cannot_be_drawn_says_what_is_missing() {
    let env = played();
    let ran = env.run(["replay", &bout_ids(&env)[0], "--gif=bout.gif"]).expect(1);
    assert!(ran.stderr.contains("shows no board"), "{}", ran.stderr);
    assert!(!env.path().join("bout.gif").exists());
}
