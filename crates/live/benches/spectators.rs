//! Processor time of live pages that a thousand spectators follow.
//!
//! The pages are served by another process, so that only its own time counts: first while nothing
//! happens, then while the database changes once a second and every follower gets an event.
//!
//! Bar: 2 % of a core for a thousand followers that see nothing new. Ends with status 1 when it
//! is missed. `scripts/bench spectators [SPECTATORS] [SECONDS]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use joust_live::{Live, RunSource, Settings};
use joust_model::Seed;
use joust_store::{Access, Store, TournamentRow};
use rustix::process::{Resource, getrlimit, setrlimit};

/// The most that idle spectators may cost, per cent of a core.
const MOST: f64 = 2.0;

const SPECTATORS: usize = 1000;
const SECONDS: u64 = 20;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    raise_descriptors();
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", database] => serve(Path::new(database)).map(|()| true),
        _ => measure(&words),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("spectators: {error}");
            ExitCode::FAILURE
        }
    }
}

fn raise_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Fewer spectators find a place then, which ends the benchmark with words.
    _ = setrlimit(Resource::Nofile, limit);
}

/// Serves a database until standard input is closed.
fn serve(database: &Path) -> Done<()> {
    let settings = Settings { share: 25, ..Settings::new("Cup", database.to_owned()) };
    let live = Live::start(settings, RunSource::Database)?;
    println!("{}", live.address());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn measure(words: &[String]) -> Done<bool> {
    let number = |at: usize| words.get(at).map(|word| word.parse::<u64>()).transpose();
    let spectators = usize::try_from(number(0)?.unwrap_or(SPECTATORS as u64))?;
    let time = Duration::from_secs(number(1)?.unwrap_or(SECONDS));
    let folder = tempfile::tempdir()?;
    let database = folder.path().join("results.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = runtime.block_on(Store::open(&database, Access::CreateOrOpen))?;
    let mut server = Server::start(&database)?;
    let following = follow(server.address, spectators)?;
    let idle = server.share_over(time, || Ok(()))?;
    println!("{spectators} spectators, nothing new: {idle:.2} % of a core");
    let mut seed = 0;
    let told = server.share_over(time, || {
        seed += 1;
        let row = TournamentRow { name: "Cup".to_owned(), seed: Seed(seed), seed_is_drawn: false };
        Ok(runtime.block_on(store.put_tournament(&row))?)
    })?;
    println!("{spectators} spectators, told of something new every second: {told:.2} % of a core");
    drop(following);
    server.end()?;
    let holds = idle < MOST;
    println!("{}: below {MOST} % while nothing is new", if holds { "holds" } else { "missed" });
    Ok(holds)
}

/// Opens this many connections to the stream and reads the first event of each.
fn follow(address: SocketAddr, spectators: usize) -> Done<Vec<BufReader<TcpStream>>> {
    let mut following = Vec::new();
    for _ in 0..spectators {
        let mut connection = TcpStream::connect(address)?;
        connection.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        following.push(BufReader::new(connection));
    }
    for one in &mut following {
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            if one.read_line(&mut line)? == 0 {
                return Err("a spectator found no place".into());
            }
        }
    }
    Ok(following)
}

/// The process that serves.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(database: &Path) -> Done<Self> {
        let mut process = Command::new(env::current_exe()?)
            .arg("serve")
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let said = process.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        Ok(Self { process, address: line.trim().parse()? })
    }

    /// Returns the used share of a core while `each` was called once a second, percent.
    fn share_over(&mut self, time: Duration, mut each: impl FnMut() -> Done<()>) -> Done<f64> {
        let (before, began) = (self.processor_time()?, Instant::now());
        while began.elapsed() < time {
            each()?;
            thread::sleep(Duration::from_secs(1));
        }
        let used = self.processor_time()?.saturating_sub(before);
        Ok(100.0 * used.as_secs_f64() / began.elapsed().as_secs_f64())
    }

    /// Returns how long its threads have been on a processor.
    fn processor_time(&self) -> Done<Duration> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.process.id()))? {
            let text = fs::read_to_string(thread?.path().join("schedstat"))?;
            nanoseconds += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    fn end(mut self) -> Done<()> {
        drop(self.process.stdin.take());
        self.process.wait()?;
        Ok(())
    }
}
