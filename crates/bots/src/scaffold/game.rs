//! Starter game: a referee in a language that already plays, with bots and rules.

use std::path::{Path, PathBuf};

use joust_gamekit::kits::{KIT_GAME, KIT_RULES, KITS, Kit, STARTER_BOTS};
use joust_referee::Catalogue;

use super::{NewFile, ScaffoldError, refuse_filled, write_all};

/// Makes a starter game in a language and returns the files written. The last part of the folder is
/// the game's id.
///
/// # Errors
///
/// [`ScaffoldError`]; nothing that was there is changed, and nothing of the game stays.
pub fn make_game(language: &str, folder: &Path) -> Result<Vec<PathBuf>, ScaffoldError> {
    let kit = KITS.iter().find(|kit| kit.language == language);
    let kit = kit.ok_or_else(|| ScaffoldError::GameLanguage {
        language: language.to_owned(),
        known: KITS.iter().map(|kit| kit.language.to_owned()).collect(),
    })?;
    let id = id_of(folder).ok_or_else(|| ScaffoldError::GameId(folder.to_owned()))?;
    if Catalogue::built_in().find(&id).is_some() {
        return Err(ScaffoldError::GameTaken(id));
    }
    refuse_filled(folder)?;
    let mut files = vec![
        (PathBuf::from("game.yaml"), filled(include_str!("game/game.yaml"), kit, &id)),
        (PathBuf::from("rules.md"), KIT_RULES.to_owned()),
        (PathBuf::from("tournament.yaml"), filled(include_str!("game/tournament.yaml"), kit, &id)),
    ];
    for (name, text) in kit.files {
        files.push((PathBuf::from(name), text.replace(KIT_GAME, &id)));
    }
    for bot in STARTER_BOTS {
        let place = Path::new("bots").join(bot.language);
        let (language, entry) = (bot.language, bot.entry);
        let manifest = format!("name: {language}\nlanguage: {language}\nentry: {entry}\n");
        files.push((place.join("bot.yaml"), manifest));
        files.extend(bot.files.iter().map(|(name, text)| (place.join(name), (*text).to_owned())));
    }
    files.sort();
    let placed = |(path, text): (PathBuf, String)| NewFile { path: folder.join(path), text };
    write_all(files.into_iter().map(placed).collect())
}

/// Returns the id that a folder gives a game.
fn id_of(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_str()?.to_lowercase().replace(['_', ' '], "-");
    joust_config::is_game_id(&name).then_some(name)
}

/// Fills in what differs between languages and games.
fn filled(text: &str, kit: &Kit, id: &str) -> String {
    text.replace("{{id}}", id)
        .replace("{{language}}", kit.language)
        .replace("{{entry}}", kit.entry)
        .replace("{{can}}", kit.can)
        .replace("{{source}}", kit.source)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::new_files::long_paths::{LONGEST_PATH, path_of};

    #[test]
    fn a_game_has_the_id_of_its_folder_in_file_and_program() {
        let home = tempfile::tempdir().expect("a temporary folder");
        for kit in KITS {
            let folder = home.path().join(format!("My_{}", kit.language));
            let files = make_game(kit.language, &folder);
            let files = files.expect("there is a kit");
            let id = format!("my-{}", kit.language);
            let yaml = fs::read_to_string(folder.join("game.yaml")).expect("it was written");
            assert!(yaml.contains(&format!("\nid: {id}\n")), "{yaml}");
            let entry = fs::read_to_string(folder.join(kit.entry)).expect("it was written");
            assert!(entry.contains(&format!("\"{id}\"")), "{entry}");
            assert!(files.iter().any(|file| file.ends_with("bots/bash/main.sh")), "{files:?}");
        }
    }

    #[test]
    fn nothing_of_a_game_stays_that_cannot_be_written_whole() {
        let home = tempfile::tempdir().expect("a temporary folder");
        // There is room for `bots/bash` in the folder and for no file in that.
        let folder = path_of(LONGEST_PATH - 12, home.path(), "my-game");
        let made = make_game("python", &folder);
        assert!(matches!(made, Err(ScaffoldError::Write(..))), "{made:?}");
        assert_eq!(fs::read_dir(home.path()).expect("it is there").count(), 0);
    }

    #[test]
    fn a_folder_whose_name_is_no_id_is_refused() {
        for name in ["spiel!", "-", "a--b", "\u{e9}"] {
            let folder = Path::new("/nowhere").join(name);
            let error = make_game("python", &folder);
            assert!(matches!(error, Err(ScaffoldError::GameId(_))), "{name}: {error:?}");
        }
    }

    #[test]
    fn the_id_of_a_game_that_ships_with_joust_is_refused_at_once() {
        for name in ["battlebots", "Connect_Four"] {
            let folder = Path::new("/nowhere").join(name);
            let made = make_game("python", &folder);
            let error = made.expect_err("its id is taken");
            let id = name.to_lowercase().replace('_', "-");
            assert_eq!(error.to_string(), format!("there is a game `{id}` already"));
            let hint = error.hint().expect("it has a way out");
            assert!(hint.ends_with(&format!("`my-{id}`")), "{hint}");
        }
    }

    #[test]
    fn an_unknown_language_gets_the_known_ones_as_a_hint() {
        let folder = Path::new("/nowhere/game");
        let error = make_game("cobol", folder).expect_err("no kit");
        assert_eq!(error.to_string(), "there is no kit for a referee in `cobol`");
        let hint = error.hint().expect("it names the kits");
        assert_eq!(hint, "there are kits in: python, javascript, go, java, rust, cpp");
    }
}
