//! Source of a referee: a folder with a `game.yaml`, built as a bot is.

use std::path::Path;
use std::{fs, io};

use super::BotSource;
use crate::manifest::{Manifest, split_words};
use crate::problem::BotProblem;
use crate::source::link_stays;
use crate::source_language::SourceLanguages;
use joust_config::{ExternalGame, Rejection, open_plain};

/// File name of a referee where its `game.yaml` names none.
const USUAL: &str = "referee";

/// Puts the source of a game's referee into the empty folder `stage`: what counts of the
/// game's folder and nothing else.
///
/// # Errors
///
/// A file that cannot be copied, or mistakes in the description of the program in `game.yaml`.
pub fn referee_source(
    game: &ExternalGame,
    stage: &Path,
    languages: &SourceLanguages,
) -> Result<BotSource, BotProblem> {
    for file in &game.files {
        let from = game.folder.join(file);
        copy(&from, &stage.join(file)).map_err(|error| BotProblem::io(&from, "copy", &error))?;
    }
    check_links(game, stage)?;
    let program = &game.program;
    let entry = program.entry.clone().or_else(|| usual_entry(game, languages));
    let manifest = Manifest {
        name: format!("referee of {}", game.game.id()),
        language: language(game, entry.as_deref(), languages)?,
        build: program
            .build
            .as_deref()
            .map(|text| words(game, text))
            .transpose()?
            .map(|one| vec![one]),
        run: program.run.as_deref().map(|text| words(game, text)).transpose()?,
        enabled: true,
        entry,
        ..Manifest::default()
    };
    Ok(BotSource::new(manifest, &game.folder, stage))
}

fn language(
    game: &ExternalGame,
    entry: Option<&str>,
    languages: &SourceLanguages,
) -> Result<String, BotProblem> {
    if let Some(language) = &game.program.language {
        let wrong = languages.check(language).err();
        return wrong.map_or(Ok(language.clone()), |Rejection { message, hint }| {
            Err(BotProblem { hint, ..BotProblem::new(&game.folder, message) })
        });
    }
    let known = entry.and_then(|entry| languages.of_file(Path::new(entry)));
    known.map(str::to_owned).ok_or_else(|| {
        let problem = BotProblem::new(&game.folder, "the referee's language is not known");
        problem.hint(
            "`game.yaml` says it: `entry: referee.py`, or `language: python`; a language that Joust does not \
             build is started by a `referee.sh` that ends with `exec perl referee.pl`",
        )
    })
}

/// Returns the only file with the name of a referee.
fn usual_entry(game: &ExternalGame, languages: &SourceLanguages) -> Option<String> {
    let is_usual = |name: &&String| {
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(USUAL))
            && languages.of_file(Path::new(name)).is_some()
    };
    let names: Vec<&String> = game.files.iter().filter(is_usual).collect();
    <[&String; 1]>::try_from(names).ok().map(|[name]| name.clone())
}

/// Refuses links that lead to no file that the referee finds.
fn check_links(game: &ExternalGame, stage: &Path) -> Result<(), BotProblem> {
    for file in game.files.iter().filter(|file| stage.join(file).is_symlink()) {
        let at = game.folder.join(file);
        if link_stays(stage, file).map_err(|error| BotProblem::io(&at, "read", &error))? {
            continue;
        }
        let message = "a link that leads to no file of the game's folder";
        let hint = "put the file itself there; what a link leads to has to belong to `files`, too";
        return Err(BotProblem::new(&at, message).hint(hint));
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match from.symlink_metadata()?.is_symlink() {
        true => std::os::unix::fs::symlink(fs::read_link(from)?, to),
        false => {
            let mut file = open_plain(from)?;
            io::copy(&mut file, &mut fs::File::create(to)?)?;
            fs::set_permissions(to, file.metadata()?.permissions())
        }
    }
}

fn words(game: &ExternalGame, text: &str) -> Result<Vec<String>, BotProblem> {
    split_words(text).map_err(|error| {
        BotProblem::new(&game.folder, format!("`{text:.64}` is no command: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the source of a game with a link `map.txt`.
    fn source_with_link(to: &str) -> (std::path::PathBuf, Result<(), BotProblem>) {
        let home = tempfile::tempdir().expect("a temporary folder");
        let game = home.path().join("game");
        fs::create_dir(&game).expect("it is new");
        let text = "entry: referee.py\nfiles: ['*.py', '*.txt']\n";
        fs::write(game.join("game.yaml"), text).expect("it can be written");
        fs::write(game.join("referee.py"), "").expect("it can be written");
        fs::write(game.join("notes.md"), "").expect("it can be written");
        std::os::unix::fs::symlink(to, game.join("map.txt")).expect("it can be made");
        let read = joust_config::read_game_folder(&game).expect("it is in order");
        let stage = tempfile::tempdir().expect("a temporary folder");
        let languages = crate::source_language::tests::shipped();
        let source = referee_source(&read, stage.path(), &languages);
        (game, source.and_then(|source| source.tree(&languages).map(drop)))
    }

    #[test]
    fn a_broken_link_is_reported_at_its_place_in_the_game_folder() {
        for to in ["/etc/passwd", "../x", "notes.md"] {
            let (game, read) = source_with_link(to);
            let problem = read.expect_err("it leads to no file that counts");
            assert_eq!(problem.file, game.join("map.txt"), "{to}");
            assert!(problem.message.ends_with("no file of the game's folder"), "{problem}");
            assert!(problem.hint.is_some(), "{problem}");
        }
        source_with_link("referee.py").1.expect("it leads to a file of the game");
    }

    #[test]
    fn problems_of_the_copy_are_reported_for_the_original_folder() {
        let (found, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink("/etc", copy.path().join("x")).expect("it can be made");
        let manifest = Manifest { language: "python".to_owned(), ..Manifest::default() };
        let source = BotSource::new(manifest, found.path(), copy.path());
        let problem =
            source.tree(&crate::source_language::tests::shipped()).expect_err("the link leads out");
        assert_eq!(problem.file, found.path().join("x"));
    }
}
