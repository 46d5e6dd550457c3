//! The chain: changes by hand are found and named, and Joust's own changes are accepted.

use std::path::Path;

use joust_model::{BoutId, Calibration, Seed};
use joust_store::{
    Access, BoutPlace, BuildRow, Change, CheckScope, Decision, DecisionRow, SourceRow, Store,
    StoreError, TournamentRow,
};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};

use crate::fixtures::{EVENT, Fresh, bot, event, played};

/// Everything that is wrong with a database, a line each.
pub(crate) async fn problems(path: &Path) -> Vec<String> {
    let store = Store::open(path, Access::ReadOnly).await.expect("opens");
    let mut ledger = store.ledger().await.expect("read");
    let (mut found, mut last) = (Vec::new(), i64::MIN);
    loop {
        let page = store.bouts_after(last).await.expect("read");
        let Some(newest) = page.last() else { break };
        last = newest.number;
        found.extend(page.iter().flat_map(|one| ledger.check(one)));
    }
    found.extend(store.close_ledger(ledger, CheckScope::Everything).await.expect("read"));
    store.close().await;
    found.iter().map(ToString::to_string).collect()
}

/// A database in which everything that is chained has happened.
pub(crate) async fn eventful() -> Fresh {
    let fresh = Fresh::new().await;
    let store = &fresh.store;
    let cup = TournamentRow { name: "cup".to_owned(), seed: Seed(7), seed_is_drawn: false };
    store.put_tournament(&cup).await.expect("stored");
    let bouts = [played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0)];
    store.put_bouts(&bouts).await.expect("stored");
    let mut again = bouts[0].1.clone();
    again.rounds = 18;
    store.amend(&again, "the power failed", 5).await.expect("amended");
    store.put_change(bouts[1].0.bout, Change::Voided, "no memory", 6).await.expect("stored");
    store.put_change(bouts[1].0.bout, Change::Rerun, "reproduced", 7).await.expect("stored");
    let decision = DecisionRow {
        bot: "bert".to_owned(),
        decision: Decision::Withdrawn,
        reason: "asked for it".to_owned(),
        at: 8,
    };
    store.decide(EVENT, &decision).await.expect("stored");
    let places = bouts.iter().map(|(plan, _)| BoutPlace { match_number: 9, ..BoutPlace::of(plan) });
    let places: Vec<_> = places.take(1).collect();
    store.reconcile(EVENT, &places).await.expect("reconciled");
    let build = BuildRow {
        hash: crate::fixtures::build("anna"),
        result: crate::fixtures::build("files"),
        language: "python3".to_owned(),
        toolchain: "3.12".to_owned(),
        recipe: "python3 -m compileall".to_owned(),
        log_head: String::new(),
        built_at: 1,
    };
    store.put_build(&build).await.expect("stored");
    let source = SourceRow {
        build: build.hash,
        hash: crate::fixtures::build("source"),
        name: "anna".to_owned(),
        place: Some("bots/anna".to_owned()),
        commit: None,
        files: None,
    };
    store.put_source(&source).await.expect("stored");
    let files = Some(b"an archive".to_vec());
    store.put_source(&SourceRow { files, ..source }).await.expect("more is known");
    let calibration = Calibration { language: "python3".to_owned(), ..Default::default() };
    store.put_calibration(&calibration).await.expect("stored");
    fresh
}

async fn by_hand(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).foreign_keys(false);
    options.connect().await.expect("a connection")
}

#[tokio::test]
async fn changes_by_joust_are_consistent() {
    let fresh = eventful().await;
    assert_eq!(problems(&fresh.path()).await, Vec::<String>::new());
    let bouts = [played(["anna", "cleo"], 1, 0)];
    fresh.store.put_bouts(&bouts).await.expect("it counts again");
    let mut second = event();
    second.tie_breaks.clear();
    fresh.store.put_event(&second).await.expect("stored");
    fresh.store.put_bots(EVENT, &[bot((&"dora", 3))]).await.expect("stored");
    let (mut plan, _) = played(["anna", "bert"], 0, 0);
    plan.seed = Seed(1);
    let result = crate::fixtures::result(&plan);
    fresh.store.put_bouts(&[(plan, result)]).await.expect("replaced");
    assert_eq!(problems(&fresh.path()).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_change_of_nothing_appends_nothing() {
    let fresh = eventful().await;
    let before = fresh.store.head().await.expect("read");
    fresh.store.put_event(&event()).await.expect("stored");
    let bouts = [played(["anna", "bert"], 0, 0)];
    fresh.store.put_bouts(&bouts).await.expect("there already");
    assert_eq!(fresh.store.head().await.expect("read"), before);
}

/// Tables and columns that `verify` does not check, with the reason; `*` means every column.
const OUTSIDE: [(&str, &str, &str); 5] = [
    ("accounts", "*", "belongs to a standing server, decides no bout, and changes with every game"),
    (
        "calibrations",
        "*",
        "the newest measurement, replaced by every run; what a bout was played with is chained with its seats",
    ),
    ("_sqlx_migrations", "description", "the name of a migration, for people"),
    ("_sqlx_migrations", "installed_on", "when the tables were made"),
    ("_sqlx_migrations", "execution_time", "how long that took"),
];

/// Every column whose change must be found, with its declared type: all that there are but
/// those that are said to be outside.
async fn columns(connection: &mut SqliteConnection) -> Vec<(String, String, String)> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let tables = sqlx::query_scalar::<_, String>(tables).fetch_all(&mut *connection).await;
    let mut columns = Vec::new();
    for table in tables.expect("read") {
        let info = sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA table_info({table})")));
        for row in info.fetch_all(&mut *connection).await.expect("read") {
            columns.push((table.clone(), row.get::<String, _>("name"), row.get("type")));
        }
    }
    for (table, column, _) in OUTSIDE {
        let is_meant =
            |one: &(String, String, String)| one.0 == table && (column == "*" || one.1 == column);
        assert!(columns.iter().any(is_meant), "{table}.{column} is outside and is not there");
        columns.retain(|one| !is_meant(one));
    }
    columns
}

#[test]
fn tables_outside_the_chain_are_named_with_a_reason() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/README.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for (table, column, reason) in OUTSIDE {
        assert!(
            page.contains(&format!("| `{table}` | `{column}` | {reason} |")),
            "{table}.{column}"
        );
    }
}

/// Changes a column of one row.
fn change_of(table: &str, column: &str, kind: &str) -> String {
    let value = match kind {
        "INTEGER" | "BIGINT" => format!("coalesce({column}, 0) + 1000"),
        "TEXT" => format!("coalesce({column}, '') || 'x'"),
        _ => format!(
            "CASE WHEN {column} IS NULL OR length({column}) = 0 THEN x'01' ELSE randomblob(length({column})) END"
        ),
    };
    // The newest row of each table is about a bout, a bot or a change.
    let key = match table {
        "bouts" | "history" | "decisions" | "chain" => "number = (SELECT max(number) FROM {T})",
        "seats" => "bout = (SELECT max(bout) FROM {T}) AND seat = 1",
        "logs" => "bout = (SELECT max(bout) FROM {T})",
        "documents" => "id = (SELECT max(id) FROM {T})",
        "bots" => "name = 'cleo'",
        "_sqlx_migrations" => "version = 1",
        _ => "1",
    };
    format!("UPDATE {table} SET {column} = {value} WHERE {}", key.replace("{T}", table))
}

#[tokio::test]
async fn a_change_of_any_column_is_found_and_named() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let columns = columns(&mut by_hand(&fresh.path()).await).await;
    assert!(columns.len() > 80, "{columns:?}");
    for (number, (table, column, kind)) in columns.into_iter().enumerate() {
        // A connection that was refused may still be closing, and its journal be there.
        let copy = fresh.path().with_file_name(format!("copy-{number}.db"));
        std::fs::copy(fresh.path(), &copy).expect("copied");
        let mut connection = by_hand(&copy).await;
        let sql = change_of(&table, &column, &kind);
        let loose = "PRAGMA ignore_check_constraints = ON";
        sqlx::query(loose).execute(&mut connection).await.expect("set");
        let changed = sqlx::query(sqlx::AssertSqlSafe(sql.clone()));
        let changed = changed.execute(&mut connection).await.expect(&sql);
        assert!(changed.rows_affected() > 0, "{sql}");
        connection.close().await.expect("closed");
        if table == "_sqlx_migrations" {
            let refused =
                Store::open(&copy, Access::ReadOnly).await.expect_err("of no known version");
            let is_named = matches!(
                refused,
                StoreError::Newer { .. } | StoreError::Foreign { version: 1, .. }
            );
            assert!(is_named, "{sql}: {refused}");
            continue;
        }
        let found = problems(&copy).await;
        assert!(!found.is_empty(), "{sql}: nothing was found");
        let named = [
            "bout ",
            "row ",
            "link ",
            "event ",
            "the tournament",
            "tournament ",
            "the bots",
            "field ",
            "build ",
            "source ",
            "the source ",
        ];
        let all_named = found.iter().all(|line| named.iter().any(|name| line.starts_with(name)));
        assert!(all_named, "{sql}: {found:?}");
    }
}

#[tokio::test]
async fn a_database_with_objects_that_the_migrations_do_not_make_is_refused() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let cases: [(&str, &str); 7] = [
        (
            "CREATE TRIGGER gift AFTER INSERT ON bouts BEGIN UPDATE seats SET rank = 1; END",
            "trigger `gift` is not of Joust",
        ),
        ("CREATE VIEW losers AS SELECT * FROM seats", "view `losers` is not of Joust"),
        ("CREATE TABLE notes (text TEXT)", "table `notes` is not of Joust"),
        ("CREATE UNIQUE INDEX one ON seats (bot, bout)", "index `one` is not of Joust"),
        ("DROP INDEX history_of_a_bout", "its index `history_of_a_bout` is missing"),
        ("ALTER TABLE seats ADD COLUMN bribe INTEGER", "table `seats` is not as Joust makes it"),
        ("DROP TABLE calibrations", "its table `calibrations` is missing"),
    ];
    for (number, (sql, expected)) in cases.into_iter().enumerate() {
        let copy = fresh.path().with_file_name(format!("copy-{number}.db"));
        std::fs::copy(fresh.path(), &copy).expect("copied");
        let mut connection = by_hand(&copy).await;
        sqlx::query(sql).execute(&mut connection).await.expect(sql);
        connection.close().await.expect("closed");
        for access in [Access::ReadOnly, Access::MustExist, Access::CreateOrOpen] {
            let refused = Store::open(&copy, access).await.expect_err(sql).to_string();
            assert!(refused.ends_with(expected), "{sql}: {refused}");
        }
        let to = copy.with_file_name("taken.db");
        assert!(Store::copy(&copy, &to).await.is_err() && !to.exists(), "{sql}");
    }
    let mut connection = by_hand(&fresh.path()).await;
    sqlx::query("ANALYZE").execute(&mut connection).await.expect("counted");
    connection.close().await.expect("closed");
    assert_eq!(problems(&fresh.path()).await, Vec::<String>::new());
}

#[tokio::test]
async fn rows_that_were_removed_or_added_are_named() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let bout = played(["anna", "cleo"], 1, 0).0.bout;
    let cases: [(&str, String); 6] = [
        ("DELETE FROM bouts WHERE number = 2", format!("bout {bout}: its row is gone")),
        ("DELETE FROM seats WHERE bout = 2 AND seat = 1", format!("bout {bout}: its bout, seats")),
        ("DELETE FROM history WHERE number = 2", "row 2 of `history`".to_owned()),
        ("DELETE FROM decisions", "row 1 of `decisions`".to_owned()),
        ("DELETE FROM chain WHERE number = 3", "links 3 to 3 are gone".to_owned()),
        (
            "INSERT INTO decisions (event, bot, decision, reason, at) \
             VALUES ('league', 'anna', 'disqualified', 'x', 9)",
            "row 2 of `decisions`: there, but never recorded".to_owned(),
        ),
    ];
    for (number, (sql, expected)) in cases.into_iter().enumerate() {
        let copy = fresh.path().with_file_name(format!("copy-{number}.db"));
        std::fs::copy(fresh.path(), &copy).expect("copied");
        let mut connection = by_hand(&copy).await;
        let changed = sqlx::query(sql).execute(&mut connection).await.expect(sql);
        assert!(changed.rows_affected() > 0, "{sql}");
        connection.close().await.expect("closed");
        let found = problems(&copy).await;
        assert!(found.iter().any(|line| line.contains(&expected)), "{sql}: {found:?}");
    }
}

#[tokio::test]
async fn links_after_an_old_head_name_later_changes() {
    let fresh = eventful().await;
    let old = fresh.store.head().await.expect("read").expect("chained");
    fresh.store.put_bouts(&[played(["bert", "cleo"], 2, 0)]).await.expect("stored");
    assert_eq!(fresh.store.link_of(old.hash).await.expect("read"), Some(old.links));
    let digits = &old.hash.to_string()[..12];
    let found = fresh.store.link_that_begins_with(digits).await.expect("read");
    assert_eq!(found, Some(old.links));
    let since = fresh.store.links_after(old.links).await.expect("read");
    let bout = played(["bert", "cleo"], 2, 0).0.bout;
    assert_eq!(since.len(), 1);
    assert_eq!((since[0].kind.name(), since[0].subject.parse()), ("result", Ok(bout)));
}

#[tokio::test]
async fn an_old_head_reveals_a_replaced_chain() {
    let fresh = eventful().await;
    let old = fresh.store.head().await.expect("read").expect("chained");
    let forged = Fresh::new().await;
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    result.seats.iter_mut().for_each(|seat| seat.rank = 3 - seat.rank);
    forged.store.put_bouts(&[(plan, result)]).await.expect("stored");
    assert_eq!(problems(&forged.path()).await, Vec::<String>::new());
    assert_eq!(forged.store.link_of(old.hash).await.expect("read"), None);
}

#[tokio::test]
async fn a_result_that_was_changed_by_hand_is_not_put_into_the_history() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let mut connection = by_hand(&fresh.path()).await;
    sqlx::query("UPDATE bouts SET rounds = 99").execute(&mut connection).await.expect("changed");
    connection.close().await.expect("closed");
    let store = Store::open(&fresh.path(), Access::MustExist).await.expect("opens");
    let (plan, result) = played(["anna", "cleo"], 1, 0);
    let amended = store.amend(&result, "again", 9).await;
    let name: BoutId = plan.bout;
    let changed = StoreError::Changed { path: fresh.path(), bout: name };
    assert_eq!(amended.expect_err("refused").to_string(), changed.to_string());
}

/// The links of the database in which everything has happened, one a line.
async fn links(path: &Path) -> String {
    let mut connection = by_hand(path).await;
    let rows = sqlx::query_as::<_, (String, String, String)>(
        "SELECT kind, lower(hex(digest)), lower(hex(hash)) FROM chain ORDER BY number",
    );
    let rows = rows.fetch_all(&mut connection).await.expect("read");
    let line = |(kind, digest, hash): &(String, String, String)| {
        format!("{kind} {} {}\n", &digest[..16], &hash[..16])
    };
    rows.iter().map(line).collect()
}

#[tokio::test]
async fn recorded_hashes_never_change() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let (plan, _) = played(["anna", "bert"], 0, 0);
    assert_eq!(plan.bout.to_string(), "5f2ca6860a951c63");
    let key = "a2d2a646363ef68ef9b5622276b668ee0887d71461a120bd427adaab908e1503";
    assert_eq!(plan.key().to_string(), key);
    let recorded = "begin 0000000000000000 53e2e7f4a209f1a3
event 64879f8030b6d3d9 f948b6c0e4e477c9
field 01cd65c19365a55f 25db0026113a87a7
tournament 57d7c42ac26b8b68 742ef0028faf633e
result 9d1402fbe5125312 bda77efbd447d141
result 102fb440966674e1 41247ac59d983169
history 80b7b1360c895c92 adc4874aca5867bd
result 551c4692da8bc7ed 6b7ce0652e52bede
history 35f97a33697bd2d1 977ebecaf0e37ebf
history cb70be9a83ebc43f a32661d99f405288
decision 0c6bad422f6038c4 d567aafcb6b8c56f
places 0000000000000000 9e68e9916e0fd13b
build 8f2a5b0c319dccdd c0cd27b2bf525c49
source 4a318dcd074e86f3 3efe7f03e0296e69
source f1b365eeb3d76b5f e81acfcc4573f370
";
    assert_eq!(links(&fresh.path()).await, recorded);
}
