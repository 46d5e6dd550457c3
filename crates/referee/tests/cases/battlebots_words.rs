//! The words of a case.

use joust_referee::games::battlebots::{GameState, Mine, Projectile};
use joust_referee::{Direction, Point, Verdict};

/// Returns the items of a line: what two or more blanks part.
pub(crate) fn items(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|item| !item.is_empty())
}

/// Reads `X` or `Y`.
pub(crate) fn seat(word: &str) -> Result<usize, String> {
    match word {
        "X" => Ok(0),
        "Y" => Ok(1),
        _ => Err(format!("`{word}` is neither `X` nor `Y`")),
    }
}

/// Reads a number.
pub(crate) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.trim().parse().map_err(|_| format!("`{word}` is no number"))
}

/// Reads `4,5`.
pub(crate) fn point(word: &str) -> Result<Point, String> {
    let (x, y) = word.split_once(',').ok_or_else(|| format!("`{word}` is no square"))?;
    Ok(Point { x: number(x)?, y: number(y)? })
}

/// Reads `5,7 E`.
pub(crate) fn projectile(words: &str) -> Result<Projectile, String> {
    let (at, direction) = words.split_once(' ').ok_or("a projectile has a direction")?;
    let direction =
        Direction::from_name(direction).ok_or_else(|| format!("`{direction}` is no direction"))?;
    Ok(Projectile { at: point(at)?, direction })
}

/// Puts one item of `given` on the board.
pub(crate) fn place(state: &mut GameState, item: &str) -> Result<(), String> {
    let (word, rest) = item.split_once(' ').ok_or_else(|| format!("unknown item `{item}`"))?;
    match word {
        "X" | "Y" => place_bot(state, seat(word)?, rest)?,
        "paralysed" => state.paralysed_rounds = number(rest)?,
        "bullet" => state.bullets.push(projectile(rest)?),
        "missile" => state.missiles.push(projectile(rest)?),
        "mine" => state.mines.push(Mine { at: point(rest)?, spent: false }),
        "spent-mine" => state.mines.push(Mine { at: point(rest)?, spent: true }),
        _ => return Err(format!("unknown item `{item}`")),
    }
    Ok(())
}

fn place_bot(state: &mut GameState, seat: usize, words: &str) -> Result<(), String> {
    let (hp, at) = bot(words)?;
    let bot = &mut state.bots[seat];
    bot.hp = hp.unwrap_or(bot.hp);
    bot.at = at.unwrap_or(bot.at);
    Ok(())
}

/// Reads `hp=9 at 5,4`; either half may be left out.
pub(crate) fn bot(words: &str) -> Result<(Option<i32>, Option<Point>), String> {
    let mut found = (None, None);
    let mut rest = words.split(' ');
    while let Some(word) = rest.next() {
        match (word, word.strip_prefix("hp=")) {
            (_, Some(hp)) => found.0 = Some(number(hp)?),
            ("at", _) => found.1 = Some(point(rest.next().unwrap_or_default())?),
            _ => return Err(format!("unknown word `{word}`")),
        }
    }
    Ok(found)
}

/// Reads `X L E   Y "B\nN"`: the machine's verdict and what was printed, in
/// seat order.
pub(crate) fn answers(line: &str) -> Result<[(Verdict, String); 2], String> {
    let mut both = [None, None];
    for item in items(line) {
        let (word, printed) = item.split_once(' ').unwrap_or((item, ""));
        both[seat(word)?] = Some(answer(printed)?);
    }
    match both {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => Err("both seats act in a round".to_owned()),
    }
}

fn answer(printed: &str) -> Result<(Verdict, String), String> {
    let Some(fault) = printed.strip_prefix('!') else {
        return Ok((Verdict::Ok, unquote(printed)?));
    };
    let (name, printed) = fault.split_once(' ').unwrap_or((fault, ""));
    let verdict = Verdict::from_name(name).ok_or_else(|| format!("unknown verdict `{name}`"))?;
    Ok((verdict, unquote(printed)?))
}

fn unquote(text: &str) -> Result<String, String> {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let Some(quoted) = quoted else { return Ok(text.to_owned()) };
    let mut plain = String::new();
    let mut rest = quoted;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let (symbol, after) = escape(after)?;
        plain.push(symbol);
        rest = after;
    }
    Ok(plain + rest)
}

fn escape(text: &str) -> Result<(char, &str), String> {
    if let Some(after) = text.strip_prefix('n') {
        return Ok(('\n', after));
    }
    if let Some(after) = text.strip_prefix('t') {
        return Ok(('\t', after));
    }
    let unknown = || format!("unknown escape `\\{text}`");
    let (hex, after) =
        text.strip_prefix("u{").and_then(|text| text.split_once('}')).ok_or_else(unknown)?;
    let symbol = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
    Ok((symbol.ok_or_else(unknown)?, after))
}
