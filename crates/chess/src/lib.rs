//! Referee of chess, a program that speaks `gamekit`'s protocol to Joust and UCI to engines.
//!
//! An engine is a bot without changes: it gets UCI commands, and its answer is the line that
//! begins with `bestmove `. This program decides mates, repetitions and the other ends;
//! `cozy-chess` generates moves. It has no clock: Joust keeps the clocks.
#![forbid(unsafe_code)]

mod bout;
mod pgn;
mod rules;

pub use pgn::{NotABout, pgn};

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use joust_gamekit::{Capability, FromReferee, GameMessage, PROTOCOL, ToReferee};

use bout::ChessBout;

const ID: &str = "chess";
const VERSION: &str = "1";
const CAN: [Capability; 3] = [Capability::Bouts, Capability::Rejudge, Capability::Scene];

/// Speaks to Joust until its words end: lines in, lines out, many bouts in one process.
///
/// # Errors
///
/// Input that cannot be read, output that cannot be written, and a line that is not of the
/// protocol.
pub fn serve(lines: impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let mut bouts = BTreeMap::new();
    for line in lines.lines() {
        for said in take(&mut bouts, &line?)? {
            out.write_all(said.to_line().as_bytes())?;
        }
        out.flush()?;
    }
    Ok(())
}

fn take(bouts: &mut BTreeMap<u32, ChessBout>, line: &str) -> io::Result<Vec<FromReferee>> {
    let said = match serde_json::from_str(line).map_err(io::Error::other)? {
        ToReferee::Hello(_) => vec![hello()],
        ToReferee::Start(start) => {
            let mut bout = ChessBout::new(&start);
            let said = bout.begin();
            bouts.insert(start.b, bout);
            said
        }
        ToReferee::Answers(answers) => {
            let bout = bouts.get_mut(&answers.b);
            let bout = bout.ok_or_else(|| io::Error::other("an answer to no bout"))?;
            let said: Vec<FromReferee> =
                answers.of.iter().flat_map(|answer| bout.take(answer)).collect();
            if matches!(said.last(), Some(FromReferee::End(_))) {
                bouts.remove(&answers.b);
            }
            said
        }
        ToReferee::Drop(drop) => {
            bouts.remove(&drop.b);
            Vec::new()
        }
    };
    Ok(said)
}

fn hello() -> FromReferee {
    FromReferee::Game(GameMessage {
        protocol: PROTOCOL,
        id: ID.to_owned(),
        version: VERSION.to_owned(),
        can: CAN.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_to(lines: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        serve(lines.join("\n").as_bytes(), &mut out).expect("the lines are of the protocol");
        String::from_utf8(out).expect("it is UTF-8").lines().map(str::to_owned).collect()
    }

    const START: &str = r#"{"t":"start","b":1,"seed":"0","seats":2,"options":{"openings":"none"}}"#;

    #[test]
    fn an_engine_is_told_what_uci_tells() {
        let said = said_to(&[START]);
        assert!(said[0].contains(r"uci\nucinewgame\nisready\n"), "{said:?}");
        let go = r"position startpos\ngo wtime {left_ms:0} btime {left_ms:1} winc {inc_ms}";
        assert!(said[1].contains(go), "{said:?}");
    }

    #[test]
    fn a_move_is_played_and_the_other_side_asked() {
        let answer = r#"{"t":"answers","b":1,"n":1,"of":[{"seat":0,"verdict":"ok","text":"e2e4 ponder e7e5","us":5}]}"#;
        let said = said_to(&[START, answer]);
        assert!(
            said[2].contains(r#""to":[{"seat":1,"text":"position startpos moves e2e4\n"#),
            "{said:?}"
        );
    }

    #[test]
    fn what_is_no_move_or_comes_late_loses() {
        for (answer, kind) in [
            (r#"{"seat":0,"verdict":"ok","text":"e2e5","us":5}"#, "illegal"),
            (r#"{"seat":0,"verdict":"ok","text":"(none)","us":5}"#, "illegal"),
            (r#"{"seat":0,"verdict":"timeout","text":"e2e4","us":5}"#, "timeout"),
        ] {
            let answers = format!(r#"{{"t":"answers","b":1,"n":1,"of":[{answer}]}}"#);
            let said = said_to(&[START, &answers]);
            assert!(said[2].contains(&format!(r#""kind":"{kind}""#)), "{said:?}");
            assert!(said[3].contains(r#""scores":[0.0,2.0],"ranks":[2,1]"#), "{said:?}");
        }
    }
}
