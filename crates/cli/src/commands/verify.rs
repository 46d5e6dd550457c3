//! `joust verify`: judge recorded bouts again without running a bot, and compare
//! every row with the database's chain.

use std::collections::HashMap;

use joust_orchestrator::cancel::Cancel;
use joust_orchestrator::dispute::{Audit, Auditor, BoutAudit, Verifier, audit_one};
use joust_orchestrator::model::{self, BoutId, ChainHead, escaped};
use joust_orchestrator::store::{Access, Check, Filter, Kind, LinkSummary, Store};
use joust_referee::Catalogue;
use serde_json::{Value, json};

use super::{find, run, shared};
use crate::args::{TextFormat, VerifyArgs};
use crate::counter::Counter;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(args: VerifyArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let count = store.all_bouts().await.map_err(|error| shared::database(&error))?;
    let since = since(&store, args.head.as_deref()).await?;
    let mut listing = Listing { format: args.format, screen, bouts: Vec::new() };
    let games = shared::playable_games(&args.source, screen)?;
    let audit = if args.bouts.is_empty() {
        all(&store, &args, &games, count, &mut listing).await?
    } else {
        some(&store, &args.bouts, &games, &mut listing).await?
    };
    let head = store.head().await.map_err(|error| shared::database(&error))?;
    // Only programs are told of bouts without a problem, in schedule order.
    let order = match args.format {
        TextFormat::Json => store.bouts(&Filter::default()).await,
        TextFormat::Text => Ok(Vec::new()),
    };
    let order = order.map_err(|error| shared::database(&error))?;
    Ok(listing.close(&audit, &Chain { head, since, asked: args.head }, &order))
}

/// Judges the whole database.
async fn all(
    store: &Store,
    args: &VerifyArgs,
    games: &Catalogue,
    bouts: u64,
    listing: &mut Listing,
) -> Result<Audit, Failure> {
    let cancel = Cancel::default();
    run::stop_on_signal(cancel.clone(), listing.screen);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counter = Counter::new(listing.screen, "verified", bouts);
    let mut listen = |bout: &BoutAudit| {
        counter.add();
        listing.take(bout);
    };
    let jobs = args.jobs.map_or(cores, usize::from);
    let is_stopped = || cancel.is_cancelled();
    let mut auditor = Auditor { games, jobs, is_stopped: &is_stopped, listen: &mut listen };
    let audit = auditor.audit(store).await.map_err(|error| shared::database(&error))?;
    counter.close();
    if audit.is_stopped { Err(run::interrupted()) } else { Ok(audit) }
}

/// Judges some bouts; of the others only the chain is read.
async fn some(
    store: &Store,
    bouts: &[String],
    games: &Catalogue,
    listing: &mut Listing,
) -> Result<Audit, Failure> {
    let database = |error| shared::database(&error);
    let mut ledger = store.ledger().await.map_err(database)?;
    let (mut audit, mut verifier) = (Audit::default(), Verifier::new(games.clone()));
    for stored in find::all(store, bouts).await? {
        let mut found = audit_one(&mut verifier, &stored);
        let recorded = store.recorded_bout(stored.plan.bout).await.map_err(database)?;
        if let Some(recorded) = recorded.filter(|_| ledger.digest(stored.plan.bout).is_some()) {
            let chained = ledger.check(&recorded);
            found.problems.extend(chained.into_iter().map(|one| one.problem));
        }
        if found.problems.is_empty() {
            audit.sound += 1
        } else {
            audit.unsound += 1
        }
        audit.unjudged += u64::from(!found.is_judged);
        listing.take(&found);
    }
    audit.others = store.close_ledger(ledger, Check::Some).await.map_err(database)?;
    Ok(audit)
}

/// What was recorded since an old head; `None` in it when the chain lacks it.
type Since = Option<Option<(u64, Vec<LinkSummary>)>>;

async fn since(store: &Store, head: Option<&str>) -> Result<Since, Failure> {
    let Some(head) = head else { return Ok(None) };
    let database = |error| shared::database(&error);
    let Some(number) = store.link_that_begins_with(head).await.map_err(database)? else {
        return Ok(Some(None));
    };
    let links = store.links_after(number).await.map_err(database)?;
    Ok(Some(Some((number, links))))
}

struct Chain {
    head: Option<ChainHead>,
    since: Since,
    asked: Option<String>,
}

struct Listing {
    format: TextFormat,
    screen: Screen,
    bouts: Vec<(BoutId, Value)>,
}

impl Listing {
    fn take(&mut self, audited: &BoutAudit) {
        let problems: Vec<_> = audited.problems.iter().map(|text| escaped(text)).collect();
        let bout = audited.bout;
        if self.format == TextFormat::Json {
            let id = bout.to_string();
            let sound = problems.is_empty();
            self.bouts.push((bout, json!({ "bout": id, "sound": sound, "problems": problems })));
            return;
        }
        let bots: Vec<_> = audited.bots.iter().map(|bot| escaped(bot)).collect();
        for problem in problems {
            self.screen.result(&format!("bout {bout} ({}): {problem}\n", bots.join(" vs ")));
        }
    }

    fn close(mut self, audit: &Audit, chain: &Chain, order: &[BoutId]) -> Status {
        let lost = matches!(chain.since, Some(None));
        match self.format {
            TextFormat::Json => {
                let places: HashMap<_, _> = order.iter().zip(0..).collect();
                self.bouts.sort_by_key(|(bout, _)| places.get(bout).copied().unwrap_or(usize::MAX));
                let bouts: Vec<_> = self.bouts.into_iter().map(|(_, bout)| bout).collect();
                let others: Vec<_> =
                    audit.others.iter().map(|one| escaped(&one.to_string())).collect();
                let report = json!({
                    "sound": audit.sound, "unsound": audit.unsound,
                    "without_turns": audit.unjudged, "bouts": bouts,
                    "others": others, "chain": chain.head, "since": since_json(chain),
                });
                self.screen.result(&format!("{report:#}\n"));
            }
            TextFormat::Text => self.screen.result(&closing_text(audit, chain)),
        }
        let sound = audit.unsound == 0 && audit.others.is_empty() && !lost;
        if sound { Status::Done } else { Status::NotInOrder }
    }
}

fn closing_text(audit: &Audit, chain: &Chain) -> String {
    let Audit { sound, unsound, others, .. } = audit;
    let mut text: String = others.iter().map(|one| escaped(&one.to_string()) + "\n").collect();
    text += &match sound {
        1 => format!("1 bout agrees with its record, {unsound} {}\n", do_not(*unsound)),
        _ => format!("{sound} bouts agree with their record, {unsound} {}\n", do_not(*unsound)),
    };
    if audit.unjudged > 0 {
        text += &format!(
            "{} without turns (`logs:` of the event), which only the chain vouches for\n",
            model::counted(audit.unjudged, "bout")
        );
    }
    if let Some(head) = chain.head {
        text += &format!("chain: {head}\n");
    }
    let asked = chain.asked.as_deref().unwrap_or_default();
    match &chain.since {
        None => {}
        Some(None) => {
            text += &format!(
                "{asked} is not in the chain: something that was recorded until then was changed \
                 or removed, or it is another database's head\n"
            );
        }
        Some(Some((number, links))) => {
            text +=
                &format!("{asked} is link {number} of the chain; since then {}\n", counted(links));
            text += &links.iter().filter(|link| is_notable(link)).map(line).collect::<String>();
        }
    }
    text
}

fn do_not(bouts: u64) -> &'static str {
    if bouts == 1 { "does not" } else { "do not" }
}

/// `12 results, 1 decision`.
fn counted(links: &[LinkSummary]) -> String {
    let mut counts: std::collections::BTreeMap<Kind, usize> = std::collections::BTreeMap::new();
    links.iter().for_each(|link| *counts.entry(link.kind).or_default() += 1);
    let words: Vec<_> = counts.iter().map(|(kind, n)| format!("{n} {}", kind.plural(*n))).collect();
    if words.is_empty() { "nothing was recorded".to_owned() } else { words.join(", ") }
}

/// Says whether a link tells of more than one more result.
fn is_notable(link: &LinkSummary) -> bool {
    link.kind != Kind::Result
}

fn line(link: &LinkSummary) -> String {
    format!("  link {}: {} {}\n", link.number, link.kind.name(), escaped(&link.subject))
}

fn since_json(chain: &Chain) -> Value {
    match &chain.since {
        None => Value::Null,
        Some(None) => json!({ "head": chain.asked, "link": null }),
        Some(Some((number, links))) => {
            let link = |link: &LinkSummary| json!({ "link": link.number, "kind": link.kind.name(), "subject": link.subject });
            let links: Vec<_> = links.iter().map(link).collect();
            json!({ "head": chain.asked, "link": number, "recorded": links })
        }
    }
}
