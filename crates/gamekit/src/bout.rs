//! State machine of one bout: what a referee may say next.

use std::collections::BTreeMap;

use crate::{
    AnswerVerdict, Answers, AskMessage, Breach, Capability, EndMessage, FaultMessage, FromReferee,
    Misuse, OutMessage, Position, Scene, TellMessage,
};

/// One bout under way.
#[derive(Clone, Debug)]
pub(crate) struct BoutState {
    turn: NextSpeaker,
    /// The number of the newest ask.
    newest: u32,
    /// True for each seat that is out.
    out: Vec<bool>,
    can: DeclaredCapabilities,
    pub(crate) bytes: usize,
}

/// Side that speaks next.
#[derive(Clone, Debug)]
enum NextSpeaker {
    /// The referee judges these answers.
    Referee(Vec<JudgedAnswer>),
    /// These seats are asked.
    Runner(Vec<u8>),
}

#[derive(Clone, Debug)]
struct JudgedAnswer {
    seat: u8,
    verdict: AnswerVerdict,
    has_fault: bool,
}

/// Capabilities of the game that are needed to check its messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredCapabilities {
    rejudge: bool,
    scene: bool,
    numbers: bool,
}

impl DeclaredCapabilities {
    pub(crate) fn of(can: &[Capability]) -> Self {
        Self {
            rejudge: can.contains(&Capability::Rejudge),
            scene: can.contains(&Capability::Scene),
            numbers: can.contains(&Capability::Numbers),
        }
    }
}

/// Fields that `ask` and `end` share.
struct PositionReport<'a> {
    of: &'a str,
    position: &'a Position,
    scene: Option<&'a Scene>,
    numbers: &'a Numbers,
}

impl BoutState {
    pub(crate) fn new(seats: u8, can: DeclaredCapabilities) -> Self {
        let out = vec![false; usize::from(seats)];
        Self { turn: NextSpeaker::Referee(Vec::new()), newest: 0, out, can, bytes: 0 }
    }

    /// Returns what the bout waits for, for people; `None` while the runner has to answer.
    pub(crate) fn waits_for(&self) -> Option<String> {
        match (&self.turn, self.newest) {
            (NextSpeaker::Runner(_), _) => None,
            (NextSpeaker::Referee(_), 0) => Some("`ask` or `end` after `start`".to_owned()),
            (NextSpeaker::Referee(_), n) => {
                Some(format!("`ask` or `end` after the answers to ask {n}"))
            }
        }
    }

    /// Takes the runner's answers.
    pub(crate) fn accept_answers(&mut self, answers: &Answers) -> Result<(), Misuse> {
        let NextSpeaker::Runner(asked) = &self.turn else { return Err(Misuse::Answers(answers.b)) };
        let is_asked = answers.of.iter().map(|answer| answer.seat).eq(asked.iter().copied());
        if answers.n != self.newest || !is_asked {
            return Err(Misuse::Answers(answers.b));
        }
        let judged = |answer: &crate::Answer| JudgedAnswer {
            seat: answer.seat,
            verdict: answer.verdict,
            has_fault: false,
        };
        self.turn = NextSpeaker::Referee(answers.of.iter().map(judged).collect());
        Ok(())
    }

    /// Takes a message of the referee about this bout.
    pub(crate) fn accept_message(&mut self, message: &FromReferee) -> Result<(), Breach> {
        match message {
            FromReferee::Log(_) | FromReferee::Game(_) => return Ok(()),
            FromReferee::Error(note) => return Err(gives_up(&note.text)),
            _ => {}
        }
        if let NextSpeaker::Runner(_) = self.turn {
            return Err(Breach::new(format!(
                "the referee speaks before it has the answers to ask {}",
                self.newest
            ))
            .hint("after an `ask` the next word is the runner's"));
        }
        match message {
            FromReferee::Tell(tell) => self.accept_tell(tell),
            FromReferee::Ask(ask) => self.accept_ask(ask),
            FromReferee::Fault(fault) => self.accept_fault(fault),
            FromReferee::Out(out) => self.accept_out(out),
            FromReferee::End(end) => self.accept_end(end),
            _ => Ok(()),
        }
    }

    fn seat(&self, of: &str, seat: u8) -> Result<usize, Breach> {
        match usize::from(seat) {
            index if index < self.out.len() => Ok(index),
            _ => Err(Breach::new(format!(
                "`{of}` names seat {seat}, and the bout has {}",
                self.out.len()
            ))
            .hint("seats are counted from 0")),
        }
    }

    fn accept_tell(&self, tell: &TellMessage) -> Result<(), Breach> {
        self.check_named_once("tell", tell.to.iter().copied())
    }

    fn check_named_once(&self, of: &str, seats: impl Iterator<Item = u8>) -> Result<(), Breach> {
        let mut named = vec![false; self.out.len()];
        for seat in seats {
            let index = self.seat(of, seat)?;
            if std::mem::replace(&mut named[index], true) {
                return Err(Breach::new(format!("`{of}` names seat {seat} twice"))
                    .hint("each seat once, with one text"));
            }
        }
        Ok(())
    }

    fn accept_ask(&mut self, ask: &AskMessage) -> Result<(), Breach> {
        let expected = self.newest + 1;
        if ask.n != expected {
            return Err(Breach::new(format!("ask {} comes where {expected} is due", ask.n)).hint(
                "asks are numbered 1, 2, 3 and so on, in each bout, each after the answers to the one before",
            ));
        }
        if ask.to.is_empty() {
            return Err(
                Breach::new("`ask` asks nobody").hint("a bout without questions ends: `end`")
            );
        }
        self.check_named_once("ask", ask.to.iter().map(|seat| seat.seat))?;
        if let Some(out) = ask.to.iter().find(|seat| self.out[usize::from(seat.seat)]) {
            return Err(Breach::new(format!("`ask` asks seat {}, which is out", out.seat))
                .hint("`out` is for the rest of the bout"));
        }
        if ask.to.iter().any(|seat| seat.move_ms == Some(0)) {
            return Err(Breach::new("`move_ms` is 0").hint("leave it out for the game's own time"));
        }
        if let Some(seat) = ask.to.iter().find(|seat| seat.files.len() > MOST_FILES) {
            let (many, seat) = (seat.files.len(), seat.seat);
            return Err(Breach::new(format!(
                "`files` of seat {seat} has {many} names, and {MOST_FILES} are allowed"
            ))
            .hint("put more into each of them"));
        }
        let mut files = ask.to.iter().flat_map(|seat| seat.files.keys());
        if let Some(name) = files.find(|name| !is_file_name(name)) {
            return Err(Breach::new(format!(
                "`files` has {name:.100?}, which is no name of a file"
            ))
            .hint("letters, digits, `.`, `-` and `_`, not beginning with `.`"));
        }
        self.check_position(&PositionReport {
            of: "ask",
            position: &ask.position,
            scene: ask.scene.as_ref(),
            numbers: &ask.numbers,
        })?;
        self.newest = ask.n;
        self.turn = NextSpeaker::Runner(ask.to.iter().map(|seat| seat.seat).collect());
        Ok(())
    }

    fn check_position(&self, shown: &PositionReport<'_>) -> Result<(), Breach> {
        let PositionReport { of, position, scene, numbers } = shown;
        let seats = self.out.len();
        if self.can.rejudge && **position == Position::Unsaid {
            return Err(Breach::new(format!("`{of}` has neither `state` nor `hash`"))
                .hint("a game that can `rejudge` says every position"));
        }
        let unsaid = |can: &str| {
            Breach::new(format!("`{of}` has `{can}`, and `can` does not name it"))
                .hint(format!("add `{can}` to `can` of game.yaml and of the program"))
        };
        match scene {
            Some(_) if !self.can.scene => return Err(unsaid("scene")),
            Some(scene) => scene.check(seats).map_err(Breach::new)?,
            None => {}
        }
        if !self.can.numbers && !numbers.is_empty() {
            return Err(unsaid("numbers"));
        }
        check_numbers(numbers, seats).map_err(Breach::new)
    }

    fn accept_fault(&mut self, fault: &FaultMessage) -> Result<(), Breach> {
        self.seat("fault", fault.seat)?;
        let NextSpeaker::Referee(judged) = &mut self.turn else { return Ok(()) };
        let judged = judged.iter_mut().find(|judged| judged.seat == fault.seat);
        let Some(judged) = judged else {
            return Err(Breach::new(format!(
                "`fault` is about seat {}, which has not just answered",
                fault.seat
            ))
            .hint(
                "`fault` comes after the answer that it is about, before the next `ask` or `end`",
            ));
        };
        if judged.has_fault {
            return Err(Breach::new(format!(
                "a second `fault` for one answer of seat {}",
                fault.seat
            ))
            .hint("one `fault` for an answer, with all that is to be said in its text"));
        }
        let fits = match (&*fault.kind, judged.verdict) {
            ("illegal", verdict) => verdict == AnswerVerdict::Ok,
            (kind, AnswerVerdict::Ok) => return Err(only_illegal(kind)),
            (kind, verdict) => kind == verdict.name(),
        };
        if !fits {
            let (kind, verdict) = (&fault.kind, judged.verdict.name());
            return Err(Breach::new(format!(
                "`fault` says {kind:.40?}, and the answer of seat {} came with `{verdict}`",
                fault.seat
            ))
            .hint("how an answer came about is for the runner to say; repeat its verdict or send no `fault`"));
        }
        judged.has_fault = true;
        Ok(())
    }

    fn accept_out(&mut self, out: &OutMessage) -> Result<(), Breach> {
        let index = self.seat("out", out.seat)?;
        match std::mem::replace(&mut self.out[index], true) {
            true => Err(Breach::new(format!("seat {} is out already", out.seat))
                .hint("say `out` once for a seat")),
            false => Ok(()),
        }
    }

    fn accept_end(&self, end: &EndMessage) -> Result<(), Breach> {
        let (scores, seats) = (end.scores.len(), self.out.len());
        if scores != seats {
            return Err(Breach::new(format!(
                "`end` has {scores} {}, and the bout has {seats} seats",
                if scores == 1 { "score" } else { "scores" }
            ))
            .hint("a seat without a score has `null`"));
        }
        let is_a_line = end.reason.len() <= 100 && !end.reason.chars().any(hides);
        if end.reason.trim().is_empty() || !is_a_line {
            return Err(Breach::new("`reason` is not a few words on one line")
                .hint("for instance `four in a row`; 100 bytes at most"));
        }
        let reason = end.reason.trim_start().to_ascii_lowercase();
        if let Some(failed) = FAILED.into_iter().find(|failed| reason.starts_with(failed)) {
            return Err(Breach::new(format!("`reason` begins with `{failed}`"))
                .hint("so end bouts that nobody could judge; say it in other words"));
        }
        self.check_position(&PositionReport {
            of: "end",
            position: &end.position,
            scene: end.scene.as_ref(),
            numbers: &end.numbers,
        })
    }
}

/// The most files of an ask for one seat: all of them lie in the bot's scratch.
const MOST_FILES: usize = 256;

/// Reasons that Joust gives for a bout whose referee or machine failed.
const FAILED: [&str; 2] = ["referee-error", "infrastructure-error"];

/// Returns whether a character moves a terminal, or hides or turns what stands beside it.
fn hides(character: char) -> bool {
    let is_format = matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}');
    character.is_control() || is_format
}

fn only_illegal(kind: &str) -> Breach {
    Breach::new(format!("`fault` says {kind:.40?} of an answer that came in time"))
        .hint("the word for an answer that is no move is `illegal`")
}

/// A referee that gives up breaks off as one does that breaks the protocol.
pub(crate) fn gives_up(text: &str) -> Breach {
    Breach::new("the referee gives up").said(text)
}

/// Returns whether a text is the name of a file and leads nowhere else.
pub(crate) fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=100).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Numbers of a turn, which a referee counts for each seat: names, each with a value for every seat; `None` where a seat has none.
pub type Numbers = BTreeMap<String, Vec<Option<f64>>>;

/// The most names of a turn.
pub const MOST_NUMBER_NAMES: usize = 32;

/// The longest name, bytes.
const LONGEST_NUMBER_NAME: usize = 32;

/// Checks the numbers of a bout of so many seats.
fn check_numbers(numbers: &Numbers, seats: usize) -> Result<(), String> {
    if numbers.len() > MOST_NUMBER_NAMES {
        return Err(format!(
            "`numbers` has {} names, and {MOST_NUMBER_NAMES} are allowed",
            numbers.len()
        ));
    }
    for (name, values) in numbers {
        if !is_number_name(name) {
            return Err(format!(
                "`numbers` has the name {name:?}: one has 1 to {LONGEST_NUMBER_NAME} of a to z, 0 to 9, `-` and `_`"
            ));
        }
        if values.len() != seats {
            return Err(format!(
                "`numbers.{name}` has {} values, and there are {seats} seats",
                values.len()
            ));
        }
    }
    Ok(())
}

/// Returns whether a text can be the name of a number.
pub fn is_number_name(name: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=LONGEST_NUMBER_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AskSeat;

    #[test]
    fn an_ask_of_too_many_files_is_refused() {
        let asked = |files: usize| {
            let files = (0..files).map(|number| (format!("f{number}"), String::new())).collect();
            let to = vec![AskSeat { files, ..AskSeat::default() }];
            let (b, position, numbers) = (1, Position::Unsaid, Numbers::new());
            let mut bout = BoutState::new(1, DeclaredCapabilities::of(&[]));
            bout.accept_ask(&AskMessage { b, n: 1, to, position, scene: None, numbers })
        };
        assert_eq!(asked(MOST_FILES), Ok(()));
        let why = asked(MOST_FILES + 1).expect_err("the scratch of a bot may not hold them");
        assert!(why.to_string().contains("has 257 names, and 256 are allowed"), "{why}");
    }
}
