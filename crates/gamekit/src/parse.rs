//! Reader of a referee's messages: one object of JSON a line.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};

use crate::end::ranked;
use crate::{
    Ask, AskSeat, Breach, Capability, End, ErrorNote, Fault, FromReferee, GameMessage, Log,
    Numbers, Out, Position, Scene, Tell,
};

/// The types of a referee's messages.
const TYPES: &str = "`game`, `tell`, `ask`, `fault`, `out`, `log`, `error` and `end`";

/// Every key that a message can have. A key has the same type wherever it stands.
#[derive(Deserialize)]
struct Keys {
    t: Option<String>,
    b: Option<u32>,
    n: Option<u32>,
    to: Option<Vec<To>>,
    text: Option<String>,
    seat: Option<u8>,
    kind: Option<String>,
    state: Option<String>,
    hash: Option<String>,
    scene: Option<Scene>,
    numbers: Option<Numbers>,
    scores: Option<Vec<Option<f64>>>,
    ranks: Option<Vec<u8>>,
    reason: Option<String>,
    protocol: Option<u32>,
    id: Option<String>,
    version: Option<String>,
    can: Option<Vec<String>>,
}

/// Whom a `tell` or an `ask` goes to.
enum To {
    Seat(u8),
    Ask(AskSeat),
}

impl<'de> Deserialize<'de> for To {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = To;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a seat's number in `tell`, or an object with `seat` in `ask`")
            }

            fn visit_u64<E: Error>(self, seat: u64) -> Result<To, E> {
                let seat = u8::try_from(seat);
                seat.map(To::Seat).map_err(|_| E::custom("there are at most 255 seats"))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<To, A::Error> {
                AskSeat::deserialize(MapAccessDeserializer::new(map)).map(To::Ask)
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
    // An object alone: a list of the right length would be read as one.
    if !text.trim_start().starts_with('{') {
        let breach = Breach::new("the line is not an object of JSON").column(1);
        return Err(breach.hint(
            "standard output carries messages alone; write everything else to standard error",
        ));
    }
    let keys: Keys = serde_json::from_str(text).map_err(|error| not_read(&error))?;
    let bout = keys.b;
    keys.message().map_err(|breach| match bout {
        Some(bout) => breach.of_bout(bout),
        None => breach,
    })
}

fn not_read(error: &serde_json::Error) -> Breach {
    let message = error.to_string();
    let bare = message.split(" at line ").next().unwrap_or(&message);
    let breach = match error.classify() {
        serde_json::error::Category::Data => Breach::new(bare),
        _ => Breach::new(format!("the line is not JSON: {bare}")),
    };
    breach.column(error.column().max(1))
}

fn missing(of: &str, key: &str) -> Breach {
    Breach::new(format!("`{of}` has no `{key}`"))
}

impl Keys {
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
            "log" => Ok(FromReferee::Log(Log { b: self.b, text: self.text("log")? })),
            "error" => Ok(FromReferee::Error(ErrorNote { b: self.b, text: self.text("error")? })),
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
            Capability::from_name(name).ok_or_else(|| {
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

    fn tell(mut self) -> Result<Tell, Breach> {
        let b = self.bout("tell")?;
        let to = self.to.take().ok_or_else(|| missing("tell", "to"))?;
        let seats = to.into_iter().map(|to| match to {
            To::Seat(seat) => Ok(seat),
            To::Ask(_) => Err(Breach::new("`to` of a `tell` is a list of seats, such as `[0, 1]`")),
        });
        Ok(Tell { b, to: seats.collect::<Result<_, _>>()?, text: self.text("tell")? })
    }

    fn ask(mut self) -> Result<Ask, Breach> {
        let b = self.bout("ask")?;
        let n = self.n.ok_or_else(|| missing("ask", "n"))?;
        let to = self.to.take().ok_or_else(|| missing("ask", "to"))?;
        let to = to.into_iter().map(|to| match to {
            To::Ask(seat) => Ok(seat),
            To::Seat(_) => Err(Breach::new(
                "`to` of an `ask` is a list of objects, such as `[{\"seat\": 0, \"text\": \"\"}]`",
            )),
        });
        Ok(Ask {
            b,
            n,
            to: to.collect::<Result<_, _>>()?,
            position: position(self.state, self.hash)?,
            scene: self.scene,
            numbers: self.numbers.unwrap_or_default(),
        })
    }

    fn fault(mut self) -> Result<Fault, Breach> {
        Ok(Fault {
            b: self.bout("fault")?,
            seat: self.seat.ok_or_else(|| missing("fault", "seat"))?,
            text: self.text("fault")?,
            kind: self.kind.ok_or_else(|| missing("fault", "kind"))?,
        })
    }

    fn out(self) -> Result<Out, Breach> {
        Ok(Out {
            b: self.bout("out")?,
            seat: self.seat.ok_or_else(|| missing("out", "seat"))?,
            text: self.text.unwrap_or_default(),
        })
    }

    fn end(self) -> Result<End, Breach> {
        let b = self.bout("end")?;
        let scores = self.scores.ok_or_else(|| missing("end", "scores"))?;
        Ok(End {
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
