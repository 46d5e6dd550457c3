//! Tables of a league from its database.

use std::path::Path;

use joust_model::StoredBout;
use joust_report::{self as report, Leaderboard, Superiority, TextStyle};
use joust_standings::event_results::EventResults;
use joust_standings::ratings::Totals;
use joust_standings::ratings::bradley_terry::Results;
use joust_store::{Access, Store};

use super::leagues::EVENT;

/// All public results of a league, except for times and the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableTexts {
    /// The leaderboard with ratings and superiority, in every format.
    leaderboards: Vec<String>,
    /// The mirror pairs of every two bots, by their score.
    pairs: Vec<(String, String, [u64; 5])>,
}

/// Reads a database.
pub(crate) async fn told(path: &Path) -> TableTexts {
    let store = Store::open(path, Access::ReadOnly).await.expect("a database");
    let event = store.event(EVENT).await.expect("readable").expect("the league");
    let mut results = store.results(EVENT).await.expect("readable");
    results.sort_unstable_by_key(|bout| (bout.match_number, bout.number, bout.bout.0));
    let mut gathered = EventResults::of(&event, None);
    let mut totals = Totals::new(event.settings.mirror);
    for bout in &results {
        gathered.add(bout);
        totals.add(bout);
    }
    let (standings, ratings) = gathered.into_board(&event);
    let game = joust_testkit::game(&event.settings.game);
    let leaderboards = ["text", "markdown", "json", "csv", "classic"].map(|name| {
        let format = report::find(name, TextStyle::default()).expect("a format");
        format.leaderboard(&Leaderboard {
            game: Some(&game),
            standings: &standings,
            ratings: Some(&ratings),
            superiority: Superiority::Shown,
            bouts: None,
        })
    });
    let mut names: Vec<&str> = standings.playing().iter().map(|row| &*row.bot.name).collect();
    names.sort_unstable();
    let mut pairs = Vec::new();
    for (place, one) in names.iter().enumerate() {
        for other in &names[place + 1..] {
            let met = Results::of_totals(&[one, other], &totals).meetings;
            let classes = met.first().map_or([0; 5], |meeting| meeting.pairs.classes());
            pairs.push(((*one).to_owned(), (*other).to_owned(), classes));
        }
    }
    store.close().await;
    TableTexts { leaderboards: leaderboards.to_vec(), pairs }
}

/// Reads every bout with all its stored data, in order of their ids.
pub(crate) async fn bouts(path: &Path) -> Vec<StoredBout> {
    let store = Store::open(path, Access::ReadOnly).await.expect("a database");
    let mut bouts = Vec::new();
    let mut last = i64::MIN;
    loop {
        let page = store.bouts_after(last).await.expect("readable");
        let Some(newest) = page.last() else { break };
        last = newest.number;
        bouts.extend(page.into_iter().map(|recorded| recorded.stored.expect("a bout")));
    }
    store.close().await;
    bouts.sort_by_key(|stored| stored.plan.bout);
    bouts
}
