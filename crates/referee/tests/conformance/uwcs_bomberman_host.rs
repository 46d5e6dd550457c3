//! A server with clients that only write down what they see.

use std::collections::BTreeMap;

use joust_referee::games::uwcs_bomberman::{
    Admission, Effect, GameOptions, Report, STUCK, Series, Server, Turn, escape,
};
use joust_referee::{Connection, Seed, SendTo};

use super::record::{Connected, Totals};

/// A server with its clients, password file and totals.
pub(crate) struct Host {
    pub(crate) server: Server,
    /// Traffic of each connection: `<` a line received, `>` bytes sent.
    pub(crate) transcripts: BTreeMap<u32, Vec<(String, String)>>,
    /// Connections that are open.
    open: Vec<u32>,
    /// Lines sent to everybody since the last look.
    broadcast: Vec<String>,
    /// Answers to single connections since the last look.
    replies: Vec<(u32, String)>,
    passwords: BTreeMap<String, String>,
    totals: BTreeMap<String, Totals>,
    pub(crate) last_turn: Option<Turn>,
    pub(crate) last_report: Option<Report>,
}

impl Host {
    pub(crate) fn start(options: GameOptions) -> Self {
        let server = Server::new(options, Admission::Anyone, Series::BackToBack, Seed(1));
        let mut host = Self {
            server,
            transcripts: BTreeMap::new(),
            open: Vec::new(),
            broadcast: Vec::new(),
            replies: Vec::new(),
            passwords: BTreeMap::new(),
            totals: BTreeMap::new(),
            last_turn: None,
            last_report: None,
        };
        host.tell(Server::begin);
        host.broadcast.clear();
        host
    }

    pub(crate) fn join(&mut self, clients: &[u32]) {
        for client in clients {
            self.server.open(Connection(*client), None);
            self.open.push(*client);
            self.transcripts.insert(*client, Vec::new());
        }
    }

    pub(crate) fn leave(&mut self, clients: &[u32]) {
        for client in clients {
            self.server.close(Connection(*client));
            self.open.retain(|open| open != client);
        }
    }

    /// Sends what one read returns and gives the answers.
    pub(crate) fn say(&mut self, client: u32, data: &str) -> Result<Vec<String>, String> {
        self.transcript(client).push((">".to_owned(), data.to_owned()));
        self.tell(|server, out| server.receive(Connection(client), data.as_bytes(), out));
        let replies = std::mem::take(&mut self.replies);
        match replies.iter().find(|(to, _)| *to != client) {
            Some((to, line)) => Err(format!("client {to} was answered `{line}`")),
            None => Ok(replies.into_iter().map(|(_, line)| line).collect()),
        }
    }

    pub(crate) fn resolve(&mut self, draw: &str, values: Vec<i64>) {
        self.server.resolve(draw.to_owned(), values);
    }

    /// The clock strikes; gives the lines sent to everybody.
    pub(crate) fn strike(&mut self) -> Vec<String> {
        self.last_turn = None;
        self.last_report = None;
        self.tell(Server::flush);
        self.tell(Server::strike);
        std::mem::take(&mut self.broadcast)
    }

    /// Returns what is stored of an account.
    pub(crate) fn accounts(&self) -> BTreeMap<String, Totals> {
        let totals = |name: &String| {
            let none = Totals::default();
            let kept = self.totals.get(name).unwrap_or(&none);
            Totals { score: kept.score, games: kept.games }
        };
        self.passwords.keys().map(|name| (name.clone(), totals(name))).collect()
    }

    /// Returns every connection as the recordings have it.
    pub(crate) fn connected(&self) -> Vec<Connected> {
        let mut open = self.open.clone();
        open.sort_unstable();
        open.into_iter().map(|client| self.connection(client)).collect()
    }

    fn connection(&self, client: u32) -> Connected {
        let players = &self.server.state().players;
        let player = players.iter().find(|player| player.connection.0 == client);
        let registered = self.server.registered(Connection(client));
        let status = match player {
            Some(player) if player.is_alive => Some("PLAYING"),
            Some(_) => Some("DEAD"),
            None => registered.map(|_| "REGISTERED"),
        };
        Connected {
            client,
            status: status.map(str::to_owned),
            name: registered.map(escape),
            row: player.map(|player| player.at.y),
            col: player.map(|player| player.at.x),
            score: player.map(|player| player.score),
        }
    }

    fn transcript(&mut self, client: u32) -> &mut Vec<(String, String)> {
        self.transcripts.entry(client).or_default()
    }

    fn tell(&mut self, tell: impl FnOnce(&mut Server, &mut Vec<Effect>)) {
        let mut effects = Vec::new();
        tell(&mut self.server, &mut effects);
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Send { to: SendTo::All, bytes } => {
                for line in lines(&bytes) {
                    for client in self.open.clone() {
                        self.transcript(client).push(("<".to_owned(), line.clone()));
                    }
                    self.broadcast.push(line);
                }
            }
            Effect::Send { to: SendTo::Connection(to), bytes } => {
                for line in lines(&bytes) {
                    self.transcript(to.0).push(("<".to_owned(), line.clone()));
                    self.replies.push((to.0, line));
                }
            }
            Effect::Check { connection, name, password } => {
                let kept = self.passwords.entry(name).or_insert_with(|| password.clone());
                let is_right = *kept == password;
                let mut follow = Vec::new();
                self.server.checked(connection, is_right, &mut follow);
                follow.into_iter().for_each(|effect| self.carry_out(effect));
            }
            Effect::Close { connection } => self.leave(&[connection.0]),
            Effect::Turn(turn) => self.last_turn = Some(turn),
            Effect::Over(report) => self.finish(report),
        }
    }

    fn finish(&mut self, report: Report) {
        if report.ended != STUCK {
            for score in &report.scores {
                let totals = self.totals.entry(score.name.clone()).or_default();
                totals.score = Some(totals.score.unwrap_or(0) + score.points);
                totals.games = Some(totals.games.unwrap_or(0) + 1);
            }
        }
        self.last_report = Some(report);
    }
}

/// Cuts what was sent into lines; each must have its end.
fn lines(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).expect("what is sent is UTF-8");
    let text = text.strip_suffix('\n').expect("every message ends with a line feed");
    text.split('\n').map(str::to_owned).collect()
}
