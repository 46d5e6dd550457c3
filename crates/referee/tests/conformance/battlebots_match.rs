//! One recorded match: header, rounds, result.

use std::path::Path;

use joust_referee::Judge;
use joust_referee::games::battlebots::{BoutOptions, GameState, Rules};

use super::record::{BoutResult, Header, Line, MatchResult, Round};
use super::{Player, same};
use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays one file.
pub(crate) fn play(path: &Path) -> Result<Tally, Failure> {
    let lines = files::lines(path)?;
    let mut recording: Option<Recording> = None;
    let mut result = None;
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |problem: String| Failure::at_line(path, index + 1, problem);
        if result.is_some() {
            return Err(at("something follows the result".to_owned()));
        }
        match &mut recording {
            None => recording = Some(Recording::open(line).map_err(at)?),
            Some(recording) => result = recording.take(line).map_err(at)?,
        }
    }
    let last = |problem: &str| Failure::at_line(path, lines.len(), problem);
    let recording = recording.ok_or_else(|| last("the recording is empty"))?;
    result.ok_or_else(|| last("the recording ends without a result"))?;
    Ok(recording.tally)
}

struct Recording {
    options: BoutOptions,
    bouts_per_match: Option<usize>,
    player: Player,
    finished: Vec<BoutResult>,
    tally: Tally,
}

impl Recording {
    fn open(line: &str) -> Result<Self, String> {
        let header: Header = serde_json::from_str(line).map_err(|error| error.to_string())?;
        same("format", &1, &header.format)?;
        same("game", &"battlebots", &header.game.as_str())?;
        let rules = Rules::from_name(&header.rules)
            .ok_or_else(|| format!("unknown rule set `{}`", header.rules))?;
        let options = BoutOptions { rules, max_rounds: header.rounds_per_bout };
        Ok(Self {
            options,
            bouts_per_match: header.bouts_per_match,
            player: Player::start(options, GameState::start()),
            finished: Vec::new(),
            tally: Tally { matches: 1, ..Tally::default() },
        })
    }

    fn take(&mut self, line: &str) -> Result<Option<MatchResult>, String> {
        match Line::read(line).map_err(|error| error.to_string())? {
            Line::Result(result) => self.check_result(result).map(Some),
            Line::Round(round) => self.play_round(&round).map(|()| None),
        }
    }

    fn play_round(&mut self, round: &Round) -> Result<(), String> {
        let place =
            |problem: String| format!("bout {}, round {}: {problem}", round.bout, round.round);
        same("number of the bout", &round.bout, &self.finished.len()).map_err(place)?;
        same("number of the round", &round.round, &self.player.bout.rounds()).map_err(place)?;
        self.player.play_round(round).map_err(place)?;
        self.tally.rounds += 1;
        if self.player.is_over() {
            self.close_bout();
        }
        Ok(())
    }

    fn close_bout(&mut self) {
        let outcome = self.player.bout.outcome().expect("the bout is over");
        let ranks = [outcome.seats.0[0].rank, outcome.seats.0[1].rank];
        self.finished.push(BoutResult {
            bout: self.finished.len(),
            rounds: outcome.rounds,
            hp: [0, 1].map(|seat| outcome.seats.0[seat].score.as_whole().expect("hp are whole")),
            winner: if ranks == [1, 1] { None } else { ranks.iter().position(|rank| *rank == 1) },
        });
        self.tally.bouts += 1;
        self.player = Player::start(self.options, GameState::start());
    }

    fn check_result(&self, recorded: MatchResult) -> Result<MatchResult, String> {
        same("rounds played of an unfinished bout", &0, &self.player.bout.rounds())?;
        if let Some(bouts) = self.bouts_per_match {
            same("bouts played", &bouts, &self.finished.len())?;
        }
        same("result", &recorded, &self.result())?;
        Ok(recorded)
    }

    fn result(&self) -> MatchResult {
        let wins = |seat| self.finished.iter().filter(|bout| bout.winner == Some(seat)).count();
        let bout_wins = [0, 1].map(|seat| u32::try_from(wins(seat)).expect("a match is short"));
        let winner = match bout_wins[0].cmp(&bout_wins[1]) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        };
        MatchResult { bouts: self.finished.clone(), bout_wins, winner }
    }
}
