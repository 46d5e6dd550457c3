//! What is left of a person when a bout is over.

use joust_referee::{LimitSet, Parts, Verdict};

use crate::channel::{Answered, Usage};
use joust_model::Exit;

/// Nothing: a person is no process, and nothing of theirs is measured.
pub(super) fn of_a_person() -> Answered {
    Answered {
        parts: Parts::none(),
        verdict: Verdict::Ok,
        limits_hit: LimitSet::default(),
        usage: Usage::default(),
        exit: Exit::Running,
        output: Vec::new(),
        stderr: Vec::new(),
        reason: String::new(),
    }
}
