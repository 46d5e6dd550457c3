//! A bout as the replay folder of its original: the same folders and files.
//!
//! An [`OriginalReplay`] is told the bout's inputs and turns in the order in which
//! they happened, while it is played or from its logs, and hands over each file
//! as soon as the original would have written it. State files, maps and the
//! bots' own files are the original's byte for byte; the wording of `engine.log`
//! and `log.txt` is Joust's where no recording shows the original's.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use joust_referee::log::{LogError, decode};
use joust_referee::{
    Files, Game, GameKind, Input, Output, Outputs, Part, PlayerInfo, ReplayRound, Seat, StartError,
};

use super::original_log::Log;
use joust_model::{BoutPlan, StoredBout, TurnLog, TurnLogError, TurnRecord, escaped};

/// Takes the files of a replay: the path relative to its root, and the bytes.
/// A later file of the same path takes the place of the earlier.
pub type Put<'a, E> = &'a mut dyn FnMut(&str, &[u8]) -> Result<(), E>;

/// Why a bout has no replay folder.
#[derive(Debug, thiserror::Error)]
pub enum NoReplay {
    /// The original of the game wrote none.
    #[error("the original of `{0}` writes no replay folder")]
    NoLayout(String),
    /// The bout cannot start as recorded.
    #[error("the bout cannot start as recorded")]
    Start(#[source] StartError),
    /// The action log is damaged.
    #[error("the action log is damaged")]
    Log(#[source] LogError),
    /// The action log's compression is damaged.
    #[error("the action log is damaged")]
    Compression(#[source] std::io::Error),
    /// The turn log is damaged.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
}

/// A replay folder in the making.
pub struct OriginalReplay {
    game: Box<dyn Game>,
    out: Outputs,
    players: Vec<PlayerInfo>,
    people: Vec<bool>,
    kill: Duration,
    /// Milliseconds since 1970, as far as the turns tell.
    now_ms: i64,
    /// The folder of the round that is played, relative to the root.
    folder: String,
    open: HashMap<Seat, Files>,
    /// The folder of each turn whose log is still to be written.
    turns: BTreeMap<(u32, u8), String>,
    /// Logs that the original held back, by seat.
    held: BTreeMap<u8, String>,
}

impl OriginalReplay {
    /// Begins the replay of a bout of `game` that started at `started_at`,
    /// milliseconds since 1970. `players` are in seat order.
    ///
    /// # Errors
    ///
    /// [`NoReplay`] when the original has no such folder or the bout cannot
    /// start.
    pub fn new(
        game: &dyn GameKind,
        plan: &BoutPlan,
        players: Vec<PlayerInfo>,
        started_at: i64,
    ) -> Result<Self, NoReplay> {
        let mut out = Outputs::new();
        let game = plan.start(game, &mut out).map_err(NoReplay::Start)?;
        let Some(ReplayRound { folder, .. }) = game.replay_round(&players) else {
            return Err(NoReplay::NoLayout(plan.game.clone()));
        };
        Ok(Self {
            game,
            out,
            players,
            people: plan.seats.iter().map(joust_model::SeatPlan::is_person).collect(),
            kill: plan.limits.kill,
            now_ms: started_at,
            folder,
            open: HashMap::new(),
            turns: BTreeMap::new(),
            held: BTreeMap::new(),
        })
    }

    /// Hands over the files of the first round.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn begin<E>(&mut self, put: Put<'_, E>) -> Result<(), E> {
        self.put_root_files(put)?;
        self.take_outputs(put)
    }

    /// Takes what the game was told, and hands over what follows.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn input<E>(&mut self, input: &Input, put: Put<'_, E>) -> Result<(), E> {
        if let Input::Answer { seat, parts, .. } = input
            && let Some(files) = self.open.remove(seat)
        {
            // A name that the bot could not have used is not the bot's.
            let own = |part: &&Part| files.answers.contains(&&*part.name);
            for part in parts.0.iter().filter(own) {
                put(&format!("{}/{}", files.folder, part.name), &part.bytes)?;
            }
        }
        self.game.next(input, &mut self.out);
        self.take_outputs(put)
    }

    /// Takes how a turn went, and hands over its log, unless the original held it
    /// back until the next one. People have none.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn turn<E>(&mut self, turn: &TurnRecord, put: Put<'_, E>) -> Result<(), E> {
        let folder = self.turns.remove(&(turn.round, turn.seat));
        let is_person = self.people.get(usize::from(turn.seat)) == Some(&true);
        let Some(folder) = folder.filter(|_| !is_person) else { return Ok(()) };
        let text = self.held.remove(&turn.seat).unwrap_or_default();
        let mut log = Log { now_ms: self.now_ms, text };
        log.turn(turn, self.kill);
        self.now_ms = log.now_ms;
        if self.game.replay_holds_log_back(Seat(turn.seat)) {
            self.held.insert(turn.seat, log.text);
            return Ok(());
        }
        put(&format!("{folder}/log.txt"), log.text.as_bytes())
    }

    fn take_outputs<E>(&mut self, put: Put<'_, E>) -> Result<(), E> {
        for output in std::mem::take(&mut self.out.list) {
            match output {
                Output::Ask { seat, files: Some(files), parts, .. } => {
                    if self.game.replay_keeps_views() {
                        put_all(&files.folder, &parts.0, put)?;
                    }
                    let place = (self.game.rounds(), seat.0);
                    self.turns.insert(place, files.folder.to_string());
                    self.open.insert(seat, files);
                }
                Output::RoundOver { .. } => self.end_round(put)?,
                Output::Over(_) => {
                    for rewritten in self.game.replay_rewrites() {
                        put_all(&rewritten.folder, &rewritten.files, put)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn end_round<E>(&mut self, put: Put<'_, E>) -> Result<(), E> {
        let mut log = Log { now_ms: self.now_ms, text: String::new() };
        for line in self.game.engine_log() {
            let kind = if line.starts_with("Added Command") { 'I' } else { 'D' };
            log.entry(kind, &escaped(&line));
        }
        put(&format!("{}/engine.log", self.folder), log.text.as_bytes())?;
        self.put_root_files(put)
    }

    fn put_root_files<E>(&mut self, put: Put<'_, E>) -> Result<(), E> {
        let Some(round) = self.game.replay_round(&self.players) else { return Ok(()) };
        self.folder = round.folder;
        put_all(&self.folder, &round.files, put)
    }
}

fn put_all<E>(folder: &str, files: &[Part], put: Put<'_, E>) -> Result<(), E> {
    files.iter().try_for_each(|file| put(&format!("{folder}/{}", file.name), &file.bytes))
}

/// The recorded inputs and turns of a bout, for [`OriginalReplay`].
pub struct Recorded {
    /// In the order of play.
    pub inputs: Vec<Input>,
    /// In the order of judgement.
    pub turns: Vec<TurnRecord>,
}

impl Recorded {
    /// Reads the logs of a stored bout.
    ///
    /// # Errors
    ///
    /// [`NoReplay`] when a log is damaged.
    pub fn of(stored: &StoredBout) -> Result<Self, NoReplay> {
        let log =
            joust_model::decompress(&stored.result.action_log).map_err(NoReplay::Compression)?;
        let inputs = decode(&log).map_err(NoReplay::Log)?;
        Ok(Self { inputs, turns: TurnLog::read(&stored.result.turn_log)? })
    }

    /// Tells everything to `replay`.
    ///
    /// # Errors
    ///
    /// Those of `put`.
    pub fn tell<E>(&self, replay: &mut OriginalReplay, put: Put<'_, E>) -> Result<(), E> {
        replay.begin(put)?;
        let mut turns = self.turns.iter().peekable();
        for input in &self.inputs {
            let round = replay.game.rounds();
            replay.input(input, put)?;
            if replay.game.rounds() > round {
                while let Some(turn) = turns.next_if(|turn| turn.round <= round) {
                    replay.turn(turn, put)?;
                }
            }
        }
        turns.try_for_each(|turn| replay.turn(turn, put))
    }
}

/// Returns what the originals call a language; one they did not have keeps its id.
#[must_use]
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
