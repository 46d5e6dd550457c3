//! What is refused before anything of a change is looked at.

use super::base::Base;
use super::owners::Rules;
use super::report::{Outcome, Refusal, Report};
use super::request::Request;
use super::survey::{shown, top};
use crate::config::Tournament;

/// The programs of `languages:` are asked for their versions outside the sandbox,
/// so a stranger may not name others.
pub(super) fn foreign_programs(
    tournament: &Tournament,
    request: &Request,
    base: &Base,
) -> Option<Refusal> {
    let earlier = base.tournament.as_ref()?;
    if earlier.languages == tournament.languages {
        return None;
    }
    let author = request.author.as_deref()?;
    let rules = Rules { author: None, entries: &earlier.entries, now: &tournament.entries };
    (!rules.is_maintainer(author)).then(|| Refusal {
        event: None,
        bot: None,
        file: Some(shown(&tournament.file, &top(base))),
        reason: format!(
            "`languages` names programs that run outside the sandbox: only a maintainer may \
             change it, not `{author}`"
        ),
    })
}

/// A report of a change of which nothing was even looked at.
pub(super) fn refused(refusal: Refusal, request: &Request, base: &Base) -> Report {
    Report {
        outcome: Outcome::Refused,
        base: base.label.clone(),
        author: request.author.clone(),
        notes: base.notes.clone(),
        refusals: vec![refusal],
        problems: Vec::new(),
        other_files: base.touched.clone(),
        events: Vec::new(),
        gates: Vec::new(),
    }
}
