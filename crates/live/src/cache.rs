//! Cache of pages: each as it was made last, with the state of the database that it shows.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use joust_model::digest_text;
use parking_lot::Mutex;

use crate::model::{EventPages, is_of_all};

/// The smallest file that is compressed, bytes.
const COMPRESSED: usize = 1024;

/// Digits of a hash that name a file's contents.
const DIGITS: usize = 20;

/// A file in the form that is sent.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) tag: String,
    pub(crate) plain: Vec<u8>,
    /// The same, compressed, where that is worth it.
    pub(crate) packed: Option<Vec<u8>>,
}

impl File {
    /// Makes a file of the bytes at `path`, whose ending determines their type.
    pub(crate) fn new(path: &str, bytes: Vec<u8>) -> Self {
        let kind = kind_of(path);
        let is_text = kind != "image/png";
        let packed = (is_text && bytes.len() >= COMPRESSED).then(|| packed(&bytes)).flatten();
        let tag = format!("W/\"{}\"", digest_text("joust-live-1", &[&bytes], DIGITS));
        Self { kind, tag, plain: bytes, packed }
    }

    fn size(&self) -> usize {
        self.plain.len() + self.packed.as_ref().map_or(0, Vec::len)
    }
}

fn kind_of(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        "json" => "application/json",
        "csv" => "text/csv; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|packed| packed.len() < bytes.len())
}

/// Cache of pages by their paths, with a limit on their bytes.
#[derive(Debug)]
pub(crate) struct PageCache {
    most_bytes: usize,
    /// State of the database, raised by every change.
    stamp: AtomicU64,
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    files: HashMap<String, (u64, Arc<File>)>,
    /// Events whose pages there are, with the state in which they were read.
    events: Option<(u64, Arc<[EventPages]>)>,
}

impl PageCache {
    /// Makes an empty cache that holds at most `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, stamp: AtomicU64::new(0), contents: Mutex::default() }
    }

    /// Returns the state of the database that the newest form of a page shows.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp.load(Ordering::Acquire)
    }

    /// Marks all pages as out of date.
    pub(crate) fn renew(&self) {
        self.stamp.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns a page in its newest form.
    pub(crate) fn newest(&self, path: &str) -> Option<Arc<File>> {
        let contents = self.contents.lock();
        let (_, file) = contents.files.get(path).filter(|(stamp, _)| *stamp == self.stamp())?;
        Some(Arc::clone(file))
    }

    /// Returns a page in whatever form there is.
    pub(crate) fn any(&self, path: &str) -> Option<Arc<File>> {
        self.contents.lock().files.get(path).map(|(_, file)| Arc::clone(file))
    }

    /// Returns the paths of the pages that are kept.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.contents.lock().files.keys().cloned().collect()
    }

    /// Returns whether the newest events are known, and have no page at a path.
    pub(crate) fn is_missing(&self, path: &str) -> bool {
        let contents = self.contents.lock();
        let newest = contents.events.as_ref().filter(|(stamp, _)| *stamp == self.stamp());
        let has = |events: &[EventPages]| is_of_all(path) || events.iter().any(|one| one.has(path));
        newest.is_some_and(|(_, events)| !has(events))
    }

    /// Keeps the events that were read in some state of the database.
    pub(crate) fn keep_events(&self, stamp: u64, events: Arc<[EventPages]>) {
        self.contents.lock().events = Some((stamp, events));
    }

    /// Keeps a page. What is out of date makes room for it; everything, when that is not enough.
    pub(crate) fn keep(&self, path: &str, stamp: u64, file: Arc<File>) {
        let mut contents = self.contents.lock();
        contents.files.remove(path);
        let size = file.size();
        if contents.bytes() + size > self.most_bytes {
            contents.files.retain(|_, (kept, _)| *kept == stamp);
        }
        if contents.bytes() + size > self.most_bytes {
            contents.files.clear();
        }
        contents.files.insert(path.to_owned(), (stamp, file));
    }
}

impl Contents {
    fn bytes(&self) -> usize {
        self.files.values().map(|(_, file)| file.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: usize) -> Arc<File> {
        Arc::new(File::new("a.png", vec![7; bytes]))
    }

    #[test]
    fn a_page_is_the_newest_until_the_database_changes() {
        let cache = PageCache::new(1000);
        assert!(cache.newest("a").is_none() && !cache.is_missing("a"));
        cache.keep("a", cache.stamp(), file(10));
        cache.keep_events(cache.stamp(), Arc::new([]));
        assert!(cache.newest("a").is_some());
        assert!(cache.is_missing("a") && !cache.is_missing("index.html"));
        cache.renew();
        assert!(cache.newest("a").is_none() && cache.any("a").is_some());
        assert!(!cache.is_missing("a"), "it may have come");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let cache = PageCache::new(1000);
        cache.keep("old", 1, file(600));
        cache.keep("new", 2, file(300));
        cache.keep("newer", 2, file(300));
        assert!(cache.any("old").is_none() && cache.any("new").is_some());
        cache.keep("newest", 2, file(900));
        assert!(cache.any("new").is_none() && cache.any("newest").is_some());
        assert_eq!(cache.contents.lock().bytes(), 900);
    }

    #[test]
    fn a_page_is_compressed_where_that_helps() {
        let page = File::new("index.html", vec![b'x'; 5000]);
        assert!(page.packed.is_some_and(|packed| packed.len() < 200));
        assert_eq!(page.kind, "text/html; charset=utf-8");
        assert!(File::new("cross.png", vec![b'x'; 5000]).packed.is_none());
        assert!(File::new("a.js", b"short".to_vec()).packed.is_none());
    }
}
