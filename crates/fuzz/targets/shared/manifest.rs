//! Manifest of a bot in a folder of its own.

use std::sync::LazyLock;

use joust_toolchain::Languages;
use joust_bots::manifest::{Candidate, read as read_manifest};
use joust_referee::Catalogue;
use tempfile::TempDir;

static LANGUAGES: LazyLock<Languages> = LazyLock::new(Languages::shipped);
static GAMES: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("main.py"), "print('N')\n").expect("the folder takes a file");
    folder
});

/// Reads a bot of `game` whose manifest `name` has these bytes; a refusal has words.
pub fn read(name: &str, game: &str, bytes: &[u8]) {
    let path = FOLDER.path();
    std::fs::write(path.join(name), bytes).expect("the folder takes a file");
    let game = GAMES.find(game).expect("it ships with Joust").spec();
    let candidate = Candidate::new(path, game, LANGUAGES.sources());
    if let Err(problems) = read_manifest(&candidate) {
        assert!(problems.iter().all(|problem| !problem.message.is_empty()));
    }
}
