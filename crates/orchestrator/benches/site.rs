//! A site of 1,000 bots and 10,000 bouts with their replays.
//!
//! The bouts are of BattleBots, 200 rounds each, of bots that act by lot, so that every replay is a
//! real one. The site is made by another process, whose
//! memory is measured alone.
//!
//! Bars: 60 s; no page of the tournament, the event or a bot above 300 kB, except for the
//! leaderboard of all bots. Ends with status 1 when one is missed. Figures are meaningful only on
//! an otherwise idle machine.
//!
//! With `--bouts 499500` every pair of bots has met: the first 10,000 bouts are played, the others
//! reuse their recordings under other names; pages and replays are made for 10,000 of them all the
//! same.
//!
//! `scripts/bench site [--bots N] [--bouts N] [--keep FOLDER]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod recorded;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use joust_model::cancel::Cancel;
use joust_orchestrator::pipeline::site;
use joust_referee::Catalogue;
use joust_report::site::{Sink, SiteOptions};
use joust_store::{Access, Store};
use joust_testkit::figures::{million_steps, number, peak_memory_mib, record, word};

use recorded::EVENT;

/// The longest a site may take.
const LONGEST: Duration = Duration::from_secs(60);

/// The largest page, bytes.
const LARGEST_PAGE: u64 = 300_000;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("site: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Done<bool> {
    if let [_, word, database, out] = &env::args().collect::<Vec<_>>()[..]
        && word == "--measure"
    {
        return measure(Path::new(database), Path::new(out));
    }
    let (bots, bouts) = (number("--bots", 1_000)?, number("--bouts", 10_000)?);
    let scratch = tempfile::tempdir()?;
    let folder = word("--keep").map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let (database, out) = (folder.join("results.db"), folder.join("site"));
    let start = Instant::now();
    runtime()?.block_on(recorded::fill(&database, bots, bouts))?;
    println!("database of {bots} bots and {bouts} bouts: {:.1?}", start.elapsed());
    let measured =
        Command::new(env::current_exe()?).arg("--measure").args([&database, &out]).status()?;
    Ok(measured.success())
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

/// Writes to a folder and counts.
struct Folder {
    top: PathBuf,
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Sink for Folder {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))?;
        fs::write(path, bytes)
    }
}

fn measure(database: &Path, out: &Path) -> Done<bool> {
    let folder = Arc::new(Folder {
        top: out.to_owned(),
        files: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    });
    let start = Instant::now();
    let report = runtime()?.block_on(async {
        let store = Store::open(database, Access::ReadOnly).await?;
        let options = SiteOptions::new(Catalogue::built_in());
        let cancel = Cancel::default();
        let report = site(&store, &options, folder.clone(), &|_| (), &cancel).await?;
        Ok::<_, Box<dyn Error>>(report)
    })?;
    let took = start.elapsed();
    let bouts = u32::try_from(report.bouts.max(1))?;
    record("site: its time a bout", (took / bouts).div_duration_f64(million_steps()));
    let (files, bytes) =
        (folder.files.load(Ordering::Relaxed), folder.bytes.load(Ordering::Relaxed));
    println!(
        "{} bots, {} bouts: {files} files, {:.1} MB, {took:.1?}",
        report.bots,
        report.bouts,
        mega(bytes)
    );
    println!("largest memory: {:.0} MiB", peak_memory_mib()?);
    let (first, bots) =
        (["index.html", "cross.html"].map(|page| in_event(out, page)), in_event(out, "bots"));
    let largest = [out.join("index.html")].into_iter().chain(first).chain([largest_of(&bots)?]);
    let mut pages_fit = true;
    for page in largest {
        let size = said(out, &page);
        pages_fit &= size < LARGEST_PAGE;
    }
    said(out, &in_event(out, "all.html"));
    said(out, &in_event(out, "cross.png"));
    Ok(took < LONGEST && pages_fit)
}

fn in_event(out: &Path, file: &str) -> PathBuf {
    out.join(EVENT).join(file)
}

/// Prints and returns how large a file is.
fn said(out: &Path, file: &Path) -> u64 {
    let size = fs::metadata(file).map(|data| data.len()).unwrap_or(0);
    println!("{}: {size} bytes", file.strip_prefix(out).unwrap_or(file).display());
    size
}

/// The largest file of a folder.
fn largest_of(folder: &Path) -> Done<PathBuf> {
    let files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    let size = |file: &fs::DirEntry| file.metadata().map(|data| data.len()).unwrap_or(0);
    Ok(files.iter().max_by_key(|file| size(file)).ok_or("no file")?.path())
}

#[expect(clippy::cast_precision_loss, reason = "no site has 2^53 bytes")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
