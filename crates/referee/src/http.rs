//! Names of the parts of views and answers of bots that are web servers (channel `http`).
//!
//! A view is one request, an answer the response to it. The channel does not read bodies, follows
//! no redirect and passes on every status.

/// Part of a view: the method, such as `POST`; upper-case letters.
pub const METHOD: &str = "method";
/// Part of a view: the path with its query, such as `/move`; it begins with `/` and has no space.
pub const PATH: &str = "path";
/// Part of an answer: the status, three digits.
pub const STATUS: &str = "status";
/// Part of a view and of an answer: the value of the header line `Content-Type`. An answer without
/// that line lacks it.
pub const CONTENT_TYPE: &str = "content-type";
/// Part of a view and of an answer: the body. A view lacks it if its request has no body; an answer
/// always has it, if need be empty.
pub const BODY: &str = "body";
