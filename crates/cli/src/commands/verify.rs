//! `joust verify`: judge recorded bouts again without running a bot, and compare
//! every row with the database's chain.

use std::collections::BTreeMap;
use std::io::BufWriter;

use joust_model::cancel::Cancel;
use joust_model::{BoutId, ChainHead, escaped};
use joust_orchestrator::dispute::{Audit, Auditor, BoutAudit, Verifier, audit_one};
use joust_referee::Catalogue;
use joust_report::json::write_pretty;
use joust_store::{Access, CheckScope, LinkKind, LinkSummary, Store};
use serde::Serialize;
use serde_json::{Value, json};

use super::{failures, find, named_bots, run, shared};
use crate::args::{TextFormat, VerifyArgs};
use crate::error::{Failure, Status};
use crate::output::{ProgressLine, Screen};

pub(super) async fn execute(args: VerifyArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let count = store.all_bouts().await?;
    let since = since(&store, args.head.as_deref()).await?;
    let (unsound, asked) = (BTreeMap::new(), None);
    let mut listing = AuditListing { format: args.output.format, screen, unsound, asked };
    let cancel = Cancel::default();
    let games = shared::playable_games(&args.source.file, &cancel, screen)?;
    let bots = named_bots::names(&args.bouts, &args.source.file, screen)?;
    let audit = if args.bouts.is_empty() {
        all(&store, &args, (&games, count), &cancel, &mut listing).await?
    } else {
        some(&store, &bots, &games, &mut listing).await?
    };
    let head = store.head().await?;
    listing.close(&store, &audit, &ChainReport { head, since, asked: args.head }).await
}

/// Judges the whole database.
async fn all(
    store: &Store,
    args: &VerifyArgs,
    (games, bouts): (&Catalogue, u64),
    cancel: &Cancel,
    listing: &mut AuditListing,
) -> Result<Audit, Failure> {
    run::stop_on_signal(cancel.clone(), listing.screen);
    let read = store.clone();
    let _registration = cancel.on_cancel(move || read.interrupt());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (progress, mut verified) = (ProgressLine::new(listing.screen), 0_u64);
    let mut listen = |bout: &BoutAudit| {
        verified += 1;
        // The time is not asked for at every bout: there are thousands a second.
        if verified.is_multiple_of(64) {
            progress.show(|| format!("verified {verified} of {bouts} bouts"));
        }
        listing.take(bout);
    };
    let jobs = args.jobs.jobs.map_or(cores, usize::from);
    let mut auditor = Auditor { games, jobs, cancel: cancel.clone(), listen: &mut listen };
    let audit = auditor.audit(store).await;
    drop(progress);
    match audit {
        Ok(audit) if !audit.is_stopped => Ok(audit),
        Err(error) if !cancel.is_cancelled() => Err(error.into()),
        _ => Err(failures::interrupted()),
    }
}

/// Judges some bouts; of the others only the chain is read.
async fn some(
    store: &Store,
    bouts: &[String],
    games: &Catalogue,
    listing: &mut AuditListing,
) -> Result<Audit, Failure> {
    let mut ledger = store.ledger().await?;
    let (mut audit, mut verifier) = (Audit::default(), Verifier::new(games.clone()));
    let events = store.events().await?;
    let position = |id: &str| events.iter().position(|event| event.id == id);
    let mut asked = Vec::new();
    for bout in find::all(store, bouts).await? {
        let Some(stored) = find::by_id(store, &bout.to_string()).await? else { continue };
        let mut found = audit_one(&mut verifier, &stored);
        let recorded = store.recorded_bout(stored.plan.bout).await?;
        if let Some(recorded) = recorded.filter(|_| ledger.digest(stored.plan.bout).is_some()) {
            let chained = ledger.check(&recorded);
            found.problems.extend(chained.into_iter().map(|one| one.problem));
        }
        audit.count(&found);
        listing.take(&found);
        let plan = &stored.plan;
        asked.push((position(&plan.event), plan.match_number, plan.number, bout));
    }
    asked.sort_unstable();
    listing.asked = Some(asked.into_iter().map(|(.., bout)| bout).collect());
    audit.others = store.close_ledger(ledger, CheckScope::Some).await?;
    Ok(audit)
}

/// Results recorded since an old head; `None` in it when the chain lacks it.
type LinksSince = Option<Option<(u64, Vec<LinkSummary>)>>;

async fn since(store: &Store, head: Option<&str>) -> Result<LinksSince, Failure> {
    let Some(head) = head else { return Ok(None) };
    let Some(number) = store.link_that_begins_with(head).await? else {
        return Ok(Some(None));
    };
    let links = store.links_after(number).await?;
    Ok(Some(Some((number, links))))
}

struct ChainReport {
    head: Option<ChainHead>,
    since: LinksSince,
    asked: Option<String>,
}

/// Report on bouts: text as it is found, JSON in schedule order when all is known.
struct AuditListing {
    format: TextFormat,
    screen: Screen,
    /// Problems of bouts, where they are reported at the end.
    unsound: BTreeMap<BoutId, Vec<String>>,
    /// The requested bouts, in schedule order; all when there is no list.
    asked: Option<Vec<BoutId>>,
}

impl AuditListing {
    fn take(&mut self, audited: &BoutAudit) {
        let problems: Vec<_> = audited.problems.iter().map(|text| escaped(text)).collect();
        let bout = audited.bout;
        if self.format == TextFormat::Json {
            if !problems.is_empty() {
                self.unsound.insert(bout, problems);
            }
            return;
        }
        let bots: Vec<_> = audited.bots.iter().map(|bot| escaped(bot)).collect();
        for problem in problems {
            self.screen.result(&format!("bout {bout} ({}): {problem}\n", bots.join(" vs ")));
        }
    }

    async fn close(
        self,
        store: &Store,
        audit: &Audit,
        chain: &ChainReport,
    ) -> Result<Status, Failure> {
        let lost = matches!(chain.since, Some(None));
        let screen = self.screen;
        match self.format {
            TextFormat::Json => self.close_json(store, audit, chain).await?,
            TextFormat::Text => screen.result(&closing_text(audit, chain)),
        }
        let sound = audit.unsound == 0 && audit.others.is_empty() && !lost;
        Ok(if sound { Status::Done } else { Status::Failed })
    }

    async fn close_json(
        mut self,
        store: &Store,
        audit: &Audit,
        chain: &ChainReport,
    ) -> Result<(), Failure> {
        let mut bouts = Vec::new();
        if let Some(asked) = &self.asked {
            let problems = |bout| self.unsound.get(bout).cloned().unwrap_or_default();
            bouts.extend(asked.iter().map(|bout| AuditedBout::new(*bout, problems(bout))));
        } else {
            for event in store.events().await? {
                for bout in store.bouts_in_order(&event.id).await? {
                    let problems = self.unsound.remove(&bout).unwrap_or_default();
                    bouts.push(AuditedBout::new(bout, problems));
                }
            }
            // Rows without a place in an event.
            let others = self.unsound.into_iter();
            bouts.extend(others.map(|(bout, problems)| AuditedBout::new(bout, problems)));
        }
        let report = AuditReport {
            bouts,
            chain: chain.head,
            not_repeatable: audit.unrepeatable,
            others: audit.others.iter().map(|one| escaped(&one.to_string())).collect(),
            since: since_json(chain),
            sound: audit.sound,
            unsound: audit.unsound,
            without_turns: audit.unjudged,
        };
        // The screen remembers an error.
        _ = write_pretty(&report, &mut BufWriter::new(self.screen));
        Ok(())
    }
}

/// Report on the bouts as JSON.
#[derive(Serialize)]
struct AuditReport {
    /// The bouts in schedule order.
    bouts: Vec<AuditedBout>,
    chain: Option<ChainHead>,
    not_repeatable: u64,
    others: Vec<String>,
    since: Value,
    sound: u64,
    unsound: u64,
    without_turns: u64,
}

#[derive(Serialize)]
struct AuditedBout {
    bout: BoutId,
    problems: Vec<String>,
    sound: bool,
}

impl AuditedBout {
    fn new(bout: BoutId, problems: Vec<String>) -> Self {
        Self { bout, sound: problems.is_empty(), problems }
    }
}

fn closing_text(audit: &Audit, chain: &ChainReport) -> String {
    let Audit { sound, unsound, others, .. } = audit;
    let mut text: String = others.iter().map(|one| escaped(&one.to_string()) + "\n").collect();
    text += &match sound {
        1 => format!("1 bout agrees with its record, {unsound} {}\n", do_not(*unsound)),
        _ => format!("{sound} bouts agree with their record, {unsound} {}\n", do_not(*unsound)),
    };
    if audit.unjudged > 0 {
        text += &format!(
            "{} without turns (`logs:` of the event), which only the chain vouches for\n",
            joust_model::counted(audit.unjudged, "bout")
        );
    }
    if audit.unrepeatable > 0 {
        text += &format!(
            "{} of games that do not say that they repeat (`can: [rejudge]`), which only the chain \
             vouches for\n",
            joust_model::counted(audit.unrepeatable, "bout")
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
            // A link with one more result is not worth a line.
            let others = links.iter().filter(|link| link.kind != LinkKind::Result);
            text += &others.map(line).collect::<String>();
        }
    }
    text
}

fn do_not(bouts: u64) -> &'static str {
    if bouts == 1 { "does not" } else { "do not" }
}

/// `12 results, 1 decision`.
fn counted(links: &[LinkSummary]) -> String {
    let mut counts: std::collections::BTreeMap<LinkKind, usize> = std::collections::BTreeMap::new();
    links.iter().for_each(|link| *counts.entry(link.kind).or_default() += 1);
    let words: Vec<_> = counts.iter().map(|(kind, n)| format!("{n} {}", kind.plural(*n))).collect();
    if words.is_empty() { "nothing was recorded".to_owned() } else { words.join(", ") }
}

fn line(link: &LinkSummary) -> String {
    format!("  link {}: {} {}\n", link.number, link.kind.name(), escaped(&link.subject))
}

fn since_json(chain: &ChainReport) -> Value {
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
