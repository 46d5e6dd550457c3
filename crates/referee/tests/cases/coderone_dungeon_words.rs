//! The words of a case.

use joust_referee::games::coderone_dungeon::{
    AMMO_LIFE_TICKS, Ammo, BOMB_TIMER_TICKS, Block, BlockKind, Bomb, Effect, EffectKind,
    FIRE_LIFE_TICKS, Fire, GameState, ORE_HP, PLAYER_AMMO, PLAYER_HP, PLAYER_POWER, Player, Spot,
    Treasure, WOODEN_HP,
};
use joust_referee::{Part, Parts, Verdict};

/// Ticks until the treasure of an empty board.
const FAR_AWAY: i32 = 100_000;

/// Returns the items of a line: what two or more blanks part.
pub(crate) fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

/// Reads `P1`.
pub(crate) fn seat(word: &str) -> Result<usize, String> {
    number(word.strip_prefix('P').ok_or_else(|| format!("`{word}` is no seat"))?)
}

/// Reads a number.
pub(crate) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.trim().parse().map_err(|_| format!("`{word}` is no number"))
}

/// Reads `4,5`.
pub(crate) fn spot(word: &str) -> Result<Spot, String> {
    let (x, y) = word.split_once(',').ok_or_else(|| format!("`{word}` is no square"))?;
    Ok(Spot { x: number(x)?, y: number(y)? })
}

/// Reads `12x10 2 limit 5`: an empty board and the iteration limit.
pub(crate) fn board(text: &str) -> Result<(GameState, Option<u32>), String> {
    let words: Vec<&str> = text.split(' ').collect();
    let (size, players, limit) = match words[..] {
        [size, players] => (size, players, None),
        [size, players, "limit", limit] => (size, players, Some(number(limit)?)),
        _ => return Err(format!("`{text}` is no board")),
    };
    let (columns, rows) = size.split_once('x').ok_or("a board has a size")?;
    let player = |x| Player {
        at: Spot { x, y: 0 },
        hp: PLAYER_HP,
        ammo: PLAYER_AMMO,
        reward: 0,
        power: PLAYER_POWER,
    };
    let state = GameState {
        columns: number(columns)?,
        rows: number(rows)?,
        tick: 0,
        players: (0..number(players)?).map(player).collect(),
        metal: Vec::new(),
        blocks: Vec::new(),
        ammo: Vec::new(),
        treasure: Vec::new(),
        bombs: Vec::new(),
        fires: Vec::new(),
        effects: vec![Effect { kind: EffectKind::Treasure, delay: FAR_AWAY }],
        spoken: Vec::new(),
        is_over: false,
        winner: None,
    };
    Ok((state, limit))
}

/// The values of an item: what follows `key=`, `at` or `of`.
pub(crate) struct Values<'a>(&'a str);

impl<'a> Values<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the number behind `key=`.
    pub(crate) fn number(&self, key: &str) -> Result<Option<i32>, String> {
        let words = self.0.split(' ').filter_map(|word| word.strip_prefix(key));
        words.filter_map(|word| word.strip_prefix('=')).map(number).next().transpose()
    }

    /// Returns the word after `key`.
    pub(crate) fn after(&self, key: &str) -> Option<&'a str> {
        let mut words = self.0.split(' ').skip_while(|word| *word != key);
        words.next().and_then(|_| words.next())
    }

    fn first_spot(&self) -> Result<Spot, String> {
        spot(self.0.split(' ').next().unwrap_or_default())
    }

    fn owner(&self) -> Result<u8, String> {
        let owner = seat(self.after("of").ok_or("whose is it? `of P0`")?)?;
        u8::try_from(owner).map_err(|error| error.to_string())
    }
}

/// One thing on a board.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Thing {
    Metal(Spot),
    Block(Block),
    Ammo(Ammo),
    Treasure(Treasure),
    Bomb(Bomb),
    Fire(Fire),
    Effect(Effect),
}

/// Reads a thing; what is left out is as on a new board.
pub(crate) fn thing(item: &str) -> Result<Thing, String> {
    let (word, rest) = item.split_once(' ').ok_or_else(|| format!("unknown item `{item}`"))?;
    let values = Values::of(rest);
    Ok(match word {
        "metal" => Thing::Metal(spot(rest)?),
        "wood" => Thing::Block(block(&values, BlockKind::Wooden, WOODEN_HP)?),
        "ore" => Thing::Block(block(&values, BlockKind::Ore, ORE_HP)?),
        "ammo" => Thing::Ammo(Ammo {
            at: values.first_spot()?,
            life: values.number("life")?.unwrap_or(AMMO_LIFE_TICKS),
            taken: false,
        }),
        "treasure" => Thing::Treasure(Treasure { at: spot(rest)?, taken: false }),
        "bomb" => Thing::Bomb(Bomb {
            at: values.first_spot()?,
            owner: values.owner()?,
            timer: values.number("timer")?.unwrap_or(BOMB_TIMER_TICKS),
            power: PLAYER_POWER,
        }),
        "fire" => Thing::Fire(Fire {
            at: values.first_spot()?,
            owner: values.owner()?,
            life: FIRE_LIFE_TICKS,
        }),
        "effect" => Thing::Effect(effect(rest)?),
        _ => return Err(format!("unknown item `{item}`")),
    })
}

fn block(values: &Values<'_>, kind: BlockKind, hp: i32) -> Result<Block, String> {
    Ok(Block { kind, at: values.first_spot()?, hp: values.number("hp")?.unwrap_or(hp) })
}

fn effect(words: &str) -> Result<Effect, String> {
    let (kind, delay) = words.split_once(' ').ok_or("an effect has a kind and a delay")?;
    let kind = match kind {
        "ammo" => EffectKind::Ammo,
        "treasure" => EffectKind::Treasure,
        _ => return Err(format!("unknown effect `{kind}`")),
    };
    Ok(Effect { kind, delay: number(delay)? })
}

/// Puts one item of `given` on the board.
pub(crate) fn place(state: &mut GameState, item: &str) -> Result<(), String> {
    if item == "full" {
        fill(state);
        return Ok(());
    }
    if item.starts_with('P') {
        return place_player(state, item);
    }
    match thing(item)? {
        Thing::Metal(at) => state.metal.push(at),
        Thing::Block(block) => state.blocks.push(block),
        Thing::Ammo(ammo) => state.ammo.push(ammo),
        Thing::Treasure(treasure) => state.treasure.push(treasure),
        Thing::Bomb(bomb) => state.bombs.push(bomb),
        Thing::Fire(fire) => state.fires.push(fire),
        Thing::Effect(effect) => state.effects.push(effect),
    }
    Ok(())
}

/// Puts metal on every square that has nothing but fire.
fn fill(state: &mut GameState) {
    for x in 0..state.columns {
        for y in 0..state.rows {
            let at = Spot { x, y };
            let is_taken = state.has_block(at)
                || state.has_bomb(at)
                || state.players.iter().any(|player| player.at == at)
                || state.ammo.iter().any(|ammo| ammo.at == at)
                || state.treasure.iter().any(|treasure| treasure.at == at);
            if !is_taken {
                state.metal.push(at);
            }
        }
    }
}

fn place_player(state: &mut GameState, item: &str) -> Result<(), String> {
    let (word, rest) = item.split_once(' ').ok_or("what of the player?")?;
    let player = state.players.get_mut(seat(word)?).ok_or("no such seat")?;
    let values = Values::of(rest);
    if let Some(at) = values.after("at") {
        player.at = spot(at)?;
    }
    player.hp = values.number("hp")?.unwrap_or(player.hp);
    player.ammo = values.number("ammo")?.unwrap_or(player.ammo);
    player.reward = values.number("score")?.map_or(player.reward, i64::from);
    Ok(())
}

/// Reads the answers of a seat, parted by commas.
pub(crate) fn answers(text: &str) -> Result<Vec<(Parts, Verdict)>, String> {
    text.split(',').map(answer).collect()
}

fn answer(text: &str) -> Result<(Parts, Verdict), String> {
    if let Some(fault) = text.strip_prefix('!') {
        let verdict = Verdict::from_name(fault);
        return Ok((Parts::none(), verdict.ok_or_else(|| format!("unknown verdict `{fault}`"))?));
    }
    let (name, value) = match text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((name, value)) => (name, value.trim().to_owned()),
        None => ("str", text.trim_matches('"').replace("\\n", "\n")),
    };
    let part = Part { name: name.into(), bytes: value.into_bytes().into() };
    Ok((Parts(vec![part]), Verdict::Ok))
}
