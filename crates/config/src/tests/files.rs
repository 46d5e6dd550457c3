//! Files that are no YAML, cannot be read, or have too much of something.

use std::path::Path;

use joust_referee::Catalogue;

use super::super::load;
use super::read;
use super::refused::{hint, problems};

#[test]
fn broken_yaml_is_refused_at_its_place() {
    let cases = [
        ("", "error: the file is empty"),
        ("# nothing\n", "error: the file is empty"),
        ("---\n", "error: expected a mapping of keys and values, found nothing"),
        ("- a\n", "error: expected a mapping of keys and values, found a list"),
        (
            "battlebots\n",
            "error: expected a mapping of keys and values, found the text `battlebots`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(problems(text), [expected], "{text:?}");
    }
    for text in [
        "a: [",
        "a: b: c",
        "events:\n\t- game: x\n",
        "\"",
        "a: *b",
        "a: !x 1",
        "a: 1\n---\nb: 2\n",
        "\0",
        "a: 'b\n",
        "%YAML 9",
    ] {
        let errors = read(text).expect_err(text);
        assert!(errors.0[0].message.starts_with("malformed YAML: "), "{text:?}: {errors}");
        assert!(errors.0[0].place.is_some());
    }
}

#[test]
fn a_tab_gets_a_hint() {
    assert_eq!(
        hint("events:\n\t- game: battlebots\n"),
        "indent with spaces; YAML takes no tabs there"
    );
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..40 {
        let line = format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}, *a{0}]\n", level - 1);
        text.push_str(&line);
    }
    assert!(problems(&text)[0].starts_with("error: malformed YAML: "));
}

#[test]
fn deep_nesting_is_refused() {
    let text = "[".repeat(100_000);
    assert!(problems(&text)[0].starts_with("error: malformed YAML: "));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.yaml");
    let text = load(&missing, &Catalogue::built_in()).unwrap_err().to_string();
    assert!(text.starts_with("error: the file does not exist\n --> "), "{text}");
    let text = load(folder.path(), &Catalogue::built_in()).unwrap_err().to_string();
    assert!(text.starts_with("error: this is a folder\n"), "{text}");
    std::fs::write(&missing, b"name: \xff\n").unwrap();
    let errors = load(&missing, &Catalogue::built_in()).unwrap_err();
    assert_eq!(errors.0[0].message, "the file is not UTF-8");
    assert_eq!(errors.0[0].place.unwrap().column, 7);
}

#[test]
fn only_plain_files_are_read() {
    let text = load(Path::new("/dev/zero"), &Catalogue::built_in()).unwrap_err().to_string();
    assert!(text.starts_with("error: this is a device, not a plain file\n"), "{text}");
    assert!(text.contains("\nhint: "), "{text}");
}
