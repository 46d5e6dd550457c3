use super::*;
use crate::manifest::Command;

fn read(text: &str) -> Result<Manifest, Vec<String>> {
    let languages = &crate::source_language::tests::shipped();
    let known = ManifestContext { languages, given: None, server: None };
    parse(Path::new("bot.yaml"), text, known)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[test]
fn every_key_is_read() {
    let manifest = read(
        "name: Ann\nauthor: A. Uthor\nowner: ann\nlanguage: c\nentry: src\\main.c\n\
         build: [make, [make, 'in stall']]\nrun: ./ann --fast\nargs: ['-v', 2]\nenabled: false\nexample: true\n",
    );
    let commands = |list: &[&[&str]]| -> Vec<Command> {
        list.iter().map(|words| words.iter().map(ToString::to_string).collect()).collect()
    };
    assert_eq!(
        manifest,
        Ok(Manifest {
            name: "Ann".to_owned(),
            author: Some("A. Uthor".to_owned()),
            owner: Some("ann".to_owned()),
            language: "c".to_owned(),
            entry: Some("src/main.c".to_owned()),
            beside: Vec::new(),
            build: Some(commands(&[&["make"], &["make", "in stall"]])),
            run: commands(&[&["./ann", "--fast"]]).pop(),
            args: commands(&[&["-v", "2"]]).remove(0),
            trailing: Vec::new(),
            enabled: false,
            example: true,
            project: None,
            server: None,
        })
    );
}

#[test]
fn the_language_follows_from_the_entry() {
    let manifest = read("\u{feff}name: x\nentry: go.rb\n").unwrap();
    assert_eq!((manifest.language.as_str(), manifest.enabled), ("ruby", true));
}

#[test]
fn all_problems_are_reported_at_once_with_their_places() {
    let problems = read("nmae: x\nlanguage: pyton\nentry: ../x.py\nenabled: maybe\n");
    assert_eq!(
        problems.unwrap_err(),
        [
            "bot.yaml:1:1: unknown key `nmae` (did you mean `name`?)",
            "bot.yaml:3:8: entry: `../x.py` leaves the bot's folder (name a file within it, such as `entry: main.py`)",
            "bot.yaml:4:10: enabled: expected `true` or `false`, found the text `maybe` (write `true` or `false`, without quotes)",
            "bot.yaml:1:1: missing key `name` (add a line such as `name: my bot`)",
            "bot.yaml:2:11: language: unknown language `pyton` (did you mean `python`?)",
        ]
    );
}

#[test]
fn a_key_with_nothing_behind_it_counts_as_missing() {
    assert_eq!(
        read("name:\nlanguage: ~\n").unwrap_err(),
        [
            "bot.yaml:1:1: missing key `name` (add a line such as `name: my bot`)",
            "bot.yaml:1:1: missing key `language` (add a line such as `language: python`)",
        ]
    );
}

#[test]
fn the_schema_for_editors_has_the_same_keys() {
    let schema = crate::manifest::schema(&crate::source_language::tests::shipped());
    let properties = schema["properties"].as_object().unwrap();
    let refused = read("name: x\nlanguage: c\nzzzzzzzz: 1\n").unwrap_err().remove(0);
    let known = refused.split_once("keys here are ").expect("a list of keys").1;
    let known = known.split('`').skip(1).step_by(2);
    assert_eq!(
        properties.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(),
        known.collect()
    );
}

#[test]
fn reader_and_cases_of_the_schema_agree() {
    let text = include_str!("../../../../config/src/tests/cases.yaml");
    let cases: serde_json::Value = joust_config::yaml::from_str(text).unwrap();
    for (key, is_accepted) in [("accepted", true), ("refused", false), ("refused_by_joust", false)]
    {
        for case in cases["bot"][key].as_array().unwrap() {
            let result = read(case.as_str().unwrap());
            // A language that only a tournament knows.
            let unknown = |problems: &[String]| problems[0].contains("`mine-own`");
            let is_read = result.as_ref().map_or_else(|problems| unknown(problems), |_| true);
            assert_eq!(is_read, is_accepted, "{case:?}: {result:?}");
        }
    }
}

#[test]
fn a_key_given_twice_is_refused_at_its_second_place() {
    let problems = read("name: x\nlanguage: c\nname: y\n").unwrap_err();
    let expected = "bot.yaml:3:1: `name` is given twice, first on line 1 (delete one of the two)";
    assert_eq!(problems, [expected]);
}

#[test]
fn a_tab_gets_a_hint_at_spaces() {
    let problems = read("name:\ttabs\n\tlanguage: c\n").unwrap_err();
    assert!(problems[0].starts_with("bot.yaml:2:"), "{problems:?}");
    assert!(
        problems[0].ends_with("(indent with spaces; YAML takes no tabs there)"),
        "{problems:?}"
    );
}

#[test]
fn a_name_with_an_invisible_character_is_refused_and_shown_escaped() {
    let problems = read("name: \"a\\u202eb\"\nlanguage: c\n").unwrap_err();
    let expected = "bot.yaml:1:7: name: the name has a character that cannot be seen: U+202E (";
    assert!(problems[0].starts_with(expected), "{problems:?}");
}

#[test]
fn deep_nesting_is_refused_with_a_place() {
    let text = format!("name: {}", "[".repeat(60_000));
    let problems = read(&text).unwrap_err();
    let expected =
        "bot.yaml:1:71: malformed YAML: lists and mappings are nested too deeply (close them";
    assert!(problems[0].starts_with(expected), "{problems:?}");
    let problems = read(&format!("name: x\nauthor:\n {}x", "- ".repeat(30_000))).unwrap_err();
    assert!(problems[0].starts_with("bot.yaml:"), "{problems:?}");
}

#[test]
fn an_absolute_entry_or_one_with_a_drive_is_refused() {
    for entry in ["/etc/passwd", "C:\\x.py", "\\\\host\\x.py", "a//b.py"] {
        let problems = read(&format!("name: x\nlanguage: c\nentry: '{entry}'\n"));
        let problem = problems.unwrap_err().remove(0);
        assert!(problem.starts_with("bot.yaml:3:8: entry: `"), "{problem}");
        assert!(problem.contains("` leaves the bot's folder ("), "{problem}");
    }
}

/// Whatever stands where one value is wanted: every problem has its line and column, and
/// says what to write.
#[test]
fn every_wrong_value_has_a_place_and_a_hint() {
    let keys = ["name", "author", "owner", "language", "entry", "build", "run", "args"];
    let flags = ["enabled", "example"];
    let values = [
        "1.0",
        "-5",
        "99999999999999999999999999",
        "",
        "''",
        "null",
        "[a, {b: c}]",
        "{a: b}",
        "!tag x",
        "&a b",
        "*none",
        "true",
        "'\u{7}'",
        "'a",
        "\"\\q\"",
        "[[",
        "'a\\0b'",
        "yes",
    ];
    for key in keys.into_iter().chain(flags) {
        for value in values {
            let text = format!("# first\n{key}: {value}\nx-unknown: 1\n");
            let Err(problems) = parse(
                Path::new("bot.yaml"),
                &text,
                ManifestContext {
                    languages: &crate::source_language::tests::shipped(),
                    given: None,
                    server: None,
                },
            ) else {
                panic!("{text}")
            };
            let of_line = problems.iter();
            for problem in of_line {
                assert!(problem.place.is_some(), "{text}: {problem}");
            }
            for problem in problems {
                assert!(problem.hint.is_some(), "{text}: {problem}");
            }
        }
    }
}

#[test]
fn control_characters_and_second_documents_have_their_place() {
    let cases = [
        ("name: x\nauthor: a\u{7}b\n", "2:10: malformed YAML: a control character (U+0007) ("),
        ("name: x\nauthor: a\0b\n", "2:10: malformed YAML: a NUL character (U+0000) ("),
        ("name: x\r\nlanguage: c\r\n---\r\na: b\r\n", "3:1: malformed YAML: a second document"),
        ("name: x\rlanguage: c\r---\ra: b\r", "3:1: malformed YAML: a second document"),
    ];
    for (text, expected) in cases {
        let problems = read(text).unwrap_err();
        assert!(problems[0].starts_with(&format!("bot.yaml:{expected}")), "{problems:?}");
    }
    assert!(read("---\nname: x\nlanguage: c\n").is_ok());
}

#[test]
fn a_list_is_no_manifest() {
    let problems = read("- name: x\n").unwrap_err();
    assert!(problems[0].starts_with("bot.yaml:1:1: expected a mapping of keys and values"));
}
