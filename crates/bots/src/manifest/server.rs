//! Folder with a web server, as its author deploys it. Files of other systems say how it is started;
//! a `bot.yaml` beside them may say it instead.

mod dockerfile;
mod package_json;
mod procfile;
mod replit;
mod start;
mod words;

use super::{Candidate, Format, Manifest, bot_yaml};
use crate::name;
use crate::problem::BotProblem;
use start::FoundStart;

/// A folder with a web server.
pub(super) struct Server;

/// Keys of bots that are web servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerKeys {
    /// Port at which it listens whatever it is given; `None` for the port that it is given.
    pub port: Option<u16>,
    /// Prefix of the paths of all requests: empty, or `/` and a name.
    pub path: String,
}

impl Format for Server {
    fn form(&self) -> &'static str {
        "a folder with a web server (its main file, a `Procfile`, `Dockerfile`, `.replit` or \
         `package.json` says how it is started, or a `bot.yaml` with `language`, `build`, `run`)"
    }

    fn name(&self) -> &'static str {
        "server"
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        candidate.path.is_dir()
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
        let wrong = |message: String| vec![BotProblem::new(candidate.path, message)];
        let called = candidate.name().ok_or_else(|| wrong("its name is not UTF-8".to_owned()))?;
        let called = name::normalise(called).map_err(|error| wrong(error.to_string()))?;
        let found = start::find(candidate.path, candidate.languages);
        let language = candidate.language.or(found.language.as_deref());
        if bot_yaml::is_there(candidate) {
            let manifest = bot_yaml::read_server(candidate, &called, language)?;
            return Ok(with_start(manifest, found));
        }
        let Some(language) = language else {
            let problem = BotProblem::new(candidate.path, "its language is not clear");
            return Err(vec![problem.hint("a `bot.yaml` in it may say `language: python`")]);
        };
        let manifest = Manifest {
            name: called,
            language: language.to_owned(),
            enabled: true,
            server: Some(ServerKeys::default()),
            ..Manifest::default()
        };
        Ok(with_start(manifest, found))
    }
}

/// Adds the start that was found to a manifest that sets none. A start in another language is not
/// the bot's.
fn with_start(manifest: Manifest, found: FoundStart) -> Manifest {
    let is_of_another = found.language.is_some_and(|language| language != manifest.language);
    let Manifest { entry, run, build, .. } = &manifest;
    if is_of_another || entry.is_some() || run.is_some() {
        let run = run.clone().map(words::with_ports);
        return Manifest { run, ..manifest };
    }
    let build = build.clone().or(found.build);
    Manifest { entry: found.entry, run: found.run, build, ..manifest }
}

#[cfg(test)]
mod tests;
