//! Bouts by their numbers: what `joust bouts --where` takes.

use std::collections::{BTreeSet, HashSet};

use joust_orchestrator::conditions::Condition;
use joust_orchestrator::model::{BoutId, escaped};
use joust_orchestrator::search::Search;
use joust_orchestrator::store::{CountedSeat, Store};

use super::shared;
use crate::error::Failure;
use crate::exit_code::Status;

/// The most names that a hint lists.
const LISTED: usize = 40;

/// Numbers counted in the bouts of some events, as far as conditions ask.
pub(super) struct Counted<'a> {
    conditions: &'a [Condition],
    /// The bot whose seat must meet them; anybody's when there is none.
    bot: Option<&'a str>,
    meeting: HashSet<BoutId>,
    names: BTreeSet<String>,
}

impl<'a> Counted<'a> {
    /// Begins with no event: one seat has to meet all conditions, of the first bot of the
    /// search, if it names one.
    pub(super) fn of(search: &'a Search, conditions: &'a [Condition]) -> Self {
        let bot = search.bots.first().map(String::as_str);
        Self { conditions, bot, meeting: HashSet::new(), names: BTreeSet::new() }
    }

    /// Takes the numbers of an event.
    pub(super) async fn read(&mut self, store: &Store, event: &str) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let take = |counted: &mut &mut Self, seat: CountedSeat| counted.take(seat);
        let read = store.fold_seat_numbers(event, self, take).await;
        read.map(drop).map_err(|error| shared::database(&error))
    }

    fn take(&mut self, seat: CountedSeat) {
        let is_own = self.bot.is_none_or(|bot| *bot == *seat.bot);
        if is_own && self.conditions.iter().all(|one| one.holds(&seat.numbers)) {
            self.meeting.insert(seat.bout);
        }
        for name in seat.numbers.0.into_keys() {
            self.names.insert(name);
        }
    }

    /// Returns whether a bout meets the conditions.
    pub(super) fn has(&self, bout: BoutId) -> bool {
        self.conditions.is_empty() || self.meeting.contains(&bout)
    }

    /// Refuses the name of a number that no bout has.
    pub(super) fn refuse_unknown(&self) -> Result<(), Failure> {
        let mut asked = self.conditions.iter();
        let Some(unknown) = asked.find(|one| !self.names.contains(&one.name)) else {
            return Ok(());
        };
        let message = format!("no bout has a number called `{}`", escaped(&unknown.name));
        let names: Vec<_> = self.names.iter().take(LISTED).map(|name| escaped(name)).collect();
        let hint = match names.is_empty() {
            true => {
                "nothing was counted: referees say `numbers`, bots write `#joust name=value` to \
                 standard error (`joust docs games`)"
                    .to_owned()
            }
            false => format!("numbers are called {}", names.join(", ")),
        };
        Err(Failure::new(Status::Usage, message).hint(hint))
    }
}
