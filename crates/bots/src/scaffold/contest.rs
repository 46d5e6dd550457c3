//! Contest in a folder that has none: a tournament, a starter, sample opponents, a page
//! for authors and, where they are wanted, workflows for GitHub.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::{NewFile, ScaffoldError, Starter, copied, fill, languages, last_part, starter_files};
use crate::new_files::NewFiles;

/// `samples/<game>/<bot>/<file>`, most of them links to the demo bots.
static SAMPLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/scaffold/samples");

/// Default language of starters.
const USUAL_LANGUAGE: &str = "python";

/// Folder of the organiser's own starter.
pub const STARTER: &str = "bots/starter";

/// Contest to create.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The game's id.
    pub game: &'a str,
    /// Folder of the game's referee as the tournament names it, for a game of one's own.
    pub own: Option<&'a Path>,
    /// Display name of the game.
    pub title: &'a str,
    /// The tournament's name.
    pub name: &'a str,
    /// The language of the starter; the usual one, else the game's first.
    pub language: Option<&'a str>,
    /// The organiser, who is the starter's author.
    pub author: &'a str,
}

impl Contest<'_> {
    /// Returns the contest's files, none of them written. For a game of one's own bots are not
    /// among them: its author's starters are files of any kind, which [`copy`](super::copy) copies.
    ///
    /// # Errors
    ///
    /// [`ScaffoldError`] when there is no starter for this game and language.
    pub fn files(&self) -> Result<Vec<NewFile>, ScaffoldError> {
        let (languages, language) = (self.languages(), self.starter_language());
        let folder = Path::new(STARTER);
        let starter = Starter { game: self.game, language: &language, folder, author: self.author };
        let bots = if self.own.is_some() { Vec::new() } else { starter_files(&starter)? };
        let quoted = |folder: &Path| serde_json::to_string(&folder.to_string_lossy());
        let quoted = |folder: &Path| quoted(folder).expect("a text is JSON");
        let game =
            |own: &Path| format!("games:\n  {}: {{ referee: {} }}\n", self.game, quoted(own));
        let games = self.own.map(game).unwrap_or_default();
        // The starters that the game brings are there to play against.
        let elsewhere = self.own.filter(|own| *own != Path::new(".") && !languages.is_empty());
        let opponents = elsewhere.map(|own| format!(", {}", quoted(&own.join("bots/*"))));
        let opponents = opponents.unwrap_or_default();
        let filled = |text: &str| {
            text.replace("{{game}}", self.game)
                .replace("{{title}}", self.title)
                .replace("{{name}}", &serde_json::to_string(self.name).expect("a text is JSON"))
                .replace("{{games}}", &games)
                .replace("{{opponents}}", &opponents)
                .replace("{{language}}", &language)
                .replace("{{languages}}", &languages.join(", "))
                .replace("{{samples}}", &self.sample_names())
        };
        let file = |path: &str, text: &str| NewFile { path: path.into(), text: filled(text) };
        let mut authors = file("CONTRIBUTING.md", include_str!("contest/authors.md"));
        authors.text = aligned(&authors.text);
        let mut files = vec![
            file("tournament.yaml", include_str!("contest/tournament.yaml")),
            file(".gitignore", include_str!("contest/gitignore")),
            authors,
        ];
        files.extend(bots);
        files.extend(samples(self.game));
        Ok(files)
    }

    /// Returns the language of the starter.
    pub fn starter_language(&self) -> String {
        let languages = self.languages();
        let usual = languages.iter().find(|id| *id == USUAL_LANGUAGE).or(languages.first());
        self.language.or(usual.map(String::as_str)).unwrap_or_default().to_owned()
    }

    fn sample_names(&self) -> String {
        if self.own.is_some() {
            return "The organiser's bots".to_owned();
        }
        let folders = sample_folders(self.game);
        let names = folders.map(|folder| format!("`bots/{}`", last_part(folder.path())));
        names.collect::<Vec<_>>().join(" and ")
    }

    fn languages(&self) -> Vec<String> {
        match self.own {
            Some(folder) => copied::languages(&folder.join("bots")),
            None => languages(self.game),
        }
    }
}

/// Aligns the comments after the commands of a page in one column.
fn aligned(page: &str) -> String {
    let lengths = page.lines().filter_map(commented).map(|(command, _)| command.len());
    let longest = lengths.max().unwrap_or(0);
    let line = |line: &str| match commented(line) {
        Some((command, comment)) => format!("{command:<longest$}   # {comment}\n"),
        None => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}

/// A command and the comment after it.
fn commented(line: &str) -> Option<(&str, &str)> {
    let (command, comment) = line.split_once("  # ")?;
    Some((command.trim_end(), comment))
}

/// Location of Joust on GitHub.
#[derive(Clone, Copy, Debug)]
pub struct JoustRepository<'a> {
    /// `OWNER/NAME`.
    pub repository: &'a str,
    /// The release's tag.
    pub version: &'a str,
}

/// Returns the workflows of a repository on GitHub, which call those of Joust's. `branch` is the
/// one whose results count.
pub fn workflows(joust: JoustRepository<'_>, branch: &str) -> Vec<NewFile> {
    let branch = serde_json::to_string(branch).expect("a text is JSON");
    let file = |name: &str, text: &str| NewFile {
        path: Path::new(".github/workflows").join(name),
        text: text
            .replace("{{joust}}", joust.repository)
            .replace("{{version}}", joust.version)
            .replace("{{branch}}", &branch),
    };
    vec![
        file("contest.yml", include_str!("contest/workflows/contest.yml")),
        file("comment.yml", include_str!("contest/workflows/comment.yml")),
        file("rerun.yml", include_str!("contest/workflows/rerun.yml")),
    ]
}

/// Returns the form of an issue in which a bout is disputed.
pub fn dispute_form() -> NewFile {
    NewFile {
        path: ".github/ISSUE_TEMPLATE/dispute.yml".into(),
        text: include_str!("contest/dispute.yml").to_owned(),
    }
}

/// Writes a file that does not exist yet, and the folders above it; returns whether it did.
///
/// # Errors
///
/// [`ScaffoldError::Write`]; a file that was there is left alone.
pub fn write_new(root: &Path, file: &NewFile) -> Result<bool, ScaffoldError> {
    let path = root.join(&file.path);
    let mut new = NewFiles::default();
    match new.write(&path, file.text.as_bytes()) {
        Ok(()) => {
            _ = new.keep();
            Ok(true)
        }
        // What was made here goes: the next try would keep a half-written file.
        Err(error)
            if error.kind() == ErrorKind::AlreadyExists && path.symlink_metadata().is_ok() =>
        {
            Ok(false)
        }
        Err(error) => Err(ScaffoldError::Write(path, error)),
    }
}

/// The sample opponents of a game, of different style.
fn samples(game: &str) -> Vec<NewFile> {
    let files_of = |folder: &'static Dir<'static>| {
        let name = last_part(folder.path());
        folder.files().map(move |file| NewFile {
            path: PathBuf::from("bots").join(&name).join(last_part(file.path())),
            text: fill(file, &name, ""),
        })
    };
    sample_folders(game).flat_map(files_of).collect()
}

fn sample_folders(game: &str) -> impl Iterator<Item = &'static Dir<'static>> {
    SAMPLES.get_dir(game).into_iter().flat_map(Dir::dirs)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use joust_referee::Catalogue;

    use super::*;

    #[test]
    fn every_game_has_a_starter_and_two_sample_opponents() {
        for game in &Catalogue::built_in() {
            let (id, title) = (game.id(), game.spec().title.as_str());
            let contest =
                Contest { game: id, own: None, title, name: "Cup", language: None, author: "Ann" };
            let files = contest.files().expect("there is a starter");
            assert_eq!(sample_folders(id).count(), 2, "{id}");
            let place_holder = files.iter().find(|file| file.text.contains("{{"));
            assert!(place_holder.is_none(), "{id}: {place_holder:?}");
            let is_there = |path: &str| files.iter().any(|file| file.path == Path::new(path));
            assert!(is_there("tournament.yaml") && is_there("bots/starter/bot.yaml"), "{id}");
        }
    }

    #[test]
    fn comments_of_commands_stand_in_one_column() {
        let page = "# Page\n\njoust a  # one\njoust a longer one       # two\n";
        let expected = "# Page\n\njoust a              # one\njoust a longer one   # two\n";
        assert_eq!(aligned(page), expected);
    }

    #[test]
    fn existing_files_are_left_alone() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let file = NewFile { path: "bots/a/main.py".into(), text: "new".to_owned() };
        assert!(write_new(root.path(), &file).expect("it can be written"));
        fs::write(root.path().join(&file.path), "mine").expect("it can be written");
        assert!(!write_new(root.path(), &file).expect("it is read"));
        assert_eq!(fs::read_to_string(root.path().join(&file.path)).expect("it is there"), "mine");
    }

    #[test]
    fn folders_for_a_file_that_cannot_be_made_go_again() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = Path::new("bots/a").join("x".repeat(300));
        let file = NewFile { path, text: String::new() };
        write_new(root.path(), &file).expect_err("its name is too long");
        assert!(!root.path().join("bots").exists());
    }

    #[test]
    fn workflows_call_those_of_joust_and_no_script() {
        for file in workflows(JoustRepository { repository: "a/joust", version: "v1.0.0" }, "main")
        {
            let name = file.path.file_name().and_then(|name| name.to_str()).expect("a name");
            let called = format!("uses: a/joust/.github/workflows/{name}@v1.0.0");
            assert!(file.text.contains(&called), "{file:?}");
            let read: serde_json::Value =
                joust_config::yaml::from_str(&file.text).expect("it is YAML");
            assert!(read["jobs"].is_object(), "{file:?}");
            let is_filled =
                ["{{joust", "{{version", "{{branch"].iter().all(|one| !file.text.contains(one));
            assert!(!file.text.contains("scripts/") && is_filled, "{file:?}");
        }
    }

    #[test]
    fn the_leaderboard_follows_the_branch_that_is_named() {
        let files = workflows(JoustRepository { repository: "a/joust", version: "v1.0.0" }, "true");
        let read: serde_json::Value =
            joust_config::yaml::from_str(&files[0].text).expect("it is YAML");
        assert_eq!(read["on"]["push"]["branches"], serde_json::json!(["true"]));
    }

    #[test]
    fn the_form_of_a_dispute_asks_for_the_bout() {
        let read: serde_json::Value =
            joust_config::yaml::from_str(&dispute_form().text).expect("it is YAML");
        assert_eq!(read["body"][1]["id"], "bout");
    }
}
