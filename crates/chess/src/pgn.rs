//! PGN of a recorded bout, from what `joust replay BOUT --format json --turns` says.

use std::fmt::{self, Write};

use cozy_chess::util::{display_san_move, parse_uci_move};
use cozy_chess::{Board, Move};
use serde_json::Value;

use crate::bout::opening;

/// Why a text is no bout of chess.
#[derive(Debug)]
pub struct NotABout(String);

impl fmt::Display for NotABout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is no bout of chess: {}", self.0)
    }
}

impl std::error::Error for NotABout {}

/// Returns a bout as PGN.
///
/// # Errors
///
/// [`NotABout`]: it is not what `joust replay` says of a bout of chess, or lacks its turns.
pub fn pgn(json: &str) -> Result<String, NotABout> {
    let bout: Value = serde_json::from_str(json).map_err(|error| NotABout(error.to_string()))?;
    let missing = |what: &str| NotABout(format!("there is no `{what}`"));
    let turns = bout["turns"].as_array().ok_or_else(|| missing("turns"))?;
    let words: Vec<&str> = turns.iter().filter_map(|turn| turn["action"].as_str()).collect();
    let seed = seed_of(&bout["seed"]).ok_or_else(|| missing("seed"))?;
    let result = result_of(&bout).ok_or_else(|| missing("seats"))?;
    let played = if has_book(&bout["options"]) { opening(seed) } else { Vec::new() };
    let moves = moves_of(played, &words)?;
    let text = |value: &Value| value.as_str().unwrap_or("?").replace(['"', '\\'], "'");
    let mut pgn = String::new();
    let tags = [
        ("Event", text(&bout["event"])),
        ("Site", "?".to_owned()),
        ("Date", "????.??.??".to_owned()),
        ("Round", "?".to_owned()),
        ("White", text(&bout["seats"][0]["bot"])),
        ("Black", text(&bout["seats"][1]["bot"])),
        ("Result", result.to_owned()),
        ("Termination", text(&bout["ended"])),
    ];
    for (name, value) in tags {
        writeln!(pgn, "[{name} \"{value}\"]").expect("it is memory");
    }
    pgn.push('\n');
    pgn.push_str(&movetext(&moves, result));
    Ok(pgn)
}

/// Returns whether a bout with these options begins with an opening. One that says no options
/// begins at the start position: an opening is never guessed.
fn has_book(options: &Value) -> bool {
    options.is_object() && options["openings"].as_str() != Some("none")
}

/// The moves of an opening and those played after it; the last answer may be none.
fn moves_of(opening: Vec<Move>, words: &[&str]) -> Result<Vec<Move>, NotABout> {
    let mut board = Board::startpos();
    let mut moves = opening;
    moves.iter().for_each(|played| board.play(*played));
    for word in words.iter().filter_map(|word| word.split_whitespace().next()) {
        let chosen = parse_uci_move(&board, word).ok().filter(|chosen| board.is_legal(*chosen));
        let chosen =
            chosen.ok_or_else(|| NotABout(format!("`{word:.20}` is no move in `{board}`")))?;
        board.play(chosen);
        moves.push(chosen);
    }
    Ok(moves)
}

fn seed_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn result_of(bout: &Value) -> Option<&'static str> {
    let rank = |seat: usize| bout["seats"][seat]["rank"].as_u64();
    Some(match rank(0)?.cmp(&rank(1)?) {
        std::cmp::Ordering::Less => "1-0",
        std::cmp::Ordering::Equal => "1/2-1/2",
        std::cmp::Ordering::Greater => "0-1",
    })
}

/// Numbered moves in lines of at most 80 characters.
fn movetext(moves: &[Move], result: &str) -> String {
    let mut board = Board::startpos();
    let mut words = Vec::new();
    for (index, played) in moves.iter().enumerate() {
        if index % 2 == 0 {
            words.push(format!("{}.", index / 2 + 1));
        }
        words.push(display_san_move(&board, *played).to_string());
        board.play(*played);
    }
    words.push(result.to_owned());
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let joint = match () {
            () if width == 0 => "",
            () if width + 1 + word.len() > 80 => "\n",
            () => " ",
        };
        width = if joint == " " { width + 1 + word.len() } else { word.len() };
        text.push_str(joint);
        text.push_str(&word);
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bout_has_its_opening_its_moves_and_its_result() {
        let bout = r#"{"event":"chess","options":{"openings":"book"},"seed":0,"ended":"checkmate",
            "seats":[{"bot":"a","rank":1},{"bot":"b","rank":2}],
            "turns":[{"action":"e1g1"},{"action":"f8e7 ponder f1e1"}]}"#;
        let pgn = pgn(bout).expect("it is a bout");
        assert!(pgn.contains("[White \"a\"]") && pgn.contains("[Result \"1-0\"]"), "{pgn}");
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n";
        assert!(pgn.contains(moves), "{pgn}");
    }

    #[test]
    fn an_opening_that_was_not_played_is_not_written() {
        let movetext = |options: &str| {
            let bout = format!(
                r#"{{{options}"seed":3339120856062518615,"seats":[{{"rank":1}},{{"rank":2}}],
                "turns":[{{"action":"a2a3"}},{{"action":""}}]}}"#
            );
            let pgn = pgn(&bout).expect("it is a bout");
            pgn.split_once("\n\n").expect("tags come first").1.trim_end().to_owned()
        };
        assert_eq!(movetext(r#""options":{"openings":"none"},"#), "1. a3 1-0");
        assert_eq!(movetext(""), "1. a3 1-0", "nothing says that there was one");
        let with_book = "1. c4 e5 2. Nc3 Nf6 3. Nf3 Nc6 4. g3 d5 5. a3 1-0";
        assert_eq!(movetext(r#""options":{"openings":"book"},"#), with_book);
        assert_eq!(movetext(r#""options":{},"#), with_book, "it is the game's default");
    }

    #[test]
    fn what_is_no_bout_is_told_so() {
        for (text, why) in [("{", "EOF"), ("{}", "no `turns`"), (r#"{"turns":[]}"#, "no `seed`")] {
            let error = pgn(text).expect_err(text).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
