//! Conversation with a long-lived program: speaks with it, and judges each of its answers.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use joust_sandbox::poll::{Interest, Poll};
use joust_sandbox::{
    Ending, Pipes, Program, ProgramLimits, RunningProgram, Seat, TurnError, TurnReport,
};
use joust_testkit::hostile::{Dialogue, LimitSet, ProcessEnd, Verdict, verdict};
use joust_testkit::time_scale::scaled;

use crate::calibrate::Calibration;
use crate::turns;

/// Bytes that an answer may have before its end.
const LONGEST_LINE: usize = 64 << 10;
/// Read at a time.
const PIECE: usize = 4 << 10;
/// Time that a whole talk may take.
const BOUT: Duration = Duration::from_secs(100);

/// Result of a talk, and the seat, which is there for another program.
pub(crate) struct Talked {
    pub(crate) heard: Heard,
    pub(crate) seat: Seat,
}

/// Result of a talk.
pub(crate) struct Heard {
    pub(crate) answers: Vec<Verdict>,
    /// The worst of all, its start included.
    pub(crate) verdict: Verdict,
    pub(crate) heard_bytes: u64,
    pub(crate) through_door: Vec<Vec<u8>>,
    pub(crate) report: TurnReport,
}

/// Next event of a talk.
enum News {
    Line(Vec<u8>),
    EndlessLine,
    Ended,
    TimeUp,
}

struct Conversation {
    live: RunningProgram,
    heard: Vec<u8>,
    heard_bytes: u64,
    unsent: Vec<u8>,
    /// Nobody reads requests any more.
    deaf: bool,
}

/// Starts `command` in `seat` and asks it all requests of `talk`.
pub(crate) fn hold(
    mut seat: Seat,
    command: &[OsString],
    talk: &Dialogue,
    turn: Duration,
    calibration: Calibration,
) -> Result<Talked, TurnError> {
    let doors = seat.listeners();
    let limits = ProgramLimits { cpu: scaled(talk.cpu) + calibration.cpu, wall: scaled(BOUT) };
    let folder = Path::new("/program");
    let live =
        seat.start_program(&Program { command, folder, put: &[], pipes: Pipes::Two, limits })?;
    let mut conversation =
        Conversation { live, heard: vec![], heard_bytes: 0, unsent: vec![], deaf: false };
    let start = scaled(talk.start) + calibration.wall;
    let (failure, answers) = conversation.ask_all(talk, turn, start)?;
    let report = conversation.live.end()?.clone();
    let worst = answers.iter().copied().chain(failure).min().unwrap_or(Verdict::Ok);
    let arrived = conversation.live.take_connections();
    let all = doors.iter().flat_map(knocks).chain(arrived);
    let through_door = all.map(came_through).collect();
    let heard_bytes = conversation.heard_bytes;
    let heard = Heard { answers, verdict: worst, heard_bytes, through_door, report };
    Ok(Talked { heard, seat: conversation.live.into_seat()? })
}

fn knocks(door: &TcpListener) -> Vec<TcpStream> {
    std::iter::from_fn(|| door.accept().ok()).map(|(connection, _)| connection).collect()
}

/// Reads all bytes of a connection; its other end is closed by now.
fn came_through(mut connection: TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    let _ = connection.set_nonblocking(false);
    let _ = connection.set_read_timeout(Some(Duration::from_secs(1)));
    let _ = connection.read_to_end(&mut said);
    said
}

impl Conversation {
    /// Returns why it did not start, if so, and the verdict of each request.
    fn ask_all(
        &mut self,
        talk: &Dialogue,
        turn: Duration,
        start: Duration,
    ) -> Result<(Option<Verdict>, Vec<Verdict>), TurnError> {
        let mut answers = Vec::new();
        let mut over = self.wait_until_ready(Instant::now() + start)?;
        let failure = over;
        if let Some(failed) = over {
            answers.push(failed);
        }
        for number in 1..=talk.requests {
            if over.is_none() {
                over = self.listen_between(number - 1, Instant::now() + pause(talk, number))?;
                let (verdict, goes_on) = match over {
                    Some(fault) => (fault, false),
                    None => self.ask(number, talk.filling, turn)?,
                };
                answers.push(verdict);
                over = over.or((!goes_on).then_some(verdict));
            } else if u32::try_from(answers.len()).is_ok_and(|given| given < number) {
                if self.was_ended_by_us(over) {
                    break;
                }
                answers.push(Verdict::NoOutput);
            }
        }
        Ok((failure, answers))
    }

    /// A program that broke what was agreed on is asked nothing more.
    fn was_ended_by_us(&self, over: Option<Verdict>) -> bool {
        matches!(
            over,
            Some(
                Verdict::ProtocolViolation
                    | Verdict::OutputLimit
                    | Verdict::MemoryLimit
                    | Verdict::CpuLimit
            )
        )
    }

    fn wait_until_ready(&mut self, until: Instant) -> Result<Option<Verdict>, TurnError> {
        Ok(match self.next(until)? {
            News::Line(line) if line == b"ready" => None,
            News::Line(_) => Some(Verdict::ProtocolViolation),
            News::EndlessLine => Some(Verdict::OutputLimit),
            News::TimeUp => Some(Verdict::Timeout),
            News::Ended => Some(self.verdict_of_end()?),
        })
    }

    /// Others are asked; what is said meanwhile can only be late or too early.
    fn listen_between(&mut self, asked: u32, until: Instant) -> Result<Option<Verdict>, TurnError> {
        loop {
            match self.next(until)? {
                News::TimeUp => return Ok(None),
                News::Line(line) if number_of(&line).is_some_and(|number| number <= asked) => {}
                News::Line(_) => return Ok(Some(Verdict::ProtocolViolation)),
                News::EndlessLine => return Ok(Some(Verdict::OutputLimit)),
                News::Ended => return self.verdict_of_end().map(Some),
            }
        }
    }

    /// Returns the verdict, and whether it can be asked again.
    fn ask(
        &mut self,
        number: u32,
        filling: usize,
        turn: Duration,
    ) -> Result<(Verdict, bool), TurnError> {
        let request = format!("{number} {} {}\n", turn.as_millis(), ".".repeat(filling));
        self.unsent.extend(request.into_bytes());
        let until = Instant::now() + turn;
        loop {
            match self.next(until)? {
                News::Line(line) => match number_of(&line) {
                    Some(earlier) if earlier < number => {}
                    Some(now) if now == number => return Ok((action_of(&line), true)),
                    _ => return Ok((Verdict::ProtocolViolation, false)),
                },
                News::EndlessLine => return Ok((Verdict::OutputLimit, false)),
                News::TimeUp => return Ok((Verdict::Timeout, true)),
                News::Ended => return Ok((self.verdict_of_end()?, false)),
            }
        }
    }

    /// Waits for what happens next; what was said before the end comes first.
    fn next(&mut self, until: Instant) -> Result<News, TurnError> {
        loop {
            let more = self.listen();
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line = self.heard.drain(..=end).take(end).collect();
                return Ok(News::Line(line));
            }
            if self.heard.len() > LONGEST_LINE {
                return Ok(News::EndlessLine);
            }
            if more {
                continue;
            }
            if self.live.poll_report()?.is_some() {
                return Ok(News::Ended);
            }
            if Instant::now() >= until {
                return Ok(News::TimeUp);
            }
            self.send_what_fits();
            self.wait(until)?;
        }
    }

    /// Reads a piece; says whether there was one.
    fn listen(&mut self) -> bool {
        let mut piece = [0; PIECE];
        let read = self.live.read(&mut piece).unwrap_or(0);
        self.heard.extend_from_slice(&piece[..read]);
        self.heard_bytes += read as u64;
        read > 0
    }

    fn send_what_fits(&mut self) {
        if self.unsent.is_empty() || self.deaf {
            return;
        }
        match self.live.write(&self.unsent) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => self.deaf = true,
        }
    }

    fn wait(&self, until: Instant) -> Result<(), TurnError> {
        let mut poll = Poll::default();
        poll.add(self.live.notices(), Interest::Read);
        if let Some(output) = self.live.output() {
            poll.add(output, Interest::Read);
        }
        if let Some(input) = self.live.input()
            && !self.unsent.is_empty()
            && !self.deaf
        {
            poll.add(input, Interest::Write);
        }
        Ok(poll.wait(Some(until))?)
    }

    /// A program that ends by itself in the middle of a bout breaks what was agreed on.
    fn verdict_of_end(&mut self) -> Result<Verdict, TurnError> {
        let report = self.live.end()?;
        if report.ending == Ending::Exited(0) {
            return Ok(Verdict::ProtocolViolation);
        }
        Ok(verdict(turns::ended(report.ending), LimitSet(report.usage.limits_hit.0), b""))
    }
}

/// Returns the pause before a request; there is none before the first one.
fn pause(talk: &Dialogue, number: u32) -> Duration {
    if number == 1 { Duration::ZERO } else { scaled(talk.pause) }
}

fn number_of(line: &[u8]) -> Option<u32> {
    let digits = line.split(|byte| *byte == b' ').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn action_of(line: &[u8]) -> Verdict {
    let action = line.iter().position(|byte| *byte == b' ').map_or(&b""[..], |at| &line[at + 1..]);
    verdict(ProcessEnd::Status(0), LimitSet::default(), action)
}
