//! Parts that every page shares: its frame, the templates, the files beside it, and where files
//! go.

use std::collections::BTreeMap;
use std::io;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior, context, escape_formatter};
use parking_lot::Mutex;
use serde::Serialize;

use super::overview::{self, EventCard};
use super::tournament::{Logo, TournamentInput};
use super::{filters, names, replay};
use crate::paint::card;
use joust_model::cancel::Cancel;
use joust_model::{EventSettings, Publication, SiteLabels, public_text};

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/site/templates");
pub(super) static ASSETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/site/assets");

/// Receiver of the files of a site, from several threads at once.
pub trait Sink: Send + Sync {
    /// Writes a file. `path` is relative, has `/` between folders, and is made
    /// of lower-case letters, digits, hyphens and dots alone.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if it cannot be written.
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
}

/// Files in memory, by their paths.
impl Sink for Mutex<BTreeMap<String, Vec<u8>>> {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.lock().insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }
}

/// Reason why a site cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file cannot be written.
    #[error("`{path}` of the site cannot be written")]
    Write {
        /// The file, from the top of the site.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A template of ours is wrong.
    #[error("page `{path}` cannot be made")]
    Template {
        /// The file, from the top of the site.
        path: String,
        /// Why.
        #[source]
        source: minijinja::Error,
    },
}

impl SiteError {
    /// Returns the reason of the operating system when a file could not be
    /// written.
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Frame, templates and publication that every page of a site shares.
#[derive(Debug)]
pub struct Site {
    templates: Environment<'static>,
    frame: Value,
    pub(super) tournament: TournamentInput,
    pub(super) publication: Publication,
    is_live: bool,
    cancel: Cancel,
}

/// The words around every page.
#[derive(Serialize)]
struct Frame<'a> {
    tournament: String,
    logo: Option<String>,
    words: &'a SiteLabels,
    events: Vec<Link>,
    version: &'static str,
}

#[derive(Serialize)]
struct Link {
    title: String,
    folder: String,
}

impl Site {
    /// Path of the picture of the whole tournament.
    pub const PREVIEW: &'static str = names::PREVIEW;

    /// Makes the frame of a site with these events.
    pub fn new(
        tournament: TournamentInput,
        events: &[EventSettings],
        publication: Publication,
    ) -> Self {
        let ids: Vec<_> = events.iter().map(|event| event.id.as_str()).collect();
        let link = |id: &&str| Link {
            title: tournament.short_title_of(id, &ids),
            folder: names::event_folder(id),
        };
        let frame = Frame {
            tournament: tournament.title(),
            logo: tournament.logo.as_ref().map(Logo::file),
            words: &tournament.words,
            events: ids.iter().map(link).collect(),
            version: env!("CARGO_PKG_VERSION"),
        };
        let frame = Value::from(Serde(&frame));
        Self {
            templates: templates(),
            frame,
            tournament,
            publication,
            is_live: false,
            cancel: Cancel::default(),
        }
    }

    /// Returns what an event is called by people.
    pub fn title_of(&self, event: &str) -> String {
        self.tournament.title_of(event)
    }

    /// Makes the pages those of a server, which has two files more: `assets/live.js` and
    /// `assets/live.css` keep a page as new as the results.
    #[must_use]
    pub fn live(self) -> Self {
        Self { is_live: true, ..self }
    }

    /// Lets `cancel` end the replay that is being made.
    #[must_use]
    pub fn until(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Writes the files that pages share: styles, scripts, the picture of the
    /// tab.
    ///
    /// # Errors
    ///
    /// [`SiteError::Write`] when one cannot be written.
    pub fn assets(&self, sink: &dyn Sink) -> Result<(), SiteError> {
        for file in ASSETS.files() {
            let name = file.path().to_string_lossy();
            put(sink, &format!("assets/{name}"), file.contents())?;
        }
        if let Some(logo) = &self.tournament.logo {
            put(sink, &logo.file(), &logo.bytes)?;
        }
        put(sink, "assets/viewer.js", replay::VIEWER_JS.as_bytes())
    }

    /// Writes the page of the whole tournament, the page about verification, and the badge.
    ///
    /// # Errors
    ///
    /// [`SiteError`] when it cannot be written.
    pub fn overview(&self, events: Vec<EventCard>, sink: &dyn Sink) -> Result<(), SiteError> {
        self.put(overview::BADGE, "badge.svg.html", &overview::badge(&events), sink)?;
        self.put("verify.html", "verify.html", &overview::verification(self, &events), sink)?;
        self.put("index.html", "overview.html", &overview::page(self, events), sink)
    }

    /// Writes the picture of the whole tournament that chats show beside its links; nothing when
    /// the site's address is unknown.
    ///
    /// # Errors
    ///
    /// [`SiteError`] when it cannot be written.
    pub fn preview(&self, events: &[EventCard], sink: &dyn Sink) -> Result<(), SiteError> {
        if !self.has_previews() {
            return Ok(());
        }
        let cards: Vec<_> = events.iter().map(|event| event.preview.clone()).collect();
        put(sink, names::PREVIEW, &card::png(&overview::tournament_preview(self, &cards)))
    }

    /// Returns whether pages have pictures for previews of their links: those need the site's
    /// address.
    pub(super) fn has_previews(&self) -> bool {
        self.tournament.words.url.is_some()
    }

    /// Returns the address of a file, if the site's address is known.
    pub(super) fn address(&self, path: &str) -> Option<String> {
        self.tournament.words.url.as_ref().map(|url| format!("{url}{path}"))
    }

    /// Writes a page at `path`, made by a template from its own data.
    pub(super) fn put(
        &self,
        path: &str,
        template: &str,
        page: &impl Serialize,
        sink: &dyn Sink,
    ) -> Result<(), SiteError> {
        let root = "../".repeat(path.matches('/').count());
        let (frame, live) = (self.frame.clone(), self.is_live);
        let values = context! { root, path, frame, live, page => Value::from(Serde(page)) };
        let made = self.templates.get_template(template).and_then(|found| found.render(values));
        let html = made.map_err(|source| SiteError::Template { path: path.to_owned(), source })?;
        put(sink, path, html.as_bytes())
    }
}

/// Writes a file.
pub(super) fn put(sink: &dyn Sink, path: &str, bytes: &[u8]) -> Result<(), SiteError> {
    sink.put(path, bytes).map_err(|source| SiteError::Write { path: path.to_owned(), source })
}

/// Makes the templates. Their names end in `.html`, so every value that is put into them is
/// escaped; every text that is not marked as safe is made public first.
pub(super) fn templates() -> Environment<'static> {
    let mut environment = Environment::new();
    let tidy = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(tidy.expect("the delimiters are the usual ones"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => {
            escape_formatter(out, state, &Value::from(public_text(text)))
        }
        _ => escape_formatter(out, state, value),
    });
    filters::add_to(&mut environment);
    for file in TEMPLATES.files() {
        let name = file.path().to_str().expect("our own names are UTF-8");
        let text = file.contents_utf8().expect("our own templates are UTF-8");
        environment.add_template(name, text).expect("our own templates are well-formed");
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_escapes_what_is_put_into_it() {
        let environment = templates();
        for (name, _) in environment.templates() {
            assert!(name.ends_with(".html"), "{name}");
        }
        let text = TEMPLATES.files().filter_map(|file| file.contents_utf8());
        for template in text {
            assert!(!template.contains("|safe") && !template.contains("| safe"));
            assert!(!template.contains("autoescape"));
            assert!(!template.contains("style="), "the policy forbids it");
        }
    }
}
