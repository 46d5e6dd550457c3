//! Routes: a page or a file for each path, and the stream of events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::cache::File;
use crate::feed::{Feed, Stage};
use crate::renderer::{Answer, Renderer};
use crate::settings::Settings;

/// The longest path there is, bytes.
const LONGEST_PATH: usize = 200;

/// Longest time that a request waits for a page.
const PATIENCE: Duration = Duration::from_secs(30);

/// Interval of a stream's keep-alive messages; proxies close a connection that is silent for a
/// minute.
const SIGN_OF_LIFE: Duration = Duration::from_secs(25);

/// Time after which a browser connects again.
const AGAIN: Duration = Duration::from_secs(2);

/// The header of a page that could not be updated in time. It is read by `assets/live.js`.
const OLDER: HeaderName = HeaderName::from_static("joust-older");

/// State that answers need.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) settings: Arc<Settings>,
    pub(crate) feed: Arc<Feed>,
    /// Files that stay the same for the life of the program.
    pub(crate) assets: Arc<HashMap<String, Arc<File>>>,
    pub(crate) renderer: Arc<Mutex<Renderer>>,
    /// True if boards of bouts that are being played are public.
    pub(crate) shows_boards: bool,
}

/// Returns the router for all requests.
pub(crate) fn router(app: AppState) -> Router {
    Router::new().fallback(answer).with_state(app)
}

async fn answer(State(app): State<AppState>, request: Request) -> Response {
    if app.settings.address.ip().is_loopback() && !names_this_machine(request.headers()) {
        return misdirected();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allowed = [(header::ALLOW, "GET, HEAD")];
        return (StatusCode::METHOD_NOT_ALLOWED, allowed, "these pages can only be read\n")
            .into_response();
    }
    let base = &app.settings.base;
    let Some(path) = base.rest(request.uri().path()) else {
        let within = format!("{}/", base.as_str());
        return (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, within)]).into_response();
    };
    let is_get = request.method() == Method::GET;
    match path {
        "events" if is_get => follow(app.feed.message.subscribe(), app.feed),
        "boards" if is_get && app.shows_boards => follow(app.feed.boards[0].subscribe(), app.feed),
        "boards-dark" if is_get && app.shows_boards => {
            follow(app.feed.boards[1].subscribe(), app.feed)
        }
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

/// Returns whether the `Host` of a request is an address or `localhost`. The owner of any other
/// name can have it lead to this machine, and then read in a browser here what other machines must
/// not.
fn names_this_machine(asked: &HeaderMap) -> bool {
    let Some(host) = asked.get(header::HOST) else { return true };
    let host = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    host.is_some_and(|host| {
        let name = host.host().trim_matches(['[', ']']);
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
    })
}

/// Returns whether a path could be one of ours; other paths are not looked up.
fn is_plain(path: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./_".contains(&byte);
    path.len() <= LONGEST_PATH && path.bytes().all(plain)
}

impl AppState {
    /// Finds the newest form of a page, or an older form if the newest takes too long.
    async fn find(&self, path: &str) -> Answer {
        if let Some(asset) = self.assets.get(path) {
            return Answer::Found(Arc::clone(asset));
        }
        match timeout(PATIENCE, self.render(path)).await {
            Ok(Answer::Unavailable) | Err(_) => {
                self.feed.pages.any(path).map_or(Answer::Unavailable, Answer::Older)
            }
            Ok(answer) => answer,
        }
    }

    /// Returns the newest form of a page, which is rendered once for all requests that wait for it.
    async fn render(&self, path: &str) -> Answer {
        if let Some(answer) = self.known(path) {
            return answer;
        }
        let mut renderer = Arc::clone(&self.renderer).lock_owned().await;
        if let Some(answer) = self.known(path) {
            return answer;
        }
        let path = path.to_owned();
        let work = move || Handle::current().block_on(renderer.render(&path));
        // A panic affects only the page that is being made.
        spawn_blocking(work).await.unwrap_or(Answer::Unavailable)
    }

    /// Returns the answer that needs no rendering.
    fn known(&self, path: &str) -> Option<Answer> {
        if self.feed.pages.is_missing(path) {
            return Some(Answer::Missing);
        }
        self.feed.pages.newest(path).map(Answer::Found)
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

/// Sends a page that may be outdated, with a header that forbids caching it.
fn older(file: &File) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (OLDER, HeaderValue::from_static("true")),
    ];
    (headers, file.plain.clone()).into_response()
}

fn misdirected() -> Response {
    let told = "these pages are for this machine: name it by its address or as localhost; \
                a proxy in front of them sends the address as `Host`\n";
    (StatusCode::MISDIRECTED_REQUEST, told).into_response()
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "there is no such page, or not yet\n").into_response()
}

fn unavailable() -> Response {
    let again = [(header::RETRY_AFTER, "3")];
    (StatusCode::SERVICE_UNAVAILABLE, again, "this page cannot be made now; try again\n")
        .into_response()
}

/// Streams the newest message of a channel, and each later one.
fn follow(mut news: watch::Receiver<Arc<str>>, feed: Arc<Feed>) -> Response {
    news.mark_changed();
    let stream = unfold((news, feed), |(mut news, feed)| async move {
        tokio::select! {
            changed = news.changed() => changed.ok()?,
            () = feed.reached(Stage::Stopped) => return None,
        }
        let message = news.borrow_and_update().clone();
        let event = Event::default().retry(AGAIN).data(&*message);
        Some((Ok::<_, Infallible>(event), (news, feed)))
    });
    let sign = KeepAlive::new().interval(SIGN_OF_LIFE);
    let told = [("x-accel-buffering", "no"), ("cache-control", "no-cache")];
    (told, Sse::new(stream).keep_alive(sign)).into_response()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use joust_store::{Access, Store};

    use super::*;
    use crate::settings::RunSource;

    #[tokio::test]
    async fn a_page_that_could_not_be_made_anew_says_so() {
        let database = std::path::PathBuf::from("/nowhere/results.db");
        let settings = Arc::new(Settings::new("Cup", database));
        let feed = Arc::new(Feed::new(&settings, RunSource::Database));
        let page = Arc::new(File::new("index.html", b"as it was".to_vec()));
        feed.pages.keep("index.html", feed.pages.stamp(), page);
        let renderer = Renderer::new(Arc::clone(&settings), Arc::clone(&feed));
        let renderer = Arc::new(Mutex::new(renderer));
        let (assets, shows_boards) = (Arc::default(), true);
        let app = AppState { settings, feed, assets, renderer, shows_boards };
        let ask = async || {
            let request = Request::builder().uri("/").header(header::IF_NONE_MATCH, "W/\"1\"");
            answer(State(app.clone()), request.body(Body::empty()).expect("a request")).await
        };
        let newest = ask().await;
        assert_eq!((newest.status(), newest.headers().get(OLDER)), (StatusCode::OK, None));
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("results.db");
        let gone = Store::open(&database, Access::CreateOrOpen).await.expect("a database");
        gone.close().await;
        drop(folder);
        app.feed.store.lock().replace(gone);
        app.feed.pages.renew();
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

    #[test]
    fn a_name_that_somebody_else_has_is_not_this_machine() {
        let is_own = |host: &'static str| {
            let host = (header::HOST, HeaderValue::from_static(host));
            names_this_machine(&HeaderMap::from_iter([host]))
        };
        for host in ["127.0.0.1:8080", "10.0.0.1", "[::1]:8080", "localhost", "LocalHost:1"] {
            assert!(is_own(host), "{host}");
        }
        for host in
            ["evil.example", "127.0.0.1.evil.example:8080", "localhost@evil.example", "x y", ""]
        {
            assert!(!is_own(host), "{host}");
        }
        assert!(names_this_machine(&HeaderMap::new()));
    }
}
