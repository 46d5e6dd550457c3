//! `joust watch`: a running game server in the terminal.

use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::net::TcpStream;

use joust_model::escaped;
use joust_referee::{Game, Spectator, SpectatorEvent};

use super::{serve, shared};
use crate::args::WatchArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;
use crate::scene::{broken, draw, lines};
use crate::terminal_session::{TerminalSession, width};

/// Number of positions for which news stay on the screen.
const OLD_NEWS: u32 = 3;
/// A line that is longer is cut.
const LINE_BYTES: u64 = 64 * 1024;

pub(super) fn execute(args: &WatchArgs, screen: Screen) -> Result<Status, Failure> {
    let address = args.address.as_str();
    let spectator = spectator(args)?;
    let stream = TcpStream::connect(address).map_err(|error| {
        let message = format!("cannot connect to `{}`: {error}", escaped(address));
        let status = match error.kind() {
            io::ErrorKind::InvalidInput => Status::Usage,
            _ => Status::Machine,
        };
        Failure::new(status, message).hint("name a server as ADDR:PORT; `joust serve` says its own")
    })?;
    screen.message("connected; the next game is shown from its start\n");
    let terminal = TerminalSession::new(screen);
    let mut watcher = ServerViewer {
        screen,
        terminal: terminal.clone(),
        spectator,
        news: String::new(),
        age: 0,
        games: 0,
    };
    terminal.set_footer("Ctrl-C ends");
    let mut reader = BufReader::new(stream);
    while let Some(line) = next_line(&mut reader) {
        watcher.see(&line);
        if args.games.is_some_and(|games| watcher.games >= games) {
            terminal.release();
            return Ok(Status::Done);
        }
    }
    terminal.release();
    screen.message("the server has closed the connection\n");
    Ok(Status::Done)
}

/// Returns a spectator of the game that is watched: the wire does not name it.
fn spectator(args: &WatchArgs) -> Result<Box<dyn Spectator>, Failure> {
    let games = shared::games();
    let spectator = |game: &Game| Some(game.served()?.spectator());
    if let Some(id) = &args.game {
        let game = shared::game(&games, id)?;
        return spectator(&game).ok_or_else(|| serve::no_server(&games, &game));
    }
    games
        .iter()
        .find_map(spectator)
        .ok_or_else(|| Failure::usage("no game has a server".to_owned()))
}

fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let length = reader.take(LINE_BYTES).read_until(b'\n', &mut line).ok()?;
    if length == 0 {
        return None;
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}

/// Viewer that draws what a server sends.
struct ServerViewer {
    screen: Screen,
    terminal: TerminalSession,
    spectator: Box<dyn Spectator>,
    news: String,
    /// Positions since the news.
    age: u32,
    games: u32,
}

impl ServerViewer {
    fn see(&mut self, line: &str) {
        match self.spectator.read_line(line) {
            SpectatorEvent::Nothing => {}
            SpectatorEvent::Position => {
                self.age += 1;
                if self.age > OLD_NEWS {
                    self.news.clear();
                }
                self.draw();
            }
            SpectatorEvent::News(news) => self.show_news(&news),
            SpectatorEvent::GameOver(news) => {
                self.games += 1;
                self.show_news(&news);
            }
        }
    }

    fn show_news(&mut self, news: &str) {
        self.news = escaped(news);
        self.age = 0;
        if io::stdout().is_terminal() {
            self.draw();
        } else {
            self.screen.result(&format!("{}\n", self.news));
        }
    }

    /// Draws the position in place of the one before, with the news under it.
    fn draw(&self) {
        let scene = self.spectator.scene();
        if !io::stdout().is_terminal() {
            let picture = scene.map(|scene| draw(&scene, self.screen.colours()));
            return self.screen.result(&format!("{}\n", picture.unwrap_or_default()));
        }
        let colors = self.screen.colours();
        let mut picture = scene.map(|scene| lines(&scene, colors, width())).unwrap_or_default();
        picture.extend(broken(&self.news, width()));
        self.terminal.show_lines(picture);
    }
}
