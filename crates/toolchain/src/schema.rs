//! Schemas: the shapes of a `bot.yaml` and of a tournament's `languages:` as JSON Schema,
//! for editors. Tests ask the readers for their keys and compare.

use serde_json::{Map, Value, json};

use crate::language::Languages;
use joust_bots::manifest;
use joust_config::schema::{self, described};
use joust_referee::Catalogue;

/// Returns the schema of a `tournament.yaml` that knows these games.
#[must_use]
pub fn tournament(games: &Catalogue) -> Value {
    schema::schema(languages(), games)
}

/// Returns the schema of a `game.yaml`.
#[must_use]
pub fn game() -> Value {
    schema::of_game()
}

/// Returns the schema of a `bot.yaml` that knows the shipped languages.
#[must_use]
pub fn bot() -> Value {
    manifest::schema(Languages::shipped().sources())
}

fn properties<const N: usize>(keys: [(&str, Value, &str); N]) -> Map<String, Value> {
    keys.into_iter().map(|(key, value, text)| (key.to_owned(), described(value, text))).collect()
}

/// A shipped language's fields can be changed one by one; a new one needs them all.
fn languages() -> Value {
    let (shipped, mut new) = (Languages::shipped(), fields());
    new["type"] = "object".into();
    new["required"] = json!(["title", "variants"]);
    let known = shipped.iter().map(|(id, language)| {
        (id.to_owned(), described(fields(), &format!("Changes of {}.", language.title)))
    });
    json!({
        "type": ["object", "null"],
        "properties": known.collect::<Map<_, _>>(),
        "additionalProperties": new,
    })
}

fn fields() -> Value {
    let keys = [
        ("title", json!({ "type": "string" }), "What people call it."),
        ("extensions", texts(), "Extensions of source files, without the dot."),
        ("entry", texts(), "Names of the main file, tried in order."),
        ("ignore", texts(), "Files and folders that are not part of the source."),
        ("dependencies", texts(), "Globs of files by which a bot brings code of others."),
        ("environment", map(json!({ "type": "string" })), "Set in builds and turns."),
        ("shows", texts(), "Folders of the machine that turns see, read-only."),
        ("calibration", maybe_text(), "Folder of the do-nothing bot, relative to this file."),
        (
            "libraries",
            libraries(),
            "How a library set is made, of what an event provides or a bot's list names.",
        ),
        ("prepared", prepared(), "What builds have ready, made once of the tools alone."),
        ("installed", installed(), "What a machine's owner installed beside its own library."),
        (
            "variants",
            json!({ "type": "array", "minItems": 1, "items": variant() }),
            "Ways to build and run.",
        ),
    ];
    json!({ "type": ["object", "null"], "properties": properties(keys), "additionalProperties": false })
}

fn libraries() -> Value {
    let command = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
    let text = || json!({ "type": "string" });
    let by_name = |value: Value| json!({ "type": "object", "additionalProperties": value });
    let settings = json!({
        "type": "object",
        "properties": { "places": texts(), "keep": text(), "text": text(), "proxy": text() },
        "additionalProperties": false,
        "required": ["places", "keep", "text"],
    });
    let provided = json!({
        "type": "object",
        "properties": { "path": text(), "folder": text() },
        "additionalProperties": false,
        "required": ["path", "folder"],
    });
    let commands = || json!({ "type": "array", "items": command });
    let keys = [
        ("of", text(), "The variant whose tools fetch."),
        ("list", text(), "The name of the list by which a bot names its own."),
        ("needs", texts(), "`GLOB | REGEX` of what says that a bot depends on something."),
        ("locks", maybe_text(), "The command with which an author writes the list."),
        ("shipped", maybe_text(), "The folder in which a bot ships what its list names."),
        ("given", texts(), "Globs of the files of the source that the package manager sees."),
        ("named", texts(), "Globs of the files that it sees empty."),
        ("any_case", json!({ "type": "boolean" }), "Whether case of packages' names is nothing."),
        ("alike", text(), "Characters that are the same in names of packages."),
        ("pass", texts(), "Variables of the organiser's that say where to fetch from."),
        ("certificates", texts(), "Variables of the organiser's that name certificates."),
        ("settings", by_name(settings), "Files of the organiser's, by their path in `{tmp}`."),
        ("environment", by_name(text()), "Set while a set is fetched."),
        ("files", by_name(text()), "Files beside the list."),
        ("probe_files", by_name(text()), "Files that the commands of `probe` find."),
        ("probe", commands(), "Commands that fetch something small."),
        ("build", commands(), "Commands, beside the list; `{out}` is where the set is made."),
        (
            "provided",
            provided,
            "For sets of events: the variable that leads a runtime there, and what is added.",
        ),
        ("caches", by_name(text()), "Package caches that a bot's own set stands for in its build."),
    ];
    json!({
        "type": ["object", "null"],
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["of", "list", "build"],
    })
}

fn prepared() -> Value {
    let command = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
    let keys = [
        ("of", json!({ "type": "string" }), "The variant whose tools make it."),
        ("environment", map(json!({ "type": "string" })), "Set while it is made."),
        (
            "build",
            json!({ "type": "array", "items": command }),
            "Commands, in an empty folder; `{out}` is where it is made.",
        ),
        ("begin", command, "The command with which a build begins that has it, at `{prepared}`."),
    ];
    json!({
        "type": ["object", "null"],
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["of", "build", "begin"],
    })
}

fn cache() -> Value {
    let keys = [
        ("places", texts(), "Where it may be; the first place that is there is taken."),
        ("plugins_of", maybe_text(), "The group of the Maven plugins that builds see of it."),
    ];
    json!({
        "type": "object",
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["places"],
    })
}

fn installed() -> Value {
    let keys = [
        ("folders", texts(), "Globs of the folders; each begins with a folder of a tool."),
        ("code", texts(), "Globs of files there that run code at every start."),
    ];
    json!({
        "type": ["object", "null"],
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["folders"],
    })
}

fn variant() -> Value {
    let command = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
    let keys = [
        ("name", json!({ "type": "string" }), "Its name within the language."),
        (
            "project",
            json!({ "type": "boolean" }),
            "Whether it is for manifests that name a project.",
        ),
        ("when", texts(), "Globs of which one must match a file of the source."),
        ("install", json!({ "type": "string" }), "The command that installs its tools."),
        ("programs", map(program()), "The tools by name."),
        ("environment", map(json!({ "type": "string" })), "Set in builds and turns."),
        ("caches", map(cache()), "Package caches of the machine, read by builds."),
        ("files", map(json!({ "type": "string" })), "Files laid into the source before the build."),
        ("folder", maybe_text(), "Where the commands of the build start."),
        ("newest", texts(), "Tools of which the newest release is taken, not the first on PATH."),
        (
            "hides_installed",
            json!({ "type": "boolean" }),
            "Whether turns see none of what is `installed`.",
        ),
        (
            "bring",
            json!({ "type": "array", "items": command }),
            "Commands before it that bring what the bot's own list names.",
        ),
        ("build", json!({ "type": "array", "items": command }), "Commands of the build."),
        (
            "optional",
            json!({ "type": "array", "items": command }),
            "Commands after it that may fail.",
        ),
        (
            "otherwise",
            json!({ "type": "array", "items": { "type": "array", "items": command } }),
            "Builds to try in order, each from the source anew, while the one before failed.",
        ),
        ("shipped", maybe_text(), "The file of the source that plays where every build failed."),
        ("run", command.clone(), "The command of a turn."),
        (
            "program",
            json!({ "anyOf": [{ "type": "string" }, texts()] }),
            "Globs of the result's program.",
        ),
    ];
    json!({
        "type": "object",
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["name", "install", "programs", "run"],
    })
}

fn program() -> Value {
    let keys = [
        ("find", texts(), "Names searched on PATH, in order."),
        ("also", texts(), "Globs of further places; `~` is the home."),
        ("at", maybe_text(), "Where it lies, told by another tool."),
        ("ask", texts(), "Arguments that make it tell its folders."),
        (
            "folders",
            map(json!({ "type": "string" })),
            "How the line begins that tells each folder.",
        ),
        (
            "up",
            json!({ "type": "integer", "minimum": 0 }),
            "How many steps above it its home lies.",
        ),
        ("program", maybe_text(), "The real program, with folders as place-holders."),
        ("version", texts(), "Arguments that print the version."),
        ("accept", maybe_text(), "What the version must contain."),
        ("older", older(), "The older release that some sources ask for."),
    ];
    let searched = json!({ "required": ["find"], "properties": { "find": { "minItems": 1 } } });
    json!({
        "type": "object",
        "properties": properties(keys),
        "additionalProperties": false,
        "oneOf": [searched, { "required": ["at"] }],
    })
}

fn older() -> Value {
    let keys = [
        ("accept", json!({ "type": "string" }), "What its version must contain."),
        ("when", texts(), "Globs of files, `GLOB | REGEX`, of which one must match."),
        ("unless", texts(), "Likewise, of which none may match."),
        ("lacking", json!({ "type": "string" }), "Said of a build that failed without it."),
    ];
    json!({
        "type": ["object", "null"],
        "properties": properties(keys),
        "additionalProperties": false,
        "required": ["accept", "when", "lacking"],
    })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn maybe_text() -> Value {
    json!({ "type": ["string", "null"] })
}

fn map(value: Value) -> Value {
    json!({ "type": "object", "additionalProperties": value })
}

#[cfg(test)]
mod tests;
