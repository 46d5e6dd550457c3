//! The tournament that the site is of, played once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use joust_testkit::browser::{Browser, Screen};
use joust_testkit::env::TestEnv;
use serde_json::Value;

/// Bots that this repository ships.
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots");

/// Folder in which the site and the pictures of it are kept.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/site");

/// All five games, with a few short bouts of shipped bots.
const TOURNAMENT: &str = "\
name: Browser cup
seed: 2026
database: results.db
defaults:
  calibration: { runs: 2 }
events:
  - id: battlebots
    game: battlebots
    bots: [BOTS/battlebots/sniper, BOTS/battlebots/miner, BOTS/battlebots/gunner]
    bouts: 1
    options: { max_rounds: 25 }
  - id: battleships-2017
    game: battleships-2017
    bots: [BOTS/battleships-2017/checker, BOTS/battleships-2017/splasher]
    bouts: 1
    options: { map_size: small }
  - id: bomberman-2016
    game: bomberman-2016
    bots: [BOTS/bomberman-2016/collector, BOTS/bomberman-2016/digger, BOTS/bomberman-2016/hunter]
    players_per_match: 3
    bouts: 1
    options: { max_rounds: 30 }
  - id: coderone-dungeon
    game: coderone-dungeon
    bots: [BOTS/coderone-dungeon/collector.py, BOTS/coderone-dungeon/hunter]
    bouts: 1
    options: { max_iterations: 100 }
  - id: uwcs-bomberman
    game: uwcs-bomberman
    bots: [BOTS/uwcs-bomberman/sapper.py, BOTS/uwcs-bomberman/gambler.rs]
    bouts: 1
";

/// The games, which are the ids of their events, too.
pub(crate) const GAMES: [&str; 5] =
    ["battlebots", "battleships-2017", "bomberman-2016", "coderone-dungeon", "uwcs-bomberman"];

/// A bout as the database has it.
pub(crate) struct Bout {
    /// Output of `joust replay --format json --turns`.
    pub(crate) json: Value,
    /// Drawing by `joust replay`.
    pub(crate) drawing: String,
}

impl Bout {
    pub(crate) fn id(&self) -> &str {
        self.json["bout"].as_str().expect("a bout has an id")
    }

    pub(crate) fn event(&self) -> &str {
        self.json["event"].as_str().expect("a bout has an event")
    }

    /// Returns the address of its page.
    pub(crate) fn page(&self) -> String {
        address(&format!("{}/bouts/{}.html", self.event(), self.id()))
    }

    /// Returns the address of its replay in one file.
    pub(crate) fn alone(&self) -> String {
        address(&format!("alone-{}.html", self.id()))
    }
}

/// Returns the bouts of the tournament; the first call plays it.
pub(crate) fn bouts() -> &'static [Bout] {
    static BOUTS: OnceLock<Vec<Bout>> = OnceLock::new();
    BOUTS.get_or_init(play)
}

/// Returns a bout of a game.
pub(crate) fn bout_of(game: &str) -> &'static Bout {
    bouts().iter().find(|bout| bout.event() == game).expect("every game was played")
}

/// Returns the address of a file of the site.
pub(crate) fn address(file: &str) -> String {
    format!("file://{}/{file}", pages().display())
}

/// Returns the folder of the site.
pub(crate) fn pages() -> PathBuf {
    Path::new(KEPT).join("pages")
}

/// Returns every page of the site as it was written.
pub(crate) fn every_page() -> &'static [String] {
    bouts();
    WRITTEN.get().expect("the bouts were played and the site written")
}

/// The pages, named before a test adds pages of its own.
static WRITTEN: OnceLock<Vec<String>> = OnceLock::new();

/// Keeps a picture for people.
pub(crate) fn keep_picture(name: &str, png: &[u8]) {
    let folder = Path::new(KEPT).join("pictures");
    fs::create_dir_all(&folder).expect("folders can be made");
    fs::write(folder.join(format!("{name}.png")), png).expect("a picture can be written");
}

fn play() -> Vec<Bout> {
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache");
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(Path::new(cache));
    env.write("tournament.yaml", &TOURNAMENT.replace("BOTS", SHIPPED));
    env.run(["run", "--strict"]).expect(0);
    if Path::new(KEPT).exists() {
        fs::remove_dir_all(KEPT).expect("an earlier site can be removed");
    }
    fs::create_dir_all(KEPT).expect("folders can be made");
    let out = pages();
    env.run(["report", "--out", out.to_str().expect("the path is text")]).expect(0);
    let files = joust_testkit::html::files(&out).expect("a site");
    WRITTEN.get_or_init(|| files.into_keys().filter(|path| path.ends_with(".html")).collect());
    let ids = joust_testkit::league::bout_ids(&env);
    ids.iter().map(|id| read(&env, id)).collect()
}

fn read(env: &TestEnv, id: &str) -> Bout {
    let json = env.run(["replay", id, "--format", "json", "--turns"]).expect(0).json();
    let alone = pages().join(format!("alone-{id}.html"));
    env.run(["replay", id, &format!("--html={}", alone.display())]).expect(0);
    Bout { json, drawing: env.run(["replay", id]).expect(0).stdout }
}

/// A usual screen.
pub(crate) const DESK: Screen = Screen { width: 1280, height: 900, density: 1, theme: "light" };

/// A browser that must come away clean: nothing on its console, and nothing
/// asked for outside the site.
pub(crate) struct Clean(pub(crate) Browser);

impl Clean {
    /// Opens a page of the site.
    pub(crate) fn open(address: &str) -> Self {
        bouts();
        let browser = Browser::open();
        browser.show_on(DESK);
        browser.go(address);
        Self(browser)
    }

    /// Opens the page of a bout, and waits for its replay.
    pub(crate) fn watch(bout: &Bout) -> Self {
        let clean = Self::open(&bout.page());
        clean.await_replay();
        clean
    }

    pub(crate) fn await_replay(&self) {
        self.0.wait_for(
            "window.joustViewer && joustViewer.player || document.querySelector('.rv-error')",
        );
        let error = self.0.run("return document.querySelector('.rv-error')?.textContent");
        assert!(error.is_null(), "{error}");
    }

    /// Returns the frame shown.
    pub(crate) fn frame(&self) -> u64 {
        self.0.run("return joustViewer.player.frame").as_u64().expect("a frame has a number")
    }

    /// Checks what the browser has seen.
    pub(crate) fn end(self) {
        assert_eq!(self.0.console(), [""; 0]);
        let inside = format!("file://{}/", pages().display());
        let outside: Vec<_> =
            self.0.requests().into_iter().filter(|address| !address.starts_with(&inside)).collect();
        assert_eq!(outside, [""; 0]);
    }
}
