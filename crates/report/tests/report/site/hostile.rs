//! Names, reasons and logs that want to be more than text. Rows J01, J02 and
//! J04 of the catalogue of hostile bots.

use joust_model::{PublicPart, Publication, Reason};
use joust_testkit::html::{Files, problems};

use crate::fixtures::site::{League, league, pages};

const NAMES: [&str; 12] = [
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</title></svg><base href=//evil.example>",
    "{{ 123 * 1001 }}{% include \"layout.html\" %}",
    "javascript:alert(1)",
    "\u{202e}txt.exe\u{200b}",
    "../../../etc/passwd",
    "CON",
    "con",
    "&lt;b&gt; &amp; --> <!-- ]]>",
];

/// A league where everything strangers supply is hostile.
fn hostile() -> League {
    let mut league = league(&NAMES);
    for (place, bot) in league.info.bots.iter_mut().enumerate() {
        bot.author = NAMES[(place + 1) % NAMES.len()].to_owned();
        bot.owner = NAMES[(place + 2) % NAMES.len()].to_owned();
        bot.language = NAMES[(place + 3) % NAMES.len()].to_owned();
    }
    league.info.bots[11].sits_out = Some(Reason {
        ours: NAMES.join("\n"),
        build_log: NAMES.join("\n"),
        stderr: NAMES.join("\n"),
    });
    for version in &mut league.versions {
        version.toolchain = NAMES[1].to_owned();
        version.log_head = NAMES.join("\n");
    }
    for (place, bout) in league.bouts.iter_mut().enumerate() {
        let bout = &mut bout.stored;
        bout.result.ended = NAMES[place % NAMES.len()].to_owned();
        bout.result.machine = NAMES[2].to_owned();
        bout.plan
            .options
            .0
            .insert(NAMES[1].to_owned(), joust_model::Setting::Text(NAMES[2].to_owned()));
    }
    league.tournament = NAMES[4].to_owned();
    league.info.settings.id = NAMES[1].to_owned();
    league.info.settings.rules = NAMES[5].to_owned();
    league
}

fn site() -> Files {
    let public = PublicPart::NAMES.map(|(_, what)| what).into();
    hostile().site(&Publication { public, ..Publication::default() })
}

#[test]
fn no_name_becomes_an_element_an_attribute_or_a_link() {
    let files = site();
    assert_eq!(problems(&files), Vec::<String>::new());
    for page in pages(&files, "") {
        for (element, attributes) in &page.elements {
            assert!(!["img", "base", "iframe", "b"].contains(&element.as_str()), "{element}");
            assert!(!attributes.keys().any(|key| key.starts_with("on")), "{attributes:?}");
        }
    }
}

#[test]
fn every_name_is_shown_as_it_was_written() {
    let files = site();
    let titles: Vec<_> = pages(&files, "").iter().map(|page| page.title.clone()).collect();
    for name in NAMES.iter().filter(|name| name.bytes().all(|byte| byte >= b' ')) {
        if name.is_ascii() {
            assert!(titles.iter().any(|title| title.contains(name)), "{name}");
        }
    }
    assert!(titles.iter().any(|title| title.contains("\\u{202e}txt.exe\\u{200b}")));
    assert!(!titles.iter().any(|title| title.contains("123123")));
}

#[test]
fn nothing_on_a_page_is_invisible_or_obeyed_by_a_terminal() {
    for (path, bytes) in site().iter().filter(|(path, _)| path.ends_with(".html")) {
        let text = std::str::from_utf8(bytes).expect("text");
        let bad = text.chars().find(|character| {
            (character.is_control() && !matches!(character, '\n' | '\t'))
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}')
        });
        assert_eq!(bad, None, "{path}");
    }
}

#[test]
fn no_file_is_named_after_anything_a_stranger_wrote() {
    for path in site().keys() {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./".contains(&byte);
        assert!(path.bytes().all(plain) && !path.contains(".."), "{path}");
        assert!(!path.contains("script") && !path.contains("passwd"), "{path}");
    }
}

#[test]
fn names_that_differ_in_case_alone_have_two_pages() {
    let files = league(&["CON", "con"]).site(&Publication::default());
    assert_eq!(pages(&files, "league/bots/").len(), 2);
}
