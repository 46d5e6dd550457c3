use super::*;

const CAP: usize = 40;

/// Reads `text` byte by byte, as a connection may deliver it, and at once.
fn read(text: &str) -> Result<Option<Response>, BadResponse> {
    let mut reader = ResponseReader::new(CAP);
    let whole = reader.push(text.as_bytes());
    let mut reader = ResponseReader::new(CAP);
    let mut pieces = Ok(None);
    for byte in text.bytes() {
        pieces = reader.push(&[byte]);
        if !matches!(pieces, Ok(None)) {
            break;
        }
    }
    let without_excess = |read: &Result<Option<Response>, BadResponse>| {
        read.clone().map(|it| it.map(|it| Response { has_excess: false, ..it }))
    };
    assert_eq!(without_excess(&whole), without_excess(&pieces), "{text:?}");
    whole
}

#[track_caller]
fn assert_read(text: &str, status: u16, body: &str, is_kept: bool) {
    let response = read(text).expect("it is HTTP").expect("it is complete");
    assert_eq!((response.status, response.is_kept), (status, is_kept), "{text:?}");
    assert_eq!(String::from_utf8_lossy(&response.body), body);
}

#[track_caller]
fn assert_bad(text: &str, words: &str) {
    let error = read(text).expect_err("it is no answer").to_string();
    assert!(error.contains(words), "{text:?}: {error}");
}

#[test]
fn a_body_ends_by_its_length_or_its_chunks() {
    assert_read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true);
    assert_read("HTTP/1.1 404\r\ncontent-length:0\r\n\r\n", 404, "", true);
    assert_read("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", 204, "", true);
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\nA;x=1\r\n, you two!\r\n0\r\n";
    assert_read(&format!("{chunks}\r\n"), 200, "hi, you two!", true);
    assert_read(&format!("{chunks}Later: x\r\n\r\n"), 200, "hi, you two!", true);
    assert_eq!(read(chunks), Ok(None));
    assert_read("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi", true);
}

#[test]
fn a_body_without_a_length_ends_with_the_connection() {
    let mut reader = ResponseReader::new(CAP);
    assert_eq!(reader.push(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nh"), Ok(None));
    assert_eq!(reader.push(b"i"), Ok(None));
    let response = reader.end().expect("it ends here");
    assert_eq!((response.body, response.is_kept), (b"hi".to_vec(), false));
    assert_eq!(response.content_type, Some(b"text/plain".to_vec()));
    for cut in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi"] {
        let mut reader = ResponseReader::new(CAP);
        assert_eq!(reader.push(cut.as_bytes()), Ok(None));
        assert_eq!(reader.end(), Err(BadResponse::Incomplete), "{cut:?}");
    }
}

#[test]
fn the_version_and_the_line_connection_decide_whether_the_connection_is_kept() {
    let kept = |version: &str, line: &str| {
        let text = format!("HTTP/{version} 200 OK\r\n{line}Content-Length: 0\r\n\r\n");
        read(&text).expect("it is HTTP").expect("it is complete").is_kept
    };
    assert!(kept("1.1", "") && kept("1.0", "Connection: Keep-Alive\r\n"));
    assert!(!kept("1.0", "") && !kept("1.1", "Connection: upgrade, CLOSE\r\n"));
}

#[test]
fn answers_of_1xx_are_skipped() {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\
                Content-Length: 1\r\n\r\n!";
    assert_read(text, 200, "!", true);
    assert_bad("HTTP/1.1 101 Switching Protocols\r\n\r\n", "no HTTP");
}

#[test]
fn bytes_after_an_answer_are_noticed() {
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!";
    let response = read(&two.repeat(2)).unwrap().unwrap();
    assert_eq!((response.body, response.has_excess), (b"!".to_vec(), true));
}

#[test]
fn what_is_no_http_is_found_early() {
    assert_bad("hello", "no HTTP");
    assert_bad("HTTP/2 200\r\n\r\n", "no HTTP");
    assert_bad("HTTP/1.1 twohundred\r\n\r\n", "no HTTP");
    assert_bad("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "no single number");
    assert_bad("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "no single");
    assert_bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "not `chunked`");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_bad(&format!("{chunked}xyz\r\n"), "malformed");
    assert_bad(&format!("{chunked}1\r\nab\r\n"), "malformed");
}

#[test]
fn the_pieces_of_a_head_do_not_decide_what_it_is() {
    for before in ["\r\n", "\n", "\r\n\r\n", " "] {
        assert_bad(&format!("{before}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "no HTTP");
    }
    for length in HEAD - 4..HEAD + 4 {
        let lines = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: ";
        let _ = read(&format!("{lines}{}\r\n\r\n", "x".repeat(length - lines.len())));
    }
    let long = "x".repeat(HEAD);
    for line in [&*long, "A b", "A: b\r\n c: d"] {
        let head = format!("HTTP/1.1 200 OK\r\nA: {long}\r\n{line}\r\n\r\n");
        assert_eq!(read(&head), Err(BadResponse::HeadTooLong), "{line:.9}");
    }
    assert_bad("HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "no HTTP");
}

#[test]
fn heads_and_bodies_have_caps() {
    let too_long = Err(BadResponse::BodyTooLong(CAP));
    let body = "x".repeat(CAP + 1);
    assert_eq!(read(&format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", CAP + 1)), too_long);
    assert_eq!(read(&format!("HTTP/1.1 200 OK\r\n\r\n{body}")), too_long);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(read(&format!("{chunked}29\r\n{body}\r\n")), too_long);
    let head = format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(HEAD));
    assert_eq!(read(&head), Err(BadResponse::HeadTooLong));
    let lines = "A: b\r\n".repeat(HEADER_LINES + 1);
    assert_eq!(read(&format!("HTTP/1.1 200 OK\r\n{lines}\r\n")), Err(BadResponse::HeadTooLong));
    let again = "HTTP/1.1 100 Continue\r\n\r\n".repeat(HEAD / 25 + 1);
    assert_eq!(read(&again), Err(BadResponse::HeadTooLong));
}

#[test]
fn framing_without_content_has_a_bound() {
    let mut reader = ResponseReader::new(1 << 20);
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    assert_eq!(reader.push(head), Ok(None));
    let mut pushes = 0;
    while reader.push(&b"A: b\r\n".repeat(1000)) == Ok(None) {
        pushes += 1;
        assert!(pushes < 10_000, "it never ends");
    }
}

fn view(parts: &[(&str, &str)]) -> Parts {
    let part =
        |(name, text): &(&str, &str)| Part { name: (*name).into(), bytes: text.as_bytes().into() };
    Parts(parts.iter().map(part).collect())
}

#[test]
fn a_request_has_its_lines_and_its_body() {
    let version = env!("CARGO_PKG_VERSION");
    let target = Target::new(8000, String::new());
    let get = request(&view(&[("method", "GET"), ("path", "/")]), &target);
    let head = format!("Host: 127.0.0.1:8000\r\nUser-Agent: Joust/{version}\r\n");
    assert_eq!(String::from_utf8_lossy(&get), format!("GET / HTTP/1.1\r\n{head}\r\n"));
    let post = [("method", "POST"), ("path", "/move"), ("content-type", "a/b"), ("body", "{}")];
    assert_eq!(
        String::from_utf8_lossy(&request(&view(&post), &target)),
        format!("POST /move HTTP/1.1\r\n{head}Content-Type: a/b\r\nContent-Length: 2\r\n\r\n{{}}")
    );
}

#[test]
fn a_prefix_stands_before_all_paths_and_for_the_root() {
    let target = Target::new(8000, "/snake".to_owned());
    let path = |path: &[u8]| String::from_utf8_lossy(&target.path(path).concat()).into_owned();
    assert_eq!([path(b"/"), path(b"/move")], ["/snake", "/snake/move"]);
}

#[test]
fn no_part_can_add_a_line() {
    let is_request = |parts: &[(&str, &str)]| why_no_request(&view(parts)).is_none();
    assert!(is_request(&[("method", "GET"), ("path", "/a?b=%20")]));
    for method in ["", "get", "HEAD", "GET / HTTP/1.1\r\nX: y\r\n"] {
        assert!(!is_request(&[("method", method), ("path", "/")]), "{method:?}");
    }
    for path in ["", "a", "/a b", "/\r\nX: y", "/\u{e9}"] {
        assert!(!is_request(&[("method", "GET"), ("path", path)]), "{path:?}");
    }
    let media = "a/b\r\nX: y";
    assert!(!is_request(&[("method", "GET"), ("path", "/"), ("content-type", media)]));
}
