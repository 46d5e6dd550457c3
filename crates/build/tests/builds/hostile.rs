//! Outcomes of broken and hostile builds: the lines B01 to B11 of the catalogue.

use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::Arc;
use std::time::Duration;

use joust_build::{Builder, FolderStore};
use joust_config::{Memory, Size, Time};
use joust_model::Bytes;
use joust_sandbox::Tier;
use joust_toolchain::{BuildLimit, Languages, Machine, NotBuilt, Toolchains};

use crate::fixture::{Fixture, host};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("b01_b09_a_build_finds_no_secret_and_none_gets_into_a_log", secret),
    ("b02_a_build_that_sleeps_is_ended", sleeps),
    ("b03_a_build_has_no_network", network),
    ("b03_a_build_with_a_network_reaches_no_abstract_socket", abstract_socket),
    ("b04_a_build_that_eats_memory_is_ended", memory),
    ("b04_a_build_that_fills_the_disk_is_ended", disk),
    ("b05_a_build_without_a_result_fails", no_result),
    ("b05_a_result_that_is_a_link_out_or_a_pipe_fails", odd_result),
    ("b06_a_build_leaves_nothing_for_the_next_one", poisoned),
    ("b07_a_build_may_leave_a_daemon_which_is_dead_then", daemon),
    ("b08_a_build_writes_nowhere_else", elsewhere),
    ("b10_a_flood_is_cut_and_escaped", flood),
    ("b11_a_build_that_differs_each_time_is_made_once", differs),
    ("a_syntax_error_names_command_status_and_last_lines", syntax_error),
    ("a_script_with_crlf_in_its_first_line_fails_with_the_cause", crlf),
    ("a_bot_that_says_the_network_is_down_is_believed_where_nobody_answers", network_down),
];

const MADE: &str = "printf '#!/bin/sh\\n' > bot; chmod 755 bot\n";

fn failed(result: Result<impl Sized, NotBuilt>) -> (String, Vec<String>) {
    match result.map(drop).unwrap_err() {
        NotBuilt::Failed { status, lines, .. } => (status, lines),
        other => panic!("{other}"),
    }
}

fn secret() {
    let fixture = Fixture::new();
    let path = fixture.folder.path().join("results.db");
    fs::write(&path, "int secret_of_ours = x y z;\n").unwrap();
    let script = format!(
        "cat {0}; ls {1}; ls /root /home; exit 3\n",
        path.display(),
        fixture.folder.path().display()
    );
    let (status, _) = failed(fixture.build_script("a", &script));
    assert_eq!(status, "ended with status 3");
    assert!(!fixture.failed_log("a").contains("secret_of_ours"));
    let source = format!("#include \"{}\"\nint main() {{}}\n", path.display());
    let manifest = ("bot.yaml", "name: c\nlanguage: c\n");
    match fixture.build("c", &[manifest, ("main.c", &source)]) {
        Err(NotBuilt::MissingToolchain(_)) => {}
        other => {
            failed(other);
            assert!(!fixture.failed_log("c").contains("secret_of_ours"));
        }
    }
}

fn sleeps() {
    let mut fixture = Fixture::new();
    fixture.limits.time = Time(Duration::from_millis(700));
    let result = fixture.build_script("a", "sleep 600\n").unwrap_err();
    assert_eq!(result.word(), "build-timeout", "{result}");
}

fn network() {
    let fixture = Fixture::new();
    let script = "exec 3<>/dev/tcp/127.0.0.1/9 || exit 7\n";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = script.replace("/9 ", &format!("/{port} "));
    assert_eq!(failed(fixture.build_script("a", &script)).0, "ended with status 7");
}

fn abstract_socket() {
    // The same version of Landlock has both.
    if let Some(reason) = host().why_not_warm() {
        return println!("  left out: {reason}");
    }
    let mut fixture = Fixture::new();
    fixture.limits.network = joust_config::Network::Open;
    let name = format!("joust-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let listener = UnixListener::bind_addr(&address).expect("a socket");
    let script = format!(
        "import socket\nwith socket.socket(socket.AF_UNIX) as one:\n    one.connect('\\0{name}')\n"
    );
    let manifest = "name: a\nlanguage: python\nbuild: [python3 make.py]\nrun: python3 main.py\n";
    let files = [("bot.yaml", manifest), ("make.py", &*script), ("main.py", "print()\n")];
    let (status, lines) = failed(fixture.build("a", &files));
    assert_eq!(status, "ended with status 1", "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("not permitted")), "{lines:?}");
    drop(listener);
}

fn memory() {
    let mut fixture = Fixture::new();
    fixture.limits.memory = Memory(Size(Bytes::from_mib(64)));
    let script = "x=$(head -c 300000000 /dev/zero | tr '\\0' x); echo ${#x}\n";
    let result = fixture.build_script("a", script).unwrap_err();
    assert_eq!(result.word(), "build-limit", "{result}");
}

fn disk() {
    let mut fixture = Fixture::new();
    fixture.limits.disk = Size(Bytes::from_mib(8));
    let result = fixture.build_script("a", "set -e; head -c 50000000 /dev/zero > big\n");
    match result.unwrap_err() {
        NotBuilt::Limit { limit, .. } => assert_eq!(limit, BuildLimit::Disk),
        other => panic!("{other}"),
    }
}

fn no_result() {
    let fixture = Fixture::new();
    assert_eq!(failed(fixture.build_script("a", "true\n")).0, "made no `bot`");
    let (status, _) = failed(fixture.build_script("b", "echo x > bot\n"));
    assert_eq!(status, "made `bot`, which may not be executed");
}

fn odd_result() {
    let fixture = Fixture::new();
    let (status, _) = failed(fixture.build_script("a", "ln -s /etc/passwd bot\n"));
    assert!(status.contains("leads out"), "{status}");
    let (status, _) = failed(fixture.build_script("b", "mkfifo bot\n"));
    assert!(status.contains("neither a file"), "{status}");
    let (status, _) = failed(fixture.build_script("c", "printf x > y; chmod 755 y; ln -s y bot\n"));
    assert_eq!(status, "made `bot`, which is a link");
}

fn poisoned() {
    let fixture = Fixture::new();
    let poison =
        "for place in $HOME /tmp /dev/shm /scratch /bot/..; do echo poison > $place/poison; done\n";
    fixture.build_script("a", &format!("{poison}{MADE}")).unwrap();
    let look = "for place in $HOME /tmp /dev/shm /scratch /bot/..; do test -e $place/poison && exit 9; done\n";
    fixture.build_script("b", &format!("{look}{MADE}")).unwrap();
}

fn daemon() {
    let fixture = Fixture::new();
    let name = "joust-left-over-daemon";
    let script = format!("cp /bin/sleep {name}; setsid ./{name} 600 >/dev/null 2>&1 &\n{MADE}");
    fixture.build_script("a", &script).unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let alive = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let ours = |line: &Vec<u8>| line.starts_with(format!("./{name}").as_bytes());
    assert_eq!(alive.filter(ours).count(), 0);
}

fn elsewhere() {
    let fixture = Fixture::new();
    let script =
        "for place in /usr /etc / /proc/sys/kernel; do echo x > $place/joust-x && exit 9; done\n";
    fixture.build_script("a", &format!("{script}{MADE}")).unwrap();
}

fn flood() {
    let mut fixture = Fixture::new();
    fixture.limits.output = Size(Bytes::from_kib(64));
    let script = "printf '\\033[2J::error::\\n'; yes 0123456789012345678901234567890123456789\n";
    match fixture.build_script("a", script).unwrap_err() {
        NotBuilt::Limit { limit, .. } => assert_eq!(limit, BuildLimit::Output),
        other => panic!("{other}"),
    }
    let log = fixture.failed_log("a");
    assert!(log.len() < 200_000, "{}", log.len());
    assert!(log.contains("\n  | \\u{1b}[2J::error::"), "{:.300}", log);
}

fn differs() {
    let fixture = Fixture::new();
    let script = format!("head -c 20 /dev/urandom > made-of-luck\n{MADE}");
    let first = fixture.build_script("a", &script).unwrap();
    let luck = fs::read(first.folder.join("made-of-luck")).unwrap();
    let second = fixture.build_script("a", &script).unwrap();
    assert!(second.cached);
    assert_eq!(fs::read(second.folder.join("made-of-luck")).unwrap(), luck);
}

fn syntax_error() {
    let fixture = Fixture::new();
    let files = [("bot.yaml", "name: a\nlanguage: bash\n"), ("main.sh", "if true; then\n")];
    let result = fixture.build("a", &files).unwrap_err().to_string();
    assert!(result.contains("bash -n /bot/main.sh` ended with status 2"), "{result}");
    assert!(result.contains("\n  | /bot/main.sh: line 2: syntax error"), "{result}");
}

fn crlf() {
    let fixture = Fixture::new();
    let manifest = "name: a\nlanguage: bash\nbuild: chmod 755 bot\nrun: ./bot\n";
    let files = [("bot.yaml", manifest), ("bot", "#!/bin/bash\r\necho NO\r\n")];
    let why = fixture.build("a", &files).unwrap_err().to_string();
    assert!(why.starts_with("`bot` has Windows line ends (CR LF)"), "{why}");
}

fn network_down() {
    let mut fixture = Fixture::new();
    fixture.limits.network = joust_config::Network::Open;
    let manifest = "name: cut-off\nlanguage: bash\nbuild: bash make.sh\nrun: ./bot\n";
    let script = "echo 'connect: connection refused' >&2; exit 1\n";
    let path = fixture.write("cut-off", &[("bot.yaml", manifest), ("make.sh", script)]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let registry = listener.local_addr().expect("an address").to_string();
    // The behaviour of a package manager without untrusted files.
    let ask = format!(
        "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT {registry} HTTP/1.1\\r\\n\\r\\n' >&3; read -r answer <&3"
    );
    let probe = serde_json::to_string(&[["{bash}", "-c", &ask]]).expect("plain data");
    let bash = format!("libraries: {{ of: bash, list: list, build: [], probe: {probe} }}");
    let bash = joust_config::yaml::from_str(&bash).expect("it is YAML");
    let languages = Languages::with(&[("bash".to_owned(), bash)].into()).expect("a table");
    let languages = Arc::new(languages);
    // A new store, as in a new process: a store remembers the registries that were asked.
    let built = || {
        let tools = Toolchains::new(Arc::clone(&languages), Machine::this());
        let store = FolderStore::open(&fixture.folder.path().join("cache")).expect("a store");
        let builder = Builder { store: &store, ..fixture.builder(&tools) };
        builder.build(&fixture.read(&path, &tools)).unwrap_err()
    };
    let why = built();
    assert!(matches!(why, NotBuilt::Failed { .. }), "somebody answers: {why}");
    drop(listener);
    // In tier C a seat has no network of its own, so only the bot's own output says it.
    if host().tier() == Tier::C {
        return;
    }
    let why = built();
    let told = "the network or the registry is at fault, no bot: `127.0.0.1:";
    assert!(why.is_of_machine() && why.to_string().contains(told), "{why}");
}
