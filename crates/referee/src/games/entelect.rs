//! Rules that the two games of the Entelect Challenge share.

use std::time::Duration;

use crate::bytes::push_json_string;
use crate::{DefaultLimits, PlayerInfo, Seat};

/// End of a line of a text file.
///
/// Source: [`map.txt`](crate::docs::bomberman_2016#maptxt).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndings {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl LineEndings {
    /// Returns those that an option names: `crlf`, or the usual ones.
    pub(super) fn of(word: &str) -> Self {
        if word == "crlf" { Self::CrLf } else { Self::Lf }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// The rule has been wall clock since release 1.1.0; the original starts Java with
/// `-Xms512m`.
pub(super) fn limits() -> DefaultLimits {
    DefaultLimits {
        start: None,
        cpu: Some(Duration::from_secs(4)),
        turn: Some(Duration::from_secs(2)),
        kill: Some(Duration::from_secs(4)),
        memory_bytes: Some(1024 << 20),
        counts_wall_clock: true,
    }
}

/// Returns one entry per seat; a seat without information has its name.
pub(super) fn player_infos(given: &[PlayerInfo], names: &[String]) -> Vec<PlayerInfo> {
    let info = |(seat, name): (usize, &String)| {
        given.get(seat).cloned().unwrap_or_else(|| PlayerInfo::named(name))
    };
    names.iter().enumerate().map(info).collect()
}

/// Returns `roundInfo.json`, one line without an end: `head`, the leader, the leader board and the
/// players, which have keys in one of the games. `players` are in seat order, one for each.
pub(super) fn round_info(
    head: String,
    players: &[PlayerInfo],
    board: &[Seat],
    key: impl Fn(Seat) -> Option<String>,
) -> Vec<u8> {
    let push_infos = |out: &mut Vec<u8>, seats: &[Seat]| {
        for (index, seat) in seats.iter().enumerate() {
            let PlayerInfo { author, nick_name, email, bot_type } = &players[seat.index()];
            let key = key(*seat);
            let fields: [(&[u8], _); 5] = [
                (b"{\"Author\":", Some(author)),
                (b",\"NickName\":", Some(nick_name)),
                (b",\"Email\":", Some(email)),
                (b",\"PlayerKey\":", key.as_ref()),
                (b",\"BotType\":", Some(bot_type)),
            ];
            out.extend((index > 0).then_some(b','));
            for (label, text) in fields.iter().filter_map(|(label, text)| Some((label, (*text)?))) {
                out.extend_from_slice(label);
                push_json_string(out, text);
            }
            out.push(b'}');
        }
    };
    let seats: Vec<Seat> = (0..).map(Seat).take(players.len()).collect();
    let mut out = head.into_bytes();
    for (label, seats) in [
        (&b",\"Winner\":"[..], &board[..1]),
        (b",\"LeaderBoard\":[", board),
        (b"],\"Players\":[", &seats),
    ] {
        out.extend_from_slice(label);
        push_infos(&mut out, seats);
    }
    out.extend_from_slice(b"]}");
    out
}
