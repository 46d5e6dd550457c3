#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a text takes no long, which a clock measures"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::KeyFile;

fn refused(text: &str) -> (usize, usize, String) {
    let start = Instant::now();
    let refusal = read(text).expect_err("it was read");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    (refusal.place.line, refusal.place.column, refusal.message)
}

#[track_caller]
fn assert_too_deep(text: &str) {
    let (line, column, message) = refused(text);
    assert_eq!(message, "malformed YAML: lists and mappings are nested too deeply");
    assert!((line, column) > (1, DEEPEST) || line > DEEPEST, "{line}:{column}");
}

#[test]
fn deep_brackets_are_refused_at_once() {
    for bracket in ["[", "{", "[{", "{[", "{a: ", "[a, ", "[\"\", [", "? [", "\"\": [", "[ !!seq "]
    {
        let (_, _, message) = refused(&bracket.repeat(200_000));
        assert!(message.starts_with("malformed YAML: "), "{bracket}: {message}");
    }
    for bracket in ["[", "{", "{a: ", "[a, "] {
        assert_too_deep(&bracket.repeat(200_000));
        assert_too_deep(&format!("name: a\nevents: {}", bracket.repeat(200_000)));
        assert_too_deep(&format!("events:\n{}", format!("  {bracket}\n").repeat(200_000)));
    }
    let closed = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_too_deep(&closed);
}

#[test]
fn deep_blocks_are_refused_at_once() {
    assert_too_deep(&"- ".repeat(200_000));
    assert_too_deep(&"? ".repeat(200_000));
    assert_too_deep(&"- ? ".repeat(100_000));
    let indented = |item: &str| -> String {
        (0..2000).map(|depth| format!("{}{item}\n", " ".repeat(depth))).collect()
    };
    assert_too_deep(&indented("-"));
    assert_too_deep(&indented("a:"));
    assert_too_deep(&format!("{}{}", "- ".repeat(40), "[".repeat(200_000)));
}

#[test]
fn a_bracket_in_a_text_or_a_comment_is_not_nesting() {
    let brackets = "[".repeat(200_000);
    for text in [
        format!("a: \"{brackets}\""),
        format!("a: '{brackets}'"),
        format!("a: x{brackets}"),
        format!("a: 1 # {brackets}"),
        format!("a: |\n  {brackets}"),
    ] {
        read(&text).expect("it is shallow");
    }
    let deepest = format!("{}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
    read(&deepest).expect("it is as deep as is read");
}

#[test]
fn aliases_count_as_all_that_they_stand_for() {
    let bomb = |width: usize| -> String {
        let items = |name: &str| vec![name; width].join(", ");
        let level = |level: usize| {
            format!("l{level}: &l{level} [{}]\n", items(&format!("*l{}", level - 1)))
        };
        format!("l0: &l0 [{}]\n{}", items("x"), (1..20).map(level).collect::<String>())
    };
    for width in [2, 9, 1000] {
        let (line, _, message) = refused(&bomb(width));
        assert_eq!(message, "malformed YAML: more than 500000 values");
        assert!(line > 1, "{width}: {line}");
    }
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(100_000));
    assert_eq!(refused(&long).2, "malformed YAML: more than 500000 values");
    let chain: String = (1..100_000).map(|at| format!("- &a{at} [*a{}]\n", at - 1)).collect();
    let (line, _, message) = refused(&format!("- &a0 x\n{chain}"));
    assert_eq!(message, "malformed YAML: lists and mappings are nested too deeply");
    assert_eq!(line, DEEPEST);
    assert_eq!(refused("a: &a [*a]").2, "malformed YAML: an alias within its own value");
}

#[test]
fn many_anchors_take_no_long() {
    let anchors: String = (0..100_000).map(|at| format!("- &a{at} x\n")).collect();
    read(&anchors).expect("it is small");
    assert!(refused(&"&a ".repeat(200_000)).2.starts_with("malformed YAML: "));
    assert!(refused(&"*a ".repeat(200_000)).2.starts_with("malformed YAML: "));
    assert!(refused(&"!a ".repeat(200_000)).2.starts_with("malformed YAML: "));
    let nested = format!("{}x{}", "&a [".repeat(60), "]".repeat(60));
    read(&nested).expect("it is shallow");
}

#[test]
fn a_large_text_takes_no_long() {
    let most = usize::try_from(LARGEST_FILE).expect("it fits");
    let long = "x".repeat(most + 1);
    assert_eq!(refused(&long).2, "the file is larger than 4096 KiB");
    let items = "- x\n".repeat(most / 4);
    assert_eq!(refused(&items).2, "malformed YAML: more than 500000 values");
    for text in ["x", "x ", "'", "\"", ": ", "#", "\n", "%a\n", "---\n", "-", "x\n\n", "|\n", "\t"]
    {
        let start = Instant::now();
        _ = read(&text.repeat(most / text.len()));
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "{text:?}: {took:?}");
    }
}

#[test]
fn a_value_stands_where_it_is_written() {
    let root = read("name: cup\nevents:\n  - game: x\n    bots: [a, \"b c\"]\n").unwrap();
    let place = |line, column, width| SourceLocation { line, column, width };
    let NodeValue::Map(entries) = &root.value else { panic!("{root:?}") };
    assert_eq!((entries[0].place, entries[0].node.place), (place(1, 1, 4), place(1, 7, 3)));
    let event = entries[1].node.item("0").unwrap();
    assert_eq!(event.get("game").unwrap().place, place(3, 11, 1));
    assert_eq!(event.get("bots").unwrap().item("1").unwrap().place, place(4, 15, 5));
    let wide = read("é: ü").unwrap();
    assert_eq!(wide.get("é").unwrap().place, place(1, 4, 1));
}

#[test]
fn scalars_have_the_types_of_the_core_schema() {
    let shown =
        |text: &str| format!("{:?}", read(&format!("- {text}")).unwrap().item("0").unwrap().value);
    for (text, value) in [
        ("", "Null"),
        ("~", "Null"),
        ("True", "Bool(true)"),
        ("yes", "Text(\"yes\")"),
        ("'1'", "Text(\"1\")"),
        ("-7", "Int(-7)"),
        ("0x1F", "Int(31)"),
        ("007", "Text(\"007\")"),
        ("0", "Int(0)"),
        ("18446744073709551616", "Int(18446744073709551616)"),
        ("1.50", "Float(1.5)"),
        (".5", "Float(0.5)"),
        ("1e3", "Float(1000.0)"),
        ("-.inf", "Float(-inf)"),
        ("1.2.3", "Text(\"1.2.3\")"),
        ("nan", "Text(\"nan\")"),
        (
            "-",
            "List([Node { value: Null, place: SourceLocation { line: 1, column: 4, width: 1 } }])",
        ),
    ] {
        assert_eq!(shown(text), value, "{text}");
    }
}

#[test]
fn tags_and_duplicate_keys_are_seen() {
    assert_eq!(refused("a: !secret 1"), (1, 4, "malformed YAML: the tag `!secret`".to_owned()));
    let NodeValue::Map(entries) = read("a: 1\na: 2").unwrap().value else { panic!("no mapping") };
    assert_eq!(entries.len(), 2);
}

#[test]
fn an_empty_file_gets_a_hint_at_its_content() {
    let file = KeyFile::parse("# nothing\n", Path::new("game.yaml"), "a game has an `id`");
    let refused = file.err().expect("it is empty").remove(0).to_string();
    assert!(refused.contains("the file is empty"), "{refused}");
    assert!(refused.contains("a game has an `id`"), "{refused}");
}
