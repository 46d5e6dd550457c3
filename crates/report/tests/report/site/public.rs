//! Tests of the public and the private parts.

use std::collections::BTreeSet;

use joust_model::{PublicPart, Publication, Reason};
use joust_testkit::html::{Files, problems};

use crate::fixtures::site::{League, league};

fn site(league: &League, public: impl Into<BTreeSet<PublicPart>>) -> Files {
    let publication = Publication { public: public.into(), ..Publication::default() };
    let files = league.site(&publication);
    assert_eq!(problems(&files), Vec::<String>::new());
    files
}

/// Returns whether any page contains `text`, except for the rules, which mention no bot.
fn says(files: &Files, text: &str) -> bool {
    let is_read = |path: &str| path.ends_with(".html") && !path.ends_with("/rules.html");
    let pages = files.iter().filter(|(path, _)| is_read(path));
    pages.map(|(_, bytes)| String::from_utf8_lossy(bytes)).any(|page| page.contains(text))
}

#[test]
fn standard_error_and_build_logs_are_kept_back_unless_asked_for() {
    let mut league = league(&["anna", "bert"]);
    league.info.bots[1].sits_out = Some(Reason {
        ours: "exit status 1; it said nothing else".to_owned(),
        build_log: "error: secret.c:1".to_owned(),
        ..Reason::default()
    });
    let by_default = site(&league, Publication::default().public);
    for text in ["thinking hard", "warning: from the build", "secret.c"] {
        assert!(!says(&by_default, text), "{text}");
    }
    assert!(says(&by_default, "exit status 1; it said nothing else"));
    let logs = site(&league, [PublicPart::Logs]);
    assert!(says(&logs, "warning: from the build") && says(&logs, "secret.c"));
    league.info.bots[1].sits_out = Some(Reason {
        ours: "it stayed away".to_owned(),
        stderr: "a secret".to_owned(),
        ..Reason::default()
    });
    let by_default = site(&league, Publication::default().public);
    assert!(says(&by_default, "it stayed away") && !says(&by_default, "a secret"));
    let stderr = site(&league, [PublicPart::Stderr]);
    assert!(says(&stderr, "thinking hard") && !says(&stderr, "warning: from the build"));
    assert!(says(&stderr, "a secret"));
}

#[test]
fn data_names_no_owner_and_no_address_and_goes_with_the_verdicts() {
    let mut league = league(&["anna", "bert"]);
    league.info.bots[0].author = "Anna <anna@mail.example>".to_owned();
    league.info.bots[0].owner = "anna-login".to_owned();
    league.info.bots[1].sits_out = Some(Reason {
        ours: "write to bert@mail.example".to_owned(),
        build_log: "error: secret.c:1".to_owned(),
        ..Reason::default()
    });
    let files = site(&league, Publication::default().public);
    for name in ["standings.json", "standings.csv"] {
        let text = String::from_utf8_lossy(&files[&format!("league/{name}")]);
        assert!(text.contains("Anna") && text.contains("bert"), "{text}");
        for secret in ["mail.example", "anna-login", "secret.c"] {
            assert!(!text.contains(secret), "{name}: {text}");
        }
    }
    let bouts = String::from_utf8_lossy(&files["league/bouts.csv"]);
    assert_eq!(bouts.lines().count(), 5, "{bouts}");
    assert!(bouts.starts_with("bout,event,match,number,rounds,seat,bot,rank,score,faults\n"));
    let kept_back = site(&league, []);
    assert!(kept_back.keys().all(|path| !path.ends_with(".csv") && !path.ends_with(".json")));
}

#[test]
fn verdicts_and_times_can_be_kept_back() {
    let league = league(&["anna", "bert"]);
    let all = site(&league, Publication::default().public);
    assert!(says(&all, "timeout") && says(&all, "limit 2.05 s"));
    let nothing = site(&league, []);
    for text in ["timeout", "the answer came late", "limit 2.05", "Peak memory", "7.0 MiB"] {
        assert!(!says(&nothing, text), "{text}");
    }
    assert!(nothing.keys().all(|path| !path.starts_with("replays/")));
}

#[test]
fn an_address_is_never_shown() {
    let mut league = league(&["anna", "bert", "who@secret.example"]);
    league.info.bots[0].author = "Anna <anna@secret.example>".to_owned();
    league.info.bots[1].owner = "bert@secret.example".to_owned();
    league.versions[0].log_head = "built for anna@secret.example".to_owned();
    league.tournament = "Cup of cup@secret.example".to_owned();
    let everything = site(&league, PublicPart::NAMES.map(|(_, what)| what));
    assert!(!says(&everything, "secret.example"));
    assert!(says(&everything, "Anna &lt;[e-mail]&gt;"));
}
