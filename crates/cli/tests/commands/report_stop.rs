//! A site that is stopped while it is written, by Ctrl-C or by a disk that takes no
//! more: nothing half-written is taken for a whole one, and an old site stays.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use joust_model::{BoutPlan, StoredBout};
use joust_store::{Access, Store};
use joust_testkit::env::{Ran, TestEnv};
use joust_testkit::html::{files, problems};
use joust_testkit::league::bout_ids;

use super::small;

/// Enough bouts for a site that takes many times as long as to stop it.
const MANY: u32 = 3_000;

/// Time that a loaded machine may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tournament with a site of it, and as many bouts more as asked for since.
fn with_old_site(more: u32) -> (TestEnv, BTreeMap<String, Vec<u8>>) {
    let env = small();
    env.run(["run"]).expect(0);
    env.run(["report", "--out", "public/site"]).expect(0);
    let old = files(&site(&env)).expect("a site");
    let id = bout_ids(&env).remove(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(copy(&env.path().join("results.db"), &id, more));
    (env, old)
}

fn site(env: &TestEnv) -> PathBuf {
    env.path().join("public/site")
}

/// Stores copies of a bout as bouts of other matches.
async fn copy(database: &Path, id: &str, count: u32) {
    let store = Store::open(database, Access::CreateOrOpen).await.expect("the database opens");
    let stored = store.bout(id).await.expect("it can be read").expect("the bout is there");
    let copies: Vec<_> = (0..count).map(|number| copied(&stored, number)).collect();
    for group in copies.chunks(500) {
        store.put_bouts(group).await.expect("they can be stored");
    }
    store.close().await;
}

fn copied(stored: &StoredBout, number: u32) -> (BoutPlan, joust_model::BoutResult) {
    let StoredBout { mut plan, mut result } = stored.clone();
    let bots: Vec<_> = plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
    plan.bout = BoutPlan::id("copies", &plan.event, &bots, number);
    (plan.match_number, plan.number) = (1_000 + u64::from(number), 0);
    (result.bout, result.key) = (plan.bout, plan.key());
    (plan, result)
}

/// Returns the entries beside the site; a folder that is being written begins with a dot.
fn beside(env: &TestEnv) -> Vec<PathBuf> {
    let entries = fs::read_dir(env.path().join("public")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| *path != site(env)).collect()
}

/// Waits until pages are being written.
fn await_pages(env: &TestEnv, child: &mut Child) {
    let begin = Instant::now();
    let has_pages = |folder: &PathBuf| folder.join("league/bouts").is_dir();
    while !beside(env).iter().any(has_pages) {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended before");
        assert!(begin.elapsed() < PATIENCE, "no page was ever written");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
}

fn is_as_before(env: &TestEnv, old: &BTreeMap<String, Vec<u8>>) {
    let now = files(&site(env)).expect("a site");
    assert!(now == *old, "the old site was touched");
    assert_eq!(problems(&now), Vec::<String>::new());
}

#[test]
fn ctrl_c_leaves_the_old_site_and_nothing_else() {
    let (env, old) = with_old_site(MANY);
    let mut child = env.start(["report", "--out", "public/site", "--force"]);
    await_pages(&env, &mut child);
    send(&child, "-INT");
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted") && said.contains("is unchanged"), "{said}");
    assert_eq!(beside(&env), Vec::<PathBuf>::new());
    is_as_before(&env, &old);
}

#[test]
fn a_site_that_was_never_finished_is_not_where_sites_are() {
    let (env, old) = with_old_site(MANY);
    let mut child = env.start(["report", "--out", "public/site", "--force"]);
    await_pages(&env, &mut child);
    send(&child, "-KILL");
    child.wait().expect("it ends");
    is_as_before(&env, &old);
    // What the kernel ended could not tidy up: hidden, and without the mark of a site.
    let left = beside(&env);
    assert_eq!(left.len(), 1, "{left:?}");
    let name = left[0].file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with(".site-") && !left[0].join(".joust-site").exists(), "{name}");
    let refused =
        env.run(["report", "--out", left[0].to_str().expect("text"), "--force"]).expect(2);
    assert!(refused.stderr.contains("was not made by"), "{}", refused.stderr);
    // The next report for the same place removes it, even if that report fails.
    let nobody = ["report", "--out", "public/site", "--force", "--event", "nobody"];
    env.run(nobody).expect(2);
    assert_eq!(beside(&env), Vec::<PathBuf>::new());
    is_as_before(&env, &old);
}

/// Runs `joust report` with files of at most `kib` KiB, a limit set by bash.
fn with_files_of_at_most(kib: u32, env: &TestEnv) -> Ran {
    let program = env.command(["report", "--out", "public/site", "--force"]);
    let mut limited = Command::new("bash");
    limited.arg("-c").arg(format!("ulimit -f {kib}; exec \"$@\"")).arg("bash");
    limited.arg(program.get_program()).args(program.get_args());
    limited.env_clear().envs(env.variables()).current_dir(env.path());
    let ended = limited.output().expect("bash can be started");
    Ran::from(ended)
}

#[test]
fn a_file_that_cannot_be_written_whole_is_an_error_and_the_old_site_stays() {
    let (env, old) = with_old_site(0);
    // The viewer is larger than that; the files that the database writes for reading are not.
    let ran = with_files_of_at_most(40, &env).expect(4);
    let said = &ran.stderr;
    assert!(said.contains("`assets/viewer.js` of the site cannot be written"), "{said}");
    assert!(said.contains("too large") && said.contains("is unchanged"), "{said}");
    assert_eq!(beside(&env), Vec::<PathBuf>::new());
    is_as_before(&env, &old);
    with_files_of_at_most(4_000, &env).expect(0);
}
