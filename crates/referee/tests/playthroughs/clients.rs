//! Messages of the clients of a game over a wire.

use joust_referee::rng::ChaCha8;
use joust_referee::{Connection, Game, Input, Judge, Outputs, Parts, Seat, Verdict};

use super::Scribe;

/// Messages of a client of a game over a wire, by when they are sent.
pub(crate) struct Client {
    /// As soon as the game has begun; `#` stands for the seat.
    first: &'static str,
    /// After each tick, drawn by lot; an empty one says that nothing more came
    /// for a while.
    then: &'static [&'static str],
}

/// One line per game over a wire; each seat has one connection.
const CLIENTS: &[(&str, Client)] = &[(
    "uwcs-bomberman",
    Client {
        first: "REGISTER bot# pw\n",
        then: &[
            "ACTION UP\n",
            "ACTION DOWN",
            "ACTION LEFT\r\n",
            "ACTION RIGHT\n",
            "ACTION BOMB\n",
            "ACTION RIGHT\nACTION DOWN\n",
            "ACTION  LEFT\n",
            "REGISTER x y\n",
            "ACTION ",
            "BOMB\n",
            "\u{e9}",
            "",
        ],
    },
)];

impl Client {
    /// Returns the clients of a game, if it is played over a wire.
    pub(crate) fn of(kind: &Game) -> Option<&'static Self> {
        CLIENTS.iter().find(|(id, _)| *id == kind.id()).map(|(_, client)| client)
    }

    /// Plays a whole bout.
    pub(crate) fn play(
        &self,
        game: &mut dyn Judge,
        scribe: &mut Scribe,
        rng: &mut ChaCha8,
        seats: u8,
    ) {
        self.connect(game, scribe, seats);
        while game.outcome().is_none() {
            tick(game, scribe);
            for seat in 0..seats {
                let choices = u32::try_from(self.then.len()).expect("there are few");
                send(game, scribe, seat, self.then[rng.below(choices) as usize]);
            }
        }
    }

    /// Every seat makes its connection and is ready; then each sends its first
    /// message.
    fn connect(&self, game: &mut dyn Judge, scribe: &mut Scribe, seats: u8) {
        let mut out = Outputs::new();
        for seat in (0..seats).map(Seat) {
            let connection = Connection(u32::from(seat.0));
            scribe.line(format_args!("opened {} seat {seat}", connection.0));
            game.next(&Input::Opened { connection, seat: Some(seat) }, &mut out)
                .expect("the referee cannot fail");
        }
        for (seat, request, _) in std::mem::take(&mut scribe.open) {
            scribe.line(format_args!("ready seat {seat}"));
            let parts = Parts::none();
            game.next(&Input::Answer { seat, request, parts, verdict: Verdict::Ok }, &mut out)
                .expect("the referee cannot fail");
        }
        scribe.see(&mut out);
        for seat in 0..seats {
            send(game, scribe, seat, &self.first.replace('#', &seat.to_string()));
        }
    }
}

fn send(game: &mut dyn Judge, scribe: &mut Scribe, connection: u8, text: &str) {
    let mut out = Outputs::new();
    scribe.line(format_args!("message {connection} \"{}\"", text.escape_debug()));
    let connection = Connection(u32::from(connection));
    game.next(&Input::Message { connection, bytes: text.as_bytes().into() }, &mut out)
        .expect("the referee cannot fail");
    scribe.see(&mut out);
}

fn tick(game: &mut dyn Judge, scribe: &mut Scribe) {
    let mut out = Outputs::new();
    scribe.line(format_args!("tick"));
    game.next(&Input::Tick, &mut out).expect("the referee cannot fail");
    scribe.see(&mut out);
    let hash = game.state_hash().expect("the referee cannot fail");
    scribe.line(format_args!("state {hash}\n"));
}
