//! A machine with few resources: no threads, no descriptors, hardly any stack or address space.
//! Every command reports that with status 4, and none panics.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use joust_testkit::env::TestEnv;

use super::{env, small};

/// Runs the binary in a shell that has been limited with `limit` before.
fn limited(env: &TestEnv, limit: &str, arguments: &str) -> Output {
    let script = format!("{limit} && exec {} {arguments}", env!("CARGO_BIN_EXE_joust"));
    Command::new("bash")
        .args(["-c", &script])
        .current_dir(env.path())
        .env_clear()
        .envs(env.variables())
        .output()
        .expect("bash is here")
}

#[track_caller]
fn refuses(ran: &Output, said: &str) {
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(4), "{error}");
    assert!(error.contains(said) && error.contains("\nhint: "), "{error}");
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn few_descriptors_are_told_of() {
    refuses(
        &limited(&env(), "ulimit -n 8", "rules battlebots"),
        "only 8 files may be open at once",
    );
    refuses(&limited(&small(), "ulimit -n 40", "run"), "only 40 files may be open at once");
}

#[test]
fn a_small_address_space_is_told_of() {
    let ran = limited(&env(), "ulimit -v 600000", "rules battlebots");
    refuses(&ran, "only 600000 KiB of address space");
}

#[test]
fn a_small_stack_is_no_matter_where_it_may_be_raised() {
    let env = small();
    let ran = limited(&env, "ulimit -Ss 64", "run");
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{error}");
    let ran = limited(&env, "ulimit -s 64", "rules battlebots");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Control group with a limit of processes; `None` where none can be made.
struct FewProcesses(PathBuf);

impl FewProcesses {
    fn new(limit: u32) -> Option<Self> {
        let roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(Path::new);
        let root = roots.into_iter().find(|root| root.is_dir())?;
        let group = root.join(format!("joust-test-{}-{limit}", std::process::id()));
        std::fs::create_dir(&group).ok()?;
        let group = Self(group);
        std::fs::write(group.0.join("pids.max"), limit.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for FewProcesses {
    fn drop(&mut self) {
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// Without root no control group can be made, and nothing is tested.
#[test]
fn a_run_says_that_no_thread_could_be_started_where_few_processes_are_allowed() {
    for limit in 6..=16 {
        let env = small();
        let Some(group) = FewProcesses::new(limit) else { return };
        let enter = format!("echo $$ > {}/cgroup.procs", group.0.display());
        let ran = limited(&env, &enter, "run");
        let error = String::from_utf8_lossy(&ran.stderr);
        // So few may be enough where they are not needed at the same moment.
        if ran.status.code() == Some(0) && limit > 8 {
            continue;
        }
        assert_eq!(ran.status.code(), Some(4), "{limit}: {error}");
        let said = ["no thread could be started", "no thread can be started"];
        assert!(said.iter().any(|words| error.contains(words)), "{limit}: {error}");
        assert!(!error.contains("panicked"), "{limit}: {error}");
    }
}

/// The limit of processes does not hold for root.
#[test]
fn no_thread_to_be_had_is_told_of() {
    let env = env();
    let binary = env!("CARGO_BIN_EXE_joust");
    let limited =
        format!("test -x {binary} || exit 77; ulimit -u 1 && exec {binary} rules battlebots");
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt;
        own.uid() == 0
    });
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let words = nobody.into_iter().filter(|_| is_root).chain(["bash", "-c", &limited]);
    let words: Vec<&str> = words.collect();
    let ran = Command::new(words[0])
        .args(&words[1..])
        .env_clear()
        .envs(env.variables())
        .output()
        .expect("bash is here");
    // Nobody may not get at the binary everywhere.
    if ran.status.code() != Some(77) {
        refuses(&ran, "no thread can be started");
    }
}
