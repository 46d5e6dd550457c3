//! `joust watch`: a running game server in the terminal.

use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::net::TcpStream;

use joust_orchestrator::model::escaped;
use joust_orchestrator::serve::{Mirror, Seen};

use crate::args::WatchArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;
use crate::scene::{Ink, draw};

/// A line that is longer is cut.
const LINE_BYTES: u64 = 64 * 1024;

pub(super) fn execute(args: &WatchArgs, screen: Screen) -> Result<Status, Failure> {
    let address = args.address.as_str();
    let stream = TcpStream::connect(address).map_err(|error| {
        let message = format!("cannot connect to `{}`: {error}", address.escape_default());
        Failure::new(Status::Machine, message)
            .hint("name a server as ADDR:PORT; `joust serve` says its own")
    })?;
    screen.message("connected; the next game is shown from its start\n");
    let mut watcher = Watcher { screen, mirror: Mirror::default(), news: String::new(), games: 0 };
    let mut reader = BufReader::new(stream);
    while let Some(line) = next_line(&mut reader) {
        watcher.see(&line);
        if args.games.is_some_and(|games| watcher.games >= games) {
            return Ok(Status::Done);
        }
    }
    screen.message("the server has closed the connection\n");
    Ok(Status::Done)
}

fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let length = reader.take(LINE_BYTES).read_until(b'\n', &mut line).ok()?;
    if length == 0 {
        return None;
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}

/// Draws what it is told.
struct Watcher {
    screen: Screen,
    mirror: Mirror,
    news: String,
    games: u32,
}

impl Watcher {
    fn see(&mut self, line: &str) {
        match self.mirror.take(line) {
            Seen::Nothing => return,
            Seen::Position => {}
            Seen::News(news) => {
                self.news = escaped(&news);
                if self.news.starts_with("game over") {
                    self.games += 1;
                }
                if !io::stdout().is_terminal() {
                    self.screen.result(&format!("{}\n", self.news));
                    return;
                }
            }
        }
        self.draw();
    }

    fn draw(&self) {
        let ink = Ink::when(self.screen.colours());
        let board = self.mirror.scene().map(|scene| draw(&scene, ink)).unwrap_or_default();
        if io::stdout().is_terminal() {
            // Home and clear below, so that positions replace one another.
            self.screen.result(&format!("\u{1b}[H\u{1b}[J{board}{}\n", self.news));
        } else {
            self.screen.result(&format!("{board}\n"));
        }
    }
}
