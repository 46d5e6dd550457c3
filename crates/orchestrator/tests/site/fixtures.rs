//! An event whose bouts are made up, and its site in memory.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use joust_orchestrator::model::{
    BotRow, BotVersion, BoutPlan, BoutResult, BoutSummary, BuildHash, Calibration, EventInfo,
    EventSettings, Exit, GameOptions, Limits, Mirror, Publication, SeatPlan, SeatResult,
    SeatSummary, StoredBout, TieBreak, TurnLog, TurnRecord, Verdict, VerdictCounts,
};
use joust_orchestrator::report::site::{EventInput, EventSite, Notes, Sink, Site, TournamentInput};
use joust_testkit::html::{Files, Page};

/// Keeps every file in memory.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Files>);

impl Sink for Memory {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(files.insert(path.to_owned(), bytes.to_vec()).is_none(), "`{path}` twice");
        Ok(())
    }
}

/// An event of two seats a match, two bouts each.
pub(crate) struct League {
    pub(crate) info: EventInfo,
    pub(crate) bouts: Vec<StoredBout>,
    pub(crate) versions: Vec<BotVersion>,
    pub(crate) tournament: String,
}

/// Makes a league in which everybody meets everybody and the one named first
/// wins, whatever the seat.
pub(crate) fn league(bots: &[&str]) -> League {
    let mut league = League {
        info: EventInfo { settings: settings(), bots: Vec::new(), decisions: Vec::new() },
        bouts: Vec::new(),
        versions: Vec::new(),
        tournament: "Cup".to_owned(),
    };
    league.info.bots = bots.iter().zip(0..).map(|(name, place)| bot(name, place)).collect();
    for (number, [one, other]) in pairs(bots).into_iter().enumerate() {
        league.bouts.push(bout([one, other], [1, 2], (number as u64, 0)));
        league.bouts.push(bout([other, one], [2, 1], (number as u64, 1)));
    }
    league.versions = bots.iter().map(|name| version(name, "now", 100)).collect();
    league
}

fn pairs<'a>(bots: &[&'a str]) -> Vec<[&'a str; 2]> {
    let mut pairs = Vec::new();
    for (place, one) in bots.iter().enumerate() {
        pairs.extend(bots[place + 1..].iter().map(|other| [*one, *other]));
    }
    pairs
}

fn settings() -> EventSettings {
    EventSettings {
        id: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        bouts_per_match: 2,
        bots_per_match: 2,
        max_matches: None,
        mirror: Mirror::Pairs,
        tie_breaks: TieBreak::DEFAULT.to_vec(),
    }
}

pub(crate) fn bot(name: &str, registration: u32) -> BotRow {
    BotRow {
        name: name.to_owned(),
        author: "somebody".to_owned(),
        language: "python".to_owned(),
        build: Some(build(name, "now")),
        registration,
        ..BotRow::default()
    }
}

pub(crate) fn build(bot: &str, version: &str) -> BuildHash {
    BuildHash::of("test", &[bot.as_bytes(), version.as_bytes()])
}

pub(crate) fn version(bot: &str, name: &str, day: i64) -> BotVersion {
    BotVersion {
        bot: bot.to_owned(),
        build: build(bot, name),
        language: "python".to_owned(),
        toolchain: "Python 3.11.2".to_owned(),
        log_head: "warning: from the build".to_owned(),
        first_at: day * 86_400_000,
        last_at: day * 86_400_000 + 3_600_000,
        bouts: 4,
        standing: 4,
        won: 2,
        drawn: 1,
        lost: 1,
        faults: 3,
    }
}

/// A bout of three rounds; the seat that loses times out in the last.
pub(crate) fn bout(
    bots: [&str; 2],
    ranks: [u8; 2],
    (match_number, number): (u64, u32),
) -> StoredBout {
    let seats = bots.map(|bot| SeatPlan { bot: bot.to_owned(), build: build(bot, "now") });
    let plan = BoutPlan {
        bout: BoutPlan::id("cup", "league", &bots, number),
        event: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        seed: 42 + u64::from(number),
        match_number,
        number,
        seats: seats.to_vec(),
        limits: Limits::default(),
        clock: None,
    };
    let mut log = TurnLog::default();
    let mut seats: Vec<_> = bots.iter().zip(ranks).map(|(bot, rank)| seat(bot, rank)).collect();
    for round in 0..3 {
        for (place, seat) in seats.iter_mut().enumerate() {
            let fails = round == 2 && seat.rank == 2;
            let turn = turn(round, u8::try_from(place).expect("two seats"), fails);
            seat.verdicts.add(turn.verdict());
            log.push(&turn);
        }
    }
    let result = BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "knock-out".to_owned(),
        rounds: 3,
        state_hash: "ab".repeat(32),
        seats,
        tier: "A".to_owned(),
        machine: "x86_64-2cpu-0123abcd".to_owned(),
        joust_version: "0.1.0".to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 100 * 86_400_000 + 1000 * match_number.cast_signed(),
        took: Duration::from_millis(321),
        action_log: zstd_of_nothing(),
        turn_log: log.compress(),
        ticks_late: 0,
    };
    StoredBout { plan, result }
}

/// An empty log, compressed.
fn zstd_of_nothing() -> Vec<u8> {
    TurnLog::default().compress()
}

fn seat(bot: &str, rank: u8) -> SeatResult {
    SeatResult {
        bot: bot.to_owned(),
        build: build(bot, "now"),
        rank,
        score: 10 - i64::from(rank),
        verdicts: VerdictCounts::default(),
        limits_hit: 0,
        cpu: Duration::from_millis(30),
        wall: Duration::from_millis(60),
        stall: Duration::ZERO,
        peak_memory_bytes: 7 << 20,
        calibration: Calibration { wall: Duration::from_millis(50), ..Calibration::default() },
        ticks_idle: 0,
        answers_late: 0,
    }
}

fn turn(round: u32, seat: u8, fails: bool) -> TurnRecord {
    TurnRecord {
        round,
        seat,
        verdict: if fails { Verdict::Timeout } else { Verdict::Ok }.code(),
        limits_hit: 0,
        wall_us: if fails { 2_100_000 } else { 20_000 },
        cpu_us: 10_000,
        cpu_partial: false,
        stall_us: 0,
        peak_memory_bytes: 7 << 20,
        exit: Exit::Status(0),
        action: "N".to_owned(),
        output: Vec::new(),
        stderr: if fails { b"thinking hard\nme@secret.example".to_vec() } else { Vec::new() },
        reason: if fails { "the answer came late".to_owned() } else { String::new() },
    }
}

fn summary(stored: &StoredBout) -> BoutSummary {
    let seat = |seat: &SeatResult| SeatSummary {
        bot: seat.bot.as_str().into(),
        rank: seat.rank,
        score: seat.score,
        verdicts: seat.verdicts,
    };
    BoutSummary {
        bout: stored.plan.bout,
        match_number: stored.plan.match_number,
        number: stored.plan.number,
        seed: stored.plan.seed,
        rounds: stored.result.rounds,
        is_isolated: true,
        seats: stored.result.seats.iter().map(seat).collect(),
    }
}

impl League {
    /// Makes the site.
    pub(crate) fn site(&self, publication: &Publication) -> Files {
        let sink = Memory::default();
        let tournament = TournamentInput {
            name: self.tournament.clone(),
            seed: 7,
            database: "results.db".to_owned(),
            head: "cd".repeat(32),
        };
        let settings = [self.info.settings.clone()];
        let site = Site::new(tournament, &settings, publication.clone());
        let input = EventInput {
            info: self.info.clone(),
            bouts: self.bouts.iter().map(summary).collect(),
            versions: self.versions.clone(),
        };
        let event = EventSite::new(input, publication.bouts);
        let mut notes = Notes::default();
        for bout in event.bouts().collect::<Vec<_>>() {
            let stored = self.bouts.iter().find(|stored| stored.plan.bout == bout);
            event.bout(&site, stored.expect("it is there"), &mut notes, &sink).expect("a page");
        }
        for page in event.pages() {
            event.page(&site, page, &notes, &sink).expect("a page");
        }
        site.assets(&sink).expect("assets");
        site.overview(vec![event.card()], &sink).expect("the first page");
        sink.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a page of a site.
pub(crate) fn page(files: &Files, path: &str) -> Page {
    let bytes = files.get(path).unwrap_or_else(|| panic!("no `{path}` in {:?}", files.keys()));
    Page::read(std::str::from_utf8(bytes).expect("text")).expect("well-formed")
}

/// Reads every page whose path begins like this.
pub(crate) fn pages(files: &Files, beginning: &str) -> Vec<Page> {
    let paths = files.keys().filter(|path| path.starts_with(beginning) && path.ends_with(".html"));
    paths.map(|path| page(files, path)).collect()
}
