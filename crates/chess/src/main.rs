//! The binary `joust-chess`: the referee, and with `pgn` the writer of recorded bouts.
#![forbid(unsafe_code)]

use std::io::{self, Read, Write};
use std::process::ExitCode;

const HELP: &str = "\
Referee of chess for Joust, which starts it itself; and a writer of PGN.

Usage: joust-chess        speaks Joust's protocol for referees
       joust-chess pgn    reads a bout as JSON, writes it as PGN

Example: joust replay BOUT --format json --turns | joust-chess pgn > bout.pgn
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => joust_chess::serve(io::stdin().lock(), &mut io::stdout().lock()),
        ["pgn"] => write_pgn(),
        _ => return say(&mut io::stderr().lock(), HELP, ExitCode::from(2)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&mut io::stderr().lock(), &format!("error: {error}\n"), ExitCode::FAILURE)
        }
    }
}

fn write_pgn() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let pgn = joust_chess::pgn(&text).map_err(io::Error::other)?;
    io::stdout().lock().write_all(pgn.as_bytes())
}

/// Prints a text; a closed output changes nothing.
fn say(out: &mut dyn Write, text: &str, status: ExitCode) -> ExitCode {
    let _ = out.write_all(text.as_bytes());
    status
}
