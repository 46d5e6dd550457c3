//! Folder with a web server, as its author deploys it. Files of other systems say how it is
//! started; a `bot.yaml` beside them may say it instead.

mod dockerfile;
mod package_json;
mod procfile;
mod replit;
mod start;
mod words;

use super::{Candidate, Format, Manifest, bot_yaml};
use crate::problem::BotProblem;
use start::FoundStart;

/// Keys of bots that are web servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerKeys {
    /// Port at which it listens whatever it is given; `None` for the port that it is given.
    pub port: Option<u16>,
    /// Prefix of the paths of all requests: empty, or `/` and a name.
    pub path: String,
}

/// A folder with a web server.
pub(super) const FORMAT: Format = Format {
    name: "server",
    form: "a folder with a web server (its main file, a `Procfile`, `Dockerfile`, `.replit` or \
           `package.json` says how it is started, or a `bot.yaml` with `language`, `build`, `run`)",
    fits: |candidate| candidate.path.is_dir(),
    read,
};

fn read(candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let found = start::find(candidate.path, candidate.languages);
    let language = candidate.language.or(found.language.as_deref());
    let plain = candidate.plain(language.unwrap_or_default())?;
    if bot_yaml::is_there(candidate) {
        let manifest = bot_yaml::read_server(candidate, &plain.name, language)?;
        return Ok(with_start(manifest, found));
    }
    if language.is_none() {
        let problem = BotProblem::new(candidate.path, "its language is not clear");
        return Err(vec![problem.hint("a `bot.yaml` in it may say `language: python`")]);
    }
    Ok(with_start(Manifest { server: Some(ServerKeys::default()), ..plain }, found))
}

/// Adds the start that was found to a manifest that sets none. A start in another language is not
/// the bot's.
fn with_start(manifest: Manifest, found: FoundStart) -> Manifest {
    let is_of_another = found.language.is_some_and(|language| language != manifest.language);
    let Manifest { entry, run, build, .. } = &manifest;
    if is_of_another || entry.is_some() || run.is_some() {
        let run = run.as_ref().map(|run| run.iter().map(|word| words::with_port(word)).collect());
        return Manifest { run, ..manifest };
    }
    let build = build.clone().or(found.build);
    Manifest { entry: found.entry, run: found.run, build, ..manifest }
}

#[cfg(test)]
mod tests;
