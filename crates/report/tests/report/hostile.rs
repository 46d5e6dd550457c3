//! Names and reasons that want to be more than text.

use joust_model::{Reason, TieBreak};
use joust_report::{TextStyle, formats};
use joust_standings::standings::{Standings, table};

use crate::fixtures::{bout, event, plain, written};

const NAMES: [&str; 8] = [
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "<script>alert(1)</script>",
    "a|b\\|c",
    "[x](http://evil.example) ![i](http://evil.example/i.png) @team https://evil.example",
    "\u{202e}txt.exe\u{200b}",
    "=HYPERLINK(\"http://evil.example\")",
    "-2+3\t`**``",
    "::error::broken\n::set-output name=x::y",
];

fn hostile() -> Standings {
    let mut event = event(&NAMES);
    for (name, bot) in NAMES.iter().zip(&mut event.bots) {
        bot.author = (*name).to_owned();
        bot.owner = (*name).to_owned();
    }
    event.bots[7].sits_out = Some(Reason {
        ours: NAMES[7].to_owned(),
        build_log: NAMES[0].to_owned(),
        stderr: NAMES[1].to_owned(),
    });
    let bouts = [bout([NAMES[0], NAMES[1]], [1, 2], 0), bout([NAMES[2], NAMES[3]], [1, 2], 0)];
    table(&event, &bouts, &TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT))
}

#[test]
fn no_format_lets_through_what_a_terminal_obeys_or_a_reader_cannot_see() {
    for (name, format) in formats(TextStyle::default()) {
        let standings = hostile();
        let text = format.leaderboard(&plain(&standings));
        let bad = text.chars().find(|character| {
            let ours = matches!(character, '\n' | '\t') && name == "classic";
            let hidden = matches!(character, '\u{202e}' | '\u{200b}');
            (character.is_control() && *character != '\n' && !ours) || hidden
        });
        assert_eq!(bad, None, "{name}");
    }
}

#[test]
fn no_line_of_a_table_begins_with_a_strangers_text() {
    for name in ["text", "markdown"] {
        let text = written(name, &hostile(), TextStyle::default());
        let forged = text.lines().find(|line| {
            let line = line.trim_start();
            line.starts_with("::") || line.starts_with("##[")
        });
        assert_eq!(forged, None);
    }
}

#[test]
fn every_line_of_a_markdown_table_has_the_same_number_of_cells() {
    let text = written("markdown", &hostile(), TextStyle::default());
    let first = text.split("\n\n").find(|part| part.starts_with("| #")).expect("a leaderboard");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let counts: Vec<_> = first.lines().map(cells).collect();
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?} {first}");
}

#[test]
fn markdown_shows_names_as_code_and_nothing_else() {
    let text = written("markdown", &hostile(), TextStyle::default());
    assert!(text.contains("| `<script>alert(1)</script>` |"), "{text}");
    assert!(text.contains("| ``` -2+3\\u{9}`**`` ``` |"), "{text}");
}

#[test]
fn no_cell_of_a_spreadsheet_is_a_formula() {
    let text = written("csv", &hostile(), TextStyle::default());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines: Vec<_> = reader.records().map(|line| line.expect("a line")).collect();
    assert_eq!(lines.len(), NAMES.len());
    let names = lines.iter().flat_map(|line| [1, 2, 3].map(|column| line[column].to_owned()));
    for name in names {
        assert!(!name.starts_with(['=', '+', '-', '@', '\t', '\r']), "{name}");
    }
}

#[test]
fn json_gives_back_names_exactly() {
    let text = written("json", &hostile(), TextStyle::default());
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let rows = value["rows"].as_array().expect("rows");
    let mut names: Vec<_> = rows.iter().filter_map(|row| row["bot"].as_str()).collect();
    let mut expected = NAMES;
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}
