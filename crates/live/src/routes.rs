//! Routes: a page or a file for each path, and the stream of events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::cache::{Answer, Asked, File};
use crate::maker::CONTENTS;
use crate::settings::Base;
use crate::shared::{Shared, stopped};

/// The longest path there is, bytes.
const LONGEST_PATH: usize = 200;

/// Longest time that a request waits for a page.
const PATIENCE: Duration = Duration::from_secs(30);

/// Interval of a stream's signs of life; proxies close what is silent for a minute.
const SIGN_OF_LIFE: Duration = Duration::from_secs(25);

/// Time after which a browser connects again.
const AGAIN: Duration = Duration::from_secs(2);

/// The header of a page that could not be made anew in time. It is read by `assets/live.js`.
const OLDER: HeaderName = HeaderName::from_static("joust-older");

/// State that answers need.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) base: Base,
    pub(crate) shared: Arc<Shared>,
    /// Files that are the same as long as the program is.
    pub(crate) assets: Arc<HashMap<String, Arc<File>>>,
    pub(crate) pages: mpsc::Sender<String>,
    /// True if boards of bouts that are being played are public.
    pub(crate) shows_boards: bool,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Returns what answers requests.
pub(crate) fn router(app: AppState) -> Router {
    Router::new().fallback(answer).with_state(app)
}

async fn answer(State(app): State<AppState>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allowed = [(header::ALLOW, "GET, HEAD")];
        return (StatusCode::METHOD_NOT_ALLOWED, allowed, "these pages can only be read\n")
            .into_response();
    }
    let Some(path) = app.base.rest(request.uri().path()) else {
        let within = format!("{}/", app.base.as_str());
        return (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, within)]).into_response();
    };
    let is_get = request.method() == Method::GET;
    match path {
        "events" if is_get => follow(&app.shared.message, app.stop),
        "boards" if is_get && app.shows_boards => follow(&app.shared.boards[0], app.stop),
        "boards-dark" if is_get && app.shows_boards => follow(&app.shared.boards[1], app.stop),
        path if !is_plain(path) => missing(),
        path => {
            let path = if path.is_empty() || path.ends_with('/') {
                format!("{path}index.html")
            } else {
                path.to_owned()
            };
            match app.find(&path).await {
                Answer::Found(file) => found(&file, request.headers()),
                Answer::Older(file) => older(&file),
                Answer::Missing => missing(),
                Answer::Unavailable => unavailable(),
            }
        }
    }
}

/// Returns whether a path could be one of ours: no other is looked for.
fn is_plain(path: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./_".contains(&byte);
    path.len() <= LONGEST_PATH && path.bytes().all(plain)
}

impl AppState {
    /// Finds a page in its newest form.
    async fn find(&self, path: &str) -> Answer {
        if let Some(asset) = self.assets.get(path) {
            return Answer::Found(Arc::clone(asset));
        }
        // However many ask for what is not there, the maker is asked once.
        if !self.shared.has(path) {
            if matches!(self.obtain(CONTENTS).await, Answer::Unavailable) {
                return Answer::Unavailable;
            }
            if !self.shared.has(path) {
                return Answer::Missing;
            }
        }
        self.obtain(path).await
    }

    /// Returns what the maker makes, as soon as it is made.
    async fn obtain(&self, path: &str) -> Answer {
        let stamp = self.shared.stamp();
        let asked = self.shared.cache().ask(path, stamp);
        let made = match asked {
            Asked::Here(file) => return Answer::Found(file),
            Asked::Later(made) => made,
            Asked::First(made) => {
                if self.pages.try_send(path.to_owned()).is_err() {
                    self.shared.cache().answer(path, &Answer::Unavailable);
                }
                made
            }
        };
        match timeout(PATIENCE, made).await {
            Ok(Ok(Answer::Unavailable)) | Ok(Err(_)) | Err(_) => self.older(path),
            Ok(Ok(answer)) => answer,
        }
    }

    /// Returns a page as it was, better than nothing.
    fn older(&self, path: &str) -> Answer {
        self.shared.cache().any(path).map_or(Answer::Unavailable, Answer::Older)
    }
}

fn found(file: &File, asked: &HeaderMap) -> Response {
    let text = |name| asked.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let is_known = text(header::IF_NONE_MATCH).is_some_and(|tags| tags.contains(&file.tag));
    let takes_packed = text(header::ACCEPT_ENCODING).is_some_and(|kinds| kinds.contains("gzip"));
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        (header::ETAG, file.tag.as_str()),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "Accept-Encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    match &file.packed {
        _ if is_known => (StatusCode::NOT_MODIFIED, headers).into_response(),
        Some(packed) if takes_packed => {
            (headers, [(header::CONTENT_ENCODING, "gzip")], packed.clone()).into_response()
        }
        _ => (headers, file.plain.clone()).into_response(),
    }
}

/// Sends a page in a form that a reader is to ask for again: nobody is to keep it.
fn older(file: &File) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (OLDER, HeaderValue::from_static("true")),
    ];
    (headers, file.plain.clone()).into_response()
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "there is no such page, or not yet\n").into_response()
}

fn unavailable() -> Response {
    let again = [(header::RETRY_AFTER, "3")];
    (StatusCode::SERVICE_UNAVAILABLE, again, "this page cannot be made now; try again\n")
        .into_response()
}

/// A stream that is followed.
struct Following {
    news: watch::Receiver<Arc<str>>,
    stop: watch::Receiver<bool>,
    is_first: bool,
}

/// Streams the newest message of a channel, and each that comes.
fn follow(channel: &watch::Sender<Arc<str>>, stop: watch::Receiver<bool>) -> Response {
    let stream = stream(Following { news: channel.subscribe(), stop, is_first: true });
    let sign = KeepAlive::new().interval(SIGN_OF_LIFE);
    let told = [("x-accel-buffering", "no"), ("cache-control", "no-cache")];
    (told, Sse::new(stream).keep_alive(sign)).into_response()
}

fn stream(following: Following) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(following, |mut following| async move {
        let Following { news, stop, is_first } = &mut following;
        let first = std::mem::take(is_first);
        if !first {
            tokio::select! {
                changed = news.changed() => changed.ok()?,
                () = stopped(stop) => return None,
            }
        }
        let message = news.borrow_and_update().clone();
        let event = Event::default().data(&*message);
        Some((Ok(if first { event.retry(AGAIN) } else { event }), following))
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[tokio::test]
    async fn a_page_that_could_not_be_made_anew_says_so() {
        let shared = Arc::new(Shared::new(1 << 20, Duration::ZERO));
        let page = Arc::new(File::new("index.html", b"as it was"));
        shared.cache().keep("index.html", shared.stamp(), page);
        // Nobody takes orders.
        let (pages, _) = mpsc::channel(1);
        let (_stop, stop) = watch::channel(false);
        let app = AppState {
            base: Base::default(),
            shared,
            assets: Arc::default(),
            pages,
            shows_boards: true,
            stop,
        };
        let ask = async || {
            let request = Request::builder().uri("/").header(header::IF_NONE_MATCH, "W/\"1\"");
            answer(State(app.clone()), request.body(Body::empty()).expect("a request")).await
        };
        let newest = ask().await;
        assert_eq!((newest.status(), newest.headers().get(OLDER)), (StatusCode::OK, None));
        app.shared.renew_pages();
        let older = ask().await;
        assert_eq!(older.status(), StatusCode::OK);
        assert!(older.headers().contains_key(OLDER));
        assert_eq!(older.headers()[header::CACHE_CONTROL], "no-store");
    }

    #[test]
    fn only_paths_that_pages_have_are_looked_for() {
        for path in ["", "index.html", "league/bots/0123456789abcdef.html", "event-0f/cross.png"] {
            assert!(is_plain(path), "{path}");
        }
        for path in ["a%2e", "A", "a\\b", "\u{e9}", "a b", &"x".repeat(201)] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
