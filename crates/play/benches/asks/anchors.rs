//! Bare exchanges of a line, to compare with.

use std::error::Error;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::cpu;

/// Exchanges of one line each, before those that count a tenth as many.
const EXCHANGES: u32 = 20_000;

/// Processor time of one exchange, on either side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) asker: Duration,
    pub(crate) answerer: Duration,
}

impl Exchange {
    pub(crate) fn all(&self) -> Duration {
        self.asker + self.answerer
    }
}

/// Asks a program with a line of 64 bytes again and again, over two pipes.
pub(crate) fn exchange(mut program: Command) -> Result<Exchange, Box<dyn Error>> {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to = child.stdin.take().ok_or("it has no input")?;
    let mut from = child.stdout.take().ok_or("it has no output")?;
    let line = [[b'x'; 63].as_slice(), b"\n"].concat();
    let mut buffer = [0; 4096];
    let mut before = (Duration::ZERO, Duration::ZERO);
    for number in 0..EXCHANGES + EXCHANGES / 10 {
        if number == EXCHANGES / 10 {
            before = (cpu::of_process(std::process::id()), cpu::of_process(child.id()));
        }
        to.write_all(&line)?;
        let mut got = 0;
        while got < line.len() {
            match from.read(&mut buffer)? {
                0 => return Err("it has ended".into()),
                more => got += more,
            }
        }
    }
    let after = (cpu::of_process(std::process::id()), cpu::of_process(child.id()));
    drop(to);
    child.wait()?;
    let each = |after: Duration, before| (after - before) / EXCHANGES;
    Ok(Exchange { asker: each(after.0, before.0), answerer: each(after.1, before.1) })
}

/// Feeds a referee what Joust would tell it, line by line; returns what the two sides of
/// that take of the processor for each line.
pub(crate) fn fed(mut referee: Command, lines: &[String]) -> Result<Exchange, Box<dyn Error>> {
    let mut child = referee.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to = child.stdin.take().ok_or("it has no input")?;
    let mut from = child.stdout.take().ok_or("it has no output")?;
    let mut buffer = vec![0; 65536];
    let mut before = (Duration::ZERO, Duration::ZERO);
    for (number, line) in lines.iter().enumerate() {
        // After `hello`, `start` and a few answers.
        if number == lines.len() / 10 {
            before = (cpu::of_process(std::process::id()), cpu::of_process(child.id()));
        }
        to.write_all(line.as_bytes())?;
        let mut got = 0;
        while got == 0 || buffer[got - 1] != b'\n' {
            match from.read(&mut buffer[got..])? {
                0 => return Err("it has ended".into()),
                more => got += more,
            }
        }
    }
    let after = (cpu::of_process(std::process::id()), cpu::of_process(child.id()));
    drop(to);
    child.wait()?;
    let count = u32::try_from(lines.len() - lines.len() / 10)?;
    let each = |after: Duration, before| (after - before) / count;
    Ok(Exchange { asker: each(after.0, before.0), answerer: each(after.1, before.1) })
}
