//! Growth of cost: Swiss leagues of 100, 1,000 and 10,000 bots, each ten times as many bouts.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use joust_model::cancel::Cancel;
use joust_model::notices::NullListener;
use joust_orchestrator::pipeline::{EventPlans, RoundRecord, RunOutcome, play_on, site};
use joust_play::executor::{Assignment, Needs};
use joust_referee::Catalogue;
use joust_report::site::{Sink, SiteOptions};
use joust_store::{Access, Scheduled as _, Store};
use joust_testkit::figures::{million_steps, record};

use super::{EVENT, Outcome, Synthetic, begin, players, tournament};

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const COLUMNS: [&str; 4] = ["draw and key", "store", "standings", "site"];
/// Largest exponent of a cost in the number of bouts, with room for caches that no longer hold all.
const EXPONENT: f64 = 1.15;
const KEYS: &str =
    "    bouts: 2\n    schedule: { kind: swiss, rounds: 8 }\n    options: { max_rounds: 200 }\n";

/// Prints the table, and returns whether no cost grows faster than the work.
pub(crate) async fn measure(folder: &Path, executor: &Synthetic) -> Outcome<bool> {
    println!("   bots   bouts  {}", COLUMNS.map(|name| format!("{name:>14}")).concat());
    let (mut before, mut met) = (None, true);
    for bots in SIZES {
        let database = folder.join(format!("{bots}.db"));
        let (bouts, seconds) = league(&database, bots, executor).await?;
        println!("{bots:>7} {bouts:>7}  {}", seconds.map(|one| format!("{one:>12.3} s")).concat());
        if let Some((fewer, earlier)) = before.replace((bouts, seconds)) {
            let growth = (bouts as f64 / fewer as f64).ln();
            let exponents = [0, 1, 2, 3].map(|at| (seconds[at] / earlier[at]).ln() / growth);
            println!("       exponent  {}", exponents.map(|one| format!("{one:>14.2}")).concat());
            met &= exponents.iter().all(|one| *one <= EXPONENT);
        }
        std::fs::remove_file(database)?;
    }
    let steps = million_steps().as_secs_f64();
    let (_, seconds) = before.ok_or("there are sizes")?;
    for (name, seconds) in COLUMNS.iter().zip(seconds) {
        record(&format!("swiss of 10,000 bots: {name}"), seconds / steps);
    }
    println!("exponents at most {EXPONENT}: {}", if met { "met" } else { "MISSED" });
    Ok(met)
}

/// Plays a league round by round; returns its bouts, and the seconds of each column.
async fn league(database: &Path, bots: usize, executor: &Synthetic) -> Outcome<(u64, [f64; 4])> {
    let (tournament, players) = (tournament(KEYS)?, players(bots));
    let event = &tournament.events[0];
    let store = Store::open(database, Access::CreateOrOpen).await?;
    begin(&store, &tournament, &players).await?;
    let [mut draw, mut stored] = [0.0; 2];
    let bouts = loop {
        let start = Instant::now();
        let past = RoundRecord::of(&store, event).await?;
        let plans = EventPlans::new(&tournament, event, &players).with_record(&past);
        let found = store.reconcile(EVENT, &plans).await?;
        draw += start.elapsed().as_secs_f64();
        if found.finished() == plans.count() {
            break plans.count();
        }
        let start = Instant::now();
        let missing = plans.unfinished(&found.done);
        let missing = missing.map(|plan| Assignment::new(plan, Needs::default()));
        let listener = Arc::new(NullListener);
        let ended = play_on(executor, &store, missing, listener, &Cancel::default()).await?;
        assert_eq!(ended, RunOutcome::Complete);
        stored += start.elapsed().as_secs_f64();
    };
    store.close().await;
    let standings = crate::read_standings(database).await?.0.as_secs_f64();
    let start = Instant::now();
    let store = Store::open(database, Access::ReadOnly).await?;
    let (options, sink) = (SiteOptions::new(Catalogue::built_in()), Arc::new(Counted::default()));
    let report = site(&store, &options, sink.clone(), &|_| (), &Cancel::default()).await?;
    assert_eq!((report.bots, report.undrawn.len()), (bots, 0));
    assert!(sink.0.load(Ordering::Relaxed) > bots as u64, "each bot has a page");
    Ok((bouts, [draw, stored, standings, start.elapsed().as_secs_f64()]))
}

/// Sink that counts files and keeps none.
#[derive(Default)]
struct Counted(AtomicU64);

impl Sink for Counted {
    fn put(&self, _: &str, _: &[u8]) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
