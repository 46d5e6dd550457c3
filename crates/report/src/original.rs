//! A bout in the files of its original: the replay folder, the logs in it, the recording.
//!
//! An [`OriginalReplay`] gets the bout's inputs and turns in the order in which
//! they happened, while it is played or from its logs, and hands over each file
//! as soon as the original would have written it. State files, maps and the
//! bots' own files are the original's byte for byte; the wording of `engine.log`
//! and `log.txt` is Joust's where no recording shows the original's.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use joust_referee::{
    Catalogue, Files, Input, LogKind, LogLine, Output, Outputs, Part, PlayerInfo, Recording,
    ReplayFolder, Seat, Verdict,
};

use super::timestamp::format_with;
use joust_model::{
    BoutPlan, Exit, Fold, FoldError, StoredBout, TurnLog, TurnLogError, TurnRecord, escaped,
    escaped_bytes, recorded_inputs,
};

/// Takes the files of a replay: the path relative to its root, and the bytes.
/// A later file of the same path takes the place of the earlier. A path that ends in
/// `/` is a folder without files.
pub type WriteFile<'a, E> = &'a mut dyn FnMut(&str, &[u8]) -> Result<(), E>;

/// Reason why a bout has no replay folder.
#[derive(Debug, thiserror::Error)]
pub enum ReplayUnavailable {
    /// The original of the game wrote none.
    #[error("the original of `{0}` writes no replay folder")]
    NoLayout(String),
    /// The bout cannot be judged again.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The turn log is damaged.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
}

/// A replay folder in the making.
pub struct OriginalReplay {
    fold: Fold,
    players: Vec<PlayerInfo>,
    people: Vec<bool>,
    kill: Duration,
    /// Milliseconds since 1970, advanced by the wall time of each turn.
    now_ms: i64,
    /// The folder of the round that is played, relative to the root.
    folder: String,
    open: HashMap<Seat, Files>,
    /// The folder of each turn whose log is still to be written.
    turns: BTreeMap<(u32, u8), String>,
    /// Logs that the original held back, by seat.
    held: BTreeMap<u8, String>,
    /// Reason why a command of a seat was refused, by seat and round: the log of the seat's next
    /// turn begins with it.
    refused: BTreeMap<(u8, u32), String>,
    /// The `engine.log` of a round for which turns are still missing.
    unfinished: Option<EngineLog>,
}

/// Lines of `engine.log` on a round, written once the times of its turns are known.
struct EngineLog {
    round: u32,
    folder: String,
    lines: Vec<LogLine>,
    /// Reasons why commands were refused, by seat.
    refused: Vec<(u8, String)>,
}

impl OriginalReplay {
    /// Begins the replay of a bout of one of `games` that started at `started_at`,
    /// milliseconds since 1970. `players` are in seat order.
    ///
    /// # Errors
    ///
    /// [`ReplayUnavailable`] when the original has no such folder or the bout cannot
    /// start.
    pub fn new(
        games: &Catalogue,
        plan: &BoutPlan,
        players: Vec<PlayerInfo>,
        started_at: i64,
    ) -> Result<Self, ReplayUnavailable> {
        let fold = Fold::start(games, plan, Outputs::new())?;
        let Some(replay) = fold.judge().replay_folder() else {
            return Err(ReplayUnavailable::NoLayout(plan.game.clone()));
        };
        let folder = replay.round(&players).folder;
        Ok(Self {
            fold,
            players,
            people: plan.seats.iter().map(joust_model::SeatPlan::is_person).collect(),
            kill: plan.limits.kill,
            now_ms: started_at,
            folder,
            open: HashMap::new(),
            turns: BTreeMap::new(),
            held: BTreeMap::new(),
            refused: BTreeMap::new(),
            unfinished: None,
        })
    }

    /// Writes the files of the first round.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn begin<E>(&mut self, put: WriteFile<'_, E>) -> Result<(), E> {
        self.put_root_files(put)?;
        self.take_outputs(put)
    }

    /// Takes an input of the game, and writes the files that follow from it.
    ///
    /// # Errors
    ///
    /// Those of `put`, and of the referee.
    pub fn input<E: From<FoldError>>(
        &mut self,
        input: &Input,
        put: WriteFile<'_, E>,
    ) -> Result<(), E> {
        if let Input::Answer { seat, parts, .. } = input
            && let Some(files) = self.open.remove(seat)
        {
            // A file that the bot could not have written is not the bot's.
            let own = |part: &&Part| files.answers.iter().any(|name| **name == *part.name);
            for part in parts.0.iter().filter(own) {
                put(&format!("{}/{}", files.folder, part.name), &part.bytes)?;
            }
        }
        self.fold.apply_input(input)?;
        self.take_outputs(put)
    }

    /// Takes a turn, and writes its log, unless the original held it back until the next turn.
    /// People have no log.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn turn<E>(&mut self, turn: &TurnRecord, put: WriteFile<'_, E>) -> Result<(), E> {
        if let Some(folder) = self.turns.remove(&(turn.round.0, turn.seat)) {
            self.put_log(turn, &folder, put)?;
        }
        if self.awaits_turns() { Ok(()) } else { self.put_engine_log(put) }
    }

    fn put_log<E>(
        &mut self,
        turn: &TurnRecord,
        folder: &str,
        put: WriteFile<'_, E>,
    ) -> Result<(), E> {
        let (seat, round) = (turn.seat, turn.round.0);
        if self.people.get(usize::from(seat)) == Some(&true) {
            return Ok(());
        }
        let mut text = self.held.remove(&seat).unwrap_or_default();
        while let Some(place) = self.refused.range((seat, 0)..(seat, round)).next() {
            let place = *place.0;
            text.push_str(&self.refused.remove(&place).unwrap_or_default());
        }
        let mut log = Log { now_ms: self.now_ms, text };
        log.turn(turn, self.kill);
        self.now_ms = log.now_ms;
        if self.replay().is_some_and(|replay| replay.holds_log_back(Seat(seat))) {
            self.held.insert(seat, log.text);
            return Ok(());
        }
        put(&format!("{folder}/log.txt"), log.text.as_bytes())
    }

    /// Returns the original's replay folder, whose existence was checked when the replay began.
    fn replay(&self) -> Option<&dyn ReplayFolder> {
        self.fold.judge().replay_folder()
    }

    fn take_outputs<E>(&mut self, put: WriteFile<'_, E>) -> Result<(), E> {
        for output in self.fold.take_outputs() {
            match output {
                Output::Ask { seat, files: Some(files), parts, .. } => {
                    if self.replay().is_some_and(ReplayFolder::keeps_views) {
                        put_all(&files.folder, &parts.0, put)?;
                    }
                    let place = (self.fold.judge().rounds(), seat.0);
                    self.turns.insert(place, files.folder.to_string());
                    self.open.insert(seat, files);
                }
                Output::RoundOver { round } => self.end_round(round, put)?,
                Output::Over(_) => {
                    let rewrites = self.replay().map(ReplayFolder::rewrites);
                    for rewritten in rewrites.unwrap_or_default() {
                        put_all(&rewritten.folder, &rewritten.files, put)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn end_round<E>(&mut self, round: u32, put: WriteFile<'_, E>) -> Result<(), E> {
        self.put_engine_log(put)?;
        if let Some(replay) = self.replay() {
            let seats = (0..self.people.len()).filter_map(|seat| u8::try_from(seat).ok());
            let refused = |seat| Some((seat, replay.refused(Seat(seat))?));
            self.unfinished = Some(EngineLog {
                round,
                folder: self.folder.clone(),
                lines: replay.engine_log(),
                refused: seats.filter_map(refused).collect(),
            });
        }
        if !self.awaits_turns() {
            self.put_engine_log(put)?;
        }
        self.put_root_files(put)
    }

    /// Returns whether turns of the round that ended have not been written.
    fn awaits_turns(&self) -> bool {
        let Some(log) = &self.unfinished else { return false };
        self.turns.range(..(log.round + 1, 0)).next().is_some()
    }

    fn put_engine_log<E>(&mut self, put: WriteFile<'_, E>) -> Result<(), E> {
        let Some(EngineLog { round, folder, lines, refused }) = self.unfinished.take() else {
            return Ok(());
        };
        let now_ms = self.now_ms;
        let mut log = Log { now_ms, text: String::new() };
        for line in lines {
            let kind = match line.kind {
                LogKind::Debug => 'D',
                LogKind::Info => 'I',
            };
            log.entry(kind, &escaped(&line.text));
        }
        for (seat, why) in refused {
            let mut log = Log { now_ms, text: String::new() };
            log.entry('E', &escaped(&why));
            self.refused.insert((seat, round), log.text);
        }
        put(&format!("{folder}/engine.log"), log.text.as_bytes())
    }

    fn put_root_files<E>(&mut self, put: WriteFile<'_, E>) -> Result<(), E> {
        let Some(replay) = self.replay() else { return Ok(()) };
        let round = replay.round(&self.players);
        for folder in replay.empty_folders() {
            put(&format!("{folder}/"), b"")?;
        }
        self.folder = round.folder;
        put_all(&self.folder, &round.files, put)
    }
}

fn put_all<E>(folder: &str, files: &[Part], put: WriteFile<'_, E>) -> Result<(), E> {
    files.iter().try_for_each(|file| put(&format!("{folder}/{}", file.name), &file.bytes))
}

/// The recorded inputs and turns of a bout, for [`OriginalReplay`].
pub struct RecordedInputs {
    /// In the order of play.
    pub inputs: Vec<Input>,
    /// In the order of judgement.
    pub turns: Vec<TurnRecord>,
}

impl RecordedInputs {
    /// Reads the logs of a stored bout.
    ///
    /// # Errors
    ///
    /// [`ReplayUnavailable`] when a log is damaged.
    pub fn of(stored: &StoredBout) -> Result<Self, ReplayUnavailable> {
        let inputs = recorded_inputs(&stored.result.action_log)?;
        Ok(Self { inputs, turns: TurnLog::read(&stored.result.turn_log)? })
    }

    /// Passes all inputs and turns to `replay`.
    ///
    /// # Errors
    ///
    /// Those of `put`, and of the referee.
    pub fn replay_into<E: From<FoldError>>(
        &self,
        replay: &mut OriginalReplay,
        put: WriteFile<'_, E>,
    ) -> Result<(), E> {
        replay.begin(put)?;
        let mut turns = self.turns.iter().peekable();
        for input in &self.inputs {
            let round = replay.fold.judge().rounds();
            replay.input(input, put)?;
            if replay.fold.judge().rounds() > round {
                while let Some(turn) = turns.next_if(|turn| turn.round.0 <= round) {
                    replay.turn(turn, put)?;
                }
            }
        }
        turns.try_for_each(|turn| replay.turn(turn, put))
    }
}

/// Returns the originals' name of a language; a language that they did not have keeps its id.
pub fn bot_type(language: &str) -> &str {
    const TYPES: [(&str, &str); 12] = [
        ("csharp", "CSharp"),
        ("java", "Java"),
        ("javascript", "JavaScript"),
        ("c", "CPlusPlus"),
        ("cpp", "CPlusPlus"),
        ("python2", "Python2"),
        ("python", "Python3"),
        ("fsharp", "FSharp"),
        ("go", "Golang"),
        ("rust", "Rust"),
        ("julia", "Julia"),
        ("scala", "Scala"),
    ];
    TYPES.iter().find(|(id, _)| *id == language).map_or(language, |(_, name)| name)
}

/// A log in the originals' form: each entry begins with a line break.
struct Log {
    /// Milliseconds since 1970.
    now_ms: i64,
    /// Progress of the writing.
    text: String,
}

impl Log {
    /// Appends one entry; `kind` is `D`, `I` or `E`.
    fn entry(&mut self, kind: char, message: &str) {
        let time = format_with(self.now_ms, "%d-%m-%Y %H:%M:%S");
        let ms = self.now_ms.rem_euclid(1000);
        self.text.push_str(&format!("\n{time}:{ms:03} - {kind}: \t{message}"));
    }

    /// Appends the log of a turn; `kill` is the time after which a bot is killed.
    fn turn(&mut self, turn: &TurnRecord, kill: Duration) {
        let kill = kill.as_millis();
        self.entry('I', &format!("Bot has {kill}ms to run before it will be forcefully killed"));
        let wall_ms = i64::try_from(turn.wall_us / 1000).unwrap_or(0);
        self.now_ms = self.now_ms.saturating_add(wall_ms);
        self.output('I', &turn.output);
        self.output('E', &turn.stderr);
        // The ends of the two streams.
        self.entry('E', "Output from bot: ");
        self.entry('I', "Output from bot: ");
        if turn.exit == Exit::Killed {
            self.entry('E', "Bot has been killed for taking to long to execute");
        }
        match turn.verdict() {
            Verdict::Ok => {}
            Verdict::Timeout => self.entry('E', "Your bot exceeded the maximum execution time"),
            other => self.entry('E', &format!("Your bot's turn ended in: {other}")),
        }
        if !turn.reason.is_empty() {
            self.entry('E', &escaped(&turn.reason));
        }
        let time = |us: u64| span(Duration::from_micros(us));
        let (wall, cpu) = (time(turn.wall_us), time(turn.cpu_us));
        self.entry('I', &format!("Your bots total execution time was {wall}"));
        self.entry('I', &format!("Your bots total processor time was {cpu}"));
        self.entry('I', &format!("Command: {}", escaped(&turn.action)));
    }

    fn output(&mut self, kind: char, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.entry(kind, &format!("Output from bot: {}", escaped_bytes(line)));
        }
    }
}

/// Returns `00:00:00.1980000`, as .NET writes a span of time.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:07}", time.subsec_nanos() / 100)
}

/// A recording in the making: given a bout's inputs in their order, it has the lines
/// that the original would have written.
pub struct OriginalRecording {
    fold: Fold,
}

impl OriginalRecording {
    /// Begins the recording of a bout of one of `games`.
    ///
    /// # Errors
    ///
    /// [`FoldError`] if the bout cannot start.
    pub fn new(games: &Catalogue, plan: &BoutPlan) -> Result<Self, FoldError> {
        Ok(Self { fold: Fold::start(games, plan, Outputs::without_views())? })
    }

    /// Returns the lines with which a recording begins, whatever bouts follow.
    pub fn head(&self) -> Vec<String> {
        self.fold.judge().recording().map(Recording::head).unwrap_or_default()
    }

    /// Takes an input of the game, and returns the lines that follow from it.
    ///
    /// # Errors
    ///
    /// [`FoldError`] if the referee failed.
    pub fn input(&mut self, input: &Input) -> Result<Vec<String>, FoldError> {
        let rounds = self.fold.judge().rounds();
        self.fold.apply_input(input)?;
        let is_over = self.fold.judge().rounds() > rounds;
        Ok(if is_over { self.round() } else { Vec::new() })
    }

    /// Returns the lines of the round that ended last, or those of the bout's start.
    pub fn round(&self) -> Vec<String> {
        self.fold.judge().recording().map(Recording::round).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use joust_model::{LimitSet, Round};

    use super::*;

    #[test]
    fn a_span_of_time_is_written_as_dotnet_does() {
        assert_eq!(span(Duration::from_millis(198)), "00:00:00.1980000");
        assert_eq!(span(Duration::from_micros(3_723_000_001)), "01:02:03.0000010");
    }

    #[test]
    fn an_entry_begins_with_a_line_break_and_its_time() {
        let mut log = Log { now_ms: 1_479_635_214_047, text: String::new() };
        log.entry('D', "Executing");
        assert_eq!(log.text, "\n20-11-2016 09:46:54:047 - D: \tExecuting");
    }

    #[test]
    fn times_of_a_forged_log_do_not_overflow() {
        let turn = TurnRecord {
            round: Round(0),
            seat: 0,
            verdict: 0,
            limits_hit: LimitSet(0),
            wall_us: u64::MAX,
            cpu_us: u64::MAX,
            cpu_partial: false,
            stall_us: 0,
            peak_memory_bytes: 0,
            exit: Exit::Running,
            action: String::new(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        };
        let mut log = Log { now_ms: i64::MAX - 1, text: String::new() };
        log.turn(&turn, Duration::MAX);
        assert_eq!(log.now_ms, i64::MAX);
    }
}
