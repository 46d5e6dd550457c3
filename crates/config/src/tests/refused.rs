use joust_referee::Catalogue;
use std::path::Path;

use proptest::prelude::*;

use super::super::parse;
use super::{EVIL, SMALL, accept, read, refuse, with_event_lines};

/// Returns the first line of every problem.
pub(super) fn problems(text: &str) -> Vec<String> {
    let errors = read(text).expect_err("it was accepted");
    errors.0.iter().map(|problem| problem.to_string().lines().next().unwrap().to_owned()).collect()
}

pub(super) fn hint(text: &str) -> String {
    read(text).expect_err("it was accepted").0[0].hint.clone().unwrap_or_default()
}

#[test]
fn all_problems_are_reported_at_once_with_their_places() {
    insta::assert_snapshot!(refuse(EVIL));
}

#[test]
fn a_tick_is_given_once_and_in_whole_milliseconds() {
    let dungeon = |options: &str| {
        format!(
            "events:\n  - game: coderone-dungeon\n    bots: [a]\n    options: {{ {options} }}\n"
        )
    };
    let both = problems(&dungeon("tick_ms: 50, tick_step: 0.1"));
    assert!(both[0].contains("`tick_ms` is given, too: they are the same"), "{both:?}");
    for wrong in ["0.00001", "0", "fast", "-1", "1e9"] {
        let found = problems(&dungeon(&format!("tick_step: {wrong}")));
        assert!(found[0].contains("expected a whole number from 1 to 60000"), "{found:?}");
    }
}

#[test]
fn options_that_only_together_are_impossible_are_refused_where_they_stand() {
    let dungeon =
        |lines: &str| format!("events:\n  - game: coderone-dungeon\n    bots: [a]\n{lines}");
    let small = refuse(&dungeon("    options: { columns: 5, rows: 6 }\n"));
    let expected = "error: events[0].options.rows: expected at least 12: 2 players and all blocks \
                    need 56 squares, found `6`\n --> cup/tournament.yaml:4:34\n";
    assert!(small.starts_with(expected), "{small}");
    let narrow = refuse(&dungeon("    options: { columns: 5 }\n    players_per_match: 8\n"));
    assert!(narrow.contains("options.rows: expected at least"), "{narrow}");
    assert!(narrow.contains("--> cup/tournament.yaml:4:14"), "{narrow}");
    accept(&dungeon("    options: { columns: 5, rows: 12 }\n"));
}

#[test]
fn a_schedule_says_a_kind_and_what_belongs_to_it() {
    let cases = [
        ("{ bots: [ada] }", ": missing key `kind`", "for instance `schedule: { kind"),
        ("{ kind: swis }", ".kind: unknown schedule `swis`", "did you mean `swiss`?"),
        ("{ kind: partial }", ": missing key `matches_per_bot`", "for instance `matches_per"),
        (
            "{ kind: partial, matches_per_bot: 0 }",
            ".matches_per_bot: `0` is out of range",
            "it can be 1 to 100000",
        ),
        ("{ kind: gauntlet, bots: [] }", ".bots: there is no bot in the list", "name one bot"),
        (
            "{ kind: gauntlet, bots: [ada, ada] }",
            ".bots[1]: `ada` is in the list already",
            "delete one",
        ),
        ("{ kind: round-robin, bots: [ada] }", ": unknown key `bots`", "keys here are `kind`"),
    ];
    for (schedule, problem, expected) in cases {
        let text = with_event_lines(&format!("schedule: {schedule}"));
        assert_eq!(problems(&text), [format!("error: events[0].schedule{problem}")]);
        assert!(hint(&text).starts_with(expected), "{}", hint(&text));
    }
}

#[test]
fn an_unknown_game_looks_as_documented() {
    let text = "name: cup\nevents:\n  - game: battlebots\n    bots: [a]\n  - id: b\n    \
                game: batlebots\n    bots: [b]\n";
    let expected = "error: events[1].game: unknown game `batlebots`\n --> cup/tournament.yaml:6:11\n  |\n\
                    6 |     game: batlebots\n  |           ^^^^^^^^^\nhint: did you mean `battlebots`?";
    assert_eq!(refuse(text), expected);
}

#[test]
fn what_a_clock_cannot_be_is_named() {
    let dungeon =
        |lines: &str| format!("events:\n  - game: coderone-dungeon\n    bots: [a]\n    {lines}\n");
    for (text, expected) in [
        (dungeon("clock: egaer"), "events[0].clock: unknown clock `egaer`"),
        (
            dungeon("clock: realtime\n    limits: { bout: 10s }"),
            "events[0].limits.bout: `bout` (10s) is shorter than a bout by its clock (180200ms)",
        ),
        (
            with_event_lines("clock: eager"),
            "events[0].clock: `battlebots` is not a game on a clock",
        ),
        (
            with_event_lines("limits: { cpu_bout: 1s }"),
            "events[0].limits.cpu_bout: `battlebots` is not a game on a clock",
        ),
    ] {
        assert_eq!(problems(&text), [format!("error: {expected}")], "{text}");
    }
}

#[test]
fn a_wrong_value_of_an_event_is_named() {
    let cases = [
        ("rules: orignal", "events[0].rules: unknown rule set `orignal`"),
        ("options: { max_round: 5 }", "events[0].options: unknown key `max_round`"),
        (
            "options: { max_rounds: 0 }",
            "events[0].options.max_rounds: expected a whole number from 1 to 1000, found `0`",
        ),
        (
            "options: { max_rounds: many }",
            "events[0].options.max_rounds: expected a whole number from 1 to 1000, found `many`",
        ),
        ("bouts: 0", "events[0].bouts: `0` is out of range"),
        ("bouts: -3", "events[0].bouts: `-3` is out of range"),
        ("bouts: 1.5", "events[0].bouts: expected a whole number, found the number `1.5`"),
        (
            "bouts: 99999999999999999999999",
            "events[0].bouts: `99999999999999999999999` is out of range",
        ),
        ("mirror: maybe", "events[0].mirror: expected `true` or `false`, found the text `maybe`"),
        ("seats: first", "events[0].seats: unknown seat order `first`"),
        ("id: a/b", "events[0].id: `a/b` cannot be an event's id"),
        ("rank_by: wins", "events[0].rank_by: unknown choice `wins`"),
        (
            "tie_breaks: [koya, match-wins]",
            "events[0].tie_breaks[1]: the bots are ranked by `match-wins` already",
        ),
        (
            "tie_breaks: [score]\nrank_by: score",
            "events[0].tie_breaks[0]: the bots are ranked by `score` already",
        ),
        ("tie_breaks: [koja]", "events[0].tie_breaks[0]: unknown tie-break `koja`"),
        (
            "tie_breaks: [koya, koya]",
            "events[0].tie_breaks[1]: this tie-break is in the list already",
        ),
        ("deadline: tomorrow", "events[0].deadline: `tomorrow` is not a point in time"),
        ("players_per_match: 3", "events[0].players_per_match: `3` is out of range"),
        ("examples: hide", "events[0].examples: unknown choice `hide`"),
        (
            "languages: { python3: 3.12 }",
            "events[0].languages.python3: expected a text, found the number `3.12`",
        ),
        ("limits: { cpu: 2 }", "events[0].limits.cpu: duration `2` has no unit"),
        ("limits: { cpu: 0s }", "events[0].limits.cpu: a limit of zero leaves nothing"),
        ("limits: { memory: 512 }", "events[0].limits.memory: size `512` has no unit"),
        ("limits: { memory: lots }", "events[0].limits.memory: `lots` is not a size"),
        ("limits: { processes: 0 }", "events[0].limits.processes: `0` is out of range"),
        ("limits: { kill: 1s }", "events[0].limits.kill: `kill` (1s) is shorter than `turn` (2s)"),
        ("limits: { turn: 5s }", "events[0].limits.turn: `kill` (4s) is shorter than `turn` (5s)"),
        ("limits: { network: open }", "events[0].limits.network: network `open` is not possible"),
        (
            "limits: 5",
            "events[0].limits: expected a mapping of keys and values, found the number `5`",
        ),
        ("build: { network: closed }", "events[0].build.network: unknown network `closed`"),
        ("calibration: { runs: 0 }", "events[0].calibration.runs: `0` is out of range"),
        ("mirrored: true", "events[0]: unknown key `mirrored`"),
    ];
    for (line, expected) in cases {
        assert_eq!(problems(&with_event_lines(line)), [format!("error: {expected}")], "{line}");
    }
}

#[test]
fn an_address_of_a_webhook_is_refused_and_not_repeated() {
    for value in ["https://discord.example/token", "[https://discord.example/token]"] {
        let text = with_event_lines(&format!("webhooks: {value}"));
        let told = read(&text).expect_err("it is refused").to_string();
        assert!(
            told.contains("unknown key `webhooks`") && told.contains("JOUST_WEBHOOKS"),
            "{told}"
        );
        assert!(!told.contains("token") && told.contains("webhooks: …"), "{told}");
    }
}

#[test]
fn a_suggestion_is_made_where_a_word_is_near() {
    assert_eq!(hint(&with_event_lines("bout: 3")), "did you mean `bouts`?");
    assert_eq!(hint(&with_event_lines("rules: orignal")), "did you mean `original`?");
    assert_eq!(hint(&with_event_lines("limits: { memmory: 1GiB }")), "did you mean `memory`?");
    assert_eq!(hint(&with_event_lines("tie_breaks: [koja]")), "did you mean `koya`?");
    assert_eq!(hint(&with_event_lines("options: { rounds: 1 }")), "keys here are `max_rounds`");
    assert_eq!(hint(&with_event_lines("bouts: 0")), "it can be 1 to 1000000");
}

#[test]
fn missing_keys_are_named() {
    assert_eq!(problems("name: cup\n"), ["error: missing key `events`"]);
    assert_eq!(problems("events: []\n"), ["error: events: there is no event in the list"]);
    assert_eq!(
        problems("events:\n  - id: a\n"),
        ["error: events[0]: missing key `game`", "error: events[0]: missing key `bots`"]
    );
    let no_pattern = "events:\n  - game: battlebots\n    bots: []\n";
    assert_eq!(problems(no_pattern), ["error: events[0].bots: there is no pattern in the list"]);
}

#[test]
fn matches_of_impossible_sizes_and_numbers_are_refused() {
    let crowd = |lines: &str| format!("events:\n  - game: uwcs-bomberman\n    bots: [a]\n{lines}");
    let cases = [
        (
            "    players_per_match: 7\n",
            "players_per_match: `7` is out of range",
            "it can be 2 to 6",
        ),
        (
            "    players_per_match: 1\n",
            "players_per_match: `1` is out of range",
            "it can be 2 to 6",
        ),
    ];
    for (lines, problem, expected) in cases {
        let text = crowd(lines);
        assert_eq!(problems(&text), [format!("error: events[0].{problem}")]);
        assert!(hint(&text).starts_with(expected), "{}", hint(&text));
    }
}

#[test]
fn duplicate_keys_and_ids_are_named_with_both_places() {
    let text = format!("name: a\nname: b\n{SMALL}");
    assert_eq!(problems(&text), ["error: `name` is given twice, first on line 1"]);
    assert_eq!(hint(&text), "delete one of the two");
    let event = "  - { id: Cup, game: battlebots, bots: [a] }\n";
    let text = format!("events:\n{event}{}", event.to_lowercase());
    assert_eq!(problems(&text), ["error: events[1].id: duplicate event id `cup`"]);
}

#[test]
fn a_mistake_in_the_defaults_is_reported_once() {
    let event = |id| format!("  - {{ id: {id}, game: battlebots, bots: [a] }}\n");
    let text = format!(
        "defaults: {{ limits: {{ kill: 1s, bout: 1s }} }}\nevents:\n{}{}",
        event("a"),
        event("b")
    );
    assert_eq!(problems(&text).len(), 2);
}

/// Tries every kind of value in every place: each problem has its line, its column and a hint, and
/// shows the value as it is written.
#[test]
fn every_wrong_value_has_a_place_and_a_hint() {
    const VALUES: [&str; 24] = [
        "1.0",
        "-5",
        "-0.5",
        "99999999999999999999999999999999999999999",
        "0",
        "0.0",
        "''",
        "' '",
        "[a, {b: c}]",
        "{a: b}",
        "[]",
        "!tag x",
        "*none",
        "&a [b]",
        "true",
        "yes",
        "'5'",
        "1_000",
        "0x10",
        ".inf",
        ".nan",
        "'a",
        "\"\\q\"",
        "1e400",
    ];
    let tops = ["name", "seed", "database", "keep_sources", "defaults", "languages", "report"];
    let top = |key: &str, value: &str| format!("# a\n{key}: {value}\n{SMALL}");
    let of_event = |line: String| with_event_lines(&line);
    let events = [
        "id",
        "rules",
        "options",
        "bouts",
        "mirror",
        "seats",
        "players_per_match",
        "schedule",
        "examples",
        "one_per_owner",
        "deadline",
        "tie_breaks",
        "languages",
        "dependencies",
        "clock",
        "limits",
        "build",
        "calibration",
    ];
    let limits = ["cpu", "turn", "kill", "memory", "processes", "output", "disk", "start", "files"];
    for value in VALUES {
        let texts = tops
            .map(|key| top(key, value))
            .into_iter()
            .chain(events.map(|key| of_event(format!("{key}: {value}"))))
            .chain(limits.map(|key| of_event(format!("limits: {{ {key}: {value} }}"))));
        for text in texts {
            let Err(errors) = read(&text) else { continue };
            for problem in errors.0 {
                assert!(problem.place.is_some() && problem.hint.is_some(), "{text}: {problem}");
            }
        }
    }
}

#[test]
fn numbers_are_shown_as_they_are_written_with_what_to_write() {
    let told =
        |line: &str| (problems(&with_event_lines(line)).remove(0), hint(&with_event_lines(line)));
    let seed = format!("seed: 1.0\n{SMALL}");
    assert_eq!(problems(&seed), ["error: seed: expected a whole number, found the number `1.0`"]);
    assert_eq!(hint(&seed), "write `1`");
    let seed = format!("seed: dawn\n{SMALL}");
    assert_eq!(problems(&seed), ["error: seed: unknown seed `dawn`"]);
    assert_eq!(hint(&seed), "write a number, such as `2026`, or `drawn`");
    let (problem, hint) = told("limits: { memory: 0 }");
    assert_eq!(problem, "error: events[0].limits.memory: a limit of zero leaves nothing");
    assert!(hint.contains("`512MiB`"), "{hint}");
    assert_eq!(
        told("limits: { cpu: 0.0 }").0,
        "error: events[0].limits.cpu: a limit of zero leaves nothing"
    );
    assert_eq!(told("bouts: '7'").1, "write `7`");
    assert_eq!(told("bouts: 1_000").1, "write `1000`");
}

#[test]
fn what_no_parser_need_be_asked_about_has_its_place() {
    let cases = [
        (format!("{SMALL}name: a\u{7}b\n"), "a control character (U+0007)"),
        (format!("{SMALL}name: a\0b\n"), "a NUL character (U+0000)"),
        (format!("{SMALL}---\nname: b\n"), "a second document begins here"),
        (
            format!("{SMALL}name: {}\n", "[".repeat(80_000)),
            "lists and mappings are nested too deeply",
        ),
        (format!("{SMALL}name: b\u{9f}\n").replace('\n', "\r"), "a control character (U+009F)"),
    ];
    let line = SMALL.lines().count() + 1;
    for (text, expected) in cases {
        let errors = read(&text).expect_err(expected);
        assert_eq!(errors.0[0].message, format!("malformed YAML: {expected}"));
        assert_eq!(errors.0[0].place.unwrap().line, line, "{errors}");
        assert!(errors.0[0].hint.is_some());
    }
}

#[test]
fn a_value_with_a_line_break_writes_no_hint() {
    let line = "id: \"a\\nwrite this\"";
    assert!(hint(&with_event_lines(line)).starts_with("up to 64 letters"));
    assert!(problems(&with_event_lines(line))[0].ends_with("cannot be an event's id"));
}

#[test]
fn a_value_of_a_wrong_type_gets_a_hint_at_the_right_one() {
    let cases = [
        ("bots: [5]", "events[0].bots[0]: expected a text, found the number `5`"),
        ("provides: 5", "events[0].provides: expected a list, found the number `5`"),
        (
            "provides: { ruby: { a: b } }",
            "events[0].provides.ruby: expected a list, found a mapping",
        ),
        ("bots: [{ name: x }]", "events[0].bots[0]: missing key `path`"),
        ("bots: [{ path: a, nmae: x }]", "events[0].bots[0]: unknown key `nmae`"),
        (
            "tie_breaks: [{ kind: koya }]",
            "events[0].tie_breaks[0]: expected a text, found a mapping",
        ),
        (
            "schedule: round-robin",
            "events[0].schedule: expected a mapping of keys and values, found the text `round-robin`",
        ),
        (
            "schedule: 5",
            "events[0].schedule: expected a mapping of keys and values, found the number `5`",
        ),
    ];
    for (line, expected) in cases {
        let event = format!("events:\n  - game: battlebots\n    {line}\n");
        let event = if line.starts_with("bots") { event } else { with_event_lines(line) };
        assert_eq!(problems(&event), [format!("error: {expected}")], "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_at_all_is_a_panic(text in "[ -~\n\t\u{1b}é数-]{0,200}") {
        if let Err(errors) = parse(&text, Path::new("t.yaml"), &Catalogue::built_in()) {
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn no_value_at_all_is_a_panic(key in "(cpu|memory|processes|cores_per_bot|turn)", value in "[-+0-9.a-zA-Z]{1,40}") {
        let text = with_event_lines(&format!("limits: {{ {key}: {value} }}"));
        if let Err(errors) = parse(&text, Path::new("t.yaml"), &Catalogue::built_in()) {
            prop_assert!(errors.to_string().contains("-->"));
        }
    }
}

#[test]
fn what_cannot_be_public_is_refused_with_what_can() {
    let errors = refuse(&format!("{SMALL}report: {{ public: [email], bouts: -1 }}\n"));
    assert!(errors.contains("unknown part of a site `email`"), "{errors}");
    assert!(errors.contains("verdicts"), "{errors}");
    assert!(errors.contains("report.bouts"), "{errors}");
}

#[test]
fn a_library_is_a_name_and_no_option_path_or_address() {
    for wrong in
        ["--index-url=x", "../evil", "/etc", "git+file:/x", "a b", "https://x", "''", "x;y", "a@b"]
    {
        let found = problems(&with_event_lines(&format!("provides: [{wrong}]")));
        assert!(found[0].contains("is not the name of a library"), "{wrong}: {found:?}");
    }
    let found = problems(&with_event_lines("provides: numpy"));
    assert!(found[0].contains("events[0].provides: expected"), "{found:?}");
}

#[test]
fn known_keys_are_named_once() {
    let hint = hint(&with_event_lines("zzzzzzzz: 1"));
    assert_eq!(hint.matches("`game`").count(), 1, "{hint}");
}

#[test]
fn mistakes_of_a_site_come_with_hints() {
    let site = |lines: &str| problems(&format!("{SMALL}site: {{ {lines} }}\n")).remove(0);
    let cases = [
        ("url: cup.example.org", "error: site.url: `cup.example.org` is no address"),
        ("url: 'https://a.example/?x'", "error: site.url: a site's address has no `?` and no `#`"),
        ("links: { Chat: 'javascript:x' }", "error: site.links.Chat: `javascript:x` is no address"),
        (
            "links: { Chat: 'https://good@evil.example' }",
            "error: site.links.Chat: `https://good@evil.example` is no address",
        ),
        ("logo: logo.exe", "error: site.logo: `logo.exe` is no picture"),
        ("enter: ' '", "error: site.enter: an empty text says nothing"),
        (
            "titles: { battelbots: Arena }",
            "error: site.titles.battelbots: there is no event `battelbots`",
        ),
    ];
    for (lines, said) in cases {
        assert_eq!(site(lines), said);
    }
    let titles = format!("{SMALL}site: {{ titles: {{ battelbots: Arena }} }}\n");
    assert!(hint(&titles).contains("did you mean `battlebots`?"));
}
