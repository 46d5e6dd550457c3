//! Requests to bots that are web servers and their responses, as the texts of a referee.
//!
//! A request is a line with the method, the path and, if it has a body, its type; the body follows
//! the line. A response is a line with the status and, if it has one, the type, and then the body.

use joust_referee::{Part, Parts, http};

/// Returns the parts of a request.
pub(super) fn request(text: &str) -> Parts {
    let (line, body) =
        text.split_once('\n').map_or((text, None), |(line, body)| (line, Some(body)));
    let mut words = line.trim_end_matches('\r').splitn(3, ' ');
    let names = [http::METHOD, http::PATH, http::CONTENT_TYPE];
    let head = names.into_iter().filter_map(|name| Some((name, words.next()?)));
    let part =
        |(name, text): (&str, &str)| Part { name: name.into(), bytes: text.as_bytes().into() };
    Parts(body.map(|body| (http::BODY, body)).into_iter().chain(head).map(part).collect())
}

/// Returns the text of a response; empty if there is none.
pub(super) fn response(parts: &Parts) -> String {
    let text = |name| parts.get(name).map(String::from_utf8_lossy);
    let Some(status) = text(http::STATUS) else { return String::new() };
    let media = text(http::CONTENT_TYPE).map(|media| format!(" {media}")).unwrap_or_default();
    format!("{status}{media}\n{}", text(http::BODY).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_request(text: &str, expected: &[(&str, &str)]) {
        let request = request(text);
        let parts =
            request.0.iter().map(|part| (&*part.name, str::from_utf8(&part.bytes).unwrap()));
        assert_eq!(parts.collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn the_first_line_of_a_request_is_its_head() {
        assert_request("GET /", &[("method", "GET"), ("path", "/")]);
        assert_request("POST /a\n", &[("body", ""), ("method", "POST"), ("path", "/a")]);
        let head = [("method", "PUT"), ("path", "/a"), ("content-type", "text/plain; x=y")];
        let expected = [&[("body", "1\n2\n")], &head[..]].concat();
        assert_request("PUT /a text/plain; x=y\r\n1\n2\n", &expected);
        assert_request("", &[("method", "")]);
    }

    #[test]
    fn the_first_line_of_a_response_is_its_status() {
        let part =
            |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
        let mut parts = Parts(vec![part("body", "{}\n"), part("status", "200")]);
        assert_eq!(response(&parts), "200\n{}\n");
        parts.0.push(part("content-type", "application/json"));
        assert_eq!(response(&parts), "200 application/json\n{}\n");
        assert_eq!(response(&Parts::none()), "");
    }
}
