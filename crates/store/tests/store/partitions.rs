//! Databases of several files: read as one, changed where a file is closed, and told apart
//! from those that lack one.

use std::path::PathBuf;

use joust_model::{BoutPlan, BoutResult, Occupant};
use joust_store::{
    Access, Change, Check, Filter, GroupCommitter, Ledger, Part, Place, Store, StoreError,
};

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::fixtures::{EVENT, Fresh, build, played, result};

const BOTS: [[&str; 2]; 3] = [["anna", "bert"], ["anna", "cleo"], ["bert", "cleo"]];

/// Thirty bouts: ten of each pair.
fn bouts() -> Vec<(BoutPlan, BoutResult)> {
    let of_pair =
        |(pair, match_number)| (0..10).map(move |number| played(pair, match_number, number));
    BOTS.into_iter().zip(0..).flat_map(of_pair).collect()
}

/// The thirty bouts in one file, and the first twenty of them in two partitions.
async fn in_one_and_in_three_files() -> (Fresh, Fresh) {
    let (one, three) = (Fresh::new().await, Fresh::new().await);
    for (bouts, number) in bouts().chunks(10).zip(1..) {
        one.store.put_bouts(bouts).await.expect("stored");
        three.store.put_bouts(bouts).await.expect("stored");
        assert!(number == 3 || three.store.close_partition().await.expect("closed"));
    }
    (one, three)
}

/// Compares everything with the chain.
pub(crate) async fn verify(store: &Store) {
    store.integrity_check().await.expect("whole");
    let mut ledger = store.ledger().await.expect("read");
    let mut last = i64::MIN;
    loop {
        let page = store.bouts_after(last).await.expect("read");
        let Some(newest) = page.last() else { break };
        last = newest.number;
        for recorded in &page {
            assert_eq!(ledger.check(recorded), []);
        }
    }
    assert_eq!(store.close_ledger(ledger, Check::Everything).await.expect("read"), []);
    verify_file_by_file(store).await;
}

/// Compares everything with the chain, of which no more is read than it takes; returns the most
/// bouts that were held at once.
async fn verify_file_by_file(store: &Store) -> usize {
    let (mut ledger, mut later, mut last) = (Ledger::default(), Vec::new(), i64::MIN);
    let mut most = 0;
    loop {
        let page = store.page_after(last).await.expect("read");
        let Some(newest) = page.newest() else { break };
        last = newest;
        store.follow(&mut ledger, page.part()).await.expect("read");
        most = most.max(ledger.held());
        for recorded in page.assemble().expect("whole") {
            match ledger.can_check(&recorded.mark) {
                true => assert_eq!(ledger.check(&recorded), []),
                false => later.push(recorded),
            }
        }
    }
    store.follow(&mut ledger, Part::Head).await.expect("read");
    later.iter().for_each(|recorded| assert_eq!(ledger.check(recorded), []));
    assert_eq!(ledger.held(), 0);
    assert_eq!(store.close_ledger(ledger, Check::Everything).await.expect("read"), []);
    most
}

#[tokio::test]
async fn a_ledger_holds_the_bouts_of_one_file_at_a_time() {
    let (one, three) = in_one_and_in_three_files().await;
    assert_eq!(verify_file_by_file(&one.store).await, 30);
    let held = verify_file_by_file(&three.store).await;
    assert!((10..=12).contains(&held), "{held}");
}

#[tokio::test]
async fn bouts_come_in_schedule_order_from_files_that_have_them_in_another() {
    let fresh = Fresh::new().await;
    let mut mixed = bouts();
    mixed.sort_by_key(|(plan, _)| plan.bout);
    for (bouts, number) in mixed.chunks(10).zip(1..) {
        fresh.store.put_bouts(bouts).await.expect("stored");
        assert!(number == 3 || fresh.store.close_partition().await.expect("closed"));
    }
    let (mut changed, _) = mixed[4].clone();
    changed.seats[0].occupant = Occupant::Build(build("changed"));
    let new = result(&changed);
    fresh.store.put_bouts(&[(changed, new)]).await.expect("it is lifted and replaced");
    let in_order = fresh.store.fold_in_order(EVENT, Vec::new(), Vec::push).await.expect("read");
    assert_eq!(in_order, fresh.store.results(EVENT).await.expect("read"));
    assert_eq!(in_order.len(), 30);
    let (mut ids, mut all) = (Vec::new(), fresh.store.bouts_in_order(EVENT).await.expect("read"));
    while let Some(bout) = all.next().await.expect("read") {
        ids.push(bout);
    }
    assert_eq!(ids, fresh.store.bouts(&Filter::default()).await.expect("read"));
    let nothing = fresh.store.fold_in_order("another", 0, |count, _| *count += 1).await;
    assert_eq!(nothing.expect("read"), 0);
    assert_eq!(fresh.store.all_bouts().await.expect("read"), 30);
}

#[tokio::test]
async fn bouts_of_several_files_are_read_as_those_of_one() {
    let (one, three) = in_one_and_in_three_files().await;
    let files = three.store.partition_files().await.expect("read");
    assert_eq!((files.len(), one.store.partition_files().await.expect("read").len()), (2, 0));
    for (store, other) in [(&one.store, &three.store)] {
        assert_eq!(store.results(EVENT).await.unwrap(), other.results(EVENT).await.unwrap());
        assert_eq!(store.finished(EVENT).await.unwrap(), other.finished(EVENT).await.unwrap());
        assert_eq!(store.head().await.unwrap(), other.head().await.unwrap());
        for bot in [None, Some("anna".to_owned())] {
            let filter = Filter { event: Some(EVENT.to_owned()), bot };
            assert_eq!(store.bouts(&filter).await.unwrap(), other.bouts(&filter).await.unwrap());
        }
        for (plan, result) in bouts() {
            let stored = other.bout(&plan.bout.to_string()).await.expect("read").expect("there");
            assert_eq!((stored.plan, stored.result), (plan, result));
        }
        assert_eq!(
            store.links_after(3).await.unwrap().len(),
            other.links_after(3).await.unwrap().len()
        );
        verify(other).await;
    }
}

#[tokio::test]
async fn a_bout_of_a_closed_file_is_replaced_amended_and_counts_no_more() {
    let (one, three) = in_one_and_in_three_files().await;
    let all = bouts();
    let (mut changed, old) = all[3].clone();
    changed.seats[0].occupant = Occupant::Build(build("changed"));
    let new = result(&changed);
    let mut amended = all[12].1.clone();
    amended.rounds = 99;
    let places: Vec<Place> = all.iter().skip(1).take(28).map(|(plan, _)| Place::of(plan)).collect();
    for store in [&one.store, &three.store] {
        store.put_bouts(&[(changed.clone(), new.clone())]).await.expect("stored");
        store.amend(&amended, "the power failed", 5).await.expect("amended");
        let found = store.reconcile(EVENT, &places).await.expect("reconciled");
        assert_eq!((found.finished(), found.stale), (27, 3));
        let history = store.history(old.bout).await.expect("read");
        assert_eq!(history[0].change, Change::Replaced);
        assert_eq!(history[0].before.as_ref().map(|bout| &bout.result), Some(&old));
        verify(store).await;
        store.put_bouts(&all[..1]).await.expect("it counts again");
        verify(store).await;
    }
    let (results, others) = (one.store.results(EVENT).await, three.store.results(EVENT).await);
    assert_eq!(results.expect("read"), others.expect("read"));
    assert!(three.store.close_partition().await.expect("closed"));
    verify(&three.store).await;
    let reader = Store::open(&three.path(), Access::ReadOnly).await.expect("opens");
    assert_eq!(reader.results(EVENT).await.expect("read").len(), 28);
}

#[tokio::test]
async fn a_file_that_is_gone_or_was_changed_is_named() {
    let (_, three) = in_one_and_in_three_files().await;
    let files = three.store.partition_files().await.expect("read");
    let away = files[1].with_extension("away");
    std::fs::rename(&files[1], &away).expect("renamed");
    let error = three.store.results(EVENT).await.expect_err("it is gone");
    assert!(matches!(&error, StoreError::PartitionGone { file, .. } if *file == files[1]));
    let hint = error.hint().expect("what to do");
    assert!(hint.starts_with("put `results-0002.db` back as it was"), "{hint}");
    std::fs::copy(&files[0], &files[1]).expect("copied");
    let error = three.store.results(EVENT).await.expect_err("it is another");
    assert!(matches!(&error, StoreError::PartitionChanged { file, .. } if *file == files[1]));
    std::fs::rename(&away, &files[1]).expect("renamed");
    assert_eq!(three.store.results(EVENT).await.expect("read").len(), 30);
}

#[tokio::test]
async fn a_copy_has_the_files_that_belong_to_it() {
    let (_, three) = in_one_and_in_three_files().await;
    let folder = tempfile::tempdir().expect("a folder");
    let to: PathBuf = folder.path().join("copy.db");
    Store::copy(&three.path(), &to).await.expect("copied");
    let copy = Store::open(&to, Access::ReadOnly).await.expect("opens");
    assert_eq!(copy.results(EVENT).await.expect("read").len(), 30);
    Store::copy(&three.path(), &to).await.expect("copied again");
    assert_eq!(copy.partition_files().await.expect("read").len(), 2);
}

#[tokio::test]
async fn what_a_killed_run_left_of_a_partition_is_written_anew() {
    let fresh = Fresh::new().await;
    fresh.store.put_bouts(&bouts()).await.expect("stored");
    let left = fresh.path().with_file_name("results-0001.db");
    std::fs::write(left.with_extension("db.making"), b"less").expect("written");
    // What is there when a run is killed before it lists the file.
    let folder = tempfile::tempdir().expect("a folder");
    let copied = folder.path().join("results.db");
    Store::copy(&fresh.path(), &copied).await.expect("copied");
    let copy = Store::open(&copied, Access::MustExist).await.expect("opens");
    assert!(copy.close_partition().await.expect("closed"));
    std::fs::copy(folder.path().join("results-0001.db"), &left).expect("copied");
    let again = Store::open(&fresh.path(), Access::MustExist).await.expect("it is its own");
    assert_eq!(again.results(EVENT).await.expect("read").len(), 30);
    assert!(again.close_partition().await.expect("closed"));
    assert!(!again.close_partition().await.expect("nothing is left"));
    verify(&again).await;
    assert!(!left.with_extension("db.making").exists());
}

#[tokio::test]
async fn partitions_that_the_database_does_not_know_are_written_over_by_nobody() {
    let (_, three) = in_one_and_in_three_files().await;
    let older = three.path().with_file_name("older.db");
    let files = three.store.partition_files().await.expect("read");
    let was = |file: &PathBuf| std::fs::read(file).expect("read");
    let before: Vec<_> = files.iter().map(was).collect();
    // As it was when only one was closed.
    let early = Fresh::new().await;
    early.store.put_bouts(&bouts()[..10]).await.expect("stored");
    early.store.put_bouts(&bouts()[10..15]).await.expect("stored");
    Store::copy(&early.path(), &older).await.expect("copied");
    three.store.close().await;
    // What of the first is in an older copy too, would only be written anew.
    for (what, main_file, strange) in
        [("lost", None, &files[0]), ("an older copy", Some(&older), &files[1])]
    {
        std::fs::remove_file(three.path()).expect("removed");
        if let Some(main_file) = main_file {
            std::fs::copy(main_file, three.path()).expect("copied");
        }
        for access in [Access::CreateOrOpen, Access::MustExist, Access::ReadOnly] {
            let refused = Store::open(&three.path(), access).await.expect_err(what);
            if main_file.is_none() && access != Access::CreateOrOpen {
                assert!(matches!(refused, StoreError::NotThere { .. }), "{what}: {refused}");
                continue;
            }
            assert!(
                matches!(&refused, StoreError::StrangePartition { file, .. } if file == strange),
                "{what}: {refused}"
            );
        }
        std::fs::write(three.path(), b"").expect("written");
        let refused = Store::open(&three.path(), Access::CreateOrOpen).await.expect_err("empty");
        assert!(matches!(refused, StoreError::StrangePartition { .. }), "{refused}");
    }
    assert_eq!(files.iter().map(was).collect::<Vec<_>>(), before);
}

#[tokio::test]
async fn a_closed_partition_is_read_and_never_written() {
    let (_, three) = in_one_and_in_three_files().await;
    let files = three.store.partition_files().await.expect("read");
    let refused = Store::open(&files[0], Access::CreateOrOpen).await.expect_err("it is closed");
    assert!(matches!(&refused, StoreError::ClosedPartition { path } if *path == files[0]));
    let alone = Store::open(&files[0], Access::ReadOnly).await.expect("opens");
    assert_eq!(alone.results(EVENT).await.expect("read").len(), 10);
    assert_eq!(three.store.results(EVENT).await.expect("read").len(), 30);
}

#[tokio::test]
async fn behind_a_link_lock_and_partitions_are_those_of_the_file() {
    let fresh = Fresh::new().await;
    fresh.store.put_bouts(&bouts()).await.expect("stored");
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("league.db");
    std::os::unix::fs::symlink(fresh.path(), &link).expect("a link");
    let linked = Store::open(&link, Access::MustExist).await.expect("opens");
    let _lock = fresh.store.lock_for_run().expect("free");
    assert!(matches!(linked.lock_for_run(), Err(StoreError::Locked { .. })));
    assert!(linked.close_partition().await.expect("closed"));
    assert_eq!(fresh.store.results(EVENT).await.expect("read").len(), 30);
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 1);
}

/// An index that lacks rows hides them from whoever looks by it.
#[tokio::test]
async fn an_emptied_index_of_any_file_is_not_in_order() {
    let (_, three) = in_one_and_in_three_files().await;
    let files = three.store.partition_files().await.expect("read");
    three.store.close().await;
    let clean = [three.path(), files[1].clone()].map(|file| (std::fs::read(&file), file));
    for (bytes, file) in clean {
        let bytes = bytes.expect("read");
        let root: i64 = {
            let mut whole = SqliteConnectOptions::new()
                .filename(&file)
                .read_only(true)
                .immutable(true)
                .connect()
                .await
                .expect("opens");
            let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'bouts_in_schedule_order'";
            sqlx::query_scalar(root).fetch_one(&mut whole).await.expect("it has the index")
        };
        let mut damaged = bytes.clone();
        let page = usize::try_from(root - 1).expect("small") * 8192;
        damaged[page..page + 8192].fill(0);
        // A leaf without cells, whose content begins at the page's end.
        damaged[page..page + 7].copy_from_slice(&[10, 0, 0, 0, 0, 32, 0]);
        std::fs::write(&file, damaged).expect("written");
        let store = Store::open(&three.path(), Access::ReadOnly).await.expect("opens");
        let ledger = store.ledger().await.expect("read");
        let problems = store.close_ledger(ledger, Check::Everything).await.expect("read");
        let is_told = |problem: &joust_store::Inconsistency| {
            problem.row == file.display().to_string() && problem.problem.starts_with("damaged: ")
        };
        assert!(problems.iter().any(is_told), "{problems:?}");
        store.close().await;
        std::fs::write(&file, bytes).expect("written");
    }
}

#[tokio::test]
async fn groups_close_a_partition_when_it_is_full() {
    let fresh = Fresh::new().await;
    let store = fresh.store.clone().with_partitions_of(10);
    let group = GroupCommitter::start(&store);
    for bouts in bouts().chunks(5) {
        group.committer().submit_all(bouts.to_vec()).await.expect("stored");
    }
    group.finish().await;
    assert_eq!(store.partition_files().await.expect("read").len(), 3);
    assert_eq!(store.results(EVENT).await.expect("read").len(), 30);
    verify(&store).await;
}

/// Returns all rows of the tables of a file that have any, each with the table's name.
async fn all_rows(file: &std::path::Path) -> Vec<(String, i64)> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
    let mut file = options.connect().await.expect("opens");
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .fetch_all(&mut file)
    .await
    .expect("read");
    let mut found = Vec::new();
    for table in tables {
        let count = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut file).await.expect("read");
        if rows > 0 {
            found.push((table, rows));
        }
    }
    found
}

#[tokio::test]
async fn a_partition_has_nothing_of_the_head_but_what_its_bouts_need() {
    let fresh = Fresh::new().await;
    let password = "$argon2id$of-somebody";
    fresh.store.make_account("uwcs-bomberman", "anna", password, 0).await.expect("made");
    let text = |bytes: &[u8]| bytes.windows(password.len()).any(|some| some == password.as_bytes());
    for (bouts, number) in bouts().chunks(10).zip(1..) {
        fresh.store.put_bouts(bouts).await.expect("stored");
        assert!(fresh.store.close_partition().await.expect("closed"));
        let files = fresh.store.partition_files().await.expect("read");
        let file = files.last().expect("a file");
        // Three are of what precedes the bouts, and the newest one stays in the head.
        let links = if number == 1 { 10 + 2 } else { 10 };
        let expected = [
            ("_sqlx_migrations", 1),
            ("bouts", 10),
            ("chain", links),
            ("documents", 3),
            ("events", 1),
            ("logs", 10),
            ("seats", 20),
        ];
        assert_eq!(all_rows(file).await, expected.map(|(name, rows)| (name.to_owned(), rows)));
        let bytes = std::fs::read(file).expect("read");
        assert!(!text(&bytes), "{}", file.display());
        assert_eq!(bytes[18..20], [1, 1], "it is read without a journal beside it");
    }
    fresh.store.close().await;
    assert!(text(&std::fs::read(fresh.path()).expect("read")), "the head has it");
    let store = Store::open(&fresh.path(), Access::CreateOrOpen).await.expect("opens");
    verify(&store).await;
}

#[tokio::test]
async fn a_head_of_many_times_as_many_bouts_becomes_partitions_as_one_that_was_closed_in_time() {
    let (_, three) = in_one_and_in_three_files().await;
    let late = Fresh::new().await;
    late.store.put_bouts(&bouts()).await.expect("stored");
    let store = late.store.clone().with_partitions_of(10);
    store.close_full_partitions().await.expect("closed");
    let files = store.partition_files().await.expect("read");
    let others = three.store.partition_files().await.expect("read");
    assert_eq!(files.len(), 3);
    for (file, other) in files.iter().zip(&others) {
        let (mut rows, mut others) = (all_rows(file).await, all_rows(other).await);
        // Who closes in time has no newer link yet than that of the last bout, and keeps it.
        for rows in [&mut rows, &mut others] {
            rows.retain(|(table, _)| table != "chain");
        }
        assert_eq!(rows, others, "{}", file.display());
    }
    let (results, others) = (store.results(EVENT).await, three.store.results(EVENT).await);
    assert_eq!(results.expect("read"), others.expect("read"));
    verify(&store).await;
}

#[tokio::test]
async fn groups_find_the_bouts_of_closed_files() {
    let fresh = Fresh::new().await;
    let store = fresh.store.clone().with_partitions_of(10);
    let all = bouts();
    let group = GroupCommitter::start(&store);
    for bouts in all.chunks(10) {
        group.committer().submit_all(bouts.to_vec()).await.expect("stored");
    }
    let (mut changed, old) = all[3].clone();
    changed.seats[0].occupant = Occupant::Build(build("changed"));
    let again = vec![(changed.clone(), result(&changed)), all[12].clone(), all[29].clone()];
    group.committer().submit_all(again).await.expect("stored");
    group.finish().await;
    assert_eq!(store.results(EVENT).await.expect("read").len(), 30);
    let history = store.history(old.bout).await.expect("read");
    assert_eq!(history[0].before.as_ref().map(|bout| &bout.result), Some(&old));
    verify(&store).await;
}
