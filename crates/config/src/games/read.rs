//! Reader of a `game.yaml`.

use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use super::super::plain_file::read_plain;
use super::super::section::Section;
use super::super::table::Origins;
use super::content::{Content, Counted, content};
use super::file::{CHANNELS, GameFile, RefereeLimits, Where};
use super::keys::GAME;
use super::{ExternalGame, GAME_FILE, RefereeProgram, ToldGame, is_id};
use joust_model::Limits;
use joust_referee::{
    AnswerForm, DefaultLimits, Described, ExternalSpec, Game, GameSpec, PeopleSpec, SeatRange,
    Thinking, TimeRule,
};

/// Largest page of rules, in bytes.
const LARGEST_RULES: u64 = 1 << 20;

/// Reads a game's file; mistakes are reported.
pub(super) fn read(section: Section<'_>, place: &Where<'_>) -> Option<ExternalGame> {
    let file = GameFile::read(&section);
    let own_id = file.own_id(&section, place);
    let rules = file.rules_text(&section, place);
    let content = file.content(&section, place);
    section.finish();
    file.game(&own_id?, rules?, content?, place)
}

/// Reads a game's file whose folder is elsewhere; mistakes are reported.
pub(super) fn read_told(section: Section<'_>, told: &ToldGame<'_>) -> Option<ExternalGame> {
    let file = GameFile::read(&section);
    section.finish();
    let content = Content { hash: told.hash, files: Vec::new() };
    let place = Where { file: Path::new(GAME_FILE), folder: Path::new("."), id: told.id };
    let are_ids = is_id(told.id) && is_id(told.own_id);
    file.game(told.own_id, told.rules.to_owned(), content, &place).filter(|_| are_ids)
}

impl GameFile {
    /// Reads the keys, and reports values that contradict each other.
    fn read(section: &Section<'_>) -> Self {
        let mut file = Self::default();
        GAME.set_defaults(&mut file);
        GAME.read(section, &mut file, &mut Origins::default());
        file.check_seats(section);
        file.check_times(section);
        file.check_answer(section);
        file
    }

    fn own_id(&self, section: &Section<'_>, place: &Where<'_>) -> Option<String> {
        let name = || {
            let of_file = place.file.file_stem().filter(|stem| *stem != "game");
            let folder = std::path::absolute(place.folder).ok()?;
            let name = of_file.or(folder.file_name())?.to_str()?.to_lowercase();
            Some(name.replace('_', "-"))
        };
        let tournaments = (!place.id.is_empty()).then(|| place.id.to_owned());
        let id = self.id.clone().or(tournaments).or_else(name).unwrap_or_default();
        if is_id(&id) {
            return Some(id);
        }
        let hint = "lower-case words joined by `-`: `id: my-game`";
        match section.item("id") {
            Some(item) => item.refuse(format!("`{id}` is no id of a game"), Some(hint.to_owned())),
            None => section.missing("id", hint),
        }
        None
    }

    fn rules_text(&self, section: &Section<'_>, place: &Where<'_>) -> Option<String> {
        let Some(path) = &self.rules else { return Some(String::new()) };
        if !stays_inside(place.folder, path) {
            let item = section.item("rules")?;
            let hint = "the page lies beside the game's file: `rules: rules.md`".to_owned();
            item.refuse(format!("`{path}` does not stay inside the game's folder"), Some(hint));
            return None;
        }
        let read =
            read_plain(&place.folder.join(path), LARGEST_RULES).map_err(|why| why.to_string());
        let text = read.and_then(|bytes| {
            String::from_utf8(bytes).map_err(|_| "the page is not UTF-8".to_owned())
        });
        let refuse = |why: &String| {
            if let Some(item) = section.item("rules") {
                item.refuse(format!("`{path}`: {why}"), Some("a page in Markdown".to_owned()));
            }
        };
        text.inspect_err(refuse).ok()
    }

    fn content(&self, section: &Section<'_>, place: &Where<'_>) -> Option<Content> {
        let counted = Counted::of(&self.files);
        let refuse = |why: &str| match section.item("files") {
            Some(item) => item.refuse(why, None),
            None => section.missing("files", why),
        };
        let counted = counted.inspect_err(|why| refuse(&why.to_string())).ok()?;
        let content = content(place.folder, place.file, &counted);
        content.inspect_err(|why| refuse(&format!("the folder cannot be read: {why}"))).ok()
    }

    fn check_seats(&self, section: &Section<'_>) {
        if self.seats.min > self.seats.max
            && let Some(item) = section.item("seats")
        {
            let hint = "`{ min: 2, max: 4 }`".to_owned();
            item.refuse("the fewest seats are more than the most", Some(hint));
        }
    }

    /// Files are read and left by programs of the channel `files` alone, and what belongs to an
    /// answer is only to be told of programs that give several.
    fn check_answer(&self, section: &Section<'_>) {
        self.check_channel(section);
        let is_one_line = matches!(self.answer, None | Some(AnswerForm::Lines(1)));
        let is_whole = self.channel == CHANNELS[1].1;
        let is_text = !matches!(self.answer, Some(AnswerForm::Files(_)));
        if is_whole
            && is_text
            && !is_one_line
            && let Some(item) = section.item("answer")
        {
            let hint = "leave `answer` out, or write `channel: lines` for a program that stays";
            let message = "with `channel: argv` all that a bot prints is its answer";
            item.refuse(message, Some(hint.to_owned()));
        }
    }

    fn check_channel(&self, section: &Section<'_>) {
        let reads_files = self.channel == CHANNELS[2].1;
        let leaves_files = matches!(self.answer, Some(AnswerForm::Files(_)));
        let hint = "`channel: files` goes with `answer: { files: [move.txt] }`";
        match section.item("answer").or_else(|| section.item("channel")) {
            Some(item) if reads_files != leaves_files => {
                item.refuse("channel and answer do not fit", Some(hint.to_owned()));
            }
            _ => {}
        }
    }

    fn check_times(&self, section: &Section<'_>) {
        if self.times.bank.is_some()
            && self.times.per_move.is_none()
            && let Some(item) = section.item("times")
        {
            let hint = "add `move`: the bank pays what goes beyond it".to_owned();
            item.refuse("a bank without a time for each move", Some(hint));
        }
    }

    /// Returns the limits of its bots unless the tournament sets others.
    fn bot_limits(&self) -> DefaultLimits {
        let turn = self.times.per_move.or(self.times.clock.map(|clock| clock.base));
        let kill = turn.map(|turn| turn.saturating_mul(2).max(Limits::default().kill));
        DefaultLimits { start: self.times.first, turn, kill, ..DefaultLimits::default() }
    }

    fn game(
        self,
        own_id: &str,
        rules_text: String,
        content: Content,
        place: &Where<'_>,
    ) -> Option<ExternalGame> {
        let id = if place.id.is_empty() { own_id } else { place.id }.to_owned();
        let seat = |count: u32| u8::try_from(count).ok();
        let spec = GameSpec {
            title: self.title.clone().unwrap_or_else(|| id.clone()),
            id,
            revision: 1,
            rule_sets: vec!["standard".to_owned()],
            seats: SeatRange { fewest: seat(self.seats.min)?, most: seat(self.seats.max)? },
            thinking: match self.simultaneous {
                true => Thinking::Together,
                false => Thinking::OneAfterAnother,
            },
            clock: None,
            channel: self.channel.to_owned(),
            manifests: vec!["bot.yaml".to_owned(), "single-file".to_owned()],
            limits: self.bot_limits(),
            options: self.options,
            original_names: Vec::new(),
            people: PeopleSpec::default(),
            tcp: None,
            agent_module: None,
            has_recording: false,
            external: Some(ExternalSpec {
                hash: content.hash,
                answer: self.answer.unwrap_or(AnswerForm::Lines(1)),
                times: TimeRule {
                    bank: self.times.bank,
                    clock: self.times.clock,
                    is_shown: self.placeholders,
                },
                is_repeatable: self.can.iter().any(|word| word == "rejudge"),
                stays: self.channel == CHANNELS[0].1,
                viewer: self.viewer,
            }),
            rules_text,
        };
        let RefereeLimits { start, step, memory, processes, disk } = self.limits;
        let limits = Limits {
            start,
            turn: step,
            kill: step,
            memory,
            processes,
            disk,
            bout: Duration::from_secs(7 * 24 * 3600),
            ..Limits::default()
        };
        let program = RefereeProgram {
            language: self.language,
            entry: self.entry,
            build: self.build,
            run: self.run,
            provides: self.provides,
        };
        Some(ExternalGame {
            game: Game::new(Arc::new(Described(spec))),
            text: String::new(),
            folder: place.folder.to_owned(),
            files: content.files,
            place: super::Place::START,
            own_id: own_id.to_owned(),
            version: self.version.unwrap_or_else(|| "1".to_owned()),
            can: self.can,
            program,
            limits,
        })
    }
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
