//! Kit for a referee of Joust in Rust, without dependencies: copy this file beside your program.
//!
//! A game is a value with a method `next`. It is called once without answers, and then with the
//! answers to each ask, and calls `bout.ask` or `bout.end` before it returns. All chance comes
//! from `bout.seed`. Write to standard error what is not for Joust.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write};

/// Answer of a bot; `verdict` is "ok" if it came in time.
pub struct Answer {
    pub seat: usize,
    pub verdict: String,
    pub text: String,
    pub us: u64,
}

/// One bout of a game.
pub trait Game {
    fn next(&mut self, bout: &mut Bout, answers: &BTreeMap<usize, Answer>);
}

/// One bout, and what a referee can say about it.
pub struct Bout {
    pub number: u64,
    pub seed: u64,
    pub seats: usize,
    pub options: Json,
    asks: u32,
    verdicts: BTreeMap<usize, String>,
    is_over: bool,
    said: String,
}

impl Bout {
    /// Asks the seats of `views`; `state` is the position. With `channel: http` a text is a
    /// request, such as "POST /move application/json\n{}", and the text of an answer begins with a
    /// line such as "200 application/json".
    pub fn ask(&mut self, views: &[(usize, String)], state: &str) {
        self.asks += 1;
        let seat = |(seat, text): &(usize, String)| format!("{{\"seat\":{seat},\"text\":{}}}", quoted(text));
        let to: Vec<String> = views.iter().map(seat).collect();
        let keys = format!("\"n\":{},\"to\":[{}],\"state\":{}", self.asks, to.join(","), quoted(state));
        self.say("ask", &keys);
    }

    /// Ends the bout; a score for each seat, more is better. Ranks follow from scores.
    pub fn end(&mut self, scores: &[f64], reason: &str, state: &str) {
        self.is_over = true;
        let keys = format!("\"scores\":{scores:?},\"reason\":{},\"state\":{}", quoted(reason), quoted(state));
        self.say("end", &keys);
    }

    /// Tells seats something, without an answer.
    pub fn tell(&mut self, seats: &[usize], text: &str) {
        self.say("tell", &format!("\"to\":{seats:?},\"text\":{}", quoted(text)));
    }

    /// Reports that an answer was bad, and what happens now.
    pub fn fault(&mut self, seat: usize, text: &str) {
        let kind = self.verdicts[&seat].replace("ok", "illegal");
        self.say("fault", &format!("\"seat\":{seat},\"kind\":\"{kind}\",\"text\":{}", quoted(text)));
    }

    /// Reports that a seat plays no longer.
    pub fn out(&mut self, seat: usize, text: &str) {
        self.say("out", &format!("\"seat\":{seat},\"text\":{}", quoted(text)));
    }

    /// Writes a line for the author.
    pub fn log(&mut self, text: &str) {
        self.say("log", &format!("\"text\":{}", quoted(text)));
    }

    /// Adds a message of any type; `keys` is JSON: `"a":1,"b":[]`.
    pub fn say(&mut self, t: &str, keys: &str) {
        writeln!(self.said, "{{\"t\":\"{t}\",\"b\":{},{keys}}}", self.number).expect("it is memory");
    }
}

/// Speaks to Joust until standard input ends; `start` makes the game of a bout.
pub fn serve(id: &str, version: &str, can: &[&str], start: impl Fn(&Bout) -> Box<dyn Game>) {
    let mut out = std::io::stdout().lock();
    let mut bouts: BTreeMap<u64, (Bout, Box<dyn Game>)> = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let heard = Json::read(&line.expect("input is text"));
        let mut said = String::new();
        let mut number = heard.number("b") as u64;
        match heard.text("t") {
            "hello" => {
                let (id, version) = (quoted(id), quoted(version));
                said = format!("{{\"t\":\"game\",\"protocol\":1,\"id\":{id},\"version\":{version},\"can\":{can:?}}}\n");
            }
            "start" => {
                let mut bout = Bout {
                    number,
                    seed: heard.text("seed").parse().expect("a seed is a number"),
                    seats: heard.number("seats") as usize,
                    options: heard.get("options").clone(),
                    asks: 0,
                    verdicts: BTreeMap::new(),
                    is_over: false,
                    said: String::new(),
                };
                let mut game = start(&bout);
                game.next(&mut bout, &BTreeMap::new());
                said = std::mem::take(&mut bout.said);
                bouts.insert(number, (bout, game));
            }
            "answers" => {
                let (bout, game) = bouts.get_mut(&number).expect("it was started");
                let answer = |said: &Json| Answer {
                    seat: said.number("seat") as usize,
                    verdict: said.text("verdict").to_owned(),
                    text: said.text("text").to_owned(),
                    us: said.number("us") as u64,
                };
                let Json::List(of) = heard.get("of") else { panic!("`of` is a list") };
                let answers: BTreeMap<_, _> = of.iter().map(answer).map(|one| (one.seat, one)).collect();
                bout.verdicts = answers.iter().map(|(seat, one)| (*seat, one.verdict.clone())).collect();
                game.next(bout, &answers);
                said = std::mem::take(&mut bout.said);
            }
            "drop" => drop(bouts.remove(&std::mem::take(&mut number))),
            _ => {}
        }
        if bouts.get(&number).is_some_and(|(bout, _)| bout.is_over) {
            bouts.remove(&number);
        }
        out.write_all(said.as_bytes()).and_then(|()| out.flush()).expect("Joust reads");
    }
}

/// Returns a text as JSON.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32).expect("it is memory"),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A value of JSON, as Joust writes it.
#[derive(Clone)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

impl Json {
    pub fn read(text: &str) -> Self {
        value(&mut text.chars().peekable())
    }

    pub fn get(&self, key: &str) -> &Json {
        let Json::Map(map) = self else { return &Json::Null };
        map.get(key).unwrap_or(&Json::Null)
    }

    pub fn number(&self, key: &str) -> f64 {
        if let Json::Number(number) = self.get(key) { *number } else { 0.0 }
    }

    pub fn text(&self, key: &str) -> &str {
        if let Json::Text(text) = self.get(key) { text } else { "" }
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn value(chars: &mut Chars) -> Json {
    while chars.next_if(|c| " ,:\t\r\n".contains(*c)).is_some() {}
    match chars.next() {
        Some('"') => Json::Text(string(chars)),
        Some('[') => {
            let mut list = Vec::new();
            while chars.next_if_eq(&']').is_none() {
                list.push(value(chars));
            }
            Json::List(list)
        }
        Some('{') => {
            let mut map = BTreeMap::new();
            while chars.next_if_eq(&'}').is_none() {
                let Json::Text(key) = value(chars) else { panic!("a key is a text") };
                map.insert(key, value(chars));
            }
            Json::Map(map)
        }
        Some(first) => {
            let mut word = String::from(first);
            while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c)) {
                word.push(c);
            }
            match &*word {
                "null" => Json::Null,
                "true" | "false" => Json::Bool(word == "true"),
                _ => Json::Number(word.parse().expect("it is a number")),
            }
        }
        None => panic!("the line is not whole"),
    }
}

/// Joust writes nothing beyond these escapes; UTF-16 pairs never.
fn string(chars: &mut Chars) -> String {
    let mut text = String::new();
    loop {
        match chars.next().expect("the line is not whole") {
            '"' => return text,
            '\\' => text.push(match chars.next().expect("the line is not whole") {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let digits: String = chars.take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).expect("four digits");
                    char::from_u32(code).unwrap_or('\u{fffd}')
                }
                other => other,
            }),
            other => text.push(other),
        }
    }
}
