//! Files that are large, or that name others many times.

use joust_referee::Catalogue;

use super::pondering::try_own;
use super::refused::problems;
use super::{SMALL, with_event_lines};
use crate::{parse, parse_with_games_in};

#[test]
fn too_many_events_and_patterns_that_are_too_long_are_refused() {
    let nested = format!("[\"{}a{}\"]", "{".repeat(100_000), "}".repeat(100_000));
    let long = format!("events:\n  - {{ game: battlebots, bots: {nested} }}\n");
    let expected = ["error: events[0].bots[0]: a pattern has at most 1000 bytes"];
    assert_eq!(problems(&long), expected);
    let many = format!("events:\n{}", "  - { game: battlebots, bots: [a] }\n".repeat(1001));
    assert_eq!(problems(&many), ["error: events: a tournament has at most 1000 events"]);
}

#[test]
fn mistakes_beyond_two_hundred_are_left_out() {
    let many: String = (0..50_000).map(|at| format!("wrong{at}: 1\n")).collect();
    assert_eq!(problems(&format!("{SMALL}{many}")).len(), 200);
}

#[test]
fn many_warnings_do_not_hide_a_mistake() {
    let tight = |id: usize| {
        let limits = "limits: { cpu: 1900ms }";
        format!("  - {{ id: e{id}, game: battlebots, bots: [a], {limits} }}\n")
    };
    let events: String = (0..300).map(tight).collect();
    let wrong = "  - { id: last, game: battlebots, bots: [a], bouts: 0 }\n";
    let expected = ["error: events[300].bouts: `0` is out of range"];
    assert_eq!(problems(&format!("events:\n{events}{wrong}")), expected);
}

#[test]
fn what_every_event_repeats_is_short() {
    let names: String = (0..300_000).map(|name| format!("b{name},")).collect();
    let schedule = format!("schedule: {{ kind: gauntlet, bots: [{names}] }}");
    let expected = "schedule.bots: a gauntlet names at most 1000 bots";
    assert_eq!(problems(&with_event_lines(&schedule)), [format!("error: events[0].{expected}")]);
    let events = "  - { game: battlebots, bots: [a] }\n".repeat(500);
    let all = format!("defaults: {{ {schedule} }}\nevents:\n{events}");
    assert_eq!(problems(&all)[0], format!("error: defaults.{expected}"));
}

#[test]
fn titles_of_many_events_that_there_are_not_are_not_all_compared() {
    let ids = (0..1000).map(|id| format!("  - {{ id: {id:0>60}, game: battlebots, bots: [a] }}\n"));
    let titles = (0..50_000).map(|title| format!("    {title:x>60}: a\n"));
    let text = format!(
        "site:\n  titles:\n{}events:\n{}",
        titles.collect::<String>(),
        ids.collect::<String>()
    );
    assert_eq!(problems(&text).len(), 20);
}

#[test]
fn a_folder_is_that_of_few_games() {
    let games: String = (0..101).map(|game| format!("g{game}: {{ referee: . }}, ")).collect();
    let text = format!("games: {{ {games} }}\n{SMALL}");
    assert_eq!(problems(&text), ["error: games: a tournament brings at most 100 games"]);
}

#[test]
fn a_tournament_defines_few_languages() {
    let languages: String = (0..501).map(|at| format!("l{at}: {{}}, ")).collect();
    let text = format!("languages: {{ {languages} }}\n{SMALL}");
    assert_eq!(problems(&text), ["error: languages: a tournament defines at most 500 languages"]);
}

#[test]
fn a_game_has_few_options() {
    let options: String = (0..1001).map(|at| format!("  o{at}: {{ type: boolean }}\n")).collect();
    let told = try_own("", &format!("options:\n{options}")).expect_err("too many").to_string();
    assert!(told.contains("a game has at most 1,000 options, of 64 KiB together"), "{told}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
fn a_list_of_libraries_lies_where_the_games_lie() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(ours.path().join("l.txt"), "numpy\n").expect("a file can be written");
    std::fs::write(theirs.path().join("l.txt"), "evil\n").expect("a file can be written");
    let (text, file) = (with_event_lines("provides: l.txt"), theirs.path().join("tournament.yaml"));
    let read = parse_with_games_in(ours.path(), &text, &file, &Catalogue::built_in()).unwrap();
    assert_eq!(read.events[0].requirements.provides["python"].names, ["numpy"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes what is read")]
fn lists_of_libraries_are_short_together() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let list = format!("# {}\nnumpy\n", "x".repeat(1_000_000));
    std::fs::write(folder.path().join("l.txt"), list).expect("a file can be written");
    let read = |languages: usize| {
        let lists: String = (0..languages).map(|at| format!("l{at}: l.txt, ")).collect();
        let text = with_event_lines(&format!("provides: {{ {lists} }}"));
        let read = parse(&text, &folder.path().join("tournament.yaml"), &Catalogue::built_in());
        read.map(drop).map_err(|errors| errors.to_string())
    };
    assert_eq!(read(16), Ok(()));
    let told = read(17).expect_err("they are too long");
    assert!(told.contains("`l.txt`: all lists together have more than 16 MiB"), "{told}");
    assert!(read(101).expect_err("there are too many").contains("more than 100 languages"));
}
