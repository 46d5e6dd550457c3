//! Tests of the content of pages.

use joust_model::{Publication, SiteLabels};
use joust_testkit::html::problems;

use crate::fixtures::site::{League, league, page, pages, version};
use crate::fixtures::{build, disqualified};

#[test]
fn every_page_is_well_formed_and_every_link_leads_somewhere() {
    let files = league(&["anna", "bert", "cleo"]).site(&Publication::default());
    assert_eq!(problems(&files), Vec::<String>::new());
}

#[test]
fn there_is_a_page_for_the_tournament_the_event_and_every_bot_match_and_bout() {
    let files = league(&["anna", "bert", "cleo"]).site(&Publication::default());
    let count = |beginning: &str| pages(&files, beginning).len();
    assert_eq!(
        ["index", "verify", "league/index", "league/bots/", "league/matches/", "league/bouts/"]
            .map(count),
        [1, 1, 1, 3, 3, 6]
    );
}

#[test]
fn how_to_verify_has_a_page_of_its_own_with_the_head() {
    let files = league(&["anna", "bert", "cleo"]).site(&Publication::default());
    let text = page(&files, "verify.html").text;
    for part in [&"cd".repeat(32), "joust verify --database results.db", "Seed"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let first = page(&files, "index.html");
    assert!(first.links.contains(&"verify.html".to_owned()), "{:?}", first.links);
}

#[test]
fn the_first_page_plays_the_closest_bout_of_the_best_and_has_the_standings() {
    let mut league = league(&["anna", "bert", "cleo"]);
    // The second bout of anna and bert is closer than their first.
    let close = &mut league.bouts[1].stored.result;
    close.seats.iter_mut().for_each(|seat| seat.score = joust_model::Score::whole(3));
    let id = close_id(&league);
    let files = league.site(&Publication::default());
    let first = page(&files, "index.html");
    assert!(first.links.contains(&format!("replays/{id}.js")), "{:?}", first.links);
    for part in ["Cup", "anna", "4–0–0", "Standings"] {
        assert!(first.text.contains(part), "{part}: {}", first.text);
    }
    let kept_back = Publication { public: [].into(), ..Publication::default() };
    assert!(!page(&league.site(&kept_back), "index.html").ids.contains("replay"));
}

fn close_id(league: &crate::fixtures::site::League) -> String {
    league.bouts[1].stored.plan.bout.to_string()
}

#[test]
fn organisers_say_what_it_is_where_else_to_go_the_rules_and_how_to_enter() {
    let mut league = league(&["anna", "bert"]);
    league.words = SiteLabels {
        title: Some("Cup of robots".to_owned()),
        description: Some("For everybody.".to_owned()),
        links: [("Chat".to_owned(), "https://chat.example.org/".to_owned())].into(),
        rules: Some("One bot a *person*.".to_owned()),
        enter: Some("Open a [pull request](https://code.example.org/).".to_owned()),
        ..SiteLabels::default()
    };
    let files = league.site(&Publication::default());
    assert_eq!(problems(&files), Vec::<String>::new());
    let first = page(&files, "index.html");
    for part in ["Cup of robots", "For everybody.", "How to enter", "pull request", "Chat"] {
        assert!(first.text.contains(part), "{part}: {}", first.text);
    }
    let rules = page(&files, "league/rules.html").text;
    assert!(rules.contains("One bot a person.") && rules.contains("landmine"), "{rules}");
    assert!(page(&files, "league/index.html").text.contains("League"));
}

#[test]
fn the_leaderboard_has_the_records_in_order() {
    let files = league(&["anna", "bert", "cleo"]).site(&Publication::default());
    let text = page(&files, "league/index.html").text;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("anna") < at("bert") && at("bert") < at("cleo"));
    assert!(text.contains("4–0–0") && text.contains("2–0–2") && text.contains("0–0–4"));
}

#[test]
fn the_cross_table_has_each_share_and_leads_to_the_match() {
    let files = league(&["anna", "bert"]).site(&Publication::default());
    let page = page(&files, "league/index.html");
    let heat = |class: &str| {
        let cells = page.elements.iter().filter(|(name, _)| name == "td");
        cells.filter(|(_, attributes)| attributes.get("class").is_some_and(|c| c == class)).count()
    };
    assert_eq!(["h0", "h10", "h5"].map(heat), [1, 1, 0]);
    assert_eq!(page.links.iter().filter(|link| link.starts_with("matches/")).count(), 2);
}

#[test]
fn a_bots_page_leads_to_the_round_of_its_last_fault() {
    let files = league(&["anna", "bert"]).site(&Publication::default());
    let bert = pages(&files, "league/bots/").into_iter().find(|page| page.title.contains("bert"));
    let bert = bert.expect("a page of bert");
    assert!(bert.text.contains("timeout") && bert.text.contains("the answer came late"));
    let link = bert.links.iter().find(|link| link.ends_with("#round=3")).expect("a link");
    assert!(files.contains_key(&format!("league/{}", &link[3..link.len() - "#round=3".len()])));
}

#[test]
fn a_bots_page_draws_its_times_against_the_limit_and_says_them() {
    let files = league(&["anna", "bert"]).site(&Publication::default());
    let bert = pages(&files, "league/bots/").into_iter().find(|page| page.title.contains("bert"));
    let bert = bert.expect("a page of bert");
    assert!(bert.text.contains("limit 2.05 s"), "{}", bert.text);
    assert!(bert.text.contains("6 turns") && bert.text.contains("102 % of the limit"));
    assert!(bert.elements.iter().any(|(name, _)| name == "svg"));
}

#[test]
fn a_bots_page_lists_its_builds_the_newest_first() {
    let mut league = league(&["anna", "bert"]);
    league.versions.insert(0, version("anna", "before", 50));
    let files = league.site(&Publication::default());
    let anna = pages(&files, "league/bots/").into_iter().find(|page| page.title.contains("anna"));
    let text = anna.expect("a page of anna").text;
    assert!(text.contains("Rating over its versions") && text.contains("Rating over its days"));
    // The table follows the charts.
    let at = |hash: String| text.rfind(&hash[..12]).expect("the build");
    assert!(at(build("anna", "now").to_string()) < at(build("anna", "before").to_string()));
    assert_eq!(text.matches("plays now").count(), 1);
}

#[test]
fn a_bouts_page_has_all_it_takes_to_check_it() {
    let league = league(&["anna", "bert"]);
    let files = league.site(&Publication::default());
    let stored = &league.bouts[0].stored;
    let id = stored.plan.bout.to_string();
    let text = page(&files, &format!("league/bouts/{id}.html")).text;
    let commands = [format!("joust rerun {id}"), format!("joust verify {id}")];
    let hashes =
        [stored.result.state_hash.clone(), stored.plan.seats[0].occupant.identity().to_string()];
    for part in commands.iter().chain(&hashes).map(String::as_str).chain(["42", "knock-out"]) {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_bouts_page_says_where_it_cannot_be_judged_again() {
    let mut league = league(&["anna", "bert"]);
    let path = format!("league/bouts/{}.html", league.bouts[0].stored.plan.bout);
    let text = |league: &League| page(&league.site(&Publication::default()), &path).text;
    let said = "this bout cannot be judged again from its log";
    assert!(!text(&league).contains(said));
    league.info.settings.unrepeatable = true;
    let text = text(&league);
    assert!(text.contains(said) && !text.contains("judges this bout again"), "{text}");
}

#[test]
fn a_bot_that_does_not_play_is_listed_with_the_reason() {
    let mut league = league(&["anna", "bert", "cleo"]);
    league.info.decisions.push(disqualified("cleo", "a copy of bert"));
    let files = league.site(&Publication::default());
    let text = page(&files, "league/index.html").text;
    let part = &text[text.find("Not playing").expect("a list")..];
    for word in ["cleo", "disqualified", "2026-09-21", "a copy of bert"] {
        assert!(part.contains(word), "{word}: {part}");
    }
    assert_eq!(problems(&files), Vec::<String>::new());
}

#[test]
fn an_event_without_a_bout_has_its_pages() {
    let mut league = league(&["anna", "bert"]);
    league.bouts.clear();
    league.versions.clear();
    let files = league.site(&Publication::default());
    assert_eq!(problems(&files), Vec::<String>::new());
    league.info.bots.clear();
    assert_eq!(problems(&league.site(&Publication::default())), Vec::<String>::new());
}

#[test]
fn the_same_event_gives_the_same_bytes() {
    let league = league(&["anna", "bert", "cleo", "dora"]);
    let publication = Publication::default();
    assert_eq!(league.site(&publication), league.site(&publication));
}

#[test]
fn every_number_of_a_record_leads_to_exactly_those_bouts() {
    let league = league(&["anna", "bert", "cleo"]);
    let files = league.site(&Publication::default());
    let event = page(&files, "league/index.html");
    let bert = pages(&files, "league/bots/").into_iter().find(|page| page.title.contains("bert"));
    let bert = bert.expect("a page of bert");
    let leads = |place: &str| event.links.iter().any(|link| link.ends_with(place));
    assert!(leads("#won") && leads("#lost") && leads("#opponents") && !leads("#drawn"));
    assert!(bert.ids.contains("won") && bert.ids.contains("lost") && !bert.ids.contains("drawn"));
    let bouts = bert.links.iter().filter(|link| link.starts_with("../bouts/"));
    let bouts: std::collections::BTreeSet<_> = bouts.filter(|link| !link.contains('#')).collect();
    assert_eq!(bouts.len(), 4, "{bouts:?}");
}

#[test]
fn the_ranking_is_told_before_the_rating() {
    let files = league(&["anna", "bert"]).site(&Publication::default());
    let text = page(&files, "league/index.html").text;
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("ranked by matches won") < at("Matches") && at("Matches") < at("Rating"));
    assert!(text.contains("The rating is an estimate of strength and decides no rank"));
}

#[test]
fn before_the_first_bout_nobody_has_a_rank_and_there_is_no_cross_table() {
    let mut league = league(&["anna", "bert"]);
    let event = |league: &crate::fixtures::site::League| {
        let text = page(&league.site(&Publication::default()), "league/index.html").text;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let played = event(&league);
    assert!(played.contains("Cross table") && played.contains(" 1 anna"), "{played}");
    league.bouts.clear();
    league.versions.clear();
    let empty = event(&league);
    assert!(!empty.contains("Cross table") && empty.contains("– anna"), "{empty}");
}

#[test]
fn tables_of_one_page_have_names_of_their_own() {
    let mut league = league(&["anna", "bert"]);
    league.words.rules = Some("| a | b |\n|-|-|\n| c | d |\n".to_owned());
    let rules = page(&league.site(&Publication::default()), "league/rules.html");
    let names = rules.elements.iter().filter_map(|(_, element)| element.get("aria-label"));
    let mut names: Vec<_> = names.filter(|name| name.contains("able ")).collect();
    let all = names.len();
    names.dedup();
    assert!(all > 1 && names.len() == all, "{names:?}");
}

#[test]
fn links_have_previews_where_the_site_s_address_is_known() {
    let mut league = league(&["anna", "bert"]);
    assert!(!league.site(&Publication::default()).contains_key("preview.png"));
    league.words.url = Some("https://cup.example.org/x/".to_owned());
    let files = league.site(&Publication::default());
    assert_eq!(problems(&files), Vec::<String>::new());
    let content = |path: &str, property: &str| {
        let page = page(&files, path);
        let mut metas = page.elements.into_iter().filter(|(name, _)| name == "meta");
        let meta = metas.find(|(_, meta)| meta.get("property").is_some_and(|one| one == property));
        meta.unwrap_or_else(|| panic!("{property}")).1["content"].clone()
    };
    let image = |path| content(path, "og:image");
    assert_eq!(image("index.html"), "https://cup.example.org/x/preview.png");
    assert_eq!(image("league/index.html"), "https://cup.example.org/x/league/preview.png");
    let url = content("league/index.html", "og:url");
    assert_eq!(url, "https://cup.example.org/x/league/index.html");
    assert_eq!(content("league/index.html", "og:title"), "League");
    assert_eq!(content("index.html", "og:title"), "Cup");
    for picture in ["preview.png", "league/preview.png"] {
        assert_eq!(files[picture][16..24], [0, 0, 4, 0xb0, 0, 0, 2, 0x76], "1200 by 630");
    }
    let bout = league.bouts[0].stored.plan.bout;
    let text = page(&files, &format!("league/bouts/{bout}.html")).text;
    let address = format!("https://cup.example.org/x/league/bouts/{bout}.html?embed");
    assert!(text.contains(&address), "{text}");
}

#[test]
fn a_bout_leads_to_the_others_of_its_match() {
    let league = league(&["anna", "bert", "cleo"]);
    let files = league.site(&Publication::default());
    let [one, other] = [0, 1].map(|place| league.bouts[place].stored.plan.bout.to_string());
    let page = page(&files, &format!("league/bouts/{one}.html"));
    let bouts: Vec<_> = page.links.iter().filter(|link| link.starts_with("../bouts/")).collect();
    assert_eq!(bouts, [&format!("../bouts/{one}.html"), &format!("../bouts/{other}.html")]);
}
