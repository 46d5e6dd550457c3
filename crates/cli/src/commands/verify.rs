//! `joust verify`: judge recorded bouts again without running a bot, and compare
//! every row with the database's chain.

use std::collections::BTreeMap;

use joust_model::cancel::Cancel;
use joust_model::{BoutId, ChainHead, escaped};
use joust_orchestrator::dispute::{Audit, Auditor, BoutAudit, Verifier, audit_one};
use joust_referee::Catalogue;
use joust_store::{Access, CheckScope, LinkKind, LinkSummary, Store};
use serde_json::{Value, json};

use super::failures;
use super::{find, named_bots, run, shared};
use crate::args::{TextFormat, VerifyArgs};
use crate::error::{Failure, Status};
use crate::output::{Pager, Screen};
use crate::progress_line::ProgressLine;

pub(super) async fn execute(args: VerifyArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let count = store.all_bouts().await?;
    let since = since(&store, args.head.as_deref()).await?;
    let (unsound, asked) = (BTreeMap::new(), None);
    let mut listing = AuditListing { format: args.output.format, screen, unsound, asked };
    let games = shared::playable_games(&args.source.file, screen)?;
    let bots = named_bots::names(&args.bouts, &args.source.file, screen)?;
    let audit = if args.bouts.is_empty() {
        all(&store, &args, &games, count, &mut listing).await?
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
    games: &Catalogue,
    bouts: u64,
    listing: &mut AuditListing,
) -> Result<Audit, Failure> {
    let cancel = Cancel::default();
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
    let is_stopped = || cancel.is_cancelled();
    let mut auditor = Auditor { games, jobs, is_stopped: &is_stopped, listen: &mut listen };
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

    /// Prints the report, its bouts as they are read.
    async fn close_json(
        mut self,
        store: &Store,
        audit: &Audit,
        chain: &ChainReport,
    ) -> Result<(), Failure> {
        let others: Vec<_> = audit.others.iter().map(|one| escaped(&one.to_string())).collect();
        let report = json!({
            "sound": audit.sound, "unsound": audit.unsound,
            "without_turns": audit.unjudged, "not_repeatable": audit.unrepeatable, "bouts": [],
            "others": others, "chain": chain.head, "since": since_json(chain),
        });
        let report = format!("{report:#}\n");
        // No text of a value has a quotation mark that is not escaped.
        let (before, after) = report.split_once("\"bouts\": []").expect("it has such a list");
        let mut list = JsonBouts { page: Pager::new(self.screen), listed: 0 };
        list.page.is_read(before);
        match self.asked.take() {
            Some(asked) => asked.into_iter().for_each(|bout| list.add(bout, self.problems(bout))),
            None => self.list_all(store, &mut list).await?,
        }
        list.close(after);
        Ok(())
    }

    async fn list_all(mut self, store: &Store, list: &mut JsonBouts) -> Result<(), Failure> {
        for event in store.events().await? {
            for bout in store.bouts_in_order(&event.id).await? {
                list.add(bout, &self.unsound.remove(&bout).unwrap_or_default());
            }
        }
        // Rows without a place in an event.
        self.unsound.iter().for_each(|(bout, problems)| list.add(*bout, problems));
        Ok(())
    }

    fn problems(&self, bout: BoutId) -> &[String] {
        self.unsound.get(&bout).map_or(&[], Vec::as_slice)
    }
}

/// The list of bouts of a report that is printed.
struct JsonBouts {
    page: Pager,
    listed: u64,
}

impl JsonBouts {
    fn add(&mut self, bout: BoutId, problems: &[String]) {
        let id = bout.to_string();
        let one = json!({ "bout": id, "sound": problems.is_empty(), "problems": problems });
        let begin = if self.listed == 0 { "\"bouts\": [" } else { "," };
        let text = format!("{one:#}").replace('\n', "\n    ");
        self.page.is_read(&format!("{begin}\n    {text}"));
        self.listed += 1;
    }

    fn close(mut self, after: &str) {
        self.page.is_read(if self.listed == 0 { "\"bouts\": []" } else { "\n  ]" });
        self.page.is_read(after);
        self.page.turn();
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
    let mut counts: std::collections::BTreeMap<LinkKind, usize> = std::collections::BTreeMap::new();
    links.iter().for_each(|link| *counts.entry(link.kind).or_default() += 1);
    let words: Vec<_> = counts.iter().map(|(kind, n)| format!("{n} {}", kind.plural(*n))).collect();
    if words.is_empty() { "nothing was recorded".to_owned() } else { words.join(", ") }
}

/// Returns whether a link covers more than one more result.
fn is_notable(link: &LinkSummary) -> bool {
    link.kind != LinkKind::Result
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
