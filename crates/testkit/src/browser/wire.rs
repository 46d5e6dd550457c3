//! The part of HTTP that WebDriver needs: a request and a JSON answer, on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Silence after which a driver counts as stuck.
const SILENCE: Duration = Duration::from_secs(120);

/// Asks for `path`.
pub(super) fn get(port: u16, path: &str) -> Result<Value, String> {
    ask(port, "GET", path, "")
}

/// Sends `body` to `path`.
pub(super) fn post(port: u16, path: &str, body: &Value) -> Result<Value, String> {
    ask(port, "POST", path, &body.to_string())
}

/// Deletes `path`.
pub(super) fn delete(port: u16, path: &str) -> Result<Value, String> {
    ask(port, "DELETE", path, "")
}

/// Returns the `value` of the answer; `Err` if the answer is an error.
fn ask(port: u16, method: &str, path: &str, body: &str) -> Result<Value, String> {
    let answer = exchange(port, method, path, body).map_err(|error| error.to_string())?;
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    match &answer["value"]["error"] {
        Value::String(error) => Err(format!("{error}: {}", answer["value"]["message"])),
        _ => Ok(answer["value"].clone()),
    }
}

fn exchange(port: u16, method: &str, path: &str, body: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(SILENCE))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer)?;
    Ok(answer)
}
