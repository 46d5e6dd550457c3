//! Finding bouts: by id, or by the names of the bots that met.

use std::ops::ControlFlow;

use joust_model::{BoutId, BoutSummary, StoredBout, counted, escaped};
use joust_standings::search::BoutSearch;
use joust_store::{Store, StoreError, UnjudgedBout};

use super::{bouts, named_bots, shared};
use crate::args::{BoutChoice, BoutSelector};
use crate::error::Failure;
use crate::output::{Screen, show_waiting};

/// Most bouts that are listed where one is wanted.
const LISTED: usize = 10;

/// Text of the line that is shown meanwhile.
pub(super) const SEARCHING: &str = "searching the bouts";

/// A result and the event it belongs to.
pub(super) struct FoundBout {
    pub(super) event: String,
    pub(super) bout: BoutSummary,
    /// Reason why the referee could not finish it: no bot has points for it.
    pub(super) trouble: Option<String>,
}

/// Returns the bouts that a search takes, as [`each`] finds them.
pub(super) async fn results(
    store: &Store,
    events: &[String],
    search: &BoutSearch,
) -> Result<Vec<FoundBout>, Failure> {
    let mut found = Vec::new();
    for event in &events_of(store, events, search).await? {
        let take = &mut |one| {
            found.push(one);
            ControlFlow::Continue(())
        };
        let _ = each(store, event, search, take).await?;
    }
    Ok(found)
}

/// Returns the ids of events, of all if none is named, whose bouts are searched.
pub(super) async fn events_of(
    store: &Store,
    events: &[String],
    search: &BoutSearch,
) -> Result<Vec<String>, Failure> {
    let known = shared::events(store).await?;
    let ids: Vec<&str> = known.iter().map(|event| event.settings.id.as_str()).collect();
    shared::check_events(events, &ids)?;
    let has = |bot: &String| known.iter().flat_map(|event| &event.bots).any(|row| row.name == *bot);
    if let Some(unknown) = search.bots.iter().find(|bot| !has(bot)) {
        return Err(no_bot(unknown, known.iter().flat_map(|e| &e.bots).map(|row| &*row.name)));
    }
    let ids = known.into_iter().map(|event| event.settings.id);
    Ok(ids.filter(|id| events.is_empty() || events.contains(id)).collect())
}

/// Takes the bouts of an event that a search takes one after the other, until no more are
/// wanted: first those that were judged in schedule order, then those that the referee could not
/// finish.
pub(super) async fn each(
    store: &Store,
    event: &str,
    search: &BoutSearch,
    take: &mut (dyn FnMut(FoundBout) -> ControlFlow<()> + Send),
) -> Result<ControlFlow<()>, Failure> {
    let mut bouts = store.results_in_order(event).await?;
    while let Some(bout) = bouts.next().await? {
        let found = |bout| FoundBout { event: event.to_owned(), bout, trouble: None };
        if search.matches(&bout) && take(found(bout)).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    for found in unjudged(store, event, search).await? {
        if take(found).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

async fn unjudged(
    store: &Store,
    event: &str,
    search: &BoutSearch,
) -> Result<Vec<FoundBout>, Failure> {
    let mut found = Vec::new();
    let all = store.referee_errors(event).await?;
    for UnjudgedBout { bout, reason } in all {
        let stored = by_id(store, &bout.to_string()).await?;
        // Nobody won, drew or lost it.
        let bout = stored.as_ref().map(BoutSummary::from).filter(|_| search.outcome.is_none());
        if let Some(bout) = bout.filter(|bout| search.matches(bout)) {
            found.push(FoundBout { event: event.to_owned(), bout, trouble: Some(reason) });
        }
    }
    Ok(found)
}

fn no_bot<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let message = format!("there is no bot and no bout `{}`", escaped(unknown));
    let mut known: Vec<_> = known.map(escaped).collect();
    known.sort();
    known.dedup();
    known.truncate(LISTED);
    if known.is_empty() {
        return Failure::usage("there is no bout yet").hint("`joust run` plays some");
    }
    Failure::usage(message)
        .hint(format!("bots are called {}; `joust bouts` lists every bout's id", known.join(", ")))
}

/// Returns the bout that is meant.
pub(super) async fn bout(
    store: &Store,
    which: &BoutSelector,
    screen: Screen,
) -> Result<StoredBout, Failure> {
    let which = &BoutSelector {
        bout: named_bots::names(&which.bout, &which.source.file, screen)?,
        ..which.clone()
    };
    match &which.bout[..] {
        [word] => match by_id(store, word).await? {
            Some(stored) => Ok(stored),
            None => of_bots(store, which, screen).await,
        },
        _ => of_bots(store, which, screen).await,
    }
}

/// Returns the bout with that id; none if the word may be the name of a bot.
pub(super) async fn by_id(store: &Store, word: &str) -> Result<Option<StoredBout>, Failure> {
    match store.bout(word).await {
        Ok(found) => Ok(found),
        Err(error @ StoreError::Ambiguous { .. }) => {
            let events = shared::events(store).await?;
            match events.iter().flat_map(|event| &event.bots).any(|bot| bot.name == word) {
                true => Ok(None),
                false => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

async fn of_bots(
    store: &Store,
    which: &BoutSelector,
    screen: Screen,
) -> Result<StoredBout, Failure> {
    let BoutChoice { last, number, event } = &which.pick;
    let bots = which.bout.clone();
    let search =
        BoutSearch { bots, number: number.map(|number| number - 1), ..BoutSearch::default() };
    let events: Vec<String> = event.iter().cloned().collect();
    let waiting = show_waiting(screen, SEARCHING);
    let found = results(store, &events, &search).await?;
    drop(waiting);
    let one = match &found[..] {
        [] => return Err(none(which)),
        [one] => one,
        [.., one] if *last => one,
        _ => return Err(several(which, &found)),
    };
    let id = one.bout.bout.to_string();
    let stored = store.bout(&id).await?;
    stored.ok_or_else(|| none(which))
}

/// Returns the bouts of ids and, of words that are none, those in which all these bots met.
pub(super) async fn all(store: &Store, words: &[String]) -> Result<Vec<BoutId>, Failure> {
    let (mut found, mut search) = (Vec::new(), BoutSearch::default());
    for word in words {
        match by_id(store, word).await? {
            Some(stored) => found.push(stored.plan.bout),
            None => search.bots.push(word.clone()),
        }
    }
    if !search.bots.is_empty() {
        let met = results(store, &[], &search).await?;
        found.extend(met.into_iter().map(|one| one.bout.bout));
    }
    Ok(found)
}

fn named(which: &BoutSelector) -> String {
    let names: Vec<_> = which.bout.iter().map(|bot| format!("`{}`", escaped(bot))).collect();
    names.join(" and ")
}

fn none(which: &BoutSelector) -> Failure {
    let message = format!("there is no such bout of {}", named(which));
    Failure::usage(message).hint("`joust bouts` lists what was played")
}

fn several(which: &BoutSelector, found: &[FoundBout]) -> Failure {
    let count = counted(found.len(), "bout");
    let mut message = format!("{} sat in {count}:", named(which));
    for one in &found[found.len().saturating_sub(LISTED)..] {
        message.push_str(&format!("\n  {}", bouts::line(one)));
    }
    Failure::usage(message).hint("give an id of these, or `--last`, `--number N`, `--event ID`")
}
