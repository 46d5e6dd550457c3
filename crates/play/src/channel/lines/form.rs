//! Forms of an answer: what of the bytes that came belongs to it.

use joust_referee::AnswerForm;

/// Takes a whole answer out of what came; `None` while it is not whole.
pub(super) fn take_answer(form: &AnswerForm, incoming: &mut Vec<u8>) -> Option<Vec<u8>> {
    let found = find(form, incoming)?;
    incoming.drain(..found.end);
    Some(found.answer)
}

struct Found {
    answer: Vec<u8>,
    /// Where what comes after it begins.
    end: usize,
}

fn find(form: &AnswerForm, incoming: &[u8]) -> Option<Found> {
    let mut answer = Vec::new();
    let mut end = 0;
    for (index, raw) in incoming.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let line = raw.strip_suffix(b"\n")?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        end += raw.len();
        match form {
            AnswerForm::Until(last) if line == last.as_bytes() => {
                return Some(Found { answer, end });
            }
            AnswerForm::Prefix(prefix) => {
                if let Some(rest) = line.strip_prefix(prefix.as_bytes()) {
                    return Some(Found { answer: rest.to_vec(), end });
                }
            }
            AnswerForm::Until(_) | AnswerForm::Lines(_) | AnswerForm::Files(_) => {
                if index > 0 {
                    answer.push(b'\n');
                }
                answer.extend_from_slice(line);
            }
        }
        if matches!(form, AnswerForm::Lines(lines) if index + 1 >= usize::from(*lines)) {
            return Some(Found { answer, end });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_taken(form: &AnswerForm, text: &str, expected: Option<&str>, rest: &str) {
        let mut incoming = text.as_bytes().to_vec();
        let taken = take_answer(form, &mut incoming);
        assert_eq!(taken.as_deref(), expected.map(str::as_bytes), "{text:?}");
        assert_eq!(incoming, rest.as_bytes(), "{text:?}");
    }

    #[test]
    fn an_answer_of_lines_is_that_many_lines() {
        let one = AnswerForm::Lines(1);
        assert_taken(&one, "", None, "");
        assert_taken(&one, "3", None, "3");
        assert_taken(&one, "3\n", Some("3"), "");
        assert_taken(&one, "\r\nnext", Some(""), "next");
        assert_taken(&AnswerForm::Lines(2), "a\n\nb\n", Some("a\n"), "b\n");
        assert_taken(&AnswerForm::Lines(2), "a\nb", None, "a\nb");
    }

    #[test]
    fn an_answer_up_to_a_line_is_what_stands_before_it() {
        let go = AnswerForm::Until("go".to_owned());
        assert_taken(&go, "o 1 2\no 3 4\ngo\nlater", Some("o 1 2\no 3 4"), "later");
        assert_taken(&go, "go\n", Some(""), "");
        assert_taken(&go, "gone\n", None, "gone\n");
    }

    #[test]
    fn an_answer_with_a_prefix_is_what_follows_it_in_its_line() {
        let best = AnswerForm::Prefix("bestmove ".to_owned());
        let text = "info depth 3\nbestmove e2e4 ponder e7e5\ninfo x\n";
        assert_taken(&best, text, Some("e2e4 ponder e7e5"), "info x\n");
        assert_taken(&best, "info bestmove a\n", None, "info bestmove a\n");
    }
}
