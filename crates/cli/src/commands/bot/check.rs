//! `joust bot check`: build a bot, play it against the sample, report.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use joust_build::PlacedBuild;
use joust_model::{
    SeatResult, Seed, StoredBout, TurnRecord, VerdictCounts, counted, escaped, is_referee_error,
};
use joust_orchestrator::machine::default_tournament;
use joust_orchestrator::pipeline::{Failing, SingleBout, play_with_people};
use joust_play::channel::LimitMode;
use joust_play::{BoutEvent, BoutObserver};
use joust_referee::{Game, Parts};
use joust_report::json::Turns;
use serde_json::json;

use super::faulty_turn::FaultyTurn;
use crate::args::{BotCheckArgs, TextFormat};
use crate::commands::bout::{self, milliseconds, referee_wrote, summary};
use crate::commands::{failures, named_bots, people, play, run, shared};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Name of the sample opponent.
const SAMPLE: &str = "sample";

pub(super) fn execute(args: &BotCheckArgs, screen: Screen) -> Result<Status, Failure> {
    shared::turns_want_json(&args.result)?;
    let game = shared::named_or_only_game(args.game.as_deref(), &args.file, screen)?;
    let shared::FoundGame { game, tournament } = shared::find_game(&game, screen)?;
    let event = default_tournament::event(&tournament, &game);
    let bot = named_bots::paths(std::slice::from_ref(&args.bot), &tournament, &event)?;
    let (machine, cancel) = run::open_machine(&tournament, &args.isolation, screen)?;
    let built = play::build(&machine, &event, &bot, screen)?;
    let (name, build) = built.into_iter().next().expect("one bot was built");
    let own = tournament.external.iter().find(|one| one.game.id() == game.id());
    let sample = match own {
        // A custom game has no starter bot but its own; otherwise the bot meets itself.
        Some(own) => machine.build_own_sample(own, &event).or_else(|| Some(Arc::clone(&build))),
        None => machine.build_sample(&event),
    };
    let sample = sample.ok_or_else(|| {
        if cancel.is_cancelled() {
            return failures::interrupted();
        }
        Failure::new(Status::Machine, "no sample opponent can be built here")
            .hint("`joust doctor` shows which toolchains are missing")
    })?;
    let opponent = if Arc::ptr_eq(&sample, &build) { "itself" } else { "the sample" };
    let mut bouts = Vec::new();
    let mut first_turns = FirstTurns::new(screen);
    for number in 0..args.bouts {
        first_turns.begin_bout(number, game.spec().seats.fewest);
        let bots = seats(game.spec().seats.fewest, number, &name, &build, &sample);
        let single = SingleBout {
            machine: &machine,
            event: &event,
            bots: &bots,
            seed: Seed(u64::from(number / 2)),
            limit_mode: LimitMode::Configured,
            cancel: cancel.clone(),
        };
        screen.message(&format!(
            "playing bout {} of {} against {opponent}",
            number + 1,
            args.bouts
        ));
        match play_with_people(&single, Vec::new(), &mut first_turns) {
            Ok(bout) => bouts.push(bout),
            Err(_) if first_turns.are_enough() => break,
            Err(error) => return Err(play::failure(&error)),
        }
    }
    let mut check = BotCheck::of(&game, &name, &bouts);
    if first_turns.are_enough() {
        check.add_left_bout(bouts.len() + 1, first_turns);
    }
    let turns = if args.result.turns { Turns::Shown } else { Turns::Hidden };
    match args.result.output.format {
        TextFormat::Json => screen.result(&check.json(&bouts, turns)?),
        TextFormat::Text => screen.result(&check.text(&build, &bouts)),
    }
    if check.unjudged > 0 {
        screen.error(&referee_wrote(&machine.last_words.take()));
        screen.message("hint: `joust game check FOLDER` says what the referee writes");
    }
    Ok(if check.is_ok() { Status::Done } else { Status::Failed })
}

/// Returns the seats of a check bout: the bot moves round the table.
fn seats(
    seats: u8,
    number: u32,
    name: &str,
    build: &Arc<PlacedBuild>,
    sample: &Arc<PlacedBuild>,
) -> Vec<(String, Arc<PlacedBuild>)> {
    let own = number % u32::from(seats.max(1));
    (0..u32::from(seats))
        .map(|seat| {
            if seat == own {
                (name.to_owned(), Arc::clone(build))
            } else {
                (format!("{SAMPLE}-{seat}"), Arc::clone(sample))
            }
        })
        .collect()
}

/// Returns whether a client took no part in a bout. Registration is judged in every turn of a
/// living client, and for all clients at the start. In a bout without a turn at most one is
/// registered, and is first alone.
fn is_unregistered(game: &Game, bout: &StoredBout, name: &str) -> bool {
    let seats = &bout.result.seats;
    if !people::are_clients(game) {
        return false;
    }
    let first = seats.iter().filter(|seat| seat.rank == 1).count();
    let is_in = |seat: &SeatResult| match bout.result.rounds {
        0 => seat.rank == 1 && first == 1,
        _ => seat.verdicts.iter().map(|(_, count)| count).sum::<u32>() > 1,
    };
    seats.iter().filter(|seat| seat.bot == name).any(|seat| !is_in(seat))
}

/// Number of equal failures in a row, without an `ok` turn, after which a check ends.
const MOST_FAILURES: usize = 5;

/// Watcher of a bot's turns as long as all of them fail in the same way.
struct FirstTurns {
    screen: Screen,
    bout: u32,
    seat: u8,
    /// Its turns; none any more once one was `ok`, or failed in another way.
    turns: Vec<TurnRecord>,
    views: Vec<Parts>,
    is_other: bool,
}

impl FirstTurns {
    fn new(screen: Screen) -> Self {
        let (turns, views) = (Vec::new(), Vec::new());
        Self { screen, bout: 0, seat: 0, turns, views, is_other: false }
    }

    /// A bout begins, whose seats are as [`seats`] gives them.
    fn begin_bout(&mut self, number: u32, seats: u8) {
        self.bout = number + 1;
        self.seat = u8::try_from(number % u32::from(seats.max(1))).unwrap_or(0);
    }

    fn are_enough(&self) -> bool {
        !self.is_other && self.turns.len() >= MOST_FAILURES
    }

    fn take(&mut self, turn: &TurnRecord) {
        let kind = |turn: &TurnRecord| (turn.verdict(), turn.exit);
        let is_same = self.turns.first().is_none_or(|first| kind(first) == kind(turn));
        if turn.verdict().is_ok() || !is_same {
            self.is_other = true;
            return;
        }
        self.turns.push(turn.clone());
        let (bout, round, verdict) = (self.bout, turn.round, turn.verdict());
        self.screen.message(&format!("bout {bout}, round {round}: {verdict}"));
    }
}

impl BoutObserver for FirstTurns {
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()> {
        match event {
            _ if self.is_other => {}
            BoutEvent::Asked { seat, view, .. } if *seat == self.seat && self.views.is_empty() => {
                self.views.push((*view).clone());
            }
            BoutEvent::Turn(turn) if turn.seat == self.seat => self.take(turn),
            _ => {}
        }
        if self.are_enough() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Findings of a check.
struct BotCheck {
    name: String,
    verdicts: VerdictCounts,
    turns: u32,
    /// Bouts in which it was never registered, in games that are played over a connection.
    unregistered: usize,
    /// Bouts that the referee could not finish, which is no fault of the bot.
    unjudged: usize,
    /// The last bout was left, because every turn failed in the same way.
    is_left: bool,
    /// Text of the bot, if it failed in every turn.
    failing: Option<Failing>,
    /// The first turn of each kind of fault.
    faults: Vec<FaultyTurn>,
    usage: BotUsage,
}

/// Use of the machine, over all bouts.
#[derive(Default)]
struct BotUsage {
    wall_us: u64,
    /// 0 for clients, whose turns are not timed.
    slowest_us: u64,
    cpu: Duration,
    ticks_idle: u32,
    answers_late: u32,
    peak_memory_bytes: u64,
}

impl BotCheck {
    fn of(game: &Game, name: &str, bouts: &[StoredBout]) -> Self {
        let mut check = Self {
            name: name.to_owned(),
            verdicts: VerdictCounts::default(),
            turns: 0,
            unregistered: bouts.iter().filter(|bout| is_unregistered(game, bout, name)).count(),
            unjudged: bouts.iter().filter(|bout| is_referee_error(&bout.result.ended)).count(),
            is_left: false,
            failing: Failing::of(name, bouts),
            faults: FaultyTurn::first_of_each_kind(name, bouts),
            usage: BotUsage::default(),
        };
        for bout in bouts {
            bout.result
                .seats
                .iter()
                .filter(|seat| seat.bot == name)
                .for_each(|seat| check.add(seat));
            let turns = joust_model::TurnLog::read(&bout.result.turn_log);
            let own = |seat: u8| bout.plan.seats[usize::from(seat)].bot == name;
            for turn in turns.unwrap_or_default().iter().filter(|turn| own(turn.seat)) {
                check.add_turn(turn);
            }
        }
        check
    }

    fn add_turn(&mut self, turn: &TurnRecord) {
        self.verdicts.add(turn.verdict());
        self.turns += 1;
        let usage = &mut self.usage;
        usage.peak_memory_bytes = usage.peak_memory_bytes.max(turn.peak_memory_bytes);
        usage.wall_us += turn.wall_us;
        usage.slowest_us = usage.slowest_us.max(turn.wall_us);
    }

    /// Returns the mean and the longest time of a turn, of a bot that is waited for.
    fn times(&self) -> Option<(u64, u64)> {
        let BotUsage { wall_us, slowest_us, .. } = self.usage;
        let mean_us = wall_us.checked_div(u64::from(self.turns)).unwrap_or(0);
        (slowest_us > 0).then_some((mean_us, slowest_us))
    }

    /// Adds the turns of a bout that was left.
    fn add_left_bout(&mut self, number: usize, left: FirstTurns) {
        let FirstTurns { turns, views, .. } = left;
        // Turns of earlier bouts are counted already.
        let turns: Vec<TurnRecord> = turns.into_iter().skip(self.turns as usize).collect();
        self.is_left = true;
        turns.iter().for_each(|turn| self.add_turn(turn));
        self.failing = Some(Failing::of_turns(&self.name, &turns));
        if self.faults.is_empty()
            && let Some(first) = turns.into_iter().next()
        {
            self.faults.push(FaultyTurn::in_left_bout(number, first, views.into_iter().next()));
        }
    }

    fn is_ok(&self) -> bool {
        self.is_without_fault() && self.unjudged == 0
    }

    fn is_without_fault(&self) -> bool {
        self.verdicts.faults() == 0 && self.unregistered == 0
    }

    /// Describes the verdict on the bot, or that it could not be checked.
    fn conclusion(&self, bouts: usize) -> String {
        match (self.is_without_fault(), self.unjudged) {
            (true, 0) => {
                "OK: it builds, plays legal moves and stays within its limits\n".to_owned()
            }
            (true, unjudged) => format!(
                "not checked: the referee failed in {unjudged} of {}, which is not the bot's fault\n",
                counted(bouts, "bout")
            ),
            (false, _) => {
                "FAILED: `joust docs limits` explains each verdict and how to fix it\n".to_owned()
            }
        }
    }

    /// Describes the use of a bot that lives as long as its bout: it is known of the bout alone.
    fn add(&mut self, seat: &SeatResult) {
        self.usage.peak_memory_bytes = self.usage.peak_memory_bytes.max(seat.peak_memory_bytes);
        self.usage.cpu += seat.cpu;
        self.usage.ticks_idle += seat.ticks_idle;
        self.usage.answers_late += seat.answers_late;
    }

    /// Describes the times of its turns; for a client, whose turns are not timed, its processor
    /// time and missing or late answers.
    fn pace(&self) -> String {
        match self.times() {
            Some((mean_us, slowest_us)) => {
                format!("mean {}, slowest {}", milliseconds(mean_us), milliseconds(slowest_us))
            }
            None => format!(
                "{} of processor time a turn, {} without an answer, {} late",
                milliseconds(
                    u64::try_from(self.usage.cpu.as_micros()).unwrap_or(0)
                        / u64::from(self.turns.max(1))
                ),
                self.usage.ticks_idle,
                self.usage.answers_late
            ),
        }
    }

    fn text(&self, build: &PlacedBuild, bouts: &[StoredBout]) -> String {
        let mut text = format!(
            "`{}` ({}, {}): {} in {}, {}, peak {} KiB\n",
            escaped(&self.name),
            build.language,
            build.tool_versions(),
            counted(self.turns, "turn"),
            counted(bouts.len(), "bout"),
            self.pace(),
            self.usage.peak_memory_bytes / 1024
        );
        build.unused_files.iter().for_each(|line| text.push_str(&format!("note: {line}\n")));
        if self.is_left {
            text.push_str(&format!(
                "left after {MOST_FAILURES} turns that all failed the same way; the others would too\n"
            ));
        }
        for (verdict, count) in self.verdicts.iter() {
            text.push_str(&format!("  {verdict}: {count}\n"));
        }
        bouts.iter().for_each(|bout| text.push_str(&summary(bout)));
        if let Some(failing) = &self.failing {
            text.push_str(&format!("failed in every turn: {failing}\n"));
            failing.hint().iter().for_each(|hint| text.push_str(&format!("hint: {hint}\n")));
        }
        self.faults.iter().for_each(|fault| text.push_str(&fault.text()));
        if self.unregistered > 0 {
            text.push_str(&format!(
                "never registered in {} of {}: `joust rules {}` has what a client says first\n",
                self.unregistered,
                counted(bouts.len(), "bout"),
                bouts.first().map_or("", |bout| &bout.plan.game)
            ));
        }
        text + &self.conclusion(bouts.len())
    }

    fn json(&self, bouts: &[StoredBout], turns: Turns) -> Result<String, Failure> {
        let verdicts: BTreeMap<_, _> =
            self.verdicts.iter().map(|(verdict, count)| (verdict.name(), count)).collect();
        let bouts = bouts.iter().map(|bout| bout::object(bout, turns));
        let bouts = bouts.collect::<Result<Vec<_>, Failure>>()?;
        let object = json!({
            "bot": self.name,
            "ok": self.is_ok(),
            "bouts_unregistered": self.unregistered,
            "bouts_unjudged": self.unjudged,
            "failed_in_every_turn": self.failing.is_some(),
            "left": self.is_left,
            "last_words": self.failing.as_ref().and_then(|failing| failing.last_words.as_deref()),
            "turns": self.turns,
            "mean_wall_us": self.times().map(|(mean, _)| mean),
            "slowest_wall_us": self.times().map(|(_, slowest)| slowest),
            "peak_memory_bytes": self.usage.peak_memory_bytes,
            "verdicts": verdicts,
            "bouts": bouts,
        });
        Ok(format!("{object:#}\n"))
    }
}
