//! Cases of Battlesnake: turns of the bare rules, without the food that a map adds.
//!
//! A line is a statement and its items, parted by two or more blanks; `#` starts a comment line.
//!
//! - `board 7x7  wrapped  solo  damage 20`: starts a position. The words after the size may be
//!   missing: a ruleset, `solo` to play until nobody is left, the damage of a hazard.
//! - `food 3,3  1,1` and `hazards 2,2`: add squares.
//! - `snake 100 at 3,3 3,2 3,1`: adds the snake of the next seat with its health and body.
//! - `moves up  left`: plays a turn; a word for each living snake in seat order.
//! - `then`: what holds now: `0 at 3,4 3,3`, `0 health 99`, `0 plays`, `1 out wall-collision`,
//!   `1 out head-collision by 0`, `food 1,1 2,2`, `no food`, `over`, `goes on`.

use joust_referee::Seed;
use joust_referee::games::battlesnake::{
    BoutOptions, Direction, GameState, Map, Ruleset, Snake, Spawner, Square, advance, is_over,
};

/// Plays the text of one case.
pub(crate) fn run(text: &str) -> Result<(), (usize, String)> {
    let mut position = None;
    let (mut last, mut is_claimed) = (1, false);
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        (last, is_claimed) = (number, line.starts_with("then"));
        say(&mut position, line).map_err(|problem| (number, problem))?;
    }
    if is_claimed { Ok(()) } else { Err((last, "nothing is claimed after this line".to_owned())) }
}

fn say(position: &mut Option<Position>, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut items = rest.split("  ").map(str::trim).filter(|item| !item.is_empty());
    if word == "board" {
        *position = Some(Position::start(items)?);
        return Ok(());
    }
    let Position { options, state } = position.as_mut().ok_or("a case starts with `board`")?;
    match word {
        "food" => state.food.extend(squares(rest)?),
        "hazards" => state.hazards.extend(squares(rest)?),
        "snake" => {
            let (health, body) = rest.trim().split_once(" at ").ok_or("`100 at 3,3 3,2`")?;
            let (health, body) = (number(health)?, squares(body)?);
            state.snakes.push(Snake { body, health, out: None });
        }
        "moves" => {
            let words: Vec<&str> = items.collect();
            if words.len() != state.living().count() {
                return Err("a word for each living snake".to_owned());
            }
            let mut words = words.into_iter();
            let moves: Vec<_> = state
                .snakes
                .iter()
                .map(|snake| snake.is_alive().then(|| words.next()).flatten())
                .collect();
            let move_of = |seat: usize| moves[seat].and_then(Direction::from_name);
            advance(state, options, move_of, &mut Spawner::new(options, Seed(1)));
            state.turn += 1;
        }
        "then" => items.try_for_each(|claim| check(state, options, claim))?,
        _ => return Err(format!("unknown statement `{word}`")),
    }
    Ok(())
}

/// A position and its settings.
struct Position {
    options: BoutOptions,
    state: GameState,
}

impl Position {
    fn start<'a>(mut items: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let size = items.next().and_then(|size| size.split_once('x')).ok_or("`7x7`")?;
        let (width, height) = (number(size.0)?, number(size.1)?);
        let mut options = BoutOptions {
            ruleset: Ruleset::Standard,
            map: Map::Empty,
            width,
            height,
            timeout_ms: 500,
            food_spawn_chance: 0,
            minimum_food: 0,
            hazard_damage: 14,
            shrink_every: 25,
            max_turns: u32::MAX,
            is_solo: false,
        };
        for item in items {
            match item.split_once(' ').unwrap_or((item, "")) {
                ("solo", "") => options.is_solo = true,
                ("damage", damage) => options.hazard_damage = number(damage)?,
                (name, "") => {
                    options.ruleset = Ruleset::from_name(name).unwrap_or(Ruleset::Standard)
                }
                _ => return Err(format!("unknown setting `{item}`")),
            }
        }
        let (food, hazards, snakes) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { options, state: GameState { turn: 0, width, height, food, hazards, snakes } })
    }
}

fn check(state: &GameState, options: &BoutOptions, claim: &str) -> Result<(), String> {
    let seen = match claim.split_once(' ').unwrap_or((claim, "")) {
        ("over", "") | ("goes", "on") => {
            if is_over(state, options) { "over" } else { "goes on" }.to_owned()
        }
        ("food", _) | ("no", "food") if state.food.is_empty() => "no food".to_owned(),
        ("food", _) | ("no", "food") => format!("food {}", words(&state.food)),
        (seat, about) => {
            let snake = number::<usize>(seat).map(|seat| state.snakes.get(seat));
            let snake = snake?.ok_or_else(|| format!("no snake {seat}"))?;
            match about.split(' ').next().unwrap_or_default() {
                "at" => format!("{seat} at {}", words(&snake.body)),
                "health" => format!("{seat} health {}", snake.health),
                "plays" | "out" => format!("{seat} {}", fate(snake)),
                _ => return Err(format!("unknown claim `{claim}`")),
            }
        }
    };
    if seen == claim { Ok(()) } else { Err(format!("`{claim}`: {seen}")) }
}

fn fate(snake: &Snake) -> String {
    let Some(out) = &snake.out else { return "plays".to_owned() };
    let by = out.by.map(|seat| format!(" by {}", seat.0)).unwrap_or_default();
    format!("out {}{by}", out.cause.name())
}

fn words(squares: &[Square]) -> String {
    let words: Vec<_> = squares.iter().map(|at| format!("{},{}", at.x, at.y)).collect();
    words.join(" ")
}

fn squares(text: &str) -> Result<Vec<Square>, String> {
    let square = |word: &str| {
        let (x, y) = word.split_once(',').ok_or_else(|| format!("`{word}` is no square"))?;
        Ok(Square::new(number(x)?, number(y)?))
    };
    text.split_whitespace().map(square).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.trim().parse().map_err(|_| format!("`{word}` is no number"))
}
