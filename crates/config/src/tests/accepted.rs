use std::path::Path;
use std::time::Duration;

use joust_referee::{OptionValue, RankBy};

use super::super::{Dependencies, Examples, Network, Severity, show};
use super::{SMALL, accept, with_event_lines};
use joust_model::{
    Bytes, ClockMode, Limits, PublicPart, Publication, ScheduleKind, Seats, Setting, TieBreak,
};

/// The example in the handbook.
const EXAMPLE: &str = "\
name: Autumn cup
seed: 2026                       # every bout seed derives from it
database: results.db             # relative to this file
defaults:
  limits:
    cpu: 1s
    turn: 2s
    kill: 4s
    memory: 512MiB
    processes: 64
    output: 64KiB
    disk: 64MiB
    network: none
    start: 10s
    bout: 30m
    stderr: 256KiB
    cores_per_bot: 1
  build: { time: 10m, memory: 2GiB, disk: 4GiB, processes: 512, network: none }
  calibration: { runs: 10 }
events:
  - id: battlebots
    game: battlebots
    rules: documented            # or: original
    bots: [bots/battlebots/*]
    bouts: 5
    options: {}
";

#[test]
fn the_example_has_the_documented_values() {
    let tournament = accept(EXAMPLE);
    assert_eq!((tournament.name.as_str(), tournament.seed.0), ("Autumn cup", 2026));
    assert_eq!(tournament.database, Path::new("cup/results.db"));
    let event = &tournament.events[0];
    assert_eq!(event.limits, Limits::default());
    assert_eq!((event.bouts, event.mirror, event.calibration_runs), (5, true, 10));
    assert_eq!(event.bots[0].text, "bots/battlebots/*");
    assert_eq!(event.options.0["max_rounds"], Setting::Int(1000));
    assert!(tournament.warnings.is_empty());
}

#[test]
fn what_the_example_writes_are_the_defaults() {
    let (written, left_out) = (accept(EXAMPLE), accept(SMALL));
    assert_eq!(written.events[0].limits, left_out.events[0].limits);
    assert_eq!(written.events[0].build, left_out.events[0].build);
    assert_eq!(written.events[0].rules, left_out.events[0].rules);
    assert_eq!(left_out.events[0].id, "battlebots");
    assert_eq!(left_out.events[0].ranking(), written.events[0].ranking());
    assert_eq!(left_out.events[0].rank_by, RankBy::Matches);
    assert_eq!(left_out.events[0].tie_breaks, TieBreak::DEFAULT);
}

#[test]
fn an_event_goes_over_the_defaults() {
    let tournament = accept(
        "defaults:\n  limits: { memory: 1GiB, turn: 3s }\n  build: { time: 1m }\n  calibration: { runs: 3 }\n\
         events:\n  - game: battlebots\n    bots: [a]\n    limits: { turn: 2500ms }\n    \
         build: { network: open }\n",
    );
    let event = &tournament.events[0];
    assert_eq!(event.limits.turn, Duration::from_millis(2500));
    assert_eq!(event.limits.memory, Bytes::from_mib(1024));
    assert_eq!(event.limits.kill, Duration::from_secs(4));
    assert_eq!((event.build.time.0, event.build.network), (Duration::from_secs(60), Network::Open));
    assert_eq!(event.calibration_runs, 3);
}

#[test]
fn a_number_spelled_like_a_word_of_an_option_is_that_word() {
    let options = "options: { map_size: 1, release: 1.0 }";
    let event = format!("events:\n  - game: battleships-2017\n    bots: [bots/*]\n    {options}\n");
    let tournament = accept(&event);
    let options = &tournament.events[0].options.0;
    assert_eq!(options["map_size"], Setting::Int(1));
    assert_eq!(options["release"], Setting::Text("1.0".to_owned()));
}

#[test]
fn every_setting_of_an_event_is_read() {
    let tournament = accept(&with_event_lines(
        "id: Final-2\nrules: original\noptions: { max_rounds: 50 }\nbouts: 3\nmirror: false\n\
         examples: retire\none_per_owner: true\ndeadline: 2026-12-01T18:00:00+01:00\n\
         tie_breaks: [points, koya]\nplayers_per_match: 2\nschedule: { kind: partial, matches_per_bot: 7 }\n\
         languages: { python3: \"3.12\" }\ndependencies: forbidden",
    ));
    let event = &tournament.events[0];
    assert_eq!((event.id.as_str(), event.rules.as_str()), ("Final-2", "original"));
    assert_eq!(event.options.0["max_rounds"], Setting::Int(50));
    assert_eq!((event.bouts, event.mirror, event.one_per_owner), (3, false, true));
    assert_eq!(event.examples, Examples::Retire);
    assert_eq!(event.deadline, Some(1_796_144_400_000));
    assert_eq!(event.ranking(), [TieBreak::MatchWins, TieBreak::Points, TieBreak::Koya]);
    assert_eq!(event.players_per_match, 2);
    assert_eq!(event.schedule, ScheduleKind::Partial { matches_per_bot: 7 });
    assert_eq!(event.requirements.versions["python3"], "3.12");
    assert_eq!(event.requirements.dependencies, Dependencies::Forbidden);
}

#[test]
fn seats_that_are_listed_are_not_exchanged_unless_that_is_written() {
    let seating = |lines: &str| {
        let written = accept(&with_event_lines(lines));
        let (event, again) = (&written.events[0], &accept(&show(&written)).events[0]);
        assert_eq!((event.seats, event.mirror), (again.seats, again.mirror), "{lines}");
        (event.seats, event.mirror)
    };
    assert_eq!(seating("bouts: 1"), (Seats::Drawn, true));
    assert_eq!(seating("seats: drawn"), (Seats::Drawn, true));
    assert_eq!(seating("seats: listed"), (Seats::Listed, false));
    assert_eq!(seating("seats: listed\nmirror: true"), (Seats::Listed, true));
}

#[test]
fn libraries_are_a_list_of_python_s_or_lists_by_language() {
    let names = |lines: &str| {
        let tournament = accept(&with_event_lines(lines));
        let sets = tournament.events[0].requirements.provides.iter();
        sets.map(|(id, set)| format!("{id}: {}", set.names.join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(
        names("provides: [numpy, \"scipy[extra]==1.16.*\"]"),
        ["python: numpy scipy[extra]==1.16.*"]
    );
    assert_eq!(
        names("provides: { ruby: [rake], python: [numpy] }"),
        ["python: numpy", "ruby: rake"]
    );
    assert!(names("provides: []").is_empty() && names("bouts: 1").is_empty());
}

/// An event of a game for more than two.
const CROWD: &str = "events:\n  - game: uwcs-bomberman\n    bots: [a]\n    players_per_match: 4\n";

#[test]
fn matches_of_more_than_two_have_their_own_defaults() {
    let crowd = accept(CROWD);
    let event = &crowd.events[0];
    assert_eq!((event.players_per_match, event.bouts), (4, 4));
    assert_eq!(event.schedule, ScheduleKind::Partial { matches_per_bot: 100 });
    assert_eq!((event.rank_by, &event.tie_breaks[..]), (RankBy::Points, &TieBreak::DEFAULT[..]));
    let shown = show(&crowd);
    assert!(shown.contains("kind: partial\n    matches_per_bot: 100\n"), "{shown}");
    let written = accept(&format!("{CROWD}    bouts: 8\n    schedule: {{ kind: round-robin }}\n"));
    let event = &written.events[0];
    assert_eq!((event.bouts, &event.schedule), (8, &ScheduleKind::RoundRobin));
}

#[test]
fn a_schedule_comes_from_the_event_else_from_the_defaults() {
    let kind = |lines: &str| {
        let defaults = "defaults: { schedule: { kind: gauntlet, bots: [ada, bob] } }\n";
        accept(&format!("{defaults}{CROWD}{lines}")).events[0].schedule.clone()
    };
    let named = ["ada", "bob"].map(str::to_owned).to_vec();
    assert_eq!(kind(""), ScheduleKind::Gauntlet { bots: named });
    assert_eq!(kind("    schedule: { kind: round-robin }\n"), ScheduleKind::RoundRobin);
}

#[test]
fn a_game_for_more_is_played_by_two_unless_more_is_written() {
    let pairs = accept("events:\n  - game: uwcs-bomberman\n    bots: [a]\n");
    let event = &pairs.events[0];
    assert_eq!((event.players_per_match, event.bouts), (2, 5));
    assert_eq!(event.schedule, ScheduleKind::RoundRobin);
}

const DUNGEON: &str = "events:\n  - game: coderone-dungeon\n    bots: [bots/*]\n";

#[test]
fn a_game_on_a_clock_is_eager_and_has_a_budget_of_processor_time() {
    let event = &accept(DUNGEON).events[0];
    assert_eq!(event.clock, Some(ClockMode::Eager));
    // Four fifths of 1802 ticks of 100 ms.
    assert_eq!(event.limits.cpu_bout, Some(Duration::from_micros(144_160_000)));
    let other = format!(
        "{DUNGEON}    clock: realtime\n    options: {{ tick_ms: 50, max_iterations: 98 }}\n    \
         limits: {{ bout: 5s }}\n"
    );
    let event = &accept(&other).events[0];
    assert_eq!(event.clock, Some(ClockMode::Realtime));
    assert_eq!(event.limits.cpu_bout, Some(Duration::from_secs(4)));
    let written = format!("{DUNGEON}    limits: {{ cpu_bout: 7s }}\n");
    assert_eq!(accept(&written).events[0].limits.cpu_bout, Some(Duration::from_secs(7)));
}

#[test]
fn the_dungeon_s_tick_may_be_given_in_seconds_as_in_the_original() {
    for (seconds, ms) in [("0.1", 100), ("2", 2000), (".025", 25), ("'0.05'", 50)] {
        let text = format!("{DUNGEON}    options: {{ tick_step: {seconds} }}\n");
        let options = accept(&text).events[0].options.to_referee();
        assert_eq!(options.get("tick_ms"), Some(&OptionValue::Int(ms)), "{seconds}");
        assert!(!options.contains_key("tick_step"));
    }
}

#[test]
fn a_budget_in_the_defaults_is_for_games_on_a_clock_alone() {
    let both = format!(
        "defaults:\n  limits: {{ cpu_bout: 9s }}\n{DUNGEON}  - game: battlebots\n    bots: [b/*]\n"
    );
    let events = accept(&both).events;
    assert_eq!(events[0].limits.cpu_bout, Some(Duration::from_secs(9)));
    assert_eq!((events[1].limits.cpu_bout, events[1].clock), (None, None));
}

#[test]
fn what_is_shown_is_read_again_as_the_same() {
    let text = format!(
        "seed: 18446744073709551615\nlanguages: {{ zig: {{ run: [zig, run], version: '0.13' }} }}\n{}",
        with_event_lines(
            "deadline: 2026-12-01T18:00:00.123Z\nschedule: { kind: gauntlet, bots: [ada] }\nlimits: { cpu: 1.25s, turn: 1h, kill: 61m, bout: 2h }"
        )
    );
    for text in [EXAMPLE, SMALL, CROWD, DUNGEON, &text] {
        let tournament = accept(text);
        let shown = show(&tournament);
        let again = accept(&shown);
        assert_eq!(show(&again), shown);
        assert_eq!((again.seed, &again.database), (tournament.seed, &tournament.database));
        assert_eq!(again.events[0].limits, tournament.events[0].limits);
        assert_eq!(again.events[0].build, tournament.events[0].build);
        assert_eq!(again.events[0].deadline, tournament.events[0].deadline);
        assert_eq!(again.languages, tournament.languages);
    }
}

#[test]
fn every_value_is_shown() {
    insta::assert_snapshot!(show(&accept(SMALL)));
}

#[test]
fn sources_are_kept_unless_the_organiser_says_otherwise() {
    assert!(accept(SMALL).keep_sources);
    let tournament = accept(&format!("{SMALL}keep_sources: false\n"));
    assert!(!tournament.keep_sources && show(&tournament).contains("keep_sources: false\n"));
}

#[test]
fn a_site_shows_verdicts_times_and_replays_unless_something_else_is_written() {
    assert_eq!(accept(SMALL).report, Publication::default());
    let text = format!("{SMALL}report: {{ public: [stderr], bouts: 7 }}\n");
    let report = accept(&text).report;
    assert_eq!((report.public, report.bouts), ([PublicPart::Stderr].into(), 7));
    let nothing = accept(&format!("{SMALL}report: {{ public: [] }}\n")).report;
    assert!(PublicPart::NAMES.iter().all(|(_, what)| !nothing.shows(*what)));
}

#[test]
fn a_byte_order_mark_is_ignored() {
    assert_eq!(accept(&format!("\u{feff}{SMALL}")).events.len(), 1);
}

#[test]
fn windows_line_ends_are_accepted() {
    assert_eq!(accept(&SMALL.replace('\n', "\r\n")).events[0].bots[0].text, "bots/*");
}

#[test]
fn anchors_are_understood() {
    let text = "defaults: { limits: &few { memory: 1GiB } }\nevents:\n  - game: battlebots\n    \
                bots: [a]\n    limits: *few\n";
    assert_eq!(accept(text).events[0].limits.memory, Bytes::from_mib(1024));
}

#[test]
fn a_section_with_nothing_in_it_is_left_out() {
    assert_eq!(
        accept(&format!("defaults:\n  limits:\n{SMALL}")).events[0].limits,
        Limits::default()
    );
}

#[test]
fn a_wall_clock_below_twice_the_processor_time_is_a_warning() {
    let tournament = accept(&with_event_lines("limits: { cpu: 1500ms }"));
    let warning = &tournament.warnings[0];
    assert_eq!(warning.severity, Severity::Warning);
    assert_eq!(warning.at, "events[0].limits.cpu");
    assert_eq!(warning.message, "`turn` (2s) is less than twice `cpu` (1500ms)");
}

#[test]
fn languages_keep_their_places() {
    let tournament = accept(&format!("{SMALL}languages:\n  zig:\n    run: 5\n"));
    let problem = tournament.error_at(&["languages", "zig", "run"], "expected a list");
    let place = problem.place.unwrap();
    assert_eq!((place.line, place.column), (6, 10));
}

/// The reference configuration at the top of the repository.
const REFERENCE: &str = include_str!("../../../../tournament.yaml");

#[test]
fn the_reference_configuration_is_accepted_without_a_warning() {
    let tournament = accept(REFERENCE);
    assert_eq!(tournament.warnings, []);
    assert_eq!(tournament.events[0].limits, Limits::default());
    assert_eq!(tournament.events[0].build, accept(SMALL).events[0].build);
}

#[test]
fn the_reference_comments_are_settings_too() {
    let settings = "    schedule: { kind: partial, matches_per_bot: 30 }\n    deadline: 2026-12-01T18:00:00Z\n    \
                    languages:\n      python: \"3.11\"\n    dependencies: allowed";
    accept(&REFERENCE.replace("    dependencies: allowed", settings));
}

#[test]
fn a_site_says_what_its_organisers_write() {
    let site = "site:\n  title: Cup of robots\n  url: https://cup.example.org/2026\n  logo: art/logo.svg\n  \
                links: { Chat: 'https://chat.example.org/x?y=1' }\n  enter: |\n    Send *it*.\n\n    Soon.\n  \
                titles: { battlebots: Arena }\n";
    let site = accept(&format!("{SMALL}{site}")).site;
    assert_eq!(site.title.as_deref(), Some("Cup of robots"));
    assert_eq!(site.url.as_deref(), Some("https://cup.example.org/2026/"));
    assert_eq!(site.logo.as_deref(), Some(std::path::Path::new("art/logo.svg")));
    assert_eq!(site.links["Chat"], "https://chat.example.org/x?y=1");
    assert_eq!(site.enter.as_deref(), Some("Send *it*.\n\nSoon.\n"));
    assert_eq!(site.titles["battlebots"], "Arena");
}
