//! Bouts by their numbers: what `joust bouts --where` takes.

use std::collections::{BTreeSet, HashMap};

use joust_orchestrator::conditions::Condition;
use joust_orchestrator::model::{BoutId, escaped};
use joust_orchestrator::search::Search;
use joust_orchestrator::store::{CountedSeat, Store};

use super::find::Found;
use super::shared;
use crate::error::Failure;
use crate::exit_code::Status;

/// The most names that a hint lists.
const LISTED: usize = 40;

/// Keeps the bouts in which one seat meets all conditions: of the first bot of the search, if
/// it names one.
pub(super) async fn meeting(
    store: &Store,
    mut found: Vec<Found>,
    search: &Search,
    conditions: &[Condition],
) -> Result<Vec<Found>, Failure> {
    if conditions.is_empty() || found.is_empty() {
        return Ok(found);
    }
    let counted = counted(store, &found).await?;
    refuse_unknown(conditions, &counted)?;
    let is_own = |seat: &&CountedSeat| search.bots.first().is_none_or(|bot| *bot == seat.bot);
    let meets = |seat: &CountedSeat| conditions.iter().all(|one| one.holds(&seat.numbers));
    found.retain(|one| {
        let seats = counted.get(&one.bout.bout).map_or(&[][..], Vec::as_slice);
        seats.iter().filter(is_own).any(meets)
    });
    Ok(found)
}

/// Returns what was counted in the events of these bouts, by bout.
async fn counted(
    store: &Store,
    found: &[Found],
) -> Result<HashMap<BoutId, Vec<CountedSeat>>, Failure> {
    let events: BTreeSet<&str> = found.iter().map(|one| one.event.as_str()).collect();
    let mut counted: HashMap<_, Vec<_>> = HashMap::new();
    for event in events {
        let seats = store.seat_numbers(event).await;
        for seat in seats.map_err(|error| shared::database(&error))? {
            counted.entry(seat.bout).or_default().push(seat);
        }
    }
    Ok(counted)
}

/// Refuses the name of a number that no bout has, where there are bouts at all.
fn refuse_unknown(
    conditions: &[Condition],
    counted: &HashMap<BoutId, Vec<CountedSeat>>,
) -> Result<(), Failure> {
    let seats = counted.values().flatten();
    let names: BTreeSet<&String> = seats.flat_map(|seat| seat.numbers.0.keys()).collect();
    let Some(unknown) = conditions.iter().find(|one| !names.contains(&one.name)) else {
        return Ok(());
    };
    let message = format!("no bout has a number called `{}`", escaped(&unknown.name));
    let names: Vec<_> = names.into_iter().take(LISTED).map(|name| escaped(name)).collect();
    let hint = match names.is_empty() {
        true => "nothing was counted: referees say `numbers`, bots write `#joust name=value` to \
                 standard error (`joust docs games`)"
            .to_owned(),
        false => format!("numbers are called {}", names.join(", ")),
    };
    Err(Failure::new(Status::Usage, message).hint(hint))
}
