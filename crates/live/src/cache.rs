//! Cache of pages: each in its newest form, made once however many want it.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use joust_model::digest_text;
use tokio::sync::oneshot;

/// The smallest file that is compressed, bytes.
const COMPRESSED: usize = 1024;

/// Digits of a hash that name a file's contents.
const DIGITS: usize = 20;

/// A file as it is sent.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) tag: String,
    pub(crate) plain: Vec<u8>,
    /// The same, compressed, where that is worth it.
    pub(crate) packed: Option<Vec<u8>>,
}

impl File {
    /// Makes a file of the bytes at `path`, whose ending says what they are.
    pub(crate) fn new(path: &str, bytes: &[u8]) -> Self {
        let kind = kind_of(path);
        let is_text = !kind.starts_with("image/png");
        let packed = (is_text && bytes.len() >= COMPRESSED).then(|| packed(bytes)).flatten();
        let tag = format!("W/\"{}\"", digest_text("joust-live-1", &[bytes], DIGITS));
        Self { kind, tag, plain: bytes.to_vec(), packed }
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
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|packed| packed.len() < bytes.len())
}

/// Answer to a request for a page.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The page.
    Found(Arc<File>),
    /// The page as it was: the newest form could not be made in time.
    Older(Arc<File>),
    /// There is none at that place.
    Missing,
    /// It cannot be made now; perhaps later.
    Unavailable,
}

/// Outcome of asking the cache.
pub(crate) enum Asked {
    /// It is here.
    Here(Arc<File>),
    /// It has to be made; nobody else has asked.
    First(oneshot::Receiver<Answer>),
    /// It is being made.
    Later(oneshot::Receiver<Answer>),
}

#[derive(Debug)]
struct Entry {
    stamp: u64,
    file: Arc<File>,
}

/// Pages by their paths.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: HashMap<String, Entry>,
    bytes: usize,
    most: usize,
    waiting: HashMap<String, Vec<oneshot::Sender<Answer>>>,
}

impl Cache {
    /// Makes an empty one that holds at most so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Asks for a page of this stamp.
    pub(crate) fn ask(&mut self, path: &str, stamp: u64) -> Asked {
        if let Some(entry) = self.entries.get(path).filter(|entry| entry.stamp == stamp) {
            return Asked::Here(Arc::clone(&entry.file));
        }
        let (sender, receiver) = oneshot::channel();
        if let Some(waiting) = self.waiting.get_mut(path) {
            waiting.push(sender);
            return Asked::Later(receiver);
        }
        self.waiting.insert(path.to_owned(), vec![sender]);
        Asked::First(receiver)
    }

    /// Returns a page in whatever form there is.
    pub(crate) fn any(&self, path: &str) -> Option<Arc<File>> {
        self.entries.get(path).map(|entry| Arc::clone(&entry.file))
    }

    /// Names the pages that are kept.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }

    /// Keeps a page, and makes room for it.
    pub(crate) fn keep(&mut self, path: &str, stamp: u64, file: Arc<File>) {
        self.drop_entry(path);
        if self.bytes + file.size() > self.most {
            self.make_room(stamp, file.size());
        }
        self.bytes += file.size();
        self.entries.insert(path.to_owned(), Entry { stamp, file });
    }

    /// Drops what is out of date; everything, when that is not enough.
    fn make_room(&mut self, stamp: u64, wanted: usize) {
        self.entries.retain(|_, entry| entry.stamp == stamp);
        self.bytes = self.entries.values().map(|entry| entry.file.size()).sum();
        if self.bytes + wanted > self.most {
            self.entries.clear();
            self.bytes = 0;
        }
    }

    fn drop_entry(&mut self, path: &str) {
        if let Some(entry) = self.entries.remove(path) {
            self.bytes -= entry.file.size();
        }
    }

    /// Answers everybody who waits for a page.
    pub(crate) fn answer(&mut self, path: &str, answer: &Answer) {
        for waiting in self.waiting.remove(path).unwrap_or_default() {
            // Who has gone wants no answer.
            _ = waiting.send(answer.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: usize) -> Arc<File> {
        Arc::new(File::new("a.png", &vec![7; bytes]))
    }

    #[test]
    fn a_page_that_many_want_is_made_once() {
        let mut cache = Cache::new(1000);
        let Asked::First(mut first) = cache.ask("a", 1) else { panic!("nobody asked before") };
        let Asked::Later(mut later) = cache.ask("a", 1) else { panic!("it is being made") };
        let answer = Answer::Found(file(10));
        cache.keep("a", 1, file(10));
        cache.answer("a", &answer);
        assert!(matches!(first.try_recv(), Ok(Answer::Found(_))));
        assert!(matches!(later.try_recv(), Ok(Answer::Found(_))));
        assert!(matches!(cache.ask("a", 1), Asked::Here(_)));
        assert!(matches!(cache.ask("a", 2), Asked::First(_)), "it is out of date");
        assert!(cache.any("a").is_some());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut cache = Cache::new(1000);
        cache.keep("old", 1, file(600));
        cache.keep("new", 2, file(300));
        cache.keep("newer", 2, file(300));
        assert!(cache.any("old").is_none() && cache.any("new").is_some());
        cache.keep("newest", 2, file(900));
        assert!(cache.any("new").is_none() && cache.any("newest").is_some());
        assert_eq!(cache.bytes, 900);
    }

    #[test]
    fn a_page_is_compressed_where_that_helps() {
        let page = File::new("index.html", &[b'x'; 5000]);
        assert!(page.packed.is_some_and(|packed| packed.len() < 200));
        assert_eq!(page.kind, "text/html; charset=utf-8");
        assert!(File::new("cross.png", &[b'x'; 5000]).packed.is_none());
        assert!(File::new("a.js", b"short").packed.is_none());
    }
}
