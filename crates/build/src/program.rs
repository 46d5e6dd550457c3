//! Program of a build: the one file of a result that a turn starts.

use std::path::Path;

use joust_bots::{SourceTree, source::FileKind};
use joust_toolchain::{BOT, Recipe};

/// Returns the file of the first glob that matches any; `None` when nothing is
/// looked for.
pub(crate) fn first_match(tree: &SourceTree, globs: &[String]) -> Result<Option<String>, String> {
    for glob in globs {
        if let Some(found) = only_match(tree, glob)? {
            return Ok(Some(found));
        }
    }
    match globs {
        [] => Ok(None),
        globs => {
            let made = alike(tree, &globs[0]);
            Err(format!("made nothing that matches `{}`{made}", globs.join("` or `")))
        }
    }
}

/// Names files that end like what was looked for.
fn alike(tree: &SourceTree, wanted: &str) -> String {
    let extension = |path: &str| Path::new(path).extension().map(|end| end.to_ascii_lowercase());
    let wanted = extension(wanted);
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let same = paths.filter(|path| wanted.is_some() && extension(path) == wanted);
    let same: Vec<String> = same.take(4).map(|path| format!("`{path}`")).collect();
    if same.is_empty() { String::new() } else { format!("; it made {}", same.join(", ")) }
}

/// Returns the file that matches, if need be in another case.
fn only_match(tree: &SourceTree, glob: &str) -> Result<Option<String>, String> {
    for any_case in [false, true] {
        let mut builder = globset::GlobBuilder::new(glob);
        let glob_matcher = builder.literal_separator(true).case_insensitive(any_case).build();
        let matcher = glob_matcher.map_err(|error| error.to_string())?.compile_matcher();
        let mut found = tree.files.iter().filter(|file| matcher.is_match(&file.path));
        match (found.next(), found.next()) {
            (Some(one), None) => return Ok(Some(one.path.clone())),
            (None, _) => {}
            (Some(_), Some(_)) => {
                return Err(format!("made more than one file that matches `{glob}`"));
            }
        }
    }
    Ok(None)
}

/// Returns the program of a turn if it is a file of the bot, relative to the bot's folder.
pub(crate) fn program_in_bot(recipe: &Recipe) -> Option<&str> {
    Some(recipe.inputs.run.first()?.strip_prefix(BOT)?.trim_start_matches('/'))
}

/// Describes the fault of the program of a turn, if that is a file of the bot.
pub(crate) fn missing_program(recipe: &Recipe, tree: &SourceTree) -> Option<String> {
    let program = program_in_bot(recipe)?;
    let file = tree.files.iter().find(|file| file.path == program);
    match file.map(|file| &file.kind) {
        None => Some(format!("made no `{program}`")),
        Some(FileKind::Link(_)) => Some(format!("made `{program}`, which is a link")),
        Some(FileKind::Plain { executable: false, .. }) => {
            Some(format!("made `{program}`, which may not be executed"))
        }
        Some(FileKind::Plain { .. }) => None,
    }
}
