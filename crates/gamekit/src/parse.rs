//! Reader of a referee's messages: one object of JSON a line; and checks of scores and ranks.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};

use crate::unique;
use crate::{
    AskMessage, AskSeat, Breach, Capability, EndMessage, ErrorMessage, FaultMessage, FromReferee,
    GameMessage, LogMessage, Numbers, OutMessage, Position, Scene, TellMessage,
};

/// The types of a referee's messages.
const TYPES: &str = "`game`, `tell`, `ask`, `fault`, `out`, `log`, `error` and `end`";

/// Every key that a message can have. A key has the same type wherever it stands.
#[derive(Deserialize)]
struct MessageKeys {
    t: Option<String>,
    b: Option<u32>,
    n: Option<u32>,
    to: Option<Vec<Receiver>>,
    text: Option<String>,
    seat: Option<u8>,
    kind: Option<String>,
    state: Option<String>,
    hash: Option<String>,
    scene: Option<Scene>,
    #[serde(default, deserialize_with = "unique::some")]
    numbers: Option<Numbers>,
    scores: Option<Vec<Option<f64>>>,
    ranks: Option<Vec<u8>>,
    reason: Option<String>,
    protocol: Option<u32>,
    id: Option<String>,
    version: Option<String>,
    can: Option<Vec<String>>,
}

/// Receiver of a `tell` or an `ask`.
enum Receiver {
    Seat(u8),
    Ask(AskSeat),
}

impl<'de> Deserialize<'de> for Receiver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Receiver;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a seat's number in `tell`, or an object with `seat` in `ask`")
            }

            fn visit_u64<E: Error>(self, seat: u64) -> Result<Receiver, E> {
                let seat = u8::try_from(seat);
                seat.map(Receiver::Seat).map_err(|_| E::custom("there are at most 255 seats"))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Receiver, A::Error> {
                AskSeat::deserialize(MapAccessDeserializer::new(map)).map(Receiver::Ask)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Reads one line; whether the message is in order is not looked at.
pub(crate) fn parse(line: &[u8]) -> Result<FromReferee, Breach> {
    let text = str::from_utf8(line).map_err(|error| {
        let breach = Breach::new("the line is not UTF-8").column(error.valid_up_to() + 1);
        breach.hint("write texts as UTF-8, whatever the machine's own encoding is")
    })?;
    if text.starts_with('\u{feff}') {
        let breach = Breach::new("the line begins with a byte order mark").column(1);
        return Err(
            breach.hint("write UTF-8 without one, for instance `utf-8` and not `utf-8-sig`")
        );
    }
    // An object alone: a list of the right length would be read as one.
    if !text.trim_start().starts_with('{') {
        let breach = Breach::new("the line is not an object of JSON").column(1);
        return Err(breach.hint(
            "standard output carries messages alone; write everything else to standard error",
        ));
    }
    let keys: MessageKeys = serde_json::from_str(text).map_err(|error| not_read(text, &error))?;
    let bout = keys.b;
    keys.message().map_err(|breach| match bout {
        Some(bout) => breach.of_bout(bout),
        None => breach,
    })
}

/// Describes why a line is no message, with the text before that place.
fn not_read(text: &str, error: &serde_json::Error) -> Breach {
    let message = error.to_string();
    let bare = in_words(message.split(" at line ").next().unwrap_or(&message));
    let column = error.column().max(1);
    let breach = match error.classify() {
        serde_json::error::Category::Data => Breach::new(bare),
        _ => Breach::new(format!("the line is not JSON: {bare}")),
    };
    let breach = breach.column(column);
    let here = text.get(column - 1..).unwrap_or_default();
    match () {
        () if ["NaN", "Inf", "-Inf", "nan", "inf"].iter().any(|word| here.starts_with(word)) => {
            breach.hint("JSON has finite numbers alone; a seat without a score has `null`")
        }
        () if error.is_eof() => breach.hint("one message is one line, all of it"),
        () if message.starts_with("trailing characters") => {
            breach.hint("one message is one line: end it with `\\n`")
        }
        () => breach.hint(format!("at the end of `{}`", before(text, column))),
    }
}

/// Returns the end of what stands before a byte of the line, for people.
fn before(text: &str, column: usize) -> String {
    const CHARACTERS: usize = 30;
    let start = text.char_indices().map(|(place, _)| place).take_while(|place| *place < column);
    let places: Vec<usize> = start.collect();
    let from = places[places.len().saturating_sub(CHARACTERS)..].first().copied().unwrap_or(0);
    let to = text.floor_char_boundary(column.min(text.len()));
    text.get(from..to).unwrap_or_default().escape_debug().to_string().replace("\\\"", "\"")
}

/// Returns what serde says without the names of Rust's types.
fn in_words(text: &str) -> String {
    let words = [
        ("expected u8", "expected a whole number from 0 to 255"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected f64", "expected a number"),
        ("expected a string", "expected a text"),
        ("invalid type: string", "invalid type: text"),
        ("invalid type: sequence", "invalid type: list"),
        ("invalid type: map", "invalid type: object"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("duplicate field", "key said twice:"),
        ("missing field", "missing key"),
    ];
    words.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn missing(of: &str, key: &str) -> Breach {
    let breach = Breach::new(format!("`{of}` has no `{key}`"));
    match key {
        "scores" => breach.hint("a number or `null` for every seat, more is better"),
        "ranks" => breach.hint("a whole number for every seat, 1 is best"),
        "reason" => breach.hint("a few words why the bout is over"),
        "to" => breach.hint("a list of the seats that it is for"),
        "kind" => breach.hint("`illegal` for an answer that came with `ok`, else its verdict"),
        _ => breach.hint(format!("PROTOCOL.md lists the keys of `{of}`")),
    }
}

impl MessageKeys {
    fn message(mut self) -> Result<FromReferee, Breach> {
        let Some(t) = self.t.take() else {
            return Err(Breach::new("the message has no `t`").hint(format!("types are {TYPES}")));
        };
        match &*t {
            "game" => self.game().map(FromReferee::Game),
            "tell" => self.tell().map(FromReferee::Tell),
            "ask" => self.ask().map(FromReferee::Ask),
            "fault" => self.fault().map(FromReferee::Fault),
            "out" => self.out().map(FromReferee::Out),
            "log" => Ok(FromReferee::Log(LogMessage { b: self.b, text: self.text("log")? })),
            "error" => {
                Ok(FromReferee::Error(ErrorMessage { b: self.b, text: self.text("error")? }))
            }
            "end" => self.end().map(FromReferee::End),
            _ => {
                Err(Breach::new(format!("unknown type {t:.40?}"))
                    .hint(format!("types are {TYPES}")))
            }
        }
    }

    fn bout(&self, of: &str) -> Result<u32, Breach> {
        self.b.ok_or_else(|| missing(of, "b").hint("`b` is the number of the bout in `start`"))
    }

    fn text(&mut self, of: &str) -> Result<String, Breach> {
        self.text.take().ok_or_else(|| missing(of, "text"))
    }

    fn game(self) -> Result<GameMessage, Breach> {
        let can = self.can.unwrap_or_default();
        let can = can.iter().map(|name| {
            name.parse().map_err(|_| {
                let known = Capability::ALL.map(Capability::name).join("`, `");
                Breach::new(format!("unknown capability {name:.40?}"))
                    .hint(format!("there are `{known}`"))
            })
        });
        Ok(GameMessage {
            protocol: self.protocol.ok_or_else(|| missing("game", "protocol"))?,
            id: self.id.ok_or_else(|| missing("game", "id"))?,
            version: self.version.ok_or_else(|| missing("game", "version"))?,
            can: can.collect::<Result<_, _>>()?,
        })
    }

    fn tell(mut self) -> Result<TellMessage, Breach> {
        let b = self.bout("tell")?;
        let to = self.to.take().ok_or_else(|| missing("tell", "to"))?;
        let seats = to.into_iter().map(|to| match to {
            Receiver::Seat(seat) => Ok(seat),
            Receiver::Ask(_) => {
                Err(Breach::new("`to` of a `tell` is a list of seats, such as `[0, 1]`"))
            }
        });
        Ok(TellMessage { b, to: seats.collect::<Result<_, _>>()?, text: self.text("tell")? })
    }

    fn ask(mut self) -> Result<AskMessage, Breach> {
        let b = self.bout("ask")?;
        let n = self.n.ok_or_else(|| missing("ask", "n"))?;
        let to = self.to.take().ok_or_else(|| missing("ask", "to"))?;
        let to = to.into_iter().map(|to| match to {
            Receiver::Ask(seat) => Ok(seat),
            Receiver::Seat(_) => Err(Breach::new(
                "`to` of an `ask` is a list of objects, such as `[{\"seat\": 0, \"text\": \"\"}]`",
            )),
        });
        Ok(AskMessage {
            b,
            n,
            to: to.collect::<Result<_, _>>()?,
            position: position(self.state, self.hash)?,
            scene: self.scene,
            numbers: self.numbers.unwrap_or_default(),
        })
    }

    fn fault(mut self) -> Result<FaultMessage, Breach> {
        Ok(FaultMessage {
            b: self.bout("fault")?,
            seat: self.seat.ok_or_else(|| missing("fault", "seat"))?,
            text: self.text("fault")?,
            kind: self.kind.ok_or_else(|| missing("fault", "kind"))?,
        })
    }

    fn out(self) -> Result<OutMessage, Breach> {
        Ok(OutMessage {
            b: self.bout("out")?,
            seat: self.seat.ok_or_else(|| missing("out", "seat"))?,
            text: self.text.unwrap_or_default(),
        })
    }

    fn end(self) -> Result<EndMessage, Breach> {
        let b = self.bout("end")?;
        let scores = self.scores.ok_or_else(|| missing("end", "scores"))?;
        Ok(EndMessage {
            b,
            ranks: ranked(&scores, self.ranks)?,
            scores,
            reason: self.reason.ok_or_else(|| missing("end", "reason"))?,
            position: position(self.state, self.hash)?,
            scene: self.scene,
            numbers: self.numbers.unwrap_or_default(),
        })
    }
}

fn position(state: Option<String>, hash: Option<String>) -> Result<Position, Breach> {
    match (state, hash) {
        (None, None) => Ok(Position::Unsaid),
        (Some(state), None) => Ok(Position::State(state)),
        (None, Some(hash)) if Position::Hash(hash.clone()).hash().is_some() => {
            Ok(Position::Hash(hash))
        }
        (None, Some(_)) => {
            let breach = Breach::new("`hash` is not 64 digits of base 16 in lower case");
            Err(breach.hint("send the position itself as `state`, and Joust hashes it"))
        }
        (Some(_), Some(_)) => Err(Breach::new("there are both `state` and `hash`")),
    }
}

/// The most points of a seat, either way: they are kept to a millionth, and sums of a thousand
/// bouts are exact.
const MOST_POINTS: f64 = 9e9;

/// Returns the ranks: those that were said, if they fit the scores; else those that
/// follow from the scores.
fn ranked(scores: &[Option<f64>], ranks: Option<Vec<u8>>) -> Result<Vec<u8>, Breach> {
    for (seat, score) in scores.iter().enumerate() {
        if score.is_some_and(|points| points.abs() > MOST_POINTS) {
            return Err(Breach::new(format!("`scores` gives seat {seat} more than 9e9 points"))
                .hint("give fewer points, in a larger unit"));
        }
    }
    // The stored scores decide, so that a reader of the scores sees the winner.
    let scores: Vec<_> = scores.iter().map(|score| score.map(kept)).collect();
    let scores = scores.as_slice();
    let Some(ranks) = ranks else {
        return from_scores(scores).ok_or_else(|| {
            Breach::new("`end` has no `ranks`, and not every seat has a score")
                .hint("say who is first: `ranks`, one number for each seat")
        });
    };
    if ranks.len() != scores.len() {
        let (ranks, scores) = (ranks.len(), scores.len());
        return Err(Breach::new(format!("`end` has {scores} scores and {ranks} ranks"))
            .hint("one of each for every seat"));
    }
    for (seat, rank) in ranks.iter().enumerate() {
        let better = ranks.iter().filter(|other| *other < rank).count();
        if usize::from(*rank) != better + 1 {
            return Err(Breach::new(format!(
                "`ranks` gives seat {seat} rank {rank}, and {better} seats are better"
            ))
            .hint("count from 1; those who draw share a rank, and the next one is left out: 1, 2, 2, 4"));
        }
    }
    contradiction(scores, &ranks).map_or(Ok(ranks), Err)
}

/// Returns the points as they are kept.
fn kept(points: f64) -> f64 {
    (points * 1e6).round() / 1e6
}

/// Returns ranks by score, if every seat has one.
fn from_scores(scores: &[Option<f64>]) -> Option<Vec<u8>> {
    let scores: Vec<f64> = scores.iter().copied().collect::<Option<_>>()?;
    let rank = |own: &f64| 1 + scores.iter().filter(|other| *other > own).count();
    scores.iter().map(|own| u8::try_from(rank(own)).ok()).collect()
}

/// Finds a seat with more points and no better rank than another.
fn contradiction(scores: &[Option<f64>], ranks: &[u8]) -> Option<Breach> {
    let seats = || scores.iter().zip(ranks).enumerate();
    for (seat, (score, rank)) in seats() {
        let more = |other: &Option<f64>| matches!((other, score), (Some(a), Some(b)) if a > b);
        let found = seats().find(|(_, (other, place))| more(other) && *place >= rank);
        if let Some((other, _)) = found {
            let text = format!(
                "`ranks` contradicts `scores`: seat {other} has more points than seat {seat}, and no better rank"
            );
            return Some(
                Breach::new(text)
                    .hint("more points are better; send them negative where fewer are"),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_are_kept_alike_draw() {
        let ranks = |one, other| ranked(&[Some(one), Some(other)], None).expect("there are ranks");
        assert_eq!(ranks(0.000_000_4, 0.000_000_3), [1, 1]);
        assert_eq!(ranks(0.000_000_6, 0.000_000_4), [1, 2]);
        assert_eq!(ranks(0.1 + 0.2, 0.3), [1, 1]);
        let said = ranked(&[Some(0.000_000_4), Some(0.0)], Some(vec![2, 1]));
        assert_eq!(said.expect("they contradict nothing that is kept"), [2, 1]);
    }
}
