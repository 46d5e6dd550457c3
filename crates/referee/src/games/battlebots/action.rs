//! Parser of a bot's output, from the bytes it printed to an action, and of what people type.

use std::borrow::Cow;

use super::Rules;
use crate::{Direction, KeyboardAnswer, Parts, Verdict};

/// Action of a bot in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// Walks one square.
    Move(Direction),
    /// Sets off an electromagnetic pulse.
    Emp,
    /// Fires a bullet.
    Bullet(Direction),
    /// Fires a missile.
    Missile(Direction),
    /// Drops a landmine on the neighbouring square.
    Mine(Direction),
}

impl Action {
    /// Returns the way to write it that both rule sets read.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => NOTHING,
            Self::Emp => PULSE,
            Self::Move(direction) => direction.name(),
            Self::Bullet(direction) => BULLETS[direction as usize],
            Self::Missile(direction) => MISSILES[direction as usize],
            Self::Mine(direction) => MINES[direction as usize],
        }
    }

    /// Returns the text that was read as this action, which hardly ever is
    /// another than its word.
    fn kept(self, text: &str) -> Cow<'static, str> {
        let word = self.word();
        if text == word { Cow::Borrowed(word) } else { Cow::Owned(text.to_owned()) }
    }
}

/// Interpretation of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// [`Verdict::Ok`], or what is wrong with the answer.
    pub verdict: Verdict,
    /// The action; [`Action::None`] unless the verdict is `ok`.
    pub action: Action,
    /// The answer without the white space around it; empty unless the verdict
    /// is `ok`.
    pub text: Cow<'static, str>,
}

impl ParsedAnswer {
    /// Makes the reading of an answer that counts for nothing.
    pub fn without_action(verdict: Verdict) -> Self {
        Self { verdict, action: Action::None, text: Cow::Borrowed("") }
    }
}

/// The word for doing nothing.
///
/// Source: [Bot process and output](crate::docs::battlebots#bot-process-and-output).
const NOTHING: &str = "NO";

/// The word for an electromagnetic pulse.
///
/// Source: [EMP](crate::docs::battlebots#emp).
const PULSE: &str = "P";

/// Weapons with their directions, clockwise from north.
///
/// Source: [Deploying weapons](crate::docs::battlebots#deploying-weapons).
const BULLETS: [&str; 8] = ["B N", "B NE", "B E", "B SE", "B S", "B SW", "B W", "B NW"];
const MISSILES: [&str; 8] = ["M N", "M NE", "M E", "M SE", "M S", "M SW", "M W", "M NW"];
const MINES: [&str; 8] = ["L N", "L NE", "L E", "L SE", "L S", "L SW", "L W", "L NW"];

/// Reads what a bot printed.
///
/// Leniencies: white space (the Unicode property) around the action is cut off
/// under both rule sets; under `original` any white space also separates a
/// weapon from its direction. Words are upper case and exact. A text that is
/// neither an action nor `NO` is `illegal-output`, nothing but white space is
/// `no-output`; both do nothing in the game.
pub fn read(rules: Rules, bytes: &[u8]) -> ParsedAnswer {
    if let Some(action) = read_usual(bytes) {
        return ParsedAnswer { verdict: Verdict::Ok, action, text: Cow::Borrowed(action.word()) };
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return ParsedAnswer::without_action(Verdict::IllegalOutput);
    };
    let text = text.trim();
    if text.is_empty() {
        return ParsedAnswer::without_action(Verdict::NoOutput);
    }
    match parse(rules, text) {
        Some(action) => ParsedAnswer { verdict: Verdict::Ok, action, text: action.kept(text) },
        None => ParsedAnswer::without_action(Verdict::IllegalOutput),
    }
}

/// Reads an action's own word on a line, as nearly every bot prints it.
fn read_usual(bytes: &[u8]) -> Option<Action> {
    match bytes.strip_suffix(b"\n").unwrap_or(bytes) {
        b"NO" => Some(Action::None),
        b"P" => Some(Action::Emp),
        [b'B', b' ', direction @ ..] => direction_of(direction).map(Action::Bullet),
        [b'M', b' ', direction @ ..] => direction_of(direction).map(Action::Missile),
        [b'L', b' ', direction @ ..] => direction_of(direction).map(Action::Mine),
        direction => direction_of(direction).map(Action::Move),
    }
}

fn direction_of(word: &[u8]) -> Option<Direction> {
    Direction::from_name(str::from_utf8(word).ok()?)
}

fn parse(rules: Rules, text: &str) -> Option<Action> {
    match text {
        NOTHING => Some(Action::None),
        PULSE => Some(Action::Emp),
        _ => Direction::from_name(text).map(Action::Move).or_else(|| parse_weapon(rules, text)),
    }
}

fn parse_weapon(rules: Rules, text: &str) -> Option<Action> {
    let (weapon, direction) =
        if rules.any_blanks_separate_words() { two_words(text)? } else { text.split_once(' ')? };
    let direction = Direction::from_name(direction)?;
    match weapon {
        "B" => Some(Action::Bullet(direction)),
        "M" => Some(Action::Missile(direction)),
        "L" => Some(Action::Mine(direction)),
        _ => None,
    }
}

fn two_words(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    let two = (words.next()?, words.next()?);
    words.next().is_none().then_some(two)
}

const PROMPT: &str = "your action: ";
const HELP: &str = "type a direction to move (N, NE, E, SE, S, SW, W, NW), B, M or L and a \
                    direction for a bullet, a missile or a landmine, P for an EMP, NO for nothing";

/// Reads one action, in the words of the bots but whatever the capitals.
pub(super) fn keyboard(lines: &[String]) -> KeyboardAnswer {
    let Some(line) = lines.first() else { return KeyboardAnswer::More(PROMPT.to_owned()) };
    let words: Vec<_> = line.split_whitespace().map(str::to_uppercase).collect();
    let action = words.join(" ");
    if read(Rules::Documented, action.as_bytes()).verdict.is_ok() {
        KeyboardAnswer::Answer(Parts::single(action.into_bytes()))
    } else {
        KeyboardAnswer::Again(HELP.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rules: Rules, text: &str) -> Verdict {
        read(rules, text.as_bytes()).verdict
    }

    #[test]
    fn white_space_around_an_action_is_cut_off() {
        let reading = read(Rules::Documented, "\u{3000}\u{85} B NE\r\n".as_bytes());
        assert_eq!(reading.action, Action::Bullet(Direction::NE));
        assert_eq!(reading.text, "B NE");
    }

    #[test]
    fn only_the_original_takes_any_blanks_between_words() {
        for text in ["B  N", "B\tN", "B\nN", "B\u{a0}N", "B\u{2028}N"] {
            assert_eq!(verdict(Rules::Original, text), Verdict::Ok, "{text:?}");
            assert_eq!(verdict(Rules::Documented, text), Verdict::IllegalOutput, "{text:?}");
        }
    }

    #[test]
    fn every_action_is_read_from_its_word() {
        let weapons = [Action::Move, Action::Bullet, Action::Missile, Action::Mine];
        let directed = Direction::ALL.into_iter().flat_map(|to| weapons.map(|weapon| weapon(to)));
        for action in directed.chain([Action::None, Action::Emp]) {
            for text in ["", "\n", "\r\n", " \n"].map(|end| action.word().to_owned() + end) {
                let reading = read(Rules::Documented, text.as_bytes());
                assert_eq!((reading.action, &*reading.text), (action, action.word()), "{text:?}");
            }
        }
    }

    #[test]
    fn an_action_written_otherwise_keeps_its_text() {
        let reading = read(Rules::Original, b"M\t SW\n");
        let action = Action::Missile(Direction::SW);
        assert_eq!((reading.action, &*reading.text), (action, "M\t SW"));
    }

    #[test]
    fn what_is_no_action_is_illegal_output() {
        let texts = ["no", "n", "N N", "B N E", "BN", "B", "\u{feff}N", "N\u{200b}", "B\u{1f}N"];
        for text in texts {
            assert_eq!(verdict(Rules::Original, text), Verdict::IllegalOutput, "{text:?}");
            assert_eq!(verdict(Rules::Documented, text), Verdict::IllegalOutput, "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_illegal_output() {
        assert_eq!(read(Rules::Original, b"N\xff").verdict, Verdict::IllegalOutput);
    }

    #[test]
    fn nothing_but_white_space_is_no_output() {
        assert_eq!(verdict(Rules::Documented, ""), Verdict::NoOutput);
        assert_eq!(verdict(Rules::Original, " \n\t\u{a0}"), Verdict::NoOutput);
    }

    #[test]
    fn the_word_for_nothing_is_an_answer() {
        let reading = read(Rules::Documented, b"NO\n");
        assert_eq!((reading.verdict, reading.action), (Verdict::Ok, Action::None));
    }

    fn typed(line: &str) -> KeyboardAnswer {
        keyboard(&[line.to_owned()])
    }

    #[test]
    fn an_action_is_read_whatever_its_capitals_and_blanks() {
        for line in ["B NE", "b ne", "  b\tNe \r"] {
            assert_eq!(
                typed(line),
                KeyboardAnswer::Answer(Parts::single(&b"B NE"[..])),
                "{line:?}"
            );
        }
        assert_eq!(typed("no"), KeyboardAnswer::Answer(Parts::single(&b"NO"[..])));
    }

    #[test]
    fn anything_else_is_asked_for_again() {
        for line in ["", "B", "north", "B N E", "\u{1b}[A"] {
            assert_eq!(typed(line), KeyboardAnswer::Again(HELP.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn nothing_typed_yet_asks_for_an_action() {
        assert_eq!(keyboard(&[]), KeyboardAnswer::More(PROMPT.to_owned()));
    }
}
