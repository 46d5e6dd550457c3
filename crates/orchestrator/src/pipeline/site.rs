//! A site from a database: bouts are read one after the other, and pages made
//! from them by as many threads as there are processors.

use async_recursion::async_recursion as boxed;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, Builder};

use tokio::sync::oneshot;

use crate::tasks::{TaskQueue, unless_stopped};
use joust_live::site_input::{self, HeldBack, SiteReader};
use joust_model::cancel::Cancel;
use joust_model::{BoutId, EventSettings};
use joust_report::site::{
    EventCard, EventInput, EventSite, Notes, Sink, Site, SiteError, SiteOptions,
};
use joust_store::{Store, StoreError};

/// Progress of a site.
#[derive(Clone, Copy, Debug)]
pub struct SiteProgress<'a> {
    /// The event's id.
    pub event: &'a str,
    /// Kind of item being made: `bouts` or `pages`.
    pub what: &'static str,
    /// Number of items that are made.
    pub done: usize,
    /// Number of items in all.
    pub all: usize,
}

/// Contents of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteReport {
    /// Its events.
    pub events: usize,
    /// Its bots, counted in each event.
    pub bots: usize,
    /// Bouts with a page.
    pub bouts: usize,
    /// Bouts without one.
    pub unshown: usize,
    /// Bouts whose recordings cannot be drawn; their pages say so.
    pub undrawn: Vec<BoutId>,
}

/// Reason why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum SiteRunError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page cannot be made.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The database has no such event.
    #[error("the database has no event `{}`", joust_model::escaped(.wanted))]
    NoSuchEvent {
        /// Name that was asked for.
        wanted: String,
        /// The events there are.
        known: Vec<String>,
    },
    /// Nothing was ever run.
    #[error("the database has no event yet")]
    NoEvent,
    /// The machine can start no thread.
    #[error("no thread can be started")]
    NoThread(#[source] io::Error),
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

/// Makes the site of a tournament from its database.
///
/// The same database gives the same files. In memory are the data for the tables of one event, its
/// bouts that have a page, and the logs of a few of these.
///
/// # Errors
///
/// [`SiteRunError`]; files that were written before stay where they are.
#[boxed]
pub async fn site(
    store: &Store,
    options: &SiteOptions,
    sink: Arc<dyn Sink>,
    watch: &(dyn Fn(SiteProgress<'_>) + Sync),
    cancel: &Cancel,
) -> Result<SiteReport, SiteRunError> {
    let moment = store.at_one_moment().await?;
    let writing = async {
        let reader = SiteReader { store: &moment, options };
        let events = wanted(&reader).await?;
        let tournament = reader.tournament("Tournament", &events).await?;
        let site = Site::new(tournament, &events, options.publication.clone());
        let site = Arc::new(site.until(cancel.clone()));
        let mut writer =
            SiteWriter { reader, site, sink, watch, cancel, report: SiteReport::default() };
        writer.site.assets(&*writer.sink)?;
        let mut cards = Vec::new();
        for event in &events {
            cards.push(writer.event(&event.id).await?);
        }
        writer.site.preview(&cards, &*writer.sink)?;
        writer.site.overview(cards, &*writer.sink)?;
        Ok(writer.report)
    };
    let written = writing.await;
    moment.close().await;
    written
}

async fn wanted(reader: &SiteReader<'_>) -> Result<Vec<EventSettings>, SiteRunError> {
    let events = reader.events().await?;
    let is_known = |id: &&String| events.iter().any(|event| event.id == **id);
    let unknown = reader.options.events.iter().find(|id| !is_known(id));
    if !events.is_empty() && unknown.is_none() {
        return Ok(events);
    }
    let known: Vec<_> = reader.store.events().await?.into_iter().map(|event| event.id).collect();
    match unknown.cloned() {
        Some(wanted) if !known.is_empty() => Err(SiteRunError::NoSuchEvent { wanted, known }),
        _ => Err(SiteRunError::NoEvent),
    }
}

/// Makes the pages of one event after another.
struct SiteWriter<'a> {
    reader: SiteReader<'a>,
    site: Arc<Site>,
    sink: Arc<dyn Sink>,
    watch: &'a (dyn Fn(SiteProgress<'_>) + Sync),
    cancel: &'a Cancel,
    report: SiteReport,
}

impl SiteWriter<'_> {
    async fn event(&mut self, id: &str) -> Result<EventCard, SiteRunError> {
        let info = self.reader.store.event(id).await?.ok_or(SiteRunError::NoEvent)?;
        let (none, most) = (HeldBack::default(), self.reader.options.publication.bouts);
        let input =
            self.reader.event(&self.site, info, &none, |survey| survey.chosen(most)).await?;
        let event = self.rated(input).await?;
        let numbers = self.reader.numbers(id, event.begin_numbers(), &none).await?;
        let event = Arc::new(event.with_numbers(numbers));
        let notes = Arc::new(self.bouts(id, &event).await?);
        self.pages(id, &event, &notes).await?;
        self.report.events += 1;
        self.report.bots += event.bots();
        self.report.bouts += event.bouts().count();
        self.report.unshown += event.unshown();
        self.report.undrawn.extend(&notes.undrawn);
        Ok(event.card(&self.site, &notes))
    }

    /// Ranks and rates the bots of an event. Whoever stops the site does not wait for
    /// the ratings of a thousand.
    async fn rated(&self, input: EventInput) -> Result<EventSite, SiteRunError> {
        let (sender, made) = oneshot::channel();
        let rate = move || drop(sender.send(EventSite::new(input)));
        let thread = Builder::new().spawn(rate).map_err(SiteRunError::NoThread)?;
        let made = unless_stopped(self.cancel, made).await.ok_or(SiteRunError::Interrupted)?;
        Ok(made.unwrap_or_else(|_| match thread.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => unreachable!("the thread sends what it makes"),
        }))
    }

    /// Reads every bout that has a page, and makes the pages side by side.
    async fn bouts(&self, id: &str, event: &Arc<EventSite>) -> Result<Notes, SiteRunError> {
        let (mut notes, mut making) = (Notes::default(), TaskQueue::new(threads()));
        let all = event.bouts().count();
        for (done, bout) in event.bouts().enumerate() {
            self.report_progress(SiteProgress { event: id, what: "bouts", done, all })?;
            // It may have been deleted since the results were read.
            let shown = site_input::bout(self.reader.store, bout, |_| true).await?;
            let Some(shown) = shown else { continue };
            let (site, sink) = (Arc::clone(&self.site), Arc::clone(&self.sink));
            let event = Arc::clone(event);
            let make = move || {
                let mut notes = Notes::default();
                event.bout(&site, &shown, &mut notes, &*sink).map(|()| notes)
            };
            if let Some(made) = making.push(make).await {
                notes.merge(made?);
            }
        }
        while let Some(made) = making.next().await {
            notes.merge(made?);
        }
        Ok(notes)
    }

    /// Reports how far the site is, unless it is stopped.
    fn report_progress(&self, progress: SiteProgress<'_>) -> Result<(), SiteRunError> {
        (self.watch)(progress);
        if self.cancel.is_cancelled() { Err(SiteRunError::Interrupted) } else { Ok(()) }
    }

    /// Makes the remaining pages once all bouts are known.
    async fn pages(
        &self,
        id: &str,
        event: &Arc<EventSite>,
        notes: &Arc<Notes>,
    ) -> Result<(), SiteRunError> {
        let (pages, mut making) = (event.pages(), TaskQueue::new(threads()));
        for (done, page) in pages.iter().copied().enumerate() {
            self.report_progress(SiteProgress {
                event: id,
                what: "pages",
                done,
                all: pages.len(),
            })?;
            let (site, sink) = (Arc::clone(&self.site), Arc::clone(&self.sink));
            let (event, notes) = (Arc::clone(event), Arc::clone(notes));
            let make = move || event.page(&site, page, &notes, &*sink);
            making.push(make).await.transpose()?;
        }
        while let Some(made) = making.next().await {
            made?;
        }
        Ok(())
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, |threads| threads.get().min(16))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use super::*;
    use joust_model::Mirror;
    use joust_referee::Catalogue;
    use joust_store::Access;
    use joust_testkit::fixtures;

    /// Sink that records which files exist.
    #[derive(Default)]
    struct Names(Mutex<Vec<String>>);

    impl Sink for Names {
        fn put(&self, path: &str, _: &[u8]) -> io::Result<()> {
            self.0.lock().expect("nobody panicked").push(path.to_owned());
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_site_that_is_stopped_before_its_bots_are_rated_has_no_page_of_theirs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        let settings = EventSettings { mirror: Mirror::Off, ..fixtures::event("league") };
        store.put_event(&settings).await.expect("an event");
        let options = SiteOptions::new(Catalogue::built_in());
        let cancel = Cancel::default();
        let names = Arc::new(Names::default());
        site(&store, &options, names.clone(), &|_| (), &cancel).await.expect("a site");
        let whole = std::mem::take(&mut *names.0.lock().expect("nobody panicked"));
        assert!(whole.iter().any(|name| name.starts_with("league/")), "{whole:?}");
        cancel.cancel();
        let stopped = site(&store, &options, names.clone(), &|_| (), &cancel).await;
        assert!(matches!(stopped, Err(SiteRunError::Interrupted)), "{stopped:?}");
        let begun = names.0.lock().expect("nobody panicked");
        assert!(!begun.iter().any(|name| name.starts_with("league/")), "{begun:?}");
    }
}
