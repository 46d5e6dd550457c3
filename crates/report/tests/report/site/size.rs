//! Big fields: no page grows without an end.

use joust_model::Publication;
use joust_testkit::html::problems;

use crate::fixtures::site::{League, league, page};
use crate::fixtures::{bot, stored_bout};

/// Makes a field of `bots`, in which each bot has met the next one.
fn big(bots: u32) -> League {
    let mut league = league(&[]);
    let name = |number: u32| format!("bot-{number:04}");
    league.info.bots = (0..bots).map(|number| bot(&name(number), number)).collect();
    for number in 1..bots {
        let names = [name(number - 1), name(number)];
        let names = [names[0].as_str(), names[1].as_str()];
        league.bouts.push(stored_bout(names, [1, 2], (number.into(), 0)).into());
    }
    league
}

#[test]
fn a_field_of_three_hundred_has_a_first_page_of_less_than_300_kb() {
    let publication = Publication { bouts: 20, ..Publication::default() };
    let files = big(300).site(&publication);
    for path in ["index.html", "league/index.html", "league/cross.html"] {
        let size = files[path].len();
        assert!(size < 300_000, "{path}: {size}");
    }
    assert_eq!(problems(&files), Vec::<String>::new());
    let text = page(&files, "league/index.html").text;
    assert!(text.contains("The first 100 of 300 bots"), "{text}");
    assert!(text.contains("the 24 best of 300 bots"), "{text}");
    assert_eq!(page(&files, "league/all.html").count("tr"), 301);
    let everybody = files["league/all.html"].len();
    assert!(everybody < 130_000, "a link a bot: its numbers become links by a script: {everybody}");
    assert_eq!(page(&files, "league/cross.html").count("tr"), 51);
}

#[test]
fn the_whole_cross_table_of_a_big_field_is_a_picture_with_everybodys_name() {
    let files = big(300).site(&Publication { bouts: 20, ..Publication::default() });
    let picture = &files["league/cross.png"];
    assert_eq!(&picture[16..24], [0, 0, 1, 44, 0, 0, 1, 44], "300 wide and high");
    assert!(picture.len() < 20_000, "{}", picture.len());
    let cross = page(&files, "league/cross.html");
    assert_eq!(cross.count("img"), 1);
    assert!(cross.links.iter().filter(|link| link.starts_with("bots/")).count() >= 350);
    let small = big(50).site(&Publication::default());
    assert!(!small.contains_key("league/cross.png"));
}

#[test]
fn of_more_bouts_than_are_wanted_some_have_pages_and_the_page_says_so() {
    let publication = Publication { bouts: 20, ..Publication::default() };
    let files = big(101).site(&publication);
    let bouts = files.keys().filter(|path| path.starts_with("league/bouts/")).count();
    assert_eq!(bouts, 20);
    let text = page(&files, "league/index.html").text;
    assert!(text.contains("80 bouts of this event have no page here"), "{text}");
    assert_eq!(problems(&files), Vec::<String>::new());
}
