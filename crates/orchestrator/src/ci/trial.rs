//! Record of a bot in its bouts: faults, last words, times.

use std::time::Duration;

use super::report::{BotTrial, BoutAgainst, LastFault, ReplayFile};
use joust_model::{
    BoutSummary, MeasuredTurns, Publication, SeatResult, StoredBout, TurnLog, TurnRecord, Verdict,
    escaped, escaped_bytes,
};
use joust_referee::Catalogue;
use joust_report::site::replay_page;
use joust_standings::search::{BotOutcome, bot_outcome};
use joust_store::{Store, StoreError};

/// Lost bouts of a bot that have a page.
const MOST_REPLAYS: usize = 10;
/// Total size of these pages after which no further one is made, bytes.
const LARGEST_REPLAYS: usize = 8 << 20;
/// Lines of standard error that are kept.
const LAST_LINES: usize = 12;
/// Characters of one of these lines.
const LINE_WIDTH: usize = 300;

/// Reads the bouts of `bot` among `results`.
pub(super) async fn trial(
    games: &Catalogue,
    store: &Store,
    results: &[BoutSummary],
    bot: &str,
) -> Result<BotTrial, StoreError> {
    let mut tally = TrialTally::default();
    for summary in results.iter().filter(|bout| bout.seats.iter().any(|seat| &*seat.bot == bot)) {
        let Some(bout) = store.bout(&summary.bout.to_string()).await? else { continue };
        let seats = bout.result.seats.iter().enumerate();
        for (seat, result) in seats.filter(|(_, seat)| seat.bot == bot) {
            tally.add(games, &bout, seat, result);
            match bot_outcome(summary, &summary.seats[seat]) {
                BotOutcome::Won => tally.trial.won.push(met(summary, bot)),
                BotOutcome::Drawn => {}
                BotOutcome::Lost => {
                    tally.trial.lost.push(met(summary, bot));
                    tally.keep_replay(games, &bout);
                }
            }
        }
    }
    Ok(tally.finish())
}

fn met(bout: &BoutSummary, bot: &str) -> BoutAgainst {
    let others = bout.seats.iter().filter(|seat| &*seat.bot != bot);
    BoutAgainst {
        bout: bout.bout.to_string(),
        opponents: others.map(|seat| seat.bot.to_string()).collect(),
    }
}

#[derive(Default)]
struct TrialTally {
    trial: BotTrial,
    walls_us: Vec<u64>,
    /// The most processor time of a bout, and its limit.
    bout_cpu_ms: f64,
    bout_cpu_limit_ms: Option<f64>,
    /// True when processor time is known of bouts and not of turns.
    is_of_bouts: bool,
}

impl TrialTally {
    fn add(&mut self, games: &Catalogue, bout: &StoredBout, seat: usize, result: &SeatResult) {
        self.trial.bouts += 1;
        for (verdict, count) in result.verdicts.iter() {
            self.trial.verdicts.0[usize::from(verdict.code())] += count;
        }
        // What is damaged is for `verify` to name.
        let turns = TurnLog::read(&bout.result.turn_log).unwrap_or_default();
        let own = turns.iter().filter(|turn| usize::from(turn.seat) == seat);
        let mut measured = MeasuredTurns::new(bout.plan.clock);
        for turn in own {
            self.walls_us.push(turn.wall_us);
            self.note_fault(bout, turn);
            match measured.is_measured(turn) {
                true => {
                    let timing = &mut self.trial.timing;
                    timing.cpu_ms = timing.cpu_ms.max(milliseconds(turn.cpu_us));
                }
                false => self.is_of_bouts = true,
            }
        }
        self.note_limits(games, bout, result);
    }

    /// A recording that cannot be drawn is for `verify` to name.
    fn keep_replay(&mut self, games: &Catalogue, bout: &StoredBout) {
        let kept: usize = self.trial.replays.iter().map(|file| file.page.len()).sum();
        if self.trial.replays.len() >= MOST_REPLAYS || kept > LARGEST_REPLAYS {
            return;
        }
        if let Ok(page) = replay_page(games, bout, &Publication::default()) {
            let bout = bout.plan.bout.to_string();
            let name = format!("bout-{}.html", &bout[..8]);
            self.trial.replays.push(ReplayFile { bout, name, page });
        }
    }

    fn note_limits(&mut self, games: &Catalogue, bout: &StoredBout, result: &SeatResult) {
        let (limits, timing) = (&bout.plan.limits, &mut self.trial.timing);
        self.bout_cpu_ms = self.bout_cpu_ms.max(span(result.cpu));
        self.bout_cpu_limit_ms = limits.cpu_bout.map(span);
        if bout.plan.clock.is_some() {
            self.is_of_bouts = true;
            return;
        }
        let game = games.find(&bout.plan.game).map(|game| game.spec());
        timing.limit_ms = Some(span(bout.plan.answer_limit(game, &result.calibration)));
        timing.cpu_limit_ms = Some(span(limits.cpu + result.calibration.cpu));
    }

    /// Records a fault. A later one replaces an earlier one, unless it has less detail.
    fn note_fault(&mut self, bout: &StoredBout, turn: &TurnRecord) {
        if turn.verdict() == Verdict::Ok {
            return;
        }
        let said = turn.stderr.iter().any(|byte| !byte.is_ascii_whitespace());
        let known = &mut self.trial.last_fault;
        if !said && known.as_ref().is_some_and(|fault| !fault.stderr.is_empty()) {
            return;
        }
        *known = Some(LastFault {
            bout: bout.plan.bout.to_string(),
            round: turn.round,
            verdict: turn.verdict().name(),
            reason: escaped(&turn.reason),
            stderr: last_lines(&turn.stderr),
        });
    }

    #[expect(clippy::cast_precision_loss, reason = "no bot has 2^52 turns")]
    fn finish(mut self) -> BotTrial {
        self.walls_us.sort_unstable();
        let trial = &mut self.trial;
        trial.turns = trial.verdicts.0.iter().map(|count| u64::from(*count)).sum();
        let faults = f64::from(trial.verdicts.faults());
        trial.faults_percent = 100.0 * faults / (trial.turns.max(1) as f64);
        if self.is_of_bouts {
            trial.timing.cpu_ms = self.bout_cpu_ms;
            trial.timing.cpu_limit_ms = self.bout_cpu_limit_ms;
        }
        let median = self.walls_us.get(self.walls_us.len() / 2).copied();
        trial.timing.median_ms = milliseconds(median.unwrap_or(0));
        trial.timing.slowest_ms = milliseconds(self.walls_us.last().copied().unwrap_or(0));
        self.trial
    }
}

fn last_lines(bytes: &[u8]) -> Vec<String> {
    let lines: Vec<&[u8]> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| !line.is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    last.iter().map(|line| escaped_bytes(line).chars().take(LINE_WIDTH).collect()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "no turn takes 2^52 microseconds")]
fn milliseconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1000.0
}

fn span(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
