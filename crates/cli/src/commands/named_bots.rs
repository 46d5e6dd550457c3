//! Bots that a command names: by a path, or by a name of the tournament's field.

use std::path::{Path, PathBuf};

use joust_bots::{BotSearch, BotSource, PerOwner};
use joust_build::FolderStore;
use joust_config::{ConfigErrors, Event, Tournament};
use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_toolchain::Languages;

use super::shared;
use crate::args::FileArg;
use crate::error::Failure;
use crate::output::Screen;

/// Returns the paths of bots: a word that is no path may be a name of the event's field.
pub(super) fn paths(
    words: &[PathBuf],
    tournament: &Tournament,
    event: &Event,
) -> Result<Vec<PathBuf>, Failure> {
    let is_described = tournament.file.exists()
        && tournament.events.iter().any(|one| one.game.id() == event.game.id());
    if !is_described || words.iter().all(|word| word.exists()) {
        return Ok(words.to_vec());
    }
    let field = field(tournament, event)?;
    let path = |word: &PathBuf| {
        let named = field.iter().find(|bot| word.to_str() == Some(bot.name()));
        // Reading a bot that is not there says so.
        named.filter(|_| !word.exists()).map_or_else(|| word.clone(), |bot| bot.found.clone())
    };
    Ok(words.iter().map(path).collect())
}

/// Returns the names of bots: a word that is a path is that of a bot of the tournament.
pub(super) fn names(
    words: &[String],
    file: &FileArg,
    screen: Screen,
) -> Result<Vec<String>, Failure> {
    match words.iter().any(|word| is_path(word)) {
        true => names_in(words, &shared::tournament(file.path(), screen)?),
        false => Ok(words.to_vec()),
    }
}

/// As [`names`], of a tournament that was read already.
pub(super) fn names_in(words: &[String], tournament: &Tournament) -> Result<Vec<String>, Failure> {
    let mut bots = Vec::new();
    if words.iter().any(|word| is_path(word)) {
        for event in &tournament.events {
            bots.extend(field(tournament, event)?);
        }
    }
    let name = |word: &String| match is_path(word) {
        true => name_at(word, &bots),
        false => Ok(word.clone()),
    };
    words.iter().map(name).collect()
}

/// Returns whether a word is meant as a path: names are written without a folder or an ending.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.']) && Path::new(word).exists()
}

fn name_at(word: &str, bots: &[BotSource]) -> Result<String, Failure> {
    let place = Path::new(word).canonicalize().ok();
    let is_there = |path: &PathBuf| path.canonicalize().ok() == place;
    let found = bots.iter().find(|bot| is_there(&bot.found) || is_there(&bot.source));
    found.map(|bot| bot.name().to_owned()).ok_or_else(|| {
        let message = format!("`{}` is no bot of the tournament", escaped(word));
        Failure::usage(message).hint("`bots:` of an event lists them")
    })
}

/// Returns the bots of an event, without running any of their code.
fn field(tournament: &Tournament, event: &Event) -> Result<Vec<BotSource>, Failure> {
    let wrong = |problems| Failure::usage(ConfigErrors(problems).to_string());
    let languages = Languages::of_tournament(tournament).map_err(wrong)?;
    let store =
        FolderStore::open(&shared::cache_folder()).map_err(|error| Failure::machine(&error))?;
    let search = BotSearch {
        file: &tournament.file,
        folder: &tournament.folder,
        globs: &event.bots,
        game: event.game.spec(),
        languages: languages.sources(),
        per_owner: PerOwner::Any,
        cache: &store.archives(),
        cancel: &Cancel::default(),
    };
    Ok(joust_bots::survey(&search).0)
}
