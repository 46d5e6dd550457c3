//! From an answer to a move, or to the description of a snake.
//!
//! Source: [Answers](crate::docs::battlesnake#answers).

use std::fmt;

use super::Direction;
use super::json::Json;
use crate::{Parts, Verdict, http};

/// The longest shout, characters.
const LONGEST_SHOUT: usize = 256;
/// The longest text of a description, characters. The requests of all bots carry it, and a long one
/// could be more than a server of another bot accepts.
const LONGEST_CUSTOMIZATION: usize = 64;

/// Answer to a request for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The direction.
    pub direction: Direction,
    /// Words for onlookers, without control characters; at most 256 characters.
    pub shout: String,
}

/// Appearance of a snake, as its bot describes it: texts of at most 64 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Customizations {
    /// Colour, usually `#rrggbb`.
    pub color: String,
    /// Name of a head.
    pub head: String,
    /// Name of a tail.
    pub tail: String,
}

/// Reason why an answer is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The body is empty or white space.
    Nothing,
    /// The status is not 200.
    Status,
    /// The body is no JSON object with the right types.
    NoObject,
    /// `move` is missing or none of the four words.
    NoDirection,
}

impl Refused {
    /// Returns the verdict for such an answer.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Nothing => Verdict::NoOutput,
            Self::Status | Self::NoObject | Self::NoDirection => Verdict::IllegalOutput,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "the body is empty",
            Self::Status => "the status is not 200",
            Self::NoObject => "the body is no JSON object whose `move` and `shout` are texts",
            Self::NoDirection => "`move` is none of `up`, `down`, `left`, `right`",
        })
    }
}

/// Reads the answer to a request for a move: status 200, and a JSON object with a `move`.
///
/// Leniencies: the content type does not count; keys in any case, of two equal keys the last,
/// other keys. The word of the move is exact. A `shout` that is not a text spoils the answer.
///
/// # Errors
///
/// [`Refused`] gives the reason why the answer is not taken.
pub fn read_move(answer: &Parts) -> Result<Move, Refused> {
    if answer.get(http::STATUS).is_some_and(|status| status != b"200") {
        return Err(Refused::Status);
    }
    let [direction, shout] = read_body(answer, ["move", "shout"])?;
    let direction = direction.as_deref().and_then(Direction::from_name);
    let shout = shout.unwrap_or_default();
    let shout = shout.chars().filter(|symbol| !symbol.is_control()).take(LONGEST_SHOUT).collect();
    Ok(Move { direction: direction.ok_or(Refused::NoDirection)?, shout })
}

/// Reads a bot's description of its snake; its status does not count.
///
/// # Errors
///
/// [`Refused`] if there is none, or if one of the known keys is not a text.
pub fn read_customizations(answer: &Parts) -> Result<Customizations, Refused> {
    let keys = ["color", "head", "tail", "apiversion", "author", "version"];
    let [color, head, tail, ..] = read_body(answer, keys)?.map(|text| {
        text.unwrap_or_default().chars().take(LONGEST_CUSTOMIZATION).collect::<String>()
    });
    Ok(Customizations { color, head, tail })
}

/// Returns the texts of some keys of the answer's body, a JSON object; a key that is missing or
/// `null` has none.
fn read_body<const N: usize>(
    answer: &Parts,
    keys: [&str; N],
) -> Result<[Option<String>; N], Refused> {
    let body = answer.get(http::BODY).unwrap_or_default();
    if body.trim_ascii().is_empty() {
        return Err(Refused::Nothing);
    }
    let Some(Json::Object(entries)) = Json::read(body) else { return Err(Refused::NoObject) };
    let mut texts = [const { None }; N];
    for (key, value) in entries {
        let Some(place) = keys.iter().position(|known| known.eq_ignore_ascii_case(&key)) else {
            continue;
        };
        match value {
            Json::Text(text) => texts[place] = Some(text),
            Json::Null => {}
            _ => return Err(Refused::NoObject),
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    fn answer(status: &str, body: &str) -> Parts {
        let part =
            |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
        Parts(vec![part("status", status), part("body", body)])
    }

    fn direction(body: &str) -> Result<Direction, Refused> {
        read_move(&answer("200", body)).map(|read| read.direction)
    }

    #[test]
    fn keys_have_any_case_and_the_last_counts() {
        for body in [
            r#"{"move":"up"}"#,
            " \r\n\t{ \"MOVE\" : \"up\" } \n",
            r#"{"move":"north","Move":"up"}"#,
            r#"{"move":"up","move":null,"shout":null}"#,
            r#"{"\u006dove":"\u0075p"}"#,
            r#"{"a":[{"b":[]},{},-0.5e+9,1e999,true,false,null,"\/\"]}"],"move":"up"}"#,
        ] {
            assert_eq!(direction(body), Ok(Direction::Up), "{body}");
        }
    }

    #[test]
    fn a_word_is_exact_and_a_shout_is_a_text() {
        let no_direction = Err(Refused::NoDirection);
        for body in [r#"{"move":"UP"}"#, r#"{"move":" up"}"#, r#"{"moves":"up"}"#, "{}"] {
            assert_eq!(direction(body), no_direction, "{body}");
        }
        for body in [r#"{"move":1}"#, r#"{"move":"up","shout":5}"#, "null", "[]", "\"up\""] {
            assert_eq!(direction(body), Err(Refused::NoObject), "{body}");
        }
        assert_eq!(direction(" \n"), Err(Refused::Nothing));
        assert_eq!(direction("").map_err(Refused::verdict), Err(Verdict::NoOutput));
    }

    #[test]
    fn another_status_spoils_a_move_but_not_a_description() {
        assert_eq!(read_move(&answer("201", r#"{"move":"up"}"#)), Err(Refused::Status));
        let looks = read_customizations(&answer("500", r##"{"color":"#abc","tail":null}"##));
        let expected = Customizations { color: "#abc".to_owned(), ..Customizations::default() };
        assert_eq!(looks, Ok(expected));
        let wrong = read_customizations(&answer("200", r#"{"apiversion":1}"#));
        assert_eq!(wrong, Err(Refused::NoObject));
    }

    #[test]
    fn a_long_description_is_cut() {
        let body = [&b"{\"color\":\""[..], &[0xFF; 60_000], b"\"}"].concat();
        let part = Part { name: http::BODY.into(), bytes: body.as_slice().into() };
        let looks = read_customizations(&Parts(vec![part])).expect("it is a description");
        assert_eq!(looks.color, "\u{FFFD}".repeat(64));
    }

    #[test]
    fn a_shout_is_cut_and_has_no_control_characters() {
        let body = format!(r#"{{"move":"up","shout":"a\u001bb\n{}"}}"#, "c".repeat(300));
        let shout = read_move(&answer("200", &body)).expect("it is a move").shout;
        assert_eq!(shout, format!("ab{}", "c".repeat(254)));
    }
}
