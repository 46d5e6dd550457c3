//! Dodger works out which squares the projectiles in flight will sweep, steps
//! out of their way, and shoots only from a square where nothing can reach it.

use std::env;

const SIZE: i32 = 10;
const STEPS: [(&str, i32, i32); 8] = [
    ("N", 0, -1),
    ("NE", 1, -1),
    ("E", 1, 0),
    ("SE", 1, 1),
    ("S", 0, 1),
    ("SW", -1, 1),
    ("W", -1, 0),
    ("NW", -1, -1),
];

type Square = (i32, i32);

struct Projectile {
    at: Square,
    step: Square,
    reach: i32,
    damage: i32,
}

struct View {
    me: Square,
    foe: Square,
    mines: Vec<Square>,
    projectiles: Vec<Projectile>,
}

fn main() {
    let arguments: Vec<String> = env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let text = arguments.last().cloned().unwrap_or_default();
    let seed = env::var("JOUST_SEED").unwrap_or_default();
    let action = match parse(&text) {
        Some(view) => choose(&view, noise(&seed, &text)),
        None => "NO".to_owned(),
    };
    println!("{action}");
}

fn choose(view: &View, luck: u32) -> String {
    let stay = danger(view, view.me);
    if stay == 0 && (shot_is_free(view) || luck % 4 != 0) {
        if let Some(direction) = direction(view.me, view.foe) {
            return shot(view, direction);
        }
        match luck >> 8 & 7 {
            _ if distance(view.me, view.foe) > 4 => {}
            0 | 1 => return format!("B {}", lead(view, luck)),
            2 | 3 if mine_fits(view, lead(view, luck)) => return format!("L {}", lead(view, luck)),
            _ => {}
        }
    }
    let mut best: Option<(i32, &str)> = None;
    for (number, (name, x, y)) in STEPS.iter().enumerate() {
        let next = (view.me.0 + x, view.me.1 + y);
        if !open(view, next) {
            continue;
        }
        let spread = (luck >> (3 * number)) as i32 & 31;
        let value = 100 * danger(view, next) + 10 * unease(view, next) + spread;
        if best.map_or(true, |(least, _)| value < least) {
            best = Some((value, name));
        }
    }
    match (best, direction(view.me, view.foe)) {
        (Some((value, _)), Some(direction)) if value >= 100 * stay.max(1) => shot(view, direction),
        (Some((_, name)), _) => name.to_owned(),
        (None, Some(direction)) => shot(view, direction),
        (None, None) => "NO".to_owned(),
    }
}

/// Hit points that projectiles and mines cost whoever ends this move at `here`,
/// and half a look at the round after.
fn danger(view: &View, here: Square) -> i32 {
    let mines = view.mines.iter().filter(|mine| **mine == here).count() as i32;
    let shots: i32 = view
        .projectiles
        .iter()
        .map(|projectile| match (1..=2 * projectile.reach).find(|n| ahead(projectile, *n) == here) {
            Some(n) if n <= projectile.reach => 2 * projectile.damage,
            Some(_) => 1,
            None => 0,
        })
        .sum();
    4 * mines + shots
}

/// What makes a safe square uncomfortable: a line of fire to the other bot at
/// short range, the arena's edge, and being too far away to threaten anybody.
fn unease(view: &View, here: Square) -> i32 {
    let range = distance(here, view.foe);
    let exposed = direction(here, view.foe).is_some() && range <= 3;
    let edge = [here.0, here.1].iter().any(|c| *c <= 1 || *c >= SIZE - 1);
    4 * i32::from(exposed) + 2 * i32::from(edge) + (range - 3).abs()
}

fn shot_is_free(view: &View) -> bool {
    distance(view.me, view.foe) > 3
}

fn shot(view: &View, direction: &str) -> String {
    let weapon = match distance(view.me, view.foe) {
        1 => "B",
        2..=4 => "M",
        _ => "B",
    };
    format!("{weapon} {direction}")
}

/// Whether the square in that direction is free: a mine on a mine goes off.
fn mine_fits(view: &View, direction: &str) -> bool {
    STEPS.iter().any(|(name, x, y)| {
        let spot = (view.me.0 + x, view.me.1 + y);
        *name == direction && open(view, spot) && !view.mines.contains(&spot)
    })
}

/// A direction that crosses the other bot's path: the octant it lies in.
fn lead(view: &View, luck: u32) -> &'static str {
    let (dx, dy) = (view.foe.0 - view.me.0, view.foe.1 - view.me.1);
    let diagonal = (dx.signum(), dy.signum());
    let straight = if dx.abs() > dy.abs() { (dx.signum(), 0) } else { (0, dy.signum()) };
    name_of(if luck & 64 == 0 || straight == (0, 0) { diagonal } else { straight })
}

fn direction(from: Square, to: Square) -> Option<&'static str> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let aligned = dx == 0 || dy == 0 || dx.abs() == dy.abs();
    aligned.then(|| name_of((dx.signum(), dy.signum())))
}

fn name_of(step: Square) -> &'static str {
    STEPS
        .iter()
        .find(|(_, x, y)| (*x, *y) == step)
        .map_or("N", |(name, _, _)| name)
}

fn ahead(projectile: &Projectile, squares: i32) -> Square {
    let (at, step) = (projectile.at, projectile.step);
    (at.0 + squares * step.0, at.1 + squares * step.1)
}

/// Row and column 0 are walls under the original rules, so we keep out of them.
fn open(view: &View, here: Square) -> bool {
    (1..SIZE).contains(&here.0) && (1..SIZE).contains(&here.1) && here != view.foe
}

fn distance(a: Square, b: Square) -> i32 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

fn parse(text: &str) -> Option<View> {
    let lines: Vec<&str> = text.split('\n').collect();
    let grid = lines.get(..SIZE as usize)?;
    let find = |symbol: char| {
        grid.iter()
            .zip(0..)
            .find_map(|(row, y)| row.find(symbol).map(|x| (x as i32, y)))
    };
    let mut view = View {
        me: find('Y')?,
        foe: find('X')?,
        mines: Vec::new(),
        projectiles: Vec::new(),
    };
    for line in &lines[SIZE as usize..] {
        add_item(&mut view, line);
    }
    Some(view)
}

fn add_item(view: &mut View, line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    let number = |index: usize| -> Option<i32> { fields.get(index)?.get(2..)?.parse().ok() };
    let (Some(x), Some(y)) = (number(1), number(2)) else {
        return;
    };
    let step = fields
        .get(3)
        .and_then(|field| field.strip_prefix("dir="))
        .and_then(|name| STEPS.iter().find(|step| step.0 == name))
        .map(|(_, x, y)| (*x, *y));
    match (fields[0], step) {
        ("L", _) => view.mines.push((x, y)),
        ("B", Some(step)) => view.projectiles.push(Projectile { at: (x, y), step, reach: 3, damage: 1 }),
        ("M", Some(step)) => view.projectiles.push(Projectile { at: (x, y), step, reach: 2, damage: 2 }),
        _ => {}
    }
}

/// FNV-1a over seed and view: repeatable, but different from bout to bout.
fn noise(seed: &str, view: &str) -> u32 {
    let sum = seed
        .bytes()
        .chain(view.bytes())
        .fold(2_166_136_261_u32, |h, byte| (h ^ u32::from(byte)).wrapping_mul(16_777_619));
    sum ^ (sum >> 16)
}
