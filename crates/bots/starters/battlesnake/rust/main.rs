//! A starter snake for Battlesnake: it stays alive and eats what is near.
//!
//! A snake is a web server. Joust starts it once for every game, with the port in `PORT`,
//! and sends requests:
//!
//!     GET /           answer who you are: {"apiversion": "1", "color": "#c62828"}
//!     POST /start     the game begins
//!     POST /move      answer {"move": "up"}; `down`, `left` and `right` are the others
//!     POST /end       the game is over
//!
//! The body of a POST is the position in JSON: `turn`, `board` (`width`, `height`, `food`,
//! `hazards`, `snakes`) and `you`. A snake's `body` is a list of squares, its head first;
//! (0, 0) is the lower left corner, and up is y + 1. A late or wrong answer repeats your
//! last move. `joust rules battlesnake` has the whole story.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};

const STEPS: [(&str, i64, i64); 4] = [("up", 0, 1), ("right", 1, 0), ("down", 0, -1), ("left", -1, 0)];

type Point = (i64, i64);

fn choose(state: &Json) -> &'static str {
    let board = state.get("board");
    let (width, height) = (board.get("width").number(), board.get("height").number());
    let mut taken = HashSet::new();
    for snake in board.get("snakes").list() {
        let body = snake.get("body").list();
        // A tail moves away, unless its snake has just eaten.
        taken.extend(body[..body.len().saturating_sub(1)].iter().map(Json::point));
    }
    let is_free = |(x, y): Point| (0..width).contains(&x) && (0..height).contains(&y) && !taken.contains(&(x, y));
    let exits = |(x, y): Point| STEPS.iter().filter(|(_, dx, dy)| is_free((x + dx, y + dy))).count();
    let hunger = |(x, y): Point| {
        let food = board.get("food").list().iter().map(Json::point);
        food.map(|(fx, fy)| (x - fx).abs() + (y - fy).abs()).min().unwrap_or(0)
    };
    let (x, y) = state.get("you").get("head").point();
    // Your ideas go here. Where can longer snakes go? How much room is there?
    let safe = STEPS.iter().filter(|(_, dx, dy)| is_free((x + dx, y + dy)));
    let best = safe.min_by_key(|(_, dx, dy)| (exits((x + dx, y + dy)) == 0, hunger((x + dx, y + dy))));
    best.map_or("up", |(move_, ..)| move_)
}

/// A value of JSON, as far as positions need it.
enum Json {
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(HashMap<String, Json>),
    Other,
}

impl Json {
    fn get(&self, key: &str) -> &Json {
        let Json::Map(map) = self else { return &Json::Other };
        map.get(key).unwrap_or(&Json::Other)
    }

    fn list(&self) -> &[Json] {
        if let Json::List(list) = self { list } else { &[] }
    }

    fn number(&self) -> i64 {
        if let Json::Number(number) = self { *number as i64 } else { 0 }
    }

    fn point(&self) -> Point {
        (self.get("x").number(), self.get("y").number())
    }

    /// Reads a value from the beginning of `rest`, and moves it on.
    fn read(rest: &mut &[u8]) -> Json {
        *rest = rest.trim_ascii_start();
        let first = rest.first().copied().unwrap_or_default();
        match first {
            b'{' | b'[' => {
                let (mut map, mut list) = (HashMap::new(), Vec::new());
                *rest = &rest[1..];
                loop {
                    *rest = rest.trim_ascii_start();
                    match rest.first() {
                        Some(b'}' | b']') => *rest = &rest[1..],
                        Some(b',' | b':') => {
                            *rest = &rest[1..];
                            continue;
                        }
                        Some(_) => {
                            list.push(Json::read(rest));
                            continue;
                        }
                        None => {}
                    }
                    break;
                }
                if first == b'[' {
                    return Json::List(list);
                }
                let mut parts = list.into_iter();
                while let (Some(Json::Text(key)), Some(value)) = (parts.next(), parts.next()) {
                    map.insert(key, value);
                }
                Json::Map(map)
            }
            b'"' => {
                let (mut text, mut at) = (Vec::new(), 1);
                while at < rest.len() && rest[at] != b'"' {
                    at += usize::from(rest[at] == b'\\');
                    text.extend(rest.get(at));
                    at += 1;
                }
                *rest = &rest[(at + 1).min(rest.len())..];
                Json::Text(String::from_utf8_lossy(&text).into_owned())
            }
            _ => {
                let end = rest.iter().position(|byte| b",]}".contains(byte)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end.max(1).min(rest.len()));
                *rest = after;
                let number = String::from_utf8_lossy(word).trim().parse();
                number.map_or(Json::Other, Json::Number)
            }
        }
    }
}

/// Answers the requests of one connection until it is closed.
fn serve(stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(&stream), &stream);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let path = line.split(' ').nth(1).unwrap_or_default();
        let answer = match (line.starts_with("GET"), path.ends_with("/move")) {
            (true, _) => r##"{"apiversion": "1", "color": "#c62828", "head": "default", "tail": "default"}"##.to_owned(),
            (_, true) => format!(r#"{{"move": "{}"}}"#, choose(&Json::read(&mut &body[..]))),
            _ => "{}".to_owned(),
        };
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:";
        writer.write_all(format!("{head} {}\r\n\r\n{answer}", answer.len()).as_bytes())?;
    }
}

fn main() -> Result<()> {
    let port = std::env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(8000);
    for stream in TcpListener::bind(("0.0.0.0", port))?.incoming() {
        let stream = stream?;
        std::thread::spawn(move || serve(stream));
    }
    Ok(())
}
