//! Channel `python-class`: a class in a long-lived process, which gets states and returns actions.
//!
//! The agent's process runs `python_class/host.py`, which imports the agent and communicates over
//! two pipes of its own; that file describes the protocol. No file of the host is in the agent's
//! folder. The pipe buffers states, and the host passes only the newest one to the agent. If the
//! pipe is full, the newest state is queued here, replacing an older one.

use std::ffi::OsString;
use std::time::Instant;

use joust_referee::{Part, Parts, RequestId, Verdict};
use joust_sandbox::Pipes;

use super::{Event, LiveChannel, News, PollTarget, Program};
use crate::channel::{Answered, ChannelError, Opening, Usage};
use crate::transfer::{at_once, write_at_once};

/// Source of the program that hosts an agent.
const HOST: &str = include_str!("python_class/host.py");

/// The parts of a view.
const GAME_STATE: &str = "game_state.json";
const PLAYER_STATE: &str = "player_state.json";

/// The longest message of a host: an answer's value has 4096 bytes at most.
const MESSAGE_BYTES: usize = 4096 + 64;

/// Size of one read in bytes; more is left for the next call, so that an endless writer does not
/// delay the others.
const READ_BYTES: usize = 64 * 1024;

/// Channel to an agent through its host.
pub(crate) struct PythonClass {
    program: Program,
    /// Bytes of an unfinished message of the host.
    incoming: Vec<u8>,
    /// Rest of a state that the pipe has accepted in part.
    outgoing: Vec<u8>,
    /// The newest state, while the pipe is full.
    waiting: Option<Vec<u8>>,
    ready: bool,
    output: OutputState,
    opened_at: Instant,
}

/// State of the output of the agent's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputState {
    /// It consists of valid messages.
    Messages,
    /// It was malformed once; everything after that is discarded.
    Malformed,
    /// It has ended.
    Closed,
}

impl PythonClass {
    pub(crate) fn open(mut opening: Opening) -> Result<Self, ChannelError> {
        opening.command = host_command(&opening)?;
        Ok(Self {
            program: Program::open(opening)?,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            waiting: None,
            ready: false,
            output: OutputState::Messages,
            opened_at: Instant::now(),
        })
    }

    /// Writes the bytes that fit into the pipe.
    fn flush(&mut self) {
        loop {
            if self.outgoing.is_empty() {
                match self.waiting.take() {
                    Some(state) => self.outgoing = state,
                    None => return,
                }
            }
            let written = write_at_once(&self.outgoing, |bytes| self.program.write(bytes));
            // If the reading end is closed, the bot's end will be reported.
            self.outgoing.drain(..written.unwrap_or(self.outgoing.len()));
            if !self.outgoing.is_empty() {
                return;
            }
        }
    }

    /// Reads available output, up to a limit.
    fn read_output(&mut self) {
        let mut buffer = [0; 4096];
        let mut left = READ_BYTES;
        while self.output != OutputState::Closed && left > 0 {
            match at_once(|| self.program.read(&mut buffer)) {
                Ok(None) => return,
                Ok(Some(0)) | Err(_) => self.output = OutputState::Closed,
                Ok(Some(read)) => {
                    left = left.saturating_sub(read);
                    if self.output == OutputState::Messages {
                        self.incoming.extend_from_slice(&buffer[..read]);
                    }
                    if read < buffer.len() {
                        return;
                    }
                }
            }
        }
    }

    /// Decodes the complete messages.
    fn parse_messages(&mut self, at: Instant, news: &mut Vec<News>) {
        let incoming = std::mem::take(&mut self.incoming);
        let mut rest = &incoming[..];
        while self.output != OutputState::Malformed {
            let Some((length, after)) = rest.split_first_chunk() else { break };
            let length = u32::from_le_bytes(*length) as usize;
            if length <= MESSAGE_BYTES && after.len() < length {
                break;
            }
            let message = after.get(..length).filter(|_| length <= MESSAGE_BYTES);
            let event = match message.and_then(|message| self.event(message)) {
                Some(event) => event,
                None => self.report_malformed(),
            };
            news.push(News { at, event });
            rest = after.get(length..).unwrap_or_default();
        }
        if self.output == OutputState::Messages {
            self.incoming = rest.to_vec();
        }
    }

    fn event(&mut self, message: &[u8]) -> Option<Event> {
        match message {
            b"R" if !self.ready => {
                self.ready = true;
                Some(Event::Ready)
            }
            [b'A', rest @ ..] if self.ready => answer(rest),
            _ => None,
        }
    }

    fn report_malformed(&mut self) -> Event {
        self.output = OutputState::Malformed;
        Event::Fault {
            verdict: Verdict::ProtocolViolation,
            reason: "the agent wrote to its host's pipe".to_owned(),
        }
    }
}

impl LiveChannel for PythonClass {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.program.start(Pipes::Two)
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.program.descriptors(wanted, !self.outgoing.is_empty());
    }

    fn wake_at(&self) -> Option<Instant> {
        self.program.has_unreported_event().then_some(self.opened_at)
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        self.flush();
        // Output from before the end is read before the end is reported.
        let ended = self.program.ended()?;
        self.read_output();
        let at = Instant::now();
        self.parse_messages(at, news);
        news.extend(ended.map(|ended| News { at, event: Event::Ended(Box::new(ended)) }));
        Ok(())
    }

    fn ask(&mut self, request: RequestId, view: &Parts) -> Result<(), ChannelError> {
        self.waiting = Some(state_message(request, view));
        self.flush();
        Ok(())
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        self.program.usage()
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.program.end()
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.program.close()
    }
}

/// Returns the command that hosts the agent: the interpreter and its options, the host, and then
/// the agent's module (the first argument of the bot's command that is in the bot's folder) and the
/// arguments after it.
fn host_command(opening: &Opening) -> Result<Vec<OsString>, ChannelError> {
    let is_of_bot = |word: &OsString| std::path::Path::new(word).starts_with(&opening.folder);
    let command = &opening.command;
    let module = command.iter().skip(1).position(is_of_bot).ok_or(ChannelError::NoModule)? + 1;
    let game = opening.game.spec();
    let agent = game.agent_module.as_ref();
    let agent = agent.ok_or_else(|| ChannelError::NoAgentModule(game.id.clone()))?;
    let mut hosted = command[..module].to_vec();
    hosted.extend(["-c", HOST, &agent.name, &agent.source].map(OsString::from));
    hosted.push(command[module].clone());
    hosted.push(opening.seat.to_string().into());
    hosted.extend(command[module + 1..].iter().cloned());
    Ok(hosted)
}

/// Returns a state as a message for the host.
fn state_message(request: RequestId, view: &Parts) -> Vec<u8> {
    let game = view.get(GAME_STATE).unwrap_or_default();
    let player = view.get(PLAYER_STATE).unwrap_or_default();
    let length = |bytes: usize| u32::try_from(bytes).expect("a state is short");
    let mut message = Vec::with_capacity(12 + game.len() + player.len());
    for number in [length(8 + game.len() + player.len()), request.0, length(game.len())] {
        message.extend(number.to_le_bytes());
    }
    message.extend_from_slice(game);
    message.extend_from_slice(player);
    message
}

/// Decodes an answer: request, length of kind, kind, value.
fn answer(bytes: &[u8]) -> Option<Event> {
    let (request, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first()?;
    let (kind, value) = rest.split_at_checked(usize::from(*length))?;
    let part = Part { name: std::str::from_utf8(kind).ok()?.into(), bytes: value.into() };
    let request = RequestId(u32::from_le_bytes(*request));
    Some(Event::Answer { request, parts: Parts(vec![part]) })
}
