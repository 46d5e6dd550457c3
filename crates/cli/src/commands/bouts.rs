//! `joust bouts`: the bouts that were played, by bots, outcome and faults.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;

use joust_model::{BoutId, PlainScore, REFEREE_ERROR, SeatSummary, counted, escaped};
use joust_report::progress::Bar;
use joust_report::{Cell, bout_cells, bout_columns, csv_lines};
use joust_standings::conditions::Condition;
use joust_standings::search::BoutSearch;
use joust_store::{Access, CountedSeat, Store};
use serde_json::{Value, json};

use super::find::{self, FoundBout};
use super::{named_bots, shared};
use crate::args::{BoutsArgs, ListFormat};
use crate::error::{Failure, Status};
use crate::output::{Screen, show_waiting};

pub(super) async fn execute(args: BoutsArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let named = args.bot.iter().chain(&args.bots).chain(&args.against);
    let named: Vec<String> = named.cloned().collect();
    let search = BoutSearch {
        bots: named_bots::names(&named, &args.source.file, screen)?,
        outcome: args.outcome(),
        fault: args.faults,
        number: args.number.map(|number| number - 1),
    };
    let events = find::events_of(&store, &args.events.event, &search).await?;
    let waiting = show_waiting(screen, find::SEARCHING);
    let mut filter = NumberFilter::of(&search, &args.conditions);
    for event in &events {
        filter.read(&store, event).await?;
    }
    let mut listing =
        BoutListing { format: args.format, page: BufWriter::new(screen), waiting, listed: 0 };
    let mut is_like_that = false;
    for event in &events {
        let take = &mut |found: FoundBout| {
            is_like_that = true;
            match filter.has(found.bout.bout) && !listing.add(&found) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        if find::each(&store, event, &search, take).await?.is_break() {
            return Ok(Status::Done);
        }
    }
    if is_like_that {
        // Nothing was printed in this case.
        filter.refuse_unknown()?;
    }
    listing.close();
    Ok(Status::Done)
}

/// The most names that a hint lists.
const LISTED: usize = 40;

/// Filter of `--where`: the numbers counted in the bouts of some events.
struct NumberFilter<'a> {
    conditions: &'a [Condition],
    /// The bot whose seat must meet them; `None` for any bot.
    bot: Option<&'a str>,
    meeting: HashSet<BoutId>,
    names: BTreeSet<String>,
}

impl<'a> NumberFilter<'a> {
    /// Makes a filter without events. One seat has to meet all conditions; it is a seat of the
    /// first bot of the search, if the search names one.
    fn of(search: &'a BoutSearch, conditions: &'a [Condition]) -> Self {
        let bot = search.bots.first().map(String::as_str);
        Self { conditions, bot, meeting: HashSet::new(), names: BTreeSet::new() }
    }

    /// Reads the numbers of an event.
    async fn read(&mut self, store: &Store, event: &str) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let take = |filter: &mut &mut Self, seat: CountedSeat| filter.take(seat);
        let read = store.fold_seat_numbers(event, self, take).await;
        read.map(drop).map_err(Failure::from)
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
    fn has(&self, bout: BoutId) -> bool {
        self.conditions.is_empty() || self.meeting.contains(&bout)
    }

    /// Refuses a name that no bout has a number for.
    fn refuse_unknown(&self) -> Result<(), Failure> {
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
        Err(Failure::usage(message).hint(hint))
    }
}

/// Bouts printed as they are found.
struct BoutListing {
    format: ListFormat,
    page: BufWriter<Screen>,
    /// Line that is shown until the first bout is found.
    waiting: Option<Bar>,
    listed: u64,
}

impl BoutListing {
    /// Prints a bout; returns false when the reader is gone.
    fn add(&mut self, found: &FoundBout) -> bool {
        self.waiting = None;
        let is_first = self.listed == 0;
        self.listed += 1;
        let text = match self.format {
            ListFormat::Text => format!("{}\n", line(found)),
            ListFormat::Json => json_item(&object(found), is_first),
            ListFormat::Csv => {
                csv_lines(is_first.then(bout_columns).into_iter().chain(rows(found)))
            }
        };
        self.page.write_all(text.as_bytes()).is_ok()
    }

    fn close(mut self) {
        self.waiting = None;
        let is_empty = self.listed == 0;
        let end = match self.format {
            ListFormat::Json if is_empty => "[]\n".to_owned(),
            ListFormat::Json => "\n]\n".to_owned(),
            ListFormat::Csv if is_empty => csv_lines([bout_columns()]),
            ListFormat::Text | ListFormat::Csv => String::new(),
        };
        if is_empty && self.format == ListFormat::Text {
            self.page.get_ref().message("no bout matches");
        }
        // The screen remembers an error.
        _ = self.page.write_all(end.as_bytes());
    }
}

/// Returns a value as an item of a JSON list; the first item opens the list.
fn json_item(value: &Value, is_first: bool) -> String {
    let text = format!("{value:#}").replace('\n', "\n  ");
    format!("{}\n  {text}", if is_first { "[" } else { "," })
}

/// Returns a bout in one line, its id first.
pub(super) fn line(found: &FoundBout) -> String {
    let bout = &found.bout;
    let (first, others): (Vec<_>, Vec<_>) = bout.seats.iter().partition(|seat| seat.rank == 1);
    let end = match (&first[..], &others[..]) {
        _ if found.trouble.is_some() => {
            let all: Vec<_> = bout.seats.iter().map(|seat| escaped(&seat.bot)).collect();
            format!("{}: no points, {}", all.join(" against "), REFEREE_ERROR)
        }
        ([one], []) => format!("{} sat alone", named(one)),
        ([one], others) => format!("{} beat {}", named(one), list(others)),
        (several, []) => format!("{} drew", list(several)),
        (several, others) => format!("{} drew before {}", list(several), list(others)),
    };
    let faulty = |seat: &&SeatSummary| seat.verdicts.faults() > 0;
    let faults = bout.seats.iter().filter(faulty).map(|seat| {
        let earned = seat.verdicts.iter().filter(|(verdict, _)| !verdict.is_ok());
        let earned: Vec<_> = earned.map(|(verdict, count)| format!("{verdict} {count}")).collect();
        format!("; {}: {}", escaped(&seat.bot), earned.join(", "))
    });
    format!(
        "{}  {} bout {}: {end}, {}{}",
        bout.bout,
        escaped(&found.event),
        bout.number + 1,
        counted(bout.rounds, "round"),
        faults.collect::<String>()
    )
}

fn named(seat: &SeatSummary) -> String {
    format!("{} ({})", escaped(&seat.bot), seat.score)
}

fn list(seats: &[&SeatSummary]) -> String {
    let names: Vec<_> = seats.iter().map(|seat| named(seat)).collect();
    match &names[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn object(found: &FoundBout) -> Value {
    let FoundBout { event, bout, trouble } = found;
    let seat = |seat: &SeatSummary| {
        let verdicts: BTreeMap<_, _> =
            seat.verdicts.iter().map(|(verdict, count)| (verdict.name(), count)).collect();
        let mut object = json!({ "bot": &*seat.bot, "verdicts": verdicts });
        if trouble.is_none() {
            object["rank"] = seat.rank.into();
            object["score"] = json!(PlainScore(seat.score));
        }
        object
    };
    let mut object = json!({
        "bout": bout.bout.to_string(),
        "event": event,
        "match": bout.match_number + 1,
        "number": bout.number + 1,
        "seed": bout.seed.0,
        "rounds": bout.rounds,
        "seats": bout.seats.iter().map(seat).collect::<Vec<_>>(),
    });
    if trouble.is_some() {
        object[REFEREE_ERROR.replace('-', "_")] = true.into();
    }
    object
}

/// Returns a line for each seat.
fn rows(found: &FoundBout) -> impl Iterator<Item = Vec<Cell>> {
    bout_cells(&found.event, &found.bout, found.trouble.is_none())
}
