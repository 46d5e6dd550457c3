//! People in a bout: at this keyboard, and those who come over the network.

use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use joust_orchestrator::cancel::Cancel;
use joust_orchestrator::channel::live::{Hand, Keyboard, Keys, LiveChannel, Remote};
use joust_orchestrator::channel::{
    self, Admission, Audience, ClientLobby, Console, Lobby, LobbyHost, LobbyNews, Order, Paint,
};
use joust_orchestrator::executor::bout::Occupant;
use joust_orchestrator::model::escaped;
use joust_orchestrator::pipeline::Person;
use joust_referee::{GameKind, Scene};

use super::run;
use crate::args::PlayArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::keyboard::{self, Key};
use crate::output::Screen;
use crate::raw_keys::RawKeys;
use crate::scene::{Ink, draw};

/// How often somebody who is waited for is left for a look at Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// The channel of games whose bots are clients.
pub(super) const OVER_TCP: &str = "tcp-line";

/// The people of a bout, in the order of their seats.
#[derive(Default)]
pub(super) struct People {
    pub(super) seated: Vec<Person>,
    /// Those of them who came over the network.
    pub(super) audience: Audience,
}

/// Returns how many seats are taken by people at this keyboard.
pub(super) fn at_the_keyboard(args: &PlayArgs) -> usize {
    args.human.iter().map(|people| usize::from(*people)).sum()
}

/// Seats the people at this keyboard, and waits for those of the network.
pub(super) fn gather(
    args: &PlayArgs,
    game: &'static dyn GameKind,
    bots: &[String],
    (cancel, screen): (&Cancel, Screen),
) -> Result<People, Failure> {
    if game.channel() == OVER_TCP {
        let seated = gather_clients(args, game, bots.len(), (cancel, screen))?;
        return Ok(People { seated, ..People::default() });
    }
    let mut names: Vec<String> = bots.to_vec();
    let mut people = People::default();
    if !game.keys().is_empty() && at_the_keyboard(args) > 0 {
        let keys = Keys::new(keyboard(screen)?, game.keys());
        // A replay folder has room for one bout.
        let keys = if args.log.is_none() { keys.renewing() } else { keys };
        let channel = Occupant::OnTheClock(Box::new(paused(keys, args)));
        people.seated.push(Person { name: "Player".to_owned(), channel });
        return Ok(people);
    }
    for number in 1..=at_the_keyboard(args) {
        let name = format!("Player {number}");
        let person = Box::new(Here { screen, cancel: cancel.clone() });
        let paint = paint(screen.error_colours());
        let channel = Occupant::Asked(Box::new(Console::new(game, &name, person, paint)));
        people.seated.push(Person { name: name.clone(), channel });
        names.push(name);
    }
    if let Some(address) = args.listen {
        let seats = seats_for_guests(game, names.len(), people.seated.is_empty());
        let admission = Admission { names, ..seats };
        let stopped = cancel.clone();
        let lobby = Lobby::open(address, admission, Arc::new(move || stopped.is_cancelled()))
            .map_err(|error| not_listening(address, &error))?;
        let mut host = AtTheDoor { screen, cancel: cancel.clone() };
        host.announce(lobby.address().unwrap_or(address));
        let guests = lobby.gather(&mut host).map_err(|error| not_listening(address, &error))?;
        let guests = guests.ok_or_else(run::interrupted)?;
        // Other people's terminals are not known; colours are for who asks.
        let paint = paint(screen.colours_always());
        for (name, person) in guests.people {
            let channel = Occupant::Asked(Box::new(Console::new(game, &name, person, paint)));
            people.seated.push(Person { name, channel });
        }
        people.audience = guests.audience;
    }
    Ok(people)
}

/// Returns who has a hand on the clock without a seat: whoever watches at a
/// terminal, or steps through the bout.
pub(super) fn onlooker(
    args: &PlayArgs,
    game: &dyn GameKind,
    screen: Screen,
) -> Result<Option<Box<dyn LiveChannel>>, Failure> {
    let watches = args.single_step || args.show && io::stdin().is_terminal();
    let is_taken = at_the_keyboard(args) > 0 || args.listen.is_some();
    if game.keys().is_empty() || is_taken || !watches {
        return Ok(None);
    }
    let keys = paused(Keys::onlooker(keyboard(screen)?), args);
    Ok(Some(Box::new(keys)))
}

fn paused(keys: Keys, args: &PlayArgs) -> Keys {
    let keys = if args.start_paused { keys.held() } else { keys };
    if args.single_step { keys.step_by_step() } else { keys }
}

fn keyboard(screen: Screen) -> Result<Box<dyn Keyboard>, Failure> {
    let keys = RawKeys::open(screen).map_err(|error| Failure::from_error(Status::Machine, &error));
    Ok(Box::new(keys?))
}

/// Seats the person at this keyboard, or the clients of a game over TCP that
/// come over the network.
fn gather_clients(
    args: &PlayArgs,
    game: &'static dyn GameKind,
    bots: usize,
    (cancel, screen): (&Cancel, Screen),
) -> Result<Vec<Person>, Failure> {
    if at_the_keyboard(args) > 0 {
        let name = "Player".to_owned();
        let keys = paused(Keys::new(keyboard(screen)?, game.keys()), args);
        let channel = Occupant::OnTheClock(Box::new(Hand::new(keys, game, &name)));
        return Ok(vec![Person { name, channel }]);
    }
    let Some(address) = args.listen else { return Ok(Vec::new()) };
    let seats = seats_for_guests(game, bots, true);
    let wrong = |error: std::io::Error| not_listening(address, &error);
    let lobby = ClientLobby::open(address, seats.fewest, seats.most).map_err(wrong)?;
    let mut host = AtTheDoor { screen, cancel: cancel.clone() };
    host.announce(lobby.address().unwrap_or(address));
    let clients = lobby.gather(&mut host).map_err(wrong)?.ok_or_else(run::interrupted)?;
    let seat = |(name, stream): (String, TcpStream)| {
        let channel = Occupant::OnTheClock(Box::new(Remote::new(stream)?));
        Ok(Person { name, channel })
    };
    clients.into_iter().map(seat).collect::<Result<_, _>>().map_err(wrong)
}

/// Returns how many guests it takes and takes at most, when `taken` seats are
/// others'.
fn seats_for_guests(game: &dyn GameKind, taken: usize, nobody_here: bool) -> Admission {
    let (fewest, most) = game.seats();
    Admission {
        fewest: usize::from(fewest).saturating_sub(taken).max(usize::from(nobody_here)),
        most: usize::from(most).saturating_sub(taken),
        names: Vec::new(),
    }
}

fn not_listening(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::new(Status::Usage, format!("cannot listen at {address}: {error}"))
}

/// Reads the address of `--listen`: a port alone is on this machine only.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "write it as ADDRESS:PORT, or a port of this machine".to_owned())
}

fn paint(colours: bool) -> Paint {
    fn coloured(scene: &Scene) -> String {
        draw(scene, Ink::Colours)
    }
    fn plain(scene: &Scene) -> String {
        draw(scene, Ink::Plain)
    }
    if colours { coloured } else { plain }
}

/// A person at this keyboard.
struct Here {
    screen: Screen,
    cancel: Cancel,
}

impl channel::Person for Here {
    fn show(&mut self, text: &str) {
        self.screen.error(text);
    }

    fn line(&mut self) -> Option<String> {
        loop {
            match keyboard::wait(LOOK) {
                Key::Line(line) => return Some(line),
                Key::End => return None,
                Key::Nothing if self.cancel.is_cancelled() => return None,
                Key::Nothing => {}
            }
        }
    }
}

/// Who sits at this keyboard while guests come in.
struct AtTheDoor {
    screen: Screen,
    cancel: Cancel,
}

impl AtTheDoor {
    fn announce(&self, address: SocketAddr) {
        let mut text = format!("listening at {address}\n");
        if !address.ip().is_loopback() {
            text.push_str(
                "warning: whoever reaches this address can join; nothing is encrypted and nobody \
                 has to say who they are\n",
            );
        }
        let (ip, port) = (address.ip(), address.port());
        text.push_str(&format!(
            "players join with `nc {ip} {port}` or `telnet {ip} {port}`; type `start` when all are \
             here, `end` to call it off\n"
        ));
        self.screen.error(&text);
    }
}

impl LobbyHost for AtTheDoor {
    fn hear(&mut self, news: &LobbyNews) {
        let text = match news {
            LobbyNews::Joined { name, here } => format!("{name} has joined ({here} here)\n"),
            LobbyNews::Left { name, here } => format!("{name} has left ({here} here)\n"),
            LobbyNews::TooFew { here, fewest } => {
                format!("{here} here, and it takes {fewest}: not started\n")
            }
        };
        self.screen.error(&text);
    }

    fn order(&mut self) -> Order {
        match keyboard::wait(LOOK) {
            _ if self.cancel.is_cancelled() => Order::End,
            Key::Line(line) => match line.trim() {
                "start" => Order::Start,
                "end" | "quit" => Order::End,
                other => {
                    let text = format!("`{}`? type `start` or `end`\n", escaped(other));
                    self.screen.error(&text);
                    Order::Wait
                }
            },
            Key::Nothing => Order::Wait,
            Key::End => Order::End,
        }
    }
}
