//! Judge of a bout with an external referee.
//!
//! Requests to bots that are web servers and their responses are texts of a referee. A request is a line with the method, the path and, if it has a body, its type; the body follows
//! the line. A response is a line with the status and, if it has one, the type, and then the body.

use std::borrow::Cow;
use std::sync::Arc;

use joust_gamekit::{
    Answer, AnswerVerdict, AskMessage, AskSeat, Capability, EndMessage, FileTexts, StartMessage,
    TellMessage,
};
use joust_referee::{
    AnswerForm, DeadlineClass, Files, Input, Judge, JudgeError, OptionValue, Options, Outcome,
    Output, Outputs, Part, Parts, PerSeat, RequestId, Scene, Score, Seat, SeatOutcome, Setup,
    StateHash, Verdict, http,
};
use serde_json::Value;

use super::picture::ShownPosition;
use super::steps::{Conversation, Step, StepEnd};
use super::{External, Shared};
use crate::channel::{self, ChannelError};

/// The most characters of an answer or a comment that are shown.
const SHOWN: usize = 200;

/// The file with the text of a question, for bots that read files.
const VIEW_FILE: &str = "view.txt";

pub(super) struct ExternalJudge {
    referee: Shared,
    start: StartMessage,
    /// `None` once the referee has failed for good.
    conversation: Option<Conversation>,
    open: Option<OpenAsk>,
    /// All answers so far, one list for each question.
    past: Vec<Vec<Answer>>,
    /// Text for each seat, to be shown with its next question.
    told: PerSeat<String>,
    /// Comment on each seat's last answer; empty if there is none.
    comments: PerSeat<String>,
    chain: StateHash,
    rounds: u32,
    outcome: Option<Outcome>,
    shown: ShownPosition,
}

/// A question that some seats have not answered yet.
struct OpenAsk {
    n: u32,
    seats: Vec<(u8, Option<Answer>)>,
}

impl ExternalJudge {
    pub(super) fn start(
        referee: &Shared,
        setup: &Setup<'_>,
        options: &Options,
        out: &mut Outputs,
    ) -> Result<Self, JudgeError> {
        let start = StartMessage {
            b: 0,
            seed: setup.seed.0.to_string(),
            seats: setup.seats,
            options: options.iter().map(|(name, value)| (name.clone(), json(value))).collect(),
            scene: out.wants_views() && referee.can(Capability::Scene),
        };
        let begun = begin(referee, &start).or_else(|first| again(first, || begin(referee, &start)));
        let (conversation, step) = begun?;
        let mut judge = Self {
            referee: Arc::clone(referee),
            start,
            conversation: Some(conversation),
            open: None,
            past: Vec::new(),
            told: PerSeat::from_fn(setup.seats.into(), |_| String::new()),
            comments: PerSeat::from_fn(setup.seats.into(), |_| String::new()),
            chain: StateHash([0; 32]),
            rounds: 0,
            outcome: None,
            shown: ShownPosition::default(),
        };
        judge.count(&step, out);
        judge.take(step, out)?;
        Ok(judge)
    }

    /// Adds one seat's answer; returns all answers after the last one.
    fn collect(&mut self, input: &Input) -> Option<(u32, Vec<Answer>)> {
        let Input::Answer { seat, request, parts, verdict } = input else { return None };
        let open = self.open.as_mut().filter(|open| open.n == request.0)?;
        let slot =
            open.seats.iter_mut().find(|(asked, given)| *asked == seat.0 && given.is_none())?;
        slot.1 = Some(self.referee.answer(*seat, parts, *verdict));
        if open.seats.iter().any(|(_, given)| given.is_none()) {
            return None;
        }
        let open = self.open.take()?;
        Some((open.n, open.seats.into_iter().filter_map(|(_, given)| given).collect()))
    }

    /// Sends the answers; if the process fails, sends them to another one.
    fn tell(&mut self, n: u32, answers: &[Answer]) -> Result<Step, JudgeError> {
        let gone = || JudgeError::Gone("it has failed before".to_owned());
        let conversation = self.conversation.as_mut().ok_or_else(gone)?;
        let step = match conversation.answer(n, answers) {
            Ok(step) => step,
            Err(first) => {
                // The old process must be gone before another one is started.
                self.conversation = None;
                again(first, || self.repeat(n, answers))?
            }
        };
        Ok(step)
    }

    /// Starts another process, replays the bout, and sends the answers.
    fn repeat(&mut self, n: u32, answers: &[Answer]) -> Result<Step, JudgeError> {
        let (mut conversation, step) = begin(&self.referee, &self.start)?;
        let mut chain = step.chained(&StateHash([0; 32]));
        for (past, number) in self.past.iter().zip(1..) {
            chain = conversation.answer(number, past)?.chained(&chain);
        }
        if chain != self.chain {
            let text = "started again and told the same answers, it plays another bout";
            return Err(conversation.fail(JudgeError::Broke(text.to_owned())));
        }
        let step = conversation.answer(n, answers)?;
        self.conversation = Some(conversation);
        Ok(step)
    }

    /// Outputs the referee's numbers.
    fn count(&self, step: &Step, out: &mut Outputs) {
        let numbers = step.numbers();
        if !numbers.is_empty() {
            out.push(Output::Numbers { after: self.rounds, numbers });
        }
    }

    /// Handles the referee's output of a step.
    fn take(&mut self, step: Step, out: &mut Outputs) -> Result<(), JudgeError> {
        self.chain = step.chained(&self.chain);
        for TellMessage { to, text, .. } in &step.tells {
            for seat in to {
                let told = &mut self.told[Seat(*seat)];
                told.push_str(text);
                end_line(told);
            }
        }
        match step.last {
            StepEnd::Ask(ask) => self.ask(ask, out),
            StepEnd::End(end) => {
                self.end(&end, out);
                Ok(())
            }
        }
    }

    fn ask(&mut self, ask: AskMessage, out: &mut Outputs) -> Result<(), JudgeError> {
        if out.wants_views() {
            self.shown.take(ask.scene, ask.position, self.referee.viewer());
        }
        let request = RequestId(ask.n);
        self.open = Some(OpenAsk {
            n: ask.n,
            seats: ask.to.iter().map(|asked| (asked.seat, None)).collect(),
        });
        for AskSeat { seat, text, move_ms, files } in ask.to {
            let seat = Seat(seat);
            let mut view = std::mem::take(&mut self.told[seat]);
            view.push_str(&text);
            match self.referee.answer_form() {
                AnswerForm::Response => {}
                // A bot that reads a line needs a line end.
                AnswerForm::Lines(_) | AnswerForm::Until(_) | AnswerForm::Prefix(_)
                    if view.is_empty() =>
                {
                    view.push('\n');
                }
                _ => end_line(&mut view),
            }
            let deadline = move_ms.map_or(DeadlineClass::Turn, |ms| DeadlineClass::Own { ms });
            let (parts, files) = self.referee.shown(ask.n, seat, view, files);
            // Checked even if views are not wanted, so that it does not depend on them whether a
            // bout can be played.
            self.referee.carries(&parts).map_err(|error| {
                self.fail(JudgeError::Broke(format!("ask {} of seat {seat}: {error}", ask.n)))
            })?;
            if out.wants_views() {
                out.push(Output::Ask { seat, request, parts, deadline, files });
            }
        }
        Ok(())
    }

    /// Ends the process, whose output has asked for something impossible.
    fn fail(&self, error: JudgeError) -> JudgeError {
        match &self.conversation {
            Some(conversation) => conversation.fail(error),
            None => error,
        }
    }

    fn end(&mut self, end: &EndMessage, out: &mut Outputs) {
        let (scene, position) = (end.scene.clone(), end.position.clone());
        self.shown.take(scene, position, self.referee.viewer());
        let seat = |(score, rank): (&Option<f64>, &u8)| SeatOutcome {
            rank: *rank,
            score: Score::nearest(score.unwrap_or_default()),
        };
        let outcome = Outcome {
            ended: end.reason.clone().into(),
            rounds: self.rounds,
            seats: PerSeat(end.scores.iter().zip(&end.ranks).map(seat).collect()),
        };
        self.outcome = Some(outcome.clone());
        out.push(Output::Over(outcome));
    }
}

impl Judge for ExternalJudge {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let Some((n, answers)) = self.collect(input) else { return Ok(()) };
        let step = self.tell(n, &answers)?;
        for given in &answers {
            let is_illegal = step.faults.iter().any(|fault| fault.seat == given.seat);
            let verdict = Verdict::from_name(given.verdict.name()).unwrap_or(Verdict::Ok);
            let verdict =
                if is_illegal && verdict.is_ok() { Verdict::IllegalOutput } else { verdict };
            let action = if verdict.is_ok() { shown(said(given)) } else { String::new() };
            let (seat, request) = (Seat(given.seat), RequestId(n));
            self.comments[seat] = shown(&step.comment(given.seat));
            out.push(Output::Judged { seat, request, verdict, action: action.into() });
        }
        self.past.push(answers);
        self.rounds += 1;
        self.count(&step, out);
        out.push(Output::RoundOver { round: self.rounds - 1 });
        self.take(step, out)
    }

    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        Ok(self.chain)
    }

    fn scene(&self) -> Scene {
        self.shown.scene(self.referee.viewer(), self.start.seats)
    }

    fn comment(&self, seat: Seat) -> Option<&str> {
        let said = self.comments.0.get(seat.index())?;
        (!said.is_empty()).then_some(said.as_str())
    }
}

impl Drop for ExternalJudge {
    fn drop(&mut self) {
        let Some(conversation) = self.conversation.take() else { return };
        let process = match &self.outcome {
            Some(_) => Ok(conversation.process),
            None => conversation.abandon(),
        };
        if let Ok(process) = process {
            self.referee.give_back(process);
        }
    }
}

fn begin(referee: &Shared, start: &StartMessage) -> Result<(Conversation, Step), JudgeError> {
    Conversation::begin(referee.process()?, start)
}

/// Repeats an operation after a failure of the referee, but not after one of the machine.
fn again<T>(
    first: JudgeError,
    work: impl FnOnce() -> Result<T, JudgeError>,
) -> Result<T, JudgeError> {
    match first {
        JudgeError::Machine(_) => Err(first),
        _ => {
            tracing::debug!(%first, "the referee is started again");
            work()
        }
    }
}

impl External {
    /// Returns a seat's view: a text, or files for bots that read files.
    fn shown(
        &self,
        ask: u32,
        seat: Seat,
        view: String,
        files: FileTexts,
    ) -> (Parts, Option<Files>) {
        let answers = match self.answer_form() {
            AnswerForm::Files(answers) => answers,
            AnswerForm::Response => return (http_request(&view), None),
            _ => return (Parts::single(view.into_bytes()), None),
        };
        let part = |(name, text): (String, String)| Part {
            name: name.into(),
            bytes: text.into_bytes().into(),
        };
        let view = (!view.is_empty()).then(|| (VIEW_FILE.to_owned(), view));
        let parts = Parts(view.into_iter().chain(files).map(part).collect());
        let key = char::from(b'A' + seat.0.min(25)).to_string();
        let files = Files {
            folder: format!("{ask}/{key}").into(),
            key: key.into(),
            answers: answers.iter().map(|name| Cow::Owned(name.clone())).collect(),
            above: Parts::none(),
        };
        (parts, Some(files))
    }

    /// Checks that the bots' channel can pass this view.
    fn carries(&self, view: &Parts) -> Result<(), ChannelError> {
        (channel::find(&self.spec.channel)?.carries)(view)
    }

    /// Converts an answer for the referee.
    fn answer(&self, seat: Seat, parts: &Parts, verdict: Verdict) -> Answer {
        // The last of several lines may be empty. Output of programs and files end with a line end.
        let stays = self.spec.external.as_ref().is_some_and(|external| external.stays);
        let is_of_lines = match self.answer_form() {
            AnswerForm::Lines(lines) => *lines > 1 && stays,
            AnswerForm::Until(_) => stays,
            AnswerForm::Prefix(_) | AnswerForm::Files(_) | AnswerForm::Response => false,
        };
        let text = |bytes: &[u8]| {
            let whole = if is_of_lines { None } else { bytes.strip_suffix(b"\n") };
            String::from_utf8_lossy(whole.unwrap_or(bytes)).into_owned()
        };
        let files = match self.answer_form() {
            AnswerForm::Files(names) => {
                let file = |name: &String| Some((name.clone(), text(parts.get(name)?)));
                names.iter().filter_map(file).collect()
            }
            _ => FileTexts::new(),
        };
        let text = match self.answer_form() {
            AnswerForm::Response => http_response(parts),
            _ => text(parts.get("").unwrap_or_default()),
        };
        Answer {
            seat: seat.0,
            verdict: verdict.name().parse().unwrap_or(AnswerVerdict::Ok),
            text,
            files,
            us: u64::try_from(parts.took().as_micros()).unwrap_or(u64::MAX),
        }
    }
}

/// Returns the displayed part of an answer: its text, or that of its first file.
fn said(answer: &Answer) -> &str {
    answer.files.values().next().unwrap_or(&answer.text)
}

fn shown(text: &str) -> String {
    text.trim().chars().take(SHOWN).collect()
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn json(value: &OptionValue) -> Value {
    match value {
        OptionValue::Bool(value) => (*value).into(),
        OptionValue::Int(value) => (*value).into(),
        OptionValue::Text(value) => value.as_str().into(),
    }
}

/// Returns the parts of a request.
fn http_request(text: &str) -> Parts {
    let (line, body) =
        text.split_once('\n').map_or((text, None), |(line, body)| (line, Some(body)));
    let mut words = line.trim_end_matches('\r').splitn(3, ' ');
    let names = [http::METHOD, http::PATH, http::CONTENT_TYPE];
    let head = names.into_iter().filter_map(|name| Some((name, words.next()?)));
    let part =
        |(name, text): (&str, &str)| Part { name: name.into(), bytes: text.as_bytes().into() };
    Parts(body.map(|body| (http::BODY, body)).into_iter().chain(head).map(part).collect())
}

/// Returns the text of a response; empty if there is none.
fn http_response(parts: &Parts) -> String {
    let text = |name| parts.get(name).map(String::from_utf8_lossy);
    let Some(status) = text(http::STATUS) else { return String::new() };
    let media = text(http::CONTENT_TYPE).map(|media| format!(" {media}")).unwrap_or_default();
    format!("{status}{media}\n{}", text(http::BODY).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_request(text: &str, expected: &[(&str, &str)]) {
        let request = http_request(text);
        let parts =
            request.0.iter().map(|part| (&*part.name, str::from_utf8(&part.bytes).unwrap()));
        assert_eq!(parts.collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn the_first_line_of_a_request_is_its_head() {
        assert_request("GET /", &[("method", "GET"), ("path", "/")]);
        assert_request("POST /a\n", &[("body", ""), ("method", "POST"), ("path", "/a")]);
        let head = [("method", "PUT"), ("path", "/a"), ("content-type", "text/plain; x=y")];
        let expected = [&[("body", "1\n2\n")], &head[..]].concat();
        assert_request("PUT /a text/plain; x=y\r\n1\n2\n", &expected);
        assert_request("", &[("method", "")]);
    }

    #[test]
    fn the_first_line_of_a_response_is_its_status() {
        let part =
            |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
        let mut parts = Parts(vec![part("body", "{}\n"), part("status", "200")]);
        assert_eq!(http_response(&parts), "200\n{}\n");
        parts.0.push(part("content-type", "application/json"));
        assert_eq!(http_response(&parts), "200 application/json\n{}\n");
        assert_eq!(http_response(&Parts::none()), "");
    }
}
