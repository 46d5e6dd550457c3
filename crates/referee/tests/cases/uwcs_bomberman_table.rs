//! A server on the table, and what its clients received.

use std::collections::BTreeMap;

use joust_referee::games::uwcs_bomberman::{
    Admission, Effect, GameOptions, Series, Server, quirks_of,
};
use joust_referee::{Connection, Point, Seed, SendTo};

/// A server on the table, and what its clients received.
pub(crate) struct Table {
    options: GameOptions,
    server: Option<Server>,
    map: Option<Vec<i64>>,
    starts: Vec<i64>,
    clients: Vec<(String, Vec<u8>)>,
    passwords: BTreeMap<String, String>,
    unread: Vec<String>,
    pub(crate) closed: Vec<String>,
    pub(crate) ended: Option<&'static str>,
}

impl Table {
    pub(crate) fn new(rules: &str) -> Result<Self, String> {
        let quirks = quirks_of(rules).ok_or_else(|| format!("unknown rule set `{rules}`"))?;
        Ok(Self {
            options: GameOptions::new(quirks),
            server: None,
            map: None,
            starts: Vec::new(),
            clients: Vec::new(),
            passwords: BTreeMap::new(),
            unread: Vec::new(),
            closed: Vec::new(),
            ended: None,
        })
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().expect("a claim follows a deed")
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.server.is_some()
    }

    pub(crate) fn given(&mut self, items: &str) -> Result<(), String> {
        for item in super::table::items(items) {
            match item.split_once(' ') {
                Some(("map", rows)) => self.set_map(rows),
                Some(("turns", turns)) => self.options.turns = number(turns)?,
                Some((name, square)) => self.seat(name, square)?,
                None => return Err(format!("`{item}` is nothing that can be given")),
            }
        }
        Ok(())
    }

    fn set_map(&mut self, rows: &str) {
        let rows: Vec<&str> = rows.trim().split('/').collect();
        let side = |length: usize| u16::try_from(length).expect("maps are small");
        self.options.rows = side(rows.len());
        self.options.columns = side(rows[0].len());
        let digits = rows.iter().flat_map(|row| row.bytes());
        self.map = Some(digits.map(|digit| i64::from(digit) - i64::from(b'0')).collect());
    }

    fn seat(&mut self, name: &str, square: &str) -> Result<(), String> {
        let at = point(square)?;
        self.starts.extend([i64::from(at.y), i64::from(at.x)]);
        self.open(name)?;
        self.say(&format!("{name} \"REGISTER {name} pw\\n\""))?;
        self.hear(name)?;
        self.unread.clear();
        Ok(())
    }

    pub(crate) fn open(&mut self, name: &str) -> Result<(), String> {
        let connection = Connection(u32::try_from(self.clients.len()).expect("there are few"));
        self.begun().open(connection, None);
        self.clients.push((name.to_owned(), Vec::new()));
        Ok(())
    }

    pub(crate) fn close(&mut self, name: &str) -> Result<(), String> {
        let connection = self.connection(name)?;
        self.begun().close(connection);
        self.closed.push(name.to_owned());
        Ok(())
    }

    pub(crate) fn say(&mut self, item: &str) -> Result<(), String> {
        let (name, text) = item.split_once(' ').ok_or("says what?")?;
        let connection = self.connection(name)?;
        let bytes = unquote(text.trim())?;
        self.tell(|server, out| server.receive(connection, &bytes, out));
        Ok(())
    }

    pub(crate) fn quiet(&mut self, name: &str) -> Result<(), String> {
        let connection = self.connection(name)?;
        self.tell(|server, out| server.quiet(connection, out));
        Ok(())
    }

    pub(crate) fn tick(&mut self) {
        let map = self.map.take();
        let starts = std::mem::take(&mut self.starts);
        let players = (0..).take(starts.len() / 2).collect();
        let server = self.begun();
        if let Some(map) = map {
            server.resolve("map".to_owned(), map);
        }
        if !starts.is_empty() {
            server.resolve("players".to_owned(), players);
            server.resolve("starts".to_owned(), starts);
        }
        self.tell(Server::flush);
        self.tell(Server::strike);
    }

    pub(crate) fn hear(&mut self, name: &str) -> Result<(), String> {
        let index = self.connection(name)?.0 as usize;
        let heard = std::mem::take(&mut self.clients[index].1);
        let text = String::from_utf8(heard).map_err(|error| error.to_string())?;
        self.unread = text.lines().rev().map(str::to_owned).collect();
        Ok(())
    }

    pub(crate) fn check_line(&mut self, line: &str) -> Result<(), String> {
        match self.unread.pop() {
            Some(heard) if heard == line => Ok(()),
            Some(heard) => Err(format!("heard is `{heard}`")),
            None => Err("nothing more is heard".to_owned()),
        }
    }

    pub(crate) fn check_all_heard(&self) -> Result<(), String> {
        match self.unread.last() {
            Some(line) => Err(format!("`{line}` is heard after this line")),
            None => Ok(()),
        }
    }

    pub(crate) fn connection(&self, name: &str) -> Result<Connection, String> {
        let index = self.clients.iter().position(|(known, _)| known == name);
        let index = index.ok_or_else(|| format!("no client `{name}`"))?;
        Ok(Connection(u32::try_from(index).expect("there are few")))
    }

    fn begun(&mut self) -> &mut Server {
        if self.server.is_none() {
            let (admission, series) = (Admission::Anyone, Series::BackToBack);
            self.server = Some(Server::new(self.options, admission, series, Seed(1)));
            self.tell(Server::begin);
        }
        self.server.as_mut().expect("it was just made")
    }

    fn tell(&mut self, tell: impl FnOnce(&mut Server, &mut Vec<Effect>)) {
        let mut effects = Vec::new();
        tell(self.begun(), &mut effects);
        effects.into_iter().for_each(|effect| self.carry_out(effect));
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Send { to: SendTo::All, bytes } => {
                let closed = &self.closed;
                let open = self.clients.iter_mut().filter(|(name, _)| !closed.contains(name));
                open.for_each(|(_, heard)| heard.extend_from_slice(&bytes));
            }
            Effect::Send { to: SendTo::Connection(to), bytes } => {
                self.clients[to.0 as usize].1.extend_from_slice(&bytes);
            }
            Effect::Check { connection, name, password } => {
                let kept = self.passwords.entry(name).or_insert_with(|| password.clone());
                let is_right = *kept == password;
                let mut follow = Vec::new();
                self.begun().checked(connection, is_right, &mut follow);
                follow.into_iter().for_each(|effect| self.carry_out(effect));
            }
            Effect::Close { connection } => {
                self.closed.push(self.clients[connection.0 as usize].0.clone());
            }
            Effect::Turn(_) => {}
            Effect::Over(report) => self.ended = Some(report.ended),
        }
    }
}

/// Cuts a line into items, parted by two or more blanks.
pub(crate) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

/// Reads `row,column`.
pub(crate) fn point(text: &str) -> Result<Point, String> {
    let (row, column) = text.split_once(',').ok_or_else(|| format!("`{text}` is no square"))?;
    Ok(Point { x: number(column)?, y: number(row)? })
}

/// Reads a number.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no number"))
}

fn unquote(text: &str) -> Result<Vec<u8>, String> {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let mut left = inner.ok_or_else(|| format!("`{text}` is not quoted"))?;
    let mut bytes = Vec::new();
    while let Some(first) = left.chars().next() {
        let Some(escape) = left.strip_prefix('\\') else {
            bytes.extend_from_slice(&left.as_bytes()[..first.len_utf8()]);
            left = &left[first.len_utf8()..];
            continue;
        };
        let (kind, rest) = escape.split_at(1);
        left = rest;
        match kind {
            "n" => bytes.push(b'\n'),
            "r" => bytes.push(b'\r'),
            "t" => bytes.push(b'\t'),
            "x" => {
                let (digits, rest) = left.split_at(2);
                bytes.push(u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?);
                left = rest;
            }
            "u" => {
                let (digits, rest) = left[1..].split_once('}').ok_or("`\\u{` has no end")?;
                let code = u32::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
                let character = char::from_u32(code).ok_or("no such character")?;
                bytes.extend_from_slice(character.to_string().as_bytes());
                left = rest;
            }
            other => return Err(format!("unknown escape `\\{other}`")),
        }
    }
    Ok(bytes)
}
