//! Messages of HTTP/1.0 and HTTP/1.1: the request of a view, and the answer in a server's bytes.
//!
//! Heads are read by `httparse`. A body ends by its `Content-Length`, its chunks or the end of the
//! connection. Answers with a status of 1xx are skipped. Nothing is decoded, followed or stored: no
//! compression, redirect or cookie.

use std::io::Write;
use std::mem::MaybeUninit;
use std::sync::{Arc, LazyLock};

use joust_referee::{Part, Parts, http};
use joust_toolchain::{PATH_VARIABLE, PORT as PORT_PLACEHOLDER, PORT_VARIABLE};

use crate::channel::Opening;

/// The port that servers are given. In a network of the seat's own it is always free.
const PORT: u16 = 8000;

/// Largest size of all heads of an answer together, or of the lines after its chunks, in bytes.
const HEAD: usize = 16 * 1024;
/// Largest number of header lines.
const HEADER_LINES: usize = 100;
/// Largest size of the line before a chunk, in bytes.
const CHUNK_LINE: usize = 256;
/// Largest size of a path, in bytes.
const LONGEST_PATH: usize = 8 * 1024;

/// Methods of requests. All of their answers may have a body.
const METHODS: [&[u8]; 5] = [b"DELETE", b"GET", b"PATCH", b"POST", b"PUT"];

fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns the reason why a view is no request; `None` if it is one.
pub(in super::super) fn why_no_request(view: &Parts) -> Option<&'static str> {
    let (method, path) = (view.get(http::METHOD), view.get(http::PATH).unwrap_or_default());
    if !method.is_some_and(|method| METHODS.contains(&method)) {
        return Some("`method` is DELETE, GET, PATCH, POST or PUT");
    }
    if !path.starts_with(b"/") || path.contains(&b' ') || !is_plain(path) {
        return Some("`path` begins with `/` and has printable ASCII characters without spaces");
    }
    if path.len() > LONGEST_PATH {
        return Some("`path` has at most 8 KiB");
    }
    let media = view.get(http::CONTENT_TYPE).unwrap_or_default();
    let is_good = is_plain(media) && media.len() <= LONGEST_PATH;
    (!is_good).then_some("`content-type` has printable ASCII characters, at most 8 KiB")
}

/// Address of a server's pages.
pub(super) struct Target {
    /// Port that the server is given.
    pub(super) port: u16,
    /// Beginning of all paths, without a `/` at its end.
    prefix: String,
    /// Text that follows the path in every request.
    head: String,
}

impl Target {
    /// Reads the address from the environment of a server, and completes its environment and
    /// command.
    pub(super) fn of(opening: &mut Opening) -> Self {
        let variable = |name: &str| {
            let found = opening.spec.environment.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.to_str())
        };
        let port = variable(PORT_VARIABLE).and_then(|port| port.parse().ok()).unwrap_or(PORT);
        let prefix = variable(PATH_VARIABLE).unwrap_or_default().trim_end_matches('/');
        let is_path =
            prefix.starts_with('/') && is_plain(prefix.as_bytes()) && !prefix.contains(' ');
        let prefix = if is_path { prefix.to_owned() } else { String::new() };
        let environment = &mut opening.spec.environment;
        environment.retain(|(name, _)| name != PORT_VARIABLE);
        let values = environment.iter_mut().map(|(_, value)| value);
        for word in values.chain(&mut opening.command) {
            if let Some(text) = word.to_str().filter(|text| text.contains(PORT_PLACEHOLDER)) {
                *word = text.replace(PORT_PLACEHOLDER, &port.to_string()).into();
            }
        }
        opening.spec.environment.push((PORT_VARIABLE.into(), port.to_string().into()));
        Self::new(port, prefix)
    }

    fn new(port: u16, prefix: String) -> Self {
        let head = format!(
            " HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: Joust/{}\r\n",
            env!("CARGO_PKG_VERSION")
        );
        Self { port, prefix, head }
    }

    /// Returns the two pieces of the path of a request.
    fn path<'a>(&'a self, path: &'a [u8]) -> [&'a [u8]; 2] {
        let is_root = path == b"/" && !self.prefix.is_empty();
        [self.prefix.as_bytes(), if is_root { &[] } else { path }]
    }
}

/// Returns the bytes of the request of `view`.
pub(super) fn request(view: &Parts, target: &Target) -> Vec<u8> {
    let part = |name| view.get(name).unwrap_or_default();
    let [prefix, path] = target.path(part(http::PATH));
    let mut bytes = Vec::with_capacity(part(http::BODY).len() + 512);
    for piece in [part(http::METHOD), b" ", prefix, path, target.head.as_bytes()] {
        bytes.extend_from_slice(piece);
    }
    if let Some(media) = view.get(http::CONTENT_TYPE) {
        bytes.extend_from_slice(b"Content-Type: ");
        bytes.extend_from_slice(media);
        bytes.extend_from_slice(b"\r\n");
    }
    if let Some(body) = view.get(http::BODY) {
        let _ = write!(bytes, "Content-Length: {}\r\n", body.len());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(part(http::BODY));
    bytes
}

/// Names of the parts of an answer, which all answers share.
static NAMES: LazyLock<[Arc<str>; 3]> =
    LazyLock::new(|| [http::BODY, http::STATUS, http::CONTENT_TYPE].map(Arc::from));

/// Answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// Status, 200 to 999.
    pub(crate) status: u16,
    /// Value of the header line `Content-Type`.
    pub(crate) content_type: Option<Vec<u8>>,
    /// The body, without its framing.
    pub(crate) body: Vec<u8>,
    /// True if the server keeps the connection open.
    pub(crate) is_kept: bool,
    /// True if further bytes came after it.
    pub(crate) has_excess: bool,
}

impl Response {
    /// Returns the parts of the answer.
    pub(super) fn parts(&self) -> Parts {
        let [body, status, media] = &*NAMES;
        let part = |name: &Arc<str>, bytes: &[u8]| Part { name: name.clone(), bytes: bytes.into() };
        // The body is first, because it is what people look for.
        let mut parts = Vec::with_capacity(3);
        parts.push(part(body, &self.body));
        parts.push(part(status, self.status.to_string().as_bytes()));
        parts.extend(self.content_type.as_deref().map(|bytes| part(media, bytes)));
        Parts(parts)
    }
}

/// Reason why bytes are no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadResponse {
    /// The bytes break the rules of HTTP.
    #[error("{0}")]
    Malformed(&'static str),
    /// The connection ended before the answer did.
    #[error("the connection ended before the answer did")]
    Incomplete,
    /// The head is too long.
    #[error("the head of its answer has more than 16 KiB or more than 100 lines")]
    HeadTooLong,
    /// The body is too long.
    #[error("an answer has at most {0} bytes")]
    BodyTooLong(usize),
}

/// Head of an answer.
struct Head {
    status: u16,
    content_type: Option<Vec<u8>>,
    is_kept: bool,
}

/// Framing of a body.
enum Framing {
    /// Bytes that are missing.
    Length(usize),
    Chunks(ChunkStage),
    UntilEnd,
}

enum ChunkStage {
    Size,
    /// Bytes of the chunk that are missing.
    Data(usize),
    DataEnd,
    Trailer,
}

/// Reader of one answer, which comes in any pieces.
pub(crate) struct ResponseReader {
    /// Largest size of a body, in bytes.
    cap: usize,
    unread: Vec<u8>,
    /// Number of unread bytes in which no end of a head was found.
    searched: usize,
    /// Size of the heads so far.
    heads: usize,
    /// Number of bytes that came in all.
    received: usize,
    body: Vec<u8>,
    head: Option<(Head, Framing)>,
}

impl ResponseReader {
    /// Makes a reader of an answer with a body of at most `cap` bytes.
    pub(crate) fn new(cap: usize) -> Self {
        let (unread, body) = (Vec::new(), Vec::new());
        Self { cap, unread, searched: 0, heads: 0, received: 0, body, head: None }
    }

    /// Takes the next bytes; returns the answer once it is complete. No more bytes may be pushed
    /// then, or after an error.
    ///
    /// # Errors
    ///
    /// [`BadResponse`] if they are no answer.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Option<Response>, BadResponse> {
        self.received += bytes.len();
        self.unread.extend_from_slice(bytes);
        while self.head.is_none() {
            if !self.read_head()? {
                return Ok(None);
            }
        }
        let is_complete = self.read_body()?;
        if self.body.len() > self.cap {
            return Err(BadResponse::BodyTooLong(self.cap));
        }
        Ok(is_complete.then(|| self.response()).flatten())
    }

    /// Takes the end of the connection.
    ///
    /// # Errors
    ///
    /// [`BadResponse`] if the answer does not end there.
    pub(crate) fn end(&mut self) -> Result<Response, BadResponse> {
        match self.head {
            Some((_, Framing::UntilEnd)) => self.response().ok_or(BadResponse::Incomplete),
            _ => Err(BadResponse::Incomplete),
        }
    }

    fn response(&mut self) -> Option<Response> {
        let (Head { status, content_type, is_kept }, _) = self.head.take()?;
        let (body, has_excess) = (std::mem::take(&mut self.body), !self.unread.is_empty());
        Some(Response { status, content_type, body, is_kept, has_excess })
    }

    /// Reads a head, if there is a whole one.
    fn read_head(&mut self) -> Result<bool, BadResponse> {
        let from = self.searched.saturating_sub(2);
        let last_byte = |at: usize| match self.unread[at + 1..] {
            [b'\n', ..] => Some(at + 1),
            [b'\r', b'\n', ..] => Some(at + 2),
            _ => None,
        };
        let is_line_end = |at: &usize| self.unread[*at] == b'\n';
        let end = (from..self.unread.len()).filter(is_line_end).find_map(last_byte);
        self.searched = self.unread.len();
        // In this order, so that the pieces in which it comes do not decide.
        let begin = &self.unread[..self.unread.len().min(5)];
        if !b"HTTP/".starts_with(begin) {
            return Err(NOT_HTTP);
        }
        if self.heads + end.unwrap_or(self.unread.len()) > HEAD {
            return Err(BadResponse::HeadTooLong);
        }
        if end.is_none() {
            return Ok(false);
        }
        let mut lines = [MaybeUninit::uninit(); HEADER_LINES];
        let mut response = httparse::Response::new(&mut []);
        let parser = httparse::ParserConfig::default();
        let parsed =
            parser.parse_response_with_uninit_headers(&mut response, &self.unread, &mut lines);
        let length = match parsed {
            Ok(httparse::Status::Complete(length)) => length,
            Err(httparse::Error::TooManyHeaders) => return Err(BadResponse::HeadTooLong),
            Ok(httparse::Status::Partial) | Err(_) => return Err(NOT_HTTP),
        };
        let (status, version) = (response.code.unwrap_or_default(), response.version);
        let read = match status {
            100 | 102..=199 => None,
            200.. => Some(head(status, version == Some(1), response.headers, self.cap)?),
            _ => return Err(NOT_HTTP),
        };
        self.unread.drain(..length);
        (self.heads, self.searched) = (self.heads + length, 0);
        self.head = read;
        Ok(true)
    }

    /// Reads the body as far as it came; returns whether it is complete.
    fn read_body(&mut self) -> Result<bool, BadResponse> {
        let Some((_, framing)) = &mut self.head else { return Ok(false) };
        match framing {
            Framing::Length(missing) => {
                let count = self.unread.len().min(*missing);
                self.body.extend(self.unread.drain(..count));
                *missing -= count;
                Ok(*missing == 0)
            }
            Framing::UntilEnd => {
                self.body.append(&mut self.unread);
                Ok(false)
            }
            Framing::Chunks(stage) => {
                let mut at = 0;
                let is_complete = loop {
                    let rest = &self.unread[at..];
                    let Some((length, next)) = stage.read(rest)? else { break false };
                    if let ChunkStage::Data(_) = stage {
                        self.body.extend_from_slice(&rest[..length]);
                    }
                    at += length;
                    match next {
                        Some(next) => *stage = next,
                        None => break true,
                    }
                    if self.body.len() > self.cap {
                        return Ok(false);
                    }
                };
                self.unread.drain(..at);
                // The framing of very small chunks may not take more than this.
                match self.received > HEAD + self.cap.max(HEAD).saturating_mul(16) {
                    true => Err(BadResponse::BodyTooLong(self.cap)),
                    false => Ok(is_complete),
                }
            }
        }
    }
}

const NOT_HTTP: BadResponse = BadResponse::Malformed("what it sent is no HTTP");
const BAD_CHUNK: BadResponse = BadResponse::Malformed("the chunks of its answer are malformed");

impl ChunkStage {
    /// Returns how many bytes the stage takes of `bytes`, and the next stage, if the answer is not
    /// complete then; `None` if the stage needs more bytes.
    fn read(&self, bytes: &[u8]) -> Result<Option<(usize, Option<Self>)>, BadResponse> {
        match self {
            Self::Size => match httparse::parse_chunk_size(bytes) {
                Ok(httparse::Status::Complete((length, 0))) => {
                    Ok(Some((length, Some(Self::Trailer))))
                }
                Ok(httparse::Status::Complete((length, size))) => {
                    let size = usize::try_from(size).unwrap_or(usize::MAX);
                    Ok(Some((length, Some(Self::Data(size)))))
                }
                Ok(httparse::Status::Partial) if bytes.len() <= CHUNK_LINE => Ok(None),
                _ => Err(BAD_CHUNK),
            },
            Self::Data(missing) => {
                let count = bytes.len().min(*missing);
                let next =
                    if count == *missing { Self::DataEnd } else { Self::Data(*missing - count) };
                Ok((count > 0).then_some((count, Some(next))))
            }
            Self::DataEnd => match bytes {
                [b'\r', b'\n', ..] => Ok(Some((2, Some(Self::Size)))),
                [] | [b'\r'] => Ok(None),
                _ => Err(BAD_CHUNK),
            },
            Self::Trailer => {
                let line = bytes.iter().position(|byte| *byte == b'\n').map(|end| &bytes[..=end]);
                match line {
                    Some(b"\r\n" | b"\n") => Ok(Some((line.map_or(0, <[u8]>::len), None))),
                    Some(line) => Ok(Some((line.len(), Some(Self::Trailer)))),
                    None if bytes.len() > HEAD => Err(BadResponse::HeadTooLong),
                    None => Ok(None),
                }
            }
        }
    }
}

/// Reads the header lines that matter.
fn head(
    status: u16,
    is_new: bool,
    lines: &[httparse::Header<'_>],
    cap: usize,
) -> Result<(Head, Framing), BadResponse> {
    let (mut content_type, mut length, mut is_chunked, mut is_kept) = (None, None, false, is_new);
    for line in lines {
        let value = line.value.trim_ascii();
        let is = |name| line.name.eq_ignore_ascii_case(name);
        if is("content-type") {
            content_type = Some(value.to_vec());
        } else if is("content-length") {
            let digits = Some(value).filter(|value| value.iter().all(u8::is_ascii_digit));
            let number = digits.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
            let number: usize = number.ok_or(BAD_LENGTH)?;
            if length.replace(number).is_some_and(|before| before != number) {
                return Err(BAD_LENGTH);
            }
        } else if is("transfer-encoding") {
            if !value.eq_ignore_ascii_case(b"chunked") {
                return Err(BadResponse::Malformed("its `Transfer-Encoding` is not `chunked`"));
            }
            is_chunked = true;
        } else if is("connection") {
            for word in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                is_kept |= word.eq_ignore_ascii_case(b"keep-alive");
                is_kept &= !word.eq_ignore_ascii_case(b"close");
            }
        }
    }
    let framing = match length {
        _ if matches!(status, 204 | 304) => Framing::Length(0),
        _ if is_chunked => Framing::Chunks(ChunkStage::Size),
        Some(length) if length > cap => return Err(BadResponse::BodyTooLong(cap)),
        Some(length) => Framing::Length(length),
        None => Framing::UntilEnd,
    };
    is_kept &= !matches!(framing, Framing::UntilEnd);
    Ok((Head { status, content_type, is_kept }, framing))
}

const BAD_LENGTH: BadResponse = BadResponse::Malformed("its `Content-Length` is no single number");

#[cfg(test)]
mod tests;
