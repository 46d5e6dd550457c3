//! Tests of the look of pages: pictures for people, and properties that a program can see.

use joust_testkit::browser::Screen;
use serde_json::Value;

use super::played::{Clean, DESK, GAMES, address, bout_of, keep_picture};

/// A phone, held upright.
const PHONE: Screen = Screen { width: 390, height: 844, density: 3, theme: "light" };

const DARK: Screen = Screen { theme: "dark", ..DESK };

const WIDE: Screen = Screen { width: 1920, height: 1080, density: 1, theme: "light" };

/// Colours of the board, and how far the page is wider than the screen.
fn seen(clean: &Clean) -> (u64, i64) {
    let colours = clean.0.run(
        "const {canvas} = joustViewer.player; const copy = document.createElement('canvas'); \
         copy.width = canvas.width; copy.height = canvas.height; \
         const pen = copy.getContext('2d', {willReadFrequently: true}); pen.drawImage(canvas, 0, 0); \
         const {data} = pen.getImageData(0, 0, canvas.width, canvas.height); \
         const seen = new Set(); for (let i = 0; i < data.length; i += 4 * 7) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]); \
         return seen.size",
    );
    (colours.as_u64().expect("a number"), overhang(clean))
}

fn overhang(clean: &Clean) -> i64 {
    let wider = clean.0.run("return document.documentElement.scrollWidth - innerWidth");
    wider.as_i64().expect("a number")
}

#[test]
#[ignore = "long: a browser for each game"]
fn every_game_is_drawn_in_light_dark_and_on_a_phone() {
    let clean = Clean::open(&address("index.html"));
    for game in GAMES {
        let bout = bout_of(game);
        for (name, screen) in [("light", DESK), ("dark", DARK), ("phone", PHONE)] {
            clean.0.show_on(screen);
            // Another page in between, because the browser does not reload the same address.
            clean.0.go(&address("index.html"));
            clean.0.go(&format!("{}#round={}", bout.page(), middle(&bout.json)));
            clean.await_replay();
            keep_picture(&format!("{game}-{name}"), &clean.0.screenshot());
            let (colours, wider) = seen(&clean);
            assert!(colours > 10, "{game} {name}: {colours} colours");
            assert!(wider <= 0, "{game} {name}: {wider} pixels too wide");
        }
    }
    clean.end();
}

fn middle(bout: &Value) -> u64 {
    bout["rounds"].as_u64().expect("rounds") / 2
}

#[test]
fn the_board_is_as_sharp_as_the_screen() {
    let clean = Clean::watch(bout_of("battlebots"));
    for density in [1, 2, 3] {
        clean.0.show_on(Screen { density, ..DESK });
        clean.0.go(&address("index.html"));
        clean.0.go(&bout_of("battlebots").page());
        clean.await_replay();
        let sharp = clean.0.run(
            "const {canvas} = joustViewer.player; return canvas.width / canvas.getBoundingClientRect().width / devicePixelRatio",
        );
        let sharp = sharp.as_f64().expect("a number");
        assert!((0.95..=1.0).contains(&sharp), "{sharp} at density {density}");
    }
    clean.end();
}

#[test]
#[ignore = "long: a browser for each game"]
fn the_controls_of_every_game_are_on_a_usual_screen_when_a_bout_is_opened() {
    let clean = Clean::open(&address("index.html"));
    for game in GAMES {
        clean.0.go(&bout_of(game).page());
        clean.await_replay();
        let shown = clean.0.run(
            "const box = (selector) => document.querySelector(selector).getBoundingClientRect(); \
             return [scrollY, box('#replay-board').top, box('#replay-board').height, box('.rv-controls').bottom, innerHeight]",
        );
        let shown: Vec<f64> = serde_json::from_value(shown).expect("numbers");
        let [scrolled, top, board, bottom, screen] = shown[..] else { panic!("{shown:?}") };
        assert!(scrolled == 0.0 && top > 0.0 && bottom <= screen, "{game}: {shown:?}");
        assert!(board >= 250.0, "{game}: the board is {board} pixels high");
    }
    clean.end();
}

#[test]
fn no_page_scrolls_sideways_on_a_phone() {
    let clean = Clean::open(&address("index.html"));
    clean.0.show_on(Screen { width: 360, ..PHONE });
    let pages = super::played::every_page();
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        clean.0.go(&address(page));
        assert!(overhang(&clean) <= 0, "{page}: {} pixels too wide", overhang(&clean));
    }
    clean.end();
}

#[test]
fn dark_is_dark_and_light_is_light() {
    let clean = Clean::watch(bout_of("coderone-dungeon"));
    let mut brightness = Vec::new();
    for screen in [DESK, DARK] {
        clean.0.show_on(screen);
        clean
            .0
            .wait_for(&format!("matchMedia('(prefers-color-scheme: {})').matches", screen.theme));
        let shown = clean.0.run(
            "joustViewer.player.board.refresh(); const {canvas} = joustViewer.player; \
             const copy = document.createElement('canvas'); copy.width = canvas.width; copy.height = canvas.height; \
             const pen = copy.getContext('2d', {willReadFrequently: true}); pen.drawImage(canvas, 0, 0); \
             const {data} = pen.getImageData(0, 0, canvas.width, canvas.height); \
             let sum = 0; for (let i = 0; i < data.length; i += 4) sum += data[i + 1]; return sum / data.length * 4",
        );
        brightness.push(shown.as_f64().expect("a number"));
    }
    assert!(brightness[0] > brightness[1] + 40.0, "{brightness:?}");
    clean.end();
}

#[test]
fn pages_fit_every_screen() {
    let clean = Clean::open(&address("index.html"));
    for page in ["index.html", "battlebots/index.html", "bomberman-2016/index.html"] {
        let place = page.replace('/', "-").replace(".html", "");
        for (name, screen) in [("light", DESK), ("dark", DARK), ("phone", PHONE), ("wide", WIDE)] {
            clean.0.show_on(screen);
            clean.0.go(&address(page));
            keep_picture(&format!("page-{place}-{name}"), &clean.0.screenshot());
            assert!(overhang(&clean) <= 0, "{page} {name}");
        }
    }
    clean.end();
}
