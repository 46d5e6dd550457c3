//! Views that agents were sent, compared with those that a host can make of ours.

use std::collections::BTreeMap;

use joust_referee::Parts;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::Square;

/// The view of a tick as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct View {
    tick_number: u32,
    is_over: bool,
    size: Square,
    bombs: Vec<Square>,
    ammo: Vec<Square>,
    treasure: Vec<Square>,
    all_blocks: Vec<Square>,
    soft_blocks: Vec<Square>,
    ore_blocks: Vec<Square>,
    indestructible_blocks: Vec<Square>,
    map: Vec<(i32, i32, Value)>,
    opponents: Vec<Option<Vec<Square>>>,
    me: Vec<Option<[i64; 7]>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameState {
    tick_number: u32,
    is_over: bool,
    size: Square,
    players: String,
    blocks: Vec<(String, String)>,
    ammo: String,
    treasure: String,
    bombs: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerState {
    id: i64,
    ammo: i64,
    hp: i64,
    location: String,
    reward: i64,
    power: i64,
}

/// Makes the recorded form of the parts that each seat was shown.
pub(crate) fn of(shown: &[Option<Parts>]) -> Result<Option<View>, String> {
    let Some(first) = shown.iter().flatten().next() else { return Ok(None) };
    let state: GameState = part(first, "game_state.json")?;
    let players = squares(&state.players)?;
    let mut tagged = Vec::new();
    for (tag, run) in &state.blocks {
        tagged.extend(squares(run)?.into_iter().map(|at| (tag.as_str(), at)));
    }
    let [ammo, treasure, bombs] =
        [squares(&state.ammo)?, squares(&state.treasure)?, squares(&state.bombs)?];
    let mut map = BTreeMap::new();
    map.extend(players.iter().enumerate().map(|(number, at)| (*at, json!(number))));
    map.extend(tagged.iter().map(|(tag, at)| (*at, json!(tag))));
    for (tag, list) in [("a", &ammo), ("t", &treasure), ("b", &bombs)] {
        map.extend(list.iter().map(|at| (*at, json!(tag))));
    }
    let of_tag =
        |wanted: &str| tagged.iter().filter(|(tag, _)| *tag == wanted).map(|(_, at)| *at).collect();
    let all: Vec<Square> = tagged.iter().map(|(_, at)| *at).collect();
    let mut view = View {
        tick_number: state.tick_number,
        is_over: state.is_over,
        size: state.size,
        all_blocks: all,
        soft_blocks: of_tag("sb"),
        ore_blocks: of_tag("ob"),
        indestructible_blocks: of_tag("ib"),
        map: map.into_iter().map(|([x, y], tag)| (x, y, tag)).collect(),
        bombs,
        ammo,
        treasure,
        opponents: Vec::new(),
        me: Vec::new(),
    };
    for (seat, parts) in shown.iter().enumerate() {
        let Some(parts) = parts else {
            view.opponents.push(None);
            view.me.push(None);
            continue;
        };
        let mut opponents = players.clone();
        opponents.remove(seat);
        view.opponents.push(Some(opponents));
        view.me.push(Some(own(parts)?));
    }
    Ok(Some(view))
}

fn own(parts: &Parts) -> Result<[i64; 7], String> {
    let me: PlayerState = part(parts, "player_state.json")?;
    let at = squares(&me.location)?;
    let [[x, y]] = at[..] else { return Err(format!("`{}` is no square", me.location)) };
    Ok([me.id, x.into(), y.into(), me.hp, me.ammo, me.reward, me.power])
}

fn part<T: for<'de> Deserialize<'de>>(parts: &Parts, name: &str) -> Result<T, String> {
    let bytes = parts.get(name).ok_or_else(|| format!("the view has no part `{name}`"))?;
    serde_json::from_slice(bytes).map_err(|error| format!("{name}: {error}"))
}

fn squares(text: &str) -> Result<Vec<Square>, String> {
    let number = |at: usize| {
        let digits = text.get(at..at + 2).ok_or_else(|| format!("`{text}` is cut off"))?;
        i32::from_str_radix(digits, 16).map_err(|error| format!("`{digits}`: {error}"))
    };
    (0..text.len()).step_by(4).map(|at| Ok([number(at)?, number(at + 2)?])).collect()
}
