//! Reader of a `game.yaml`.

use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use super::super::keys::game::{Ability, Channel, GameKeys, MOST_SEATS, RefereeLimitsKeys};
use super::super::plain_file::read_plain;
use super::super::read::Cursor;
use super::super::rejection::Rejection;
use super::content::{ContentBudget, FileSelection, RefereeContent, read_content};
use super::options::read_options;
use super::{ExternalGame, GAME_FILE, RefereeProgram, RemoteGame, is_id};
use joust_model::Limits;
use joust_referee::{
    AnswerForm, ChessClock, DefaultLimits, Described, ExternalSpec, Game, GameSpec, PeopleSpec,
    RankBy, SeatRange, Thinking, TimeRule,
};

/// Largest page of rules, in bytes.
const LARGEST_RULES: u64 = 1 << 20;

/// Location of a game's file.
pub(super) struct GameLocation<'a> {
    pub(super) file: &'a Path,
    pub(super) folder: &'a Path,
    /// Id in the tournament; empty for the id in the file.
    pub(super) id: &'a str,
    pub(super) budget: &'a ContentBudget,
}

/// Reads a game's file; mistakes are reported.
pub(super) fn read(file: &Cursor<'_>, place: &GameLocation<'_>) -> Option<ExternalGame> {
    let keys = read_keys(file)?;
    let own_id = own_id(&keys, file, place);
    let rules = rules_text(&keys, file, place);
    let content = folder_content(&keys, file, place);
    game(keys, file, place, GameText { own_id: own_id?, rules: rules?, content: content? })
}

/// Reads a game's file whose folder is elsewhere; mistakes are reported.
pub(super) fn read_remote(file: &Cursor<'_>, remote: &RemoteGame<'_>) -> Option<ExternalGame> {
    let keys = read_keys(file)?;
    let content = RefereeContent { hash: remote.hash, files: Vec::new() };
    // No file lies beneath it.
    let folder = Path::new("/dev/null");
    let budget = &ContentBudget::default();
    let place = GameLocation { file: Path::new(GAME_FILE), folder, id: remote.id, budget };
    let are_ids = is_id(remote.id) && is_id(remote.own_id);
    let text =
        GameText { own_id: remote.own_id.to_owned(), rules: remote.rules.to_owned(), content };
    let read = game(keys, file, &place, text).filter(|_| are_ids)?;
    Some(ExternalGame { folder: Path::new(".").to_owned(), ..read })
}

/// Reads the keys, and reports values that contradict each other.
fn read_keys(file: &Cursor<'_>) -> Option<GameKeys> {
    let keys: GameKeys = file.read()?;
    if keys.seats.min.0 > keys.seats.max.0 {
        file.refuse_at("seats", "the fewest seats are more than the most", "`{ min: 2, max: 4 }`");
    }
    if keys.times.bank.is_some() && keys.times.per_move.is_none() {
        let hint = "add `move`: the bank pays what goes beyond it";
        file.refuse_at("times", "a bank without a time for each move", hint);
    }
    let answer = keys.answer.as_ref().map(|answer| &answer.0);
    let leaves_files = matches!(answer, Some(AnswerForm::Files(_)));
    if (keys.channel == Channel::Files) != leaves_files {
        let key = if file.get("answer").is_some() { "answer" } else { "channel" };
        let hint = "`channel: files` goes with `answer: { files: [move.txt] }`";
        file.refuse_at(key, "channel and answer do not fit", hint);
    }
    let is_one_line = matches!(answer, None | Some(AnswerForm::Lines(1)));
    if keys.channel == Channel::Argv && !leaves_files && !is_one_line {
        let hint = "leave `answer` out, or write `channel: lines` for a program that stays";
        file.refuse_at("answer", "with `channel: argv` all that a bot prints is its answer", hint);
    }
    if keys.channel == Channel::Http && answer.is_some() {
        let hint = "leave `answer` out";
        file.refuse_at(
            "answer",
            "with `channel: http` the response to a request is the answer",
            hint,
        );
    }
    let names = file.find(&["viewer", "seats"]);
    if let Some(names) = names.filter(|names| names.items().len() > MOST_SEATS) {
        names.refuse(Rejection::bare(format!("a game has at most {MOST_SEATS} seats")));
    }
    Some(keys)
}

fn own_id(keys: &GameKeys, file: &Cursor<'_>, place: &GameLocation<'_>) -> Option<String> {
    let name = || {
        let of_file = place.file.file_stem().filter(|stem| *stem != "game");
        let folder = std::path::absolute(place.folder).ok()?;
        let name = of_file.or(folder.file_name())?.to_str()?.to_lowercase();
        Some(name.replace('_', "-"))
    };
    let tournaments = (!place.id.is_empty()).then(|| place.id.to_owned());
    let id = keys.id.clone().or(tournaments).or_else(name).unwrap_or_default();
    if is_id(&id) {
        return Some(id);
    }
    let hint = "lower-case words joined by `-`: `id: my-game`";
    match file.get("id") {
        Some(at) => at.refuse(Rejection::new(format!("`{id}` is no id of a game"), hint)),
        None => file.refuse_missing("id", hint),
    }
    None
}

fn rules_text(keys: &GameKeys, file: &Cursor<'_>, place: &GameLocation<'_>) -> Option<String> {
    let Some(path) = &keys.rules else { return Some(String::new()) };
    let at = file.get("rules")?;
    if !stays_inside(place.folder, path) {
        let message = format!("`{path}` does not stay inside the game's folder");
        let hint = "the page lies beside the game's file: `rules: rules.md`";
        at.refuse(Rejection::new(message, hint));
        return None;
    }
    let bytes = read_plain(&place.folder.join(path), LARGEST_RULES).map_err(|why| why.to_string());
    let text = bytes
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "the page is not UTF-8".to_owned()));
    let refuse =
        |why: &String| at.refuse(Rejection::new(format!("`{path}`: {why}"), "a page in Markdown"));
    text.inspect_err(refuse).ok()
}

fn folder_content(
    keys: &GameKeys,
    file: &Cursor<'_>,
    place: &GameLocation<'_>,
) -> Option<RefereeContent> {
    let patterns: Vec<&str> = keys.files.iter().map(|pattern| pattern.0.as_str()).collect();
    let refuse = |why: &str| match file.get("files") {
        Some(at) => at.refuse(Rejection::bare(why)),
        None => file.refuse_missing("files", why),
    };
    let counted = FileSelection::of(&patterns).inspect_err(|why| refuse(&why.to_string())).ok()?;
    let content = read_content(place.folder, place.file, &counted, place.budget);
    content.inspect_err(|why| refuse(&format!("the folder cannot be read: {why}"))).ok()
}

/// Texts and files of a game beside its keys.
struct GameText {
    own_id: String,
    rules: String,
    content: RefereeContent,
}

/// Returns the limits of its bots unless the tournament sets others.
fn bot_limits(keys: &GameKeys) -> DefaultLimits {
    let clock = keys.times.clock.map(ChessClock::from);
    let turn = keys.times.per_move.map(|time| time.0).or(clock.map(|clock| clock.base));
    let kill = turn.map(|turn| turn.saturating_mul(2).max(Limits::default().kill));
    let start = keys.times.first.map(|time| time.0);
    DefaultLimits { start, turn, kill, ..DefaultLimits::default() }
}

fn game(
    keys: GameKeys,
    file: &Cursor<'_>,
    place: &GameLocation<'_>,
    text: GameText,
) -> Option<ExternalGame> {
    let GameText { own_id, rules, content } = text;
    let id = if place.id.is_empty() { own_id.clone() } else { place.id.to_owned() };
    let of_folders = if keys.channel == Channel::Http { "server" } else { "bot.yaml" };
    let seat = |count: u32| u8::try_from(count).ok();
    let can: Vec<String> = keys.can.iter().map(ToString::to_string).collect();
    let spec = GameSpec {
        title: keys.title.clone().unwrap_or_else(|| id.clone()),
        id,
        revision: 1,
        rule_sets: vec!["standard".to_owned()],
        seats: SeatRange { fewest: seat(keys.seats.min.0)?, most: seat(keys.seats.max.0)? },
        thinking: match keys.simultaneous {
            true => Thinking::Together,
            false => Thinking::OneAfterAnother,
        },
        rank_by: keys.rank_by.map_or(RankBy::Points, |key| key.0),
        score_unit: keys.viewer.score.as_ref().map(|unit| unit.0.clone()).unwrap_or_default(),
        clock: None,
        channel: keys.channel.to_string(),
        manifests: vec![of_folders.to_owned(), "single-file".to_owned()],
        limits: bot_limits(&keys),
        options: read_options(file),
        original_names: Vec::new(),
        answer_ms: None,
        people: PeopleSpec::default(),
        tcp: None,
        agent_module: None,
        has_recording: false,
        external: Some(ExternalSpec {
            hash: content.hash,
            answer: match (keys.channel, keys.answer) {
                (Channel::Http, _) => AnswerForm::Response,
                (_, answer) => answer.map_or(AnswerForm::Lines(1), |answer| answer.0),
            },
            times: TimeRule {
                bank: keys.times.bank.map(|time| time.0),
                clock: keys.times.clock.map(Into::into),
                is_shown: keys.placeholders,
            },
            is_repeatable: keys.can.contains(&Ability::Rejudge),
            stays: keys.channel == Channel::Lines,
            viewer: keys.viewer.into(),
        }),
        rules_text: rules,
    };
    let RefereeLimitsKeys { start, step, memory, processes, disk } = keys.limits;
    let limits = Limits {
        start: start.0,
        turn: step.0,
        kill: step.0,
        memory: memory.0.0,
        processes: processes.0,
        disk: disk.0,
        bout: Duration::from_secs(7 * 24 * 3600),
        ..Limits::default()
    };
    let program = RefereeProgram {
        language: keys.language,
        entry: keys.entry,
        build: keys.build,
        run: keys.run,
        provides: keys.provides.read(place.folder, file.get("provides").as_ref()),
    };
    Some(ExternalGame {
        game: Game::new(Arc::new(Described(spec))),
        text: String::new(),
        folder: place.folder.to_owned(),
        files: content.files,
        own_id,
        version: keys.version.unwrap_or_else(|| "1".to_owned()),
        can,
        program,
        limits,
    })
}

/// Returns whether a file lies in the folder that its path is relative to, also where links lead.
/// A file that is not there leads nowhere.
fn stays_inside(folder: &Path, path: &str) -> bool {
    let goes_down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let leads_out = || {
        let (folder, file) = (folder.canonicalize().ok()?, folder.join(path).canonicalize().ok()?);
        Some(!file.starts_with(folder))
    };
    Path::new(path).components().all(goes_down) && !leads_out().unwrap_or_default()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leaves_the_folder_does_not_stay_inside() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let game = home.path().join("game");
        std::fs::create_dir(&game).expect("a folder can be made");
        std::fs::write(home.path().join("x.md"), "").expect("a file can be written");
        std::fs::write(game.join("rules.md"), "").expect("a file can be written");
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, game.join(name));
        link("../x.md", "out.md").expect("a link can be made");
        link("rules.md", "in.md").expect("a link can be made");
        let stays = ["rules.md", "./rules.md", "in.md", "none.md", "out.md", "../game/rules.md"];
        assert_eq!(
            stays.map(|path| stays_inside(&game, path)),
            [true, true, true, true, false, false]
        );
    }
}
