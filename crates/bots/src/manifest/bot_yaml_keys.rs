//! Keys of a `bot.yaml`: reader and schema follow from them.

use std::num::NonZeroU16;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Command, split_words};
use crate::name;
use crate::source_language::SourceLanguages;
use joust_config::schema::{described, schema_of};
use joust_config::{Rejection, Word};

/// Forms of a command.
const COMMANDS: &str = "a command is a text, `make all`, or a list of words, `[make, all]`; \
    `build` may be a list of commands";

/// Path that stays in the bot's folder.
const ENTRY: &str = r"^(?![/\\])(?!.*:)(?!(.*[/\\])?\.\.([/\\]|$))(?!.*[/\\]{2})(?!.*[/\\]$)";

/// Prefix of paths, as [`ServerPath`] accepts it.
const SERVER_PATH: &str = r"^/([-._~/A-Za-z0-9]{0,198}[-._~A-Za-z0-9])$";

/// Longest prefix of paths, bytes.
const LONGEST_SERVER_PATH: usize = 200;

/// Keys of the file.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ManifestKeys {
    /// Name in the tables. Required, except for a web server.
    #[schemars(schema_with = "name_schema")]
    pub(super) name: Option<BotName>,
    /// Author.
    pub(super) author: Option<Word>,
    /// Owner, for events that allow one bot each.
    pub(super) owner: Option<Word>,
    /// Id of its language. Default: the language of the extension of `entry`; a web server's is
    /// found by its files.
    pub(super) language: Option<Word>,
    /// Main file, relative to this one.
    pub(super) entry: Option<Entry>,
    /// Commands in place of the language's build; no shell sees them.
    #[schemars(schema_with = "build_schema")]
    pub(super) build: Option<BuildCommands>,
    /// Command in place of the language's; no shell sees it.
    #[schemars(schema_with = "run_schema")]
    pub(super) run: Option<FullCommand>,
    /// Arguments before what the game passes.
    pub(super) args: Option<CommandWords>,
    /// Port of a web server that listens at this one, whatever `PORT` says.
    pub(super) port: Option<NonZeroU16>,
    /// Prefix of all paths of a web server, such as `/ann`.
    pub(super) path: Option<ServerPath>,
    /// Participation. Default true.
    pub(super) enabled: Option<bool>,
    /// Participation in a field that is empty otherwise. Default false.
    pub(super) example: Option<bool>,
}

/// Returns the schema of a `bot.yaml`.
pub fn schema(languages: &SourceLanguages) -> Value {
    let mut schema = schema_of::<ManifestKeys>();
    schema["title"] = "A bot of Joust (bot.yaml)".into();
    // A tournament may have added languages, so the shipped ones are only offered.
    let place = &mut schema["properties"]["language"];
    let text = place["description"].as_str().unwrap_or_default().to_owned();
    let ids: Vec<&str> = languages.ids().collect();
    *place = described(json!({ "anyOf": [{ "enum": ids }, place.take()] }), &text);
    schema
}

fn name_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number"], "minLength": 1 })
}

fn run_schema(_: &mut SchemaGenerator) -> Schema {
    full_command_schema(&json!({ "type": ["string", "number"] }))
}

fn build_schema(generator: &mut SchemaGenerator) -> Schema {
    full_command_schema(&run_schema(generator).to_value())
}

/// A line that is not blank, or a list of at least one `item`.
fn full_command_schema(item: &Value) -> Schema {
    let line = json!({ "type": ["string", "number"], "pattern": r"\S" });
    let least = u8::from(item.get("anyOf").is_none());
    json_schema!({ "anyOf": [line, { "type": "array", "items": item, "minItems": least }] })
}

/// Name of a bot in its normal form.
#[derive(Deserialize)]
#[serde(try_from = "Word")]
pub(super) struct BotName(pub(super) String);

impl TryFrom<Word> for BotName {
    type Error = Rejection;

    fn try_from(Word(text): Word) -> Result<Self, Rejection> {
        let hint = "a name has 1 to 64 letters, digits and signs that can be seen";
        let name = name::normalise(&text);
        name.map(Self).map_err(|error| Rejection::new(error.to_string(), hint))
    }
}

/// Path of a file within the bot's folder, with `/`.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Word")]
#[schemars(with = "String", extend("pattern" = ENTRY))]
pub(super) struct Entry(pub(super) String);

impl TryFrom<Word> for Entry {
    type Error = Rejection;

    fn try_from(Word(entry): Word) -> Result<Self, Rejection> {
        let parts: Vec<&str> = entry.split(['/', '\\']).filter(|part| *part != ".").collect();
        let leaves = entry.starts_with(['/', '\\'])
            || parts.iter().any(|part| *part == ".." || part.is_empty() || part.contains(':'));
        let hint = "name a file within it, such as `entry: main.py`";
        Rejection::unless(!leaves, format!("`{entry:.64}` leaves the bot's folder"), hint)?;
        Ok(Self(parts.join("/")))
    }
}

/// Prefix of the paths of a web server.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Word")]
#[schemars(with = "String", extend("pattern" = SERVER_PATH))]
pub(super) struct ServerPath(pub(super) String);

impl TryFrom<Word> for ServerPath {
    type Error = Rejection;

    fn try_from(Word(path): Word) -> Result<Self, Rejection> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
        let is_path = path.starts_with('/') && !path.ends_with('/') && path.chars().all(is_plain);
        let is_good = is_path && path.len() <= LONGEST_SERVER_PATH;
        let hint = "write it as `path: /name`";
        Rejection::unless(is_good, format!("`{path:.64}` is no prefix of paths"), hint)?;
        Ok(Self(path))
    }
}

/// Forms of a command.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
enum CommandForm {
    Text(Word),
    Number(Word),
    List(Vec<Word>),
}

/// Words of a command; there may be none.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "CommandForm")]
#[schemars(with = "CommandForm")]
pub(super) struct CommandWords(pub(super) Command);

impl TryFrom<CommandForm> for CommandWords {
    type Error = Rejection;

    fn try_from(form: CommandForm) -> Result<Self, Rejection> {
        let words = match form {
            CommandForm::Text(Word(text)) | CommandForm::Number(Word(text)) => {
                split_words(&text).map_err(|reason| Rejection::new(reason, COMMANDS))?
            }
            CommandForm::List(words) => words.into_iter().map(|word| word.0).collect(),
        };
        let is_plain = !words.iter().any(|word| word.contains('\0'));
        Rejection::unless(is_plain, "a word contains a NUL character", COMMANDS)?;
        Ok(Self(words))
    }
}

/// Command with a program.
#[derive(Deserialize)]
#[serde(try_from = "CommandWords")]
pub(super) struct FullCommand(pub(super) Command);

impl TryFrom<CommandWords> for FullCommand {
    type Error = Rejection;

    fn try_from(CommandWords(words): CommandWords) -> Result<Self, Rejection> {
        Rejection::unless(!words.is_empty(), "a command is empty", COMMANDS)?;
        Ok(Self(words))
    }
}

/// Commands of a build: one, or a list of them.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BuildCommands {
    Text(FullCommand),
    List(Vec<FullCommand>),
}

impl BuildCommands {
    pub(super) fn into_commands(self) -> Vec<Command> {
        match self {
            Self::Text(command) => vec![command.0],
            Self::List(commands) => commands.into_iter().map(|command| command.0).collect(),
        }
    }
}
