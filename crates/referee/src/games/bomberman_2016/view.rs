//! View of a round: `state.json` and `map.txt`, the same bytes for all bots.

pub(super) mod map_txt;
mod state_json;

pub use state_json::StateJson;

use std::sync::Arc;

use super::{GameState, LineEndings};
use crate::{Part, Parts};

/// The files of a round, rendered once and shared by all seats.
#[derive(Clone, Debug)]
pub struct Views {
    names: Vec<String>,
    line_endings: LineEndings,
    state_json: StateJson,
    state_name: Arc<str>,
    map_name: Arc<str>,
    map: Vec<u8>,
}

impl Views {
    /// Prepares for players of these names, in seat order.
    pub fn new(names: &[String], line_endings: LineEndings) -> Self {
        Self {
            names: names.to_vec(),
            line_endings,
            state_json: StateJson::new(names),
            state_name: Arc::from("state.json"),
            map_name: Arc::from("map.txt"),
            map: Vec::new(),
        }
    }

    /// Renders both files of the position, `state.json` first.
    pub fn render(&mut self, state: &GameState) -> Parts {
        let state_json = Arc::from(self.state_json.render(state));
        self.map.clear();
        map_txt::render(state, &self.names, self.line_endings, &mut self.map);
        let map = Arc::from(&self.map[..]);
        Parts(vec![
            Part { name: self.state_name.clone(), bytes: state_json },
            Part { name: self.map_name.clone(), bytes: map },
        ])
    }
}

/// Returns the key of a seat: `A` for the first.
///
/// Source: [Players](crate::docs::bomberman_2016#players).
pub fn key(seat: crate::Seat) -> char {
    char::from(b'A'.saturating_add(seat.0))
}
