//! Filler takes the step after which it is first at most squares. It eats when it is hungry, or when food lies
//! beside it.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};

const STEPS: [(&str, i64, i64); 4] = [("up", 0, 1), ("right", 1, 0), ("down", 0, -1), ("left", -1, 0)];
/// Health below which it looks for food.
const HUNGRY: i64 = 40;

type Point = (i64, i64);

/// A position, as its owner sees it.
struct Board {
    width: i64,
    height: i64,
    /// Turns until a square is free, where a snake lies.
    taken: HashMap<Point, i64>,
    food: Vec<Point>,
    hazards: Vec<Point>,
    /// Heads of the others, and whether each belongs to a snake that is not shorter.
    heads: Vec<(Point, bool)>,
}

impl Board {
    fn read(state: &Json) -> Self {
        let (board, you) = (state.get("board"), state.get("you"));
        let points = |key: &str| board.get(key).list().iter().map(Json::point).collect();
        let (mut taken, mut heads) = (HashMap::new(), Vec::new());
        for snake in board.get("snakes").list() {
            let body = snake.get("body").list();
            for (at, part) in body.iter().enumerate() {
                taken.insert(part.point(), (body.len() - 1 - at) as i64);
            }
            if snake.get("head").point() != you.get("head").point() {
                let is_feared = body.len() >= you.get("body").list().len();
                heads.push((snake.get("head").point(), is_feared));
            }
        }
        let (width, height) = (board.get("width").number(), board.get("height").number());
        Self { width, height, taken, food: points("food"), hazards: points("hazards"), heads }
    }

    fn is_free(&self, (x, y): Point, turns: i64) -> bool {
        let is_inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        is_inside && self.taken.get(&(x, y)).is_none_or(|until| *until <= turns)
    }

    /// Counts the squares that `start` reaches before every other head, and the turns to the nearest food
    /// among them.
    fn reach(&self, start: Point) -> (i64, i64) {
        let (mut first, mut waiting) = (HashMap::new(), VecDeque::new());
        for (head, is_feared) in &self.heads {
            waiting.push_back((*head, if *is_feared { 0 } else { 1 }, false));
        }
        // Shorter snakes are late by a turn: they give way.
        waiting.push_back((start, 1, true));
        let (mut room, mut way) = (0, i64::MAX);
        while let Some(((x, y), turns, is_own)) = waiting.pop_front() {
            if is_own {
                room += 1;
                way = if self.food.contains(&(x, y)) { way.min(turns) } else { way };
            }
            for (_, dx, dy) in STEPS {
                let next = (x + dx, y + dy);
                if self.is_free(next, turns) && !first.contains_key(&next) {
                    first.insert(next, is_own);
                    waiting.push_back((next, turns + 1, is_own));
                }
            }
        }
        (room, way)
    }
}

fn choose(state: &Json) -> &'static str {
    let (board, you) = (Board::read(state), state.get("you"));
    let ((x, y), health) = (you.get("head").point(), you.get("health").number());
    let length = you.get("body").list().len() as i64;
    let worth = |dx: i64, dy: i64| {
        let place = (x + dx, y + dy);
        let (room, way) = board.reach(place);
        let is_feared = |(head, is_feared): &(Point, bool)| {
            *is_feared && (head.0 - place.0).abs() + (head.1 - place.1).abs() == 1
        };
        let is_risky = board.heads.iter().any(is_feared);
        let hunger = if health < HUNGRY || way == 1 { way.min(1000) } else { 0 };
        let is_hurt = board.hazards.contains(&place);
        (room.min(length), !is_risky, !is_hurt, -hunger, room)
    };
    let safe = STEPS.iter().filter(|(_, dx, dy)| board.is_free((x + dx, y + dy), 0));
    safe.max_by_key(|(_, dx, dy)| worth(*dx, *dy)).map_or("up", |(name, ..)| name)
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
            (true, _) => r##"{"apiversion": "1", "color": "#ef6c00", "head": "sand-worm", "tail": "round-bum"}"##.to_owned(),
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
