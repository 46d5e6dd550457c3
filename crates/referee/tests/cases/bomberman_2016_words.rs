//! The words of a case.

use joust_referee::Seat;
use joust_referee::games::bomberman_2016::{
    Block, Bomb, GameState, Ground, Player, PowerUp, Square,
};

/// Returns the items of a line: what two or more blanks part.
pub(crate) fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

/// Reads a number.
pub(crate) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.trim().parse().map_err(|_| format!("`{word}` is no number"))
}

/// Reads the key of a player.
pub(crate) fn seat(word: &str) -> Result<Seat, String> {
    match word.as_bytes() {
        [key @ b'A'..=b'L'] => Ok(Seat(key - b'A')),
        _ => Err(format!("`{word}` is no player")),
    }
}

/// Reads `4,5`.
pub(crate) fn square(state: &GameState, word: &str) -> Result<Square, String> {
    let (x, y) = word.split_once(',').ok_or_else(|| format!("`{word}` is no square"))?;
    let (x, y): (u8, u8) = (number(x)?, number(y)?);
    let on_map = 1..=state.side;
    if on_map.contains(&x) && on_map.contains(&y) {
        return Ok(state.square(x, y));
    }
    Err(format!("`{word}` is not on the map"))
}

/// Reads the word for a power-up.
pub(crate) fn power_up(word: &str) -> Option<PowerUp> {
    match word {
        "bag" => Some(PowerUp::Bag),
        "radius" => Some(PowerUp::Radius),
        "super" => Some(PowerUp::Super),
        _ => None,
    }
}

/// Makes a position of the rows of a map; the bounty is 100.
pub(crate) fn state(rows: &[String]) -> Result<GameState, String> {
    let side = u8::try_from(rows.len()).map_err(|_| "the map is too high".to_owned())?;
    let symbols: Vec<char> = rows.iter().flat_map(|row| row.chars()).collect();
    if symbols.len() != rows.len() * rows.len() {
        return Err("the map is no square".to_owned());
    }
    let mut state = GameState::new(side, 0, symbols.iter().map(|symbol| block(*symbol)).collect());
    state.bounty = 100;
    for key in 'A'..='L' {
        let Some(number) = symbols.iter().position(|symbol| *symbol == key) else { break };
        state.add_player(Player {
            at: Square(u16::try_from(number).map_err(|_| "the map is too large".to_owned())?),
            bag: 1,
            radius: 1,
            points: 0,
            coverage: 0,
            touched: 0,
            killed_round: None,
            on_map: true,
        });
    }
    Ok(state)
}

fn block(symbol: char) -> Block {
    let mut block = Block::new(match symbol {
        '#' => Ground::Pillar,
        '+' => Ground::Wall,
        _ => Ground::Free,
    });
    block.power_up = match symbol {
        '&' => Some(PowerUp::Bag),
        '!' => Some(PowerUp::Radius),
        '$' => Some(PowerUp::Super),
        _ => None,
    };
    block
}

/// Puts one item of `given` on the map.
pub(crate) fn place(state: &mut GameState, item: &str) -> Result<(), String> {
    let words: Vec<&str> = item.split(' ').collect();
    match words[..] {
        ["bounty", points] => state.bounty = number(points)?,
        ["bomb", key, at, ref fields @ ..] => {
            let mut bomb = Bomb::new(square(state, at)?, seat(key)?, 4, 1);
            for field in fields {
                match field.split_once('=') {
                    Some(("timer", value)) => bomb.timer = number(value)?,
                    Some(("radius", value)) => bomb.radius = number(value)?,
                    _ => return Err(format!("unknown field `{field}`")),
                }
            }
            state.bombs.push(bomb);
            state.bombs.sort_by_key(|bomb| bomb.at);
        }
        [kind, "under", at] => {
            let square = square(state, at)?;
            let kind = power_up(kind).ok_or_else(|| format!("unknown power-up `{kind}`"))?;
            state.blocks[usize::from(square.0)].power_up = Some(kind);
        }
        [key, ref fields @ ..] => {
            let seat = seat(key)?;
            let player = state.players.get_mut(seat.index()).ok_or("no such player")?;
            fields.iter().try_for_each(|field| set(player, field))?;
        }
        [] => return Err("an empty item".to_owned()),
    }
    Ok(())
}

fn set(player: &mut Player, field: &str) -> Result<(), String> {
    match field.split_once('=') {
        Some(("bag", value)) => player.bag = number(value)?,
        Some(("radius", value)) => player.radius = number(value)?,
        Some(("points", value)) => player.points = number(value)?,
        _ => return Err(format!("unknown field `{field}`")),
    }
    Ok(())
}
