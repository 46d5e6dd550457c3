//! Requests: the bytes that are sent to a bot.
//!
//! Source: [Requests](crate::docs::battlesnake#requests).

use std::io::Write;

use super::{BoutOptions, Customizations, GameState, Square};
use crate::bytes::{push_json_string, push_number};
use crate::{Part, Parts, http};

/// Facts about a snake that the rules do not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Name of the bot.
    pub name: String,
    /// Appearance of the snake.
    pub customizations: Customizations,
    /// Milliseconds that its last move took, rounded down; 0 before the first one.
    pub latency_ms: u128,
    /// Words of its last move, for onlookers.
    pub shout: String,
}

/// Call of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Description of the snake, before the first turn.
    Info,
    /// Start of the bout.
    Start,
    /// Move of a turn.
    Move,
    /// End of the bout.
    End,
}

impl Call {
    /// Returns the path.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Info => "/",
            Self::Start => "/start",
            Self::Move => "/move",
            Self::End => "/end",
        }
    }
}

/// Position with everything that bots see of it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Settings of the bout.
    pub options: &'a BoutOptions,
    /// Name of the bout.
    pub id: &'a str,
    /// The position.
    pub state: &'a GameState,
    /// Facts about the snakes, in seat order.
    pub profiles: &'a [Profile],
}

impl View<'_> {
    /// Makes the requests of `call` to the seats `seats`, in their order.
    ///
    /// Their parts are named in [`crate::http`]; all but [`Call::Info`] have a body, a JSON object
    /// in one line.
    pub fn requests(&self, call: Call, seats: &[usize]) -> Vec<Parts> {
        let part = |name: &str, bytes: &[u8]| Part { name: name.into(), bytes: bytes.into() };
        if call == Call::Info {
            let parts = vec![part(http::METHOD, b"GET"), part(http::PATH, call.path().as_bytes())];
            return vec![Parts(parts); seats.len()];
        }
        let head = [
            part(http::METHOD, b"POST"),
            part(http::PATH, call.path().as_bytes()),
            part(http::CONTENT_TYPE, b"application/json"),
        ];
        let mut body = Vec::with_capacity(4096);
        self.push_common(&mut body);
        let common = body.len();
        let request = |seat: &usize| {
            body.truncate(common);
            let latency_ms = if call == Call::Move { 0 } else { self.profiles[*seat].latency_ms };
            self.push_snake(&mut body, *seat, latency_ms);
            body.push(b'}');
            Parts([&head[..], &[part(http::BODY, &body)]].concat())
        };
        seats.iter().map(request).collect()
    }

    /// Writes all but the snake that is asked, which comes last.
    fn push_common(&self, out: &mut Vec<u8>) {
        let Self { options, id, state, .. } = *self;
        let BoutOptions { food_spawn_chance, minimum_food, hazard_damage, .. } = options;
        let BoutOptions { ruleset, map, timeout_ms, shrink_every, .. } = options;
        let GameState { turn, width, height, .. } = state;
        let (ruleset, map) = (ruleset.name(), map.name());
        let _ = write!(
            out,
            "{{\"game\":{{\"id\":\"{id}\",\"ruleset\":{{\"name\":\"{ruleset}\",\"version\":\"cli\",\
             \"settings\":{{\"foodSpawnChance\":{food_spawn_chance},\"minimumFood\":{minimum_food},\
             \"hazardDamagePerTurn\":{hazard_damage},\"hazardMap\":\"\",\"hazardMapAuthor\":\"\",\
             \"royale\":{{\"shrinkEveryNTurns\":{shrink_every}}},\"squad\":{{\
             \"allowBodyCollisions\":false,\"sharedElimination\":false,\"sharedHealth\":false,\
             \"sharedLength\":false}}}}}},\"map\":\"{map}\",\"timeout\":{timeout_ms},\"source\":\"\"}},\
             \"turn\":{turn},\"board\":{{\"height\":{height},\"width\":{width},\"snakes\":["
        );
        let living = (0..state.snakes.len()).filter(|seat| state.snakes[*seat].is_alive());
        for (place, seat) in living.enumerate() {
            out.extend((place > 0).then_some(b','));
            self.push_snake(out, seat, self.profiles[seat].latency_ms);
        }
        out.extend_from_slice(b"],\"food\":");
        push_squares(out, &state.food);
        out.extend_from_slice(b",\"hazards\":");
        push_squares(out, &state.hazards);
        out.extend_from_slice(b"},\"you\":");
    }

    fn push_snake(&self, out: &mut Vec<u8>, seat: usize, latency_ms: u128) {
        let snake = &self.state.snakes[seat];
        let Profile { name, customizations, .. } = &self.profiles[seat];
        let _ = write!(out, "{{\"id\":\"snake-{}\",\"name\":", seat + 1);
        push_json_string(out, name);
        let (health, length) = (snake.health, snake.body.len());
        let _ = write!(out, ",\"latency\":\"{latency_ms}\",\"health\":{health},\"body\":");
        push_squares(out, &snake.body);
        out.extend_from_slice(b",\"head\":");
        push_square(out, snake.head());
        let _ =
            write!(out, ",\"length\":{length},\"shout\":\"\",\"squad\":\"\",\"customizations\":{{");
        let Customizations { color, head, tail } = customizations;
        for (key, value) in [("\"color\":", color), (",\"head\":", head), (",\"tail\":", tail)] {
            out.extend_from_slice(key.as_bytes());
            push_json_string(out, value);
        }
        out.extend_from_slice(b"}}");
    }
}

fn push_squares(out: &mut Vec<u8>, squares: &[Square]) {
    out.push(b'[');
    for (place, square) in squares.iter().enumerate() {
        out.extend((place > 0).then_some(b','));
        push_square(out, *square);
    }
    out.push(b']');
}

fn push_square(out: &mut Vec<u8>, at: Square) {
    out.extend_from_slice(b"{\"x\":");
    push_number(out, at.x);
    out.extend_from_slice(b",\"y\":");
    push_number(out, at.y);
    out.push(b'}');
}
