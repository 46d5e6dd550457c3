//! A tournament, a server, and workers that are processes of their own.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use joust_testkit::env::{Ran, TestEnv};
use joust_testkit::league::{SMALL, bot};
use joust_testkit::nats::{NatsServer, Streams};

/// A custom game with two bots.
const GAME: [(&str, &str); 5] = [
    ("nim/game.yaml", include_str!("../commands/external/game.yaml")),
    ("nim/referee.py", include_str!("../commands/external/referee.py")),
    ("nim/rules.md", include_str!("../commands/external/rules.md")),
    ("bots/perfect.py", include_str!("../commands/external/perfect.py")),
    ("bots/one.sh", include_str!("../commands/external/one.sh")),
];

/// A tournament with that game.
pub(crate) const OWN: &str = "\
name: Nim cup
database: results.db
games: { nim: { referee: nim } }
events:
  - { id: own, game: nim, bots: ['bots/*'], bouts: 3, programs: match }
  - { id: apart, game: nim, bots: ['bots/*'], bouts: 2, options: { behave: die } }
";

/// Time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder with a tournament, and a server.
pub(crate) struct Lab {
    pub(crate) env: TestEnv,
    pub(crate) server: NatsServer,
    pub(crate) url: String,
}

impl Lab {
    /// Makes a lab with three bots, whose turns take no time; `None` if the test is skipped.
    pub(crate) fn new() -> Option<Self> {
        Some(Self::with(NatsServer::start(Streams::Kept)?, SMALL, ""))
    }

    /// As [`Lab::new`], with a server that reads this configuration.
    pub(crate) fn configured(text: &str) -> Option<Self> {
        Some(Self::with(NatsServer::configured(text)?, SMALL, ""))
    }

    /// Makes a lab whose tournament takes seconds.
    pub(crate) fn slow() -> Option<Self> {
        Some(Self::slow_at(NatsServer::start(Streams::Kept)?))
    }

    /// As [`Lab::slow`], with this server.
    pub(crate) fn slow_at(server: NatsServer) -> Self {
        Self::with(server, &SMALL.replace("bouts: 2", "bouts: 8"), "sleep 0.03; ")
    }

    /// Makes a lab whose game has a referee of its own and bots that stay for a match.
    pub(crate) fn with_a_game() -> Option<Self> {
        let server = NatsServer::start(Streams::Kept)?;
        let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
        for (name, text) in GAME {
            env.write(name, text);
        }
        env.write("tournament.yaml", OWN);
        let url = server.url();
        Some(Self { env, server, url })
    }

    fn with(server: NatsServer, tournament: &str, before: &str) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
        env.write("tournament.yaml", tournament);
        for (name, answer) in [("shooter", "B SE"), ("walker", "E"), ("waiter", "NO")] {
            bot(&env, name, &format!("{before}echo '{answer}'"));
        }
        let url = server.url();
        Self { env, server, url }
    }

    /// Plays the tournament here, into a database of its own, and returns its standings.
    pub(crate) fn played_here(&self) -> Vec<String> {
        self.played_into("here.db")
    }

    /// As [`Lab::played_here`], into this database.
    pub(crate) fn played_into(&self, database: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.env.path().join("tournament.yaml"));
        let text = text.expect("it was written").replace("results.db", database);
        self.env.write("here.yaml", &text);
        self.env.run(["run", "here.yaml"]).expect(0);
        self.standings(database)
    }

    /// Returns the standings in every format, but for the chain's head.
    pub(crate) fn standings(&self, database: &str) -> Vec<String> {
        let of = |format: &&str| {
            let words = ["standings", "--database", database, "--format", format];
            let text = self.env.run(words).expect(0).stdout;
            let lines = text.lines().filter(|line| !line.starts_with("chain: "));
            lines.collect::<Vec<_>>().join("\n")
        };
        ["text", "markdown", "csv"].iter().map(of).collect()
    }

    /// Starts a worker of one core.
    pub(crate) fn worker(&self, name: &str, more: &[&str]) -> Process {
        self.worker_at(&self.url, name, more)
    }

    /// As [`Lab::worker`], with a server that is found elsewhere.
    pub(crate) fn worker_at(&self, url: &str, name: &str, more: &[&str]) -> Process {
        let words = ["worker", url, "--name", name, "--cores", "1"];
        Process::start(self.env.command(words.iter().chain(more)))
    }

    /// Returns the words of a run by workers.
    pub(crate) fn run_words(&self) -> [&str; 5] {
        ["run", "--workers", &self.url, "--workers-lease", "2s"]
    }

    /// Starts a run by workers.
    pub(crate) fn start_run(&self) -> Process {
        self.start_run_with(&[])
    }

    /// As [`Lab::start_run`], with more words.
    pub(crate) fn start_run_with(&self, more: &[&str]) -> Process {
        Process::start(self.env.command(self.run_words().iter().chain(more)))
    }

    /// Returns how many bouts the database has, while another process writes to it.
    pub(crate) fn bouts(&self) -> usize {
        let listed = self.env.run(["bouts", "--format", "json"]);
        let Ok(listed) = serde_json::from_str::<serde_json::Value>(&listed.stdout) else {
            return 0;
        };
        listed.as_array().or(listed["bouts"].as_array()).map_or(0, Vec::len)
    }

    /// Waits until this many bouts are stored.
    pub(crate) fn wait_for_bouts(&self, bouts: usize) {
        let end = Instant::now() + PATIENCE;
        while self.bouts() < bouts {
            assert!(Instant::now() < end, "{bouts} bouts are never stored");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Checks that the database has the standings of the tournament played here.
    pub(crate) fn expect_standings(&self, expected: &[String]) {
        assert_eq!(self.standings("results.db"), expected);
        self.env.run(["verify"]).expect(0);
    }
}

/// A process of this test, which ends with it.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().expect("it can be started"))
    }

    /// Waits until it has said this on standard error; returns all until then.
    pub(crate) fn wait_for(&mut self, sign: &str) -> String {
        let mut said = BufReader::with_capacity(1, self.0.stderr.take().expect("it is a pipe"));
        let (mut line, mut all) = (String::new(), String::new());
        while !line.contains(sign) {
            line.clear();
            let count = said.read_line(&mut line).expect("it can be read");
            assert!(count > 0, "`{sign}` was never said:\n{all}");
            all += &line;
        }
        self.0.stderr = Some(said.into_inner());
        all
    }

    /// Sends it a signal, such as `-TERM`.
    pub(crate) fn send(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(sent.expect("kill can be started").success());
    }

    /// Kills it, and returns when it is gone.
    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("it is a child");
        self.0.wait().expect("it is a child");
    }

    /// Returns the most memory it has had, bytes; nothing when it has ended.
    pub(crate) fn most_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.map_or(0, |kib| kib << 10)
    }

    /// Returns whether it has ended.
    pub(crate) fn is_over(&mut self) -> bool {
        self.0.try_wait().expect("it is a child").is_some()
    }

    /// Waits for its end; returns the output since the last read.
    pub(crate) fn end(mut self) -> Ran {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let out = self.0.stdout.take();
        let reading = std::thread::spawn(move || {
            if let Some(mut out) = out {
                out.read_to_end(&mut stdout).expect("it can be read");
            }
            stdout
        });
        if let Some(mut err) = self.0.stderr.take() {
            err.read_to_end(&mut stderr).expect("it can be read");
        }
        let status = self.0.wait().expect("it is a child").code();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { status, stdout: text(reading.join().expect("it ends")), stderr: text(stderr) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
