//! People in a bout: at this keyboard, and those who come over the network.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use joust_config::Event;
use joust_model::ConnectionCaps;
use joust_model::cancel::Cancel;
use joust_orchestrator::pipeline::SeatedPerson;
use joust_play::channel::live::{Keyboard, KeyboardClient, Keys, LiveChannel, Remote};
use joust_play::channel::{
    self, Admission, ClientLobby, Console, Lobby, Paint, Participants, Port, Reply, StopCheck,
};
use joust_play::executor::bout::SeatedChannel;
use joust_referee::{Game, OptionValue, Scene, SeatRange};
use joust_report::Colours;

use super::host::{HostTable, LobbyKeyboard};
use crate::args::PlayArgs;
use crate::error::{Failure, Status};
use crate::keyboard::{self, CHECK_INTERVAL, TypedInput};
use crate::output::Screen;
use crate::scene::text;
use crate::terminal_session::{TerminalSession, USUAL_WIDTH, width};

/// Returns whether the bots of a game are clients of a server.
pub(super) fn are_clients(game: &Game) -> bool {
    channel::find(&game.spec().channel).is_ok_and(|channel| channel.port == Port::OfTheGame)
}

/// The people of a bout, in the order of their seats.
#[derive(Default)]
pub(super) struct BoutPeople {
    pub(super) seated: Vec<SeatedPerson>,
    /// Name of each until the game knows better.
    pub(super) names: Vec<String>,
    /// Number of people at this keyboard; they come first.
    pub(super) here: usize,
    /// The players that joined over the network.
    pub(super) participants: Option<Participants>,
}

/// Setup of a bout of people.
pub(super) struct PlayerSetup<'a> {
    pub(super) args: &'a PlayArgs,
    pub(super) event: &'a Event,
    pub(super) bots: &'a [String],
    pub(super) cancel: &'a Cancel,
    pub(super) screen: Screen,
    pub(super) terminal: &'a TerminalSession,
}

/// Returns how many seats are taken by people at this keyboard.
pub(super) fn at_the_keyboard(args: &PlayArgs) -> usize {
    args.people.human.iter().map(|people| usize::from(*people)).sum()
}

impl PlayerSetup<'_> {
    /// Seats the people at this keyboard, and waits for those of the network.
    pub(super) fn gather(&self) -> Result<BoutPeople, Failure> {
        let game = &self.event.game;
        Ok(if are_clients(game) {
            self.gather_clients()?
        } else if !game.spec().people.keys.is_empty() && at_the_keyboard(self.args) > 0 {
            let keys = Keys::new(keyboard(self.terminal)?, &game.spec().people.keys);
            // A replay folder has room for one bout.
            let keys = if self.args.recording.log.is_none() { keys.renewing() } else { keys };
            one_player(SeatedChannel::OnTheClock(Box::new(paused(keys, self.args))))
        } else {
            self.gather_to_be_asked()?
        })
    }

    fn gather_to_be_asked(&self) -> Result<BoutPeople, Failure> {
        let game = &self.event.game;
        let here = at_the_keyboard(self.args);
        let mut people = BoutPeople { here, ..BoutPeople::default() };
        people.names = (1..=here).map(|number| format!("Player {number}")).collect();
        let guests = match self.args.people.listen {
            Some(address) => Some(self.wait_for_guests(address, &people.names)?),
            None => None,
        };
        people.participants = guests.as_ref().map(|guests| guests.participants.clone());
        for name in people.names.clone() {
            let (participants, own) = (people.participants.clone(), name.clone());
            let here = LocalPlayer {
                terminal: self.terminal.clone(),
                cancel: self.cancel.clone(),
                own,
                participants,
            };
            let paint = paint(self.screen.error_colours(), width());
            let channel = SeatedChannel::Asked(Box::new(Console::new(
                game.clone(),
                &name,
                Box::new(here),
                paint,
            )));
            people.seated.push(SeatedPerson { name, channel });
        }
        for (name, person) in guests.into_iter().flat_map(|guests| guests.people) {
            let paint = self.paint_for_guests();
            let channel =
                SeatedChannel::Asked(Box::new(Console::new(game.clone(), &name, person, paint)));
            people.names.push(name.clone());
            people.seated.push(SeatedPerson { name, channel });
        }
        Ok(people)
    }

    pub(super) fn paint_for_guests(&self) -> Paint {
        paint(self.screen.guest_colours(), USUAL_WIDTH)
    }

    fn wait_for_guests(
        &self,
        address: SocketAddr,
        here: &[String],
    ) -> Result<channel::GatheredGuests, Failure> {
        let names: Vec<String> = self.bots.iter().chain(here).cloned().collect();
        let seats = seats_for_guests(&self.event.game, names.len(), here.is_empty());
        let admission = Admission { names, patience: self.args.people.guest_time, ..seats };
        let wrong = |error: std::io::Error| not_listening(address, &error);
        let stopped = self.cancel.clone();
        let stopped: StopCheck = Arc::new(move || stopped.is_cancelled());
        let table = Box::new(HostTable(self.terminal.clone()));
        let lobby = Lobby::open(address, admission, stopped).map_err(wrong)?;
        let mut host = LobbyKeyboard::new(self.terminal, self.cancel);
        host.announce(lobby.address().unwrap_or(address), HOW_PEOPLE_JOIN);
        let guests = lobby.gather(&mut host, table).map_err(wrong)?.ok_or_else(called_off)?;
        drop(host);
        self.terminal.release();
        Ok(guests)
    }

    /// Seats the person at this keyboard, or the clients of a game over TCP that
    /// come over the network.
    fn gather_clients(&self) -> Result<BoutPeople, Failure> {
        let (args, game) = (self.args, &self.event.game);
        if at_the_keyboard(args) > 0 {
            let keys = paused(Keys::new(keyboard(self.terminal)?, &game.spec().people.keys), args);
            let hand = KeyboardClient::new(keys, game.clone(), "Player");
            return Ok(one_player(SeatedChannel::OnTheClock(Box::new(hand))));
        }
        let Some(address) = args.people.listen else { return Ok(BoutPeople::default()) };
        let seats = seats_for_guests(game, self.bots.len(), true);
        let wrong = |error: std::io::Error| not_listening(address, &error);
        let lobby = ClientLobby::open(address, seats.fewest, seats.most).map_err(wrong)?;
        let mut host = LobbyKeyboard::new(self.terminal, self.cancel);
        host.announce(lobby.address().unwrap_or(address), HOW_CLIENTS_JOIN);
        let clients = lobby.gather(&mut host).map_err(wrong)?.ok_or_else(called_off)?;
        drop(host);
        self.terminal.print(&time_to_register(self.event));
        self.terminal.release();
        let mut people = BoutPeople::default();
        for (name, stream) in clients {
            people.seated.push(self.client(&name, stream).map_err(wrong)?);
            people.names.push(name);
        }
        Ok(people)
    }

    /// The game knows the client's name, so the plan does not contain it.
    fn client(&self, name: &str, stream: TcpStream) -> std::io::Result<SeatedPerson> {
        let (terminal, text) = (self.terminal.clone(), format!("{name} has left\n"));
        let game = self.event.game.spec();
        let none = || std::io::Error::other(format!("`{}` has no clients", game.id));
        let game = game.tcp.as_ref().ok_or_else(none)?;
        let remote = Remote::new(stream, game, Box::new(move || terminal.print(&text)))?;
        Ok(SeatedPerson {
            name: String::new(),
            channel: SeatedChannel::OnTheClock(Box::new(remote)),
        })
    }

    /// Returns the channel that controls the clock without a seat: for a spectator at a terminal,
    /// or a person who steps through the bout.
    pub(super) fn onlooker(&self) -> Result<Option<Box<dyn LiveChannel>>, Failure> {
        let args = self.args;
        let watches = args.clock.single_step || args.view.show && keyboard::is_terminal();
        let is_taken = at_the_keyboard(args) > 0 || args.people.listen.is_some();
        if self.event.game.spec().people.keys.is_empty() || is_taken || !watches {
            return Ok(None);
        }
        let keys = paused(Keys::onlooker(keyboard(self.terminal)?), args);
        Ok(Some(Box::new(keys)))
    }
}

fn one_player(channel: SeatedChannel) -> BoutPeople {
    let name = "Player".to_owned();
    let seated = vec![SeatedPerson { name: name.clone(), channel }];
    BoutPeople { seated, names: vec![name], here: 1, participants: None }
}

fn paused(keys: Keys, args: &PlayArgs) -> Keys {
    let keys = if args.clock.start_paused { keys.held() } else { keys };
    if args.clock.single_step { keys.step_by_step() } else { keys }
}

fn keyboard(terminal: &TerminalSession) -> Result<Keyboard, Failure> {
    keyboard::single_keys(terminal.clone()).map_err(|error| Failure::machine(&error))
}

/// Returns how many guests it takes and takes at most, when `taken` seats are
/// others'.
fn seats_for_guests(game: &Game, taken: usize, nobody_here: bool) -> Admission {
    let SeatRange { fewest, most } = game.spec().seats;
    Admission {
        fewest: usize::from(fewest).saturating_sub(taken).max(usize::from(nobody_here)),
        most: usize::from(most).saturating_sub(taken),
        names: Vec::new(),
        patience: None,
        caps: ConnectionCaps::default(),
    }
}

/// Describes the time that clients have.
fn time_to_register(event: &Event) -> String {
    let options = event.options.to_referee();
    let seconds = |name: &str| match options.get(name) {
        Some(OptionValue::Int(ms)) => *ms as f64 / 1000.0,
        _ => 0.0,
    };
    format!(
        "started: {} s to register, until everybody has; then a turn every {} s\n",
        seconds("window_ms"),
        seconds("tick_ms")
    )
}

fn not_listening(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot listen at {address}: {error}"))
}

fn called_off() -> Failure {
    Failure::new(Status::Interrupted, "called off; nothing was played")
}

fn paint(colours: Colours, width: usize) -> Paint {
    Arc::new(move |scene: &Scene| text(scene, colours, width))
}

/// A person at this keyboard.
struct LocalPlayer {
    terminal: TerminalSession,
    cancel: Cancel,
    own: String,
    participants: Option<Participants>,
}

impl channel::Person for LocalPlayer {
    fn show(&mut self, text: &str) {
        self.terminal.take_terminal();
        self.terminal.settle();
        self.terminal.print(text);
    }

    fn ask(&mut self, question: &str) -> Reply {
        if let Some(participants) = &self.participants {
            participants.waits_for_host(&self.own);
        }
        let early = keyboard::line(Duration::ZERO);
        let asking = self.terminal.ask(question);
        if let TypedInput::Line(line) = early {
            // The line was typed, and echoed, before it was requested.
            asking.repeat(&format!("{line}\n"));
            return Reply::Line(line);
        }
        let mut is_leaving = false;
        loop {
            match keyboard::line(CHECK_INTERVAL) {
                TypedInput::Line(line) if is_leaving && !is_yes(&line) => {
                    is_leaving = false;
                    asking.repeat(question);
                }
                TypedInput::Line(_) if is_leaving => return Reply::Gone,
                TypedInput::Line(line) => return Reply::Line(line),
                TypedInput::End if keyboard::is_terminal() && !is_leaving => {
                    is_leaving = true;
                    asking.repeat(LEAVING);
                }
                TypedInput::End => {
                    asking.end_line();
                    if !keyboard::is_terminal() {
                        let name = &self.own;
                        self.terminal.print(&format!(
                            "the input has ended: {name} does nothing from now on\n"
                        ));
                    }
                    return Reply::Gone;
                }
                TypedInput::Nothing if self.cancel.is_cancelled() => {
                    asking.end_line();
                    return Reply::Gone;
                }
                TypedInput::Nothing => {}
            }
        }
    }
}

/// Question to a person who pressed Ctrl-D.
const LEAVING: &str = "\nleave your seat, which then does nothing until the end? (y or n) ";

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

const HOW_PEOPLE_JOIN: &str = "players join with";
const HOW_CLIENTS_JOIN: &str = "clients join here, and people who type `REGISTER name password` after INIT and `ACTION UP` \
     and the like after TICK, with";
