//! Kept seats: taken again where they were left clean, and only there.

use super::*;

/// Takes a seat, runs a script in it and stops it; gives what the script said, and when the root of
/// the seat was made.
fn said_in_taken(spec: &SeatSpec, script: &str) -> (String, String) {
    let mut seat = Seat::acquire(host(), spec).unwrap();
    let report = shell_in(&mut seat, &format!("{script}; stat -c %z /etc/passwd"));
    seat.stop().unwrap();
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    let (said, made) = said.trim_end().rsplit_once('\n').unwrap_or(("", said.trim_end()));
    (said.to_owned(), made.to_owned())
}

/// A spec that no other test has.
fn own_spec(descriptors: u32) -> SeatSpec {
    SeatSpec { limits: SeatLimits { descriptors, ..spec().limits }, ..spec() }
}

#[test]
fn a_seat_that_was_left_clean_is_taken_again_with_another_environment() {
    let with = |seed: &str| {
        let environment = vec![("PATH".into(), "/bin".into()), ("SEED".into(), seed.into())];
        SeatSpec { environment, ..own_spec(61) }
    };
    let (first, place) = said_in_taken(&with("1"), "echo $SEED");
    let (second, again) = said_in_taken(&with("2"), "echo $SEED; ls -A /scratch /tmp /dev/shm");
    assert_eq!(first, "1");
    assert_eq!(second, "2\n/dev/shm:\n\n/scratch:\n\n/tmp:");
    assert_eq!(place, again);
}

#[test]
fn a_seat_is_taken_for_other_processors_and_moves_there() {
    let cores = affinity::processors();
    let on = |core: usize| SeatSpec { cores: vec![core], ..own_spec(62) };
    let (last, first) = (cores[cores.len() - 1], cores[0]);
    let allowed = "grep Cpus_allowed_list /proc/self/status";
    let (_, place) = said_in_taken(&on(first), allowed);
    let (said, again) = said_in_taken(&on(last), allowed);
    assert_eq!((said, again), (format!("Cpus_allowed_list:\t{last}"), place));
}

#[test]
fn a_seat_of_another_kind_is_not_taken() {
    let (_, place) = said_in_taken(&own_spec(60), "echo");
    let (_, other) = said_in_taken(&own_spec(59), "echo");
    assert_ne!(place, other);
}

/// Output of a script in a seat, and the name spaces of the network and of objects there.
type SaidIn = [String; 3];

/// Runs a script in a seat of its own.
fn said_in_name_spaces(host: &Host, spec: &SeatSpec, script: &str) -> SaidIn {
    let script = format!("cd /proc/self/ns; readlink net; readlink ipc; cd /scratch; {script}");
    let mut seat = Seat::start(host, spec).unwrap();
    let said = text(&shell_in(&mut seat, &script));
    seat.stop().unwrap();
    let mut parts = said.splitn(3, '\n').map(str::to_owned);
    let [network, objects, said] = [(); 3].map(|()| parts.next().unwrap_or_default());
    [said, network, objects]
}

/// Runs scripts one after another, each until it ran in the name space of objects of the one before
/// it. Another one comes between when a seat takes long to return its name spaces, or was replaced
/// after its turn.
fn said_in_same_objects<const N: usize>(
    host: &Host,
    scripts: [(&SeatSpec, &str); N],
) -> [SaidIn; N] {
    let next = |(spec, script), last: Option<&SaidIn>| {
        (0..8).find_map(|attempt| {
            std::thread::sleep(Duration::from_millis(1 << attempt));
            let said = said_in_name_spaces(host, spec, script);
            last.is_none_or(|last| last[2] == said[2]).then_some(said)
        })
    };
    let in_succession = |_| {
        let mut said: Vec<SaidIn> = Vec::new();
        for script in scripts {
            said.push(next(script, said.last())?);
        }
        said.try_into().ok()
    };
    (0..5).find_map(in_succession).expect("seats in succession have one name space of objects")
}

/// A host of a test's own whose seats hand name spaces on; `None` where every seat has its own.
fn handing_host() -> Option<Host> {
    let host = Host::probe(&options()).unwrap();
    (host.tier() <= Tier::B && nix::unistd::geteuid().is_root()).then_some(host)
}

#[test]
fn name_spaces_go_from_seat_to_seat_until_a_program_leaves_a_trace() {
    let Some(host) = handing_host() else { return };
    let spec = own_spec(55);
    let socket = "ls -A /scratch /tmp; python3 -c 'import socket; socket.socket()'";
    let [[_, network, objects], second] =
        said_in_same_objects(&host, [": > /scratch/a; : > /tmp/b", socket].map(|it| (&spec, it)));
    assert_eq!(second, ["/scratch:\n\n/tmp:\n", &network, &objects]);
    let others = [(); 4].map(|()| said_in_name_spaces(&host, &spec, ""));
    // A new network can have the number of one that is gone.
    let same = others.iter().filter(|[_, other, _]| *other == network).count();
    assert!(same <= 1, "a socket was made in the network: {others:?}");
    assert!(host.seat_counts().ready >= 1, "{:?}", host.seat_counts());
}

#[test]
fn the_network_after_a_server_is_as_new() {
    // What can be read; the sizes of buffers; that a port below 1024 is free, and that one is free
    // at once when its connection is closed.
    let script = "stat -c '%a %n' /proc/net/*; python3 -c '
import socket
server = socket.create_server((\"::1\", 80), family=socket.AF_INET6)
for _ in range(2):
    with socket.socket(socket.AF_INET6) as client:
        client.bind((\"::1\", 4000))
        client.connect((\"::1\", 80))
        sizes = (socket.SO_RCVBUF, socket.SO_SNDBUF)
        print([client.getsockopt(socket.SOL_SOCKET, size) for size in sizes])
        accepted = server.accept()[0]
    accepted.close()
'";
    let Some(host) = handing_host() else { return };
    let host_sockets = HostSockets { may_listen: true, ..HostSockets::default() };
    let spec = SeatSpec { host_sockets, ..own_spec(53) };
    let object = "python3 -c 'import ctypes; ctypes.CDLL(None).shmget(0, 4096, 0o1600)'";
    // A new network can have the number of one that is gone, so one time is not enough.
    let is_renewed = (0..4).any(|_| {
        let [[first, network, _], [second, renewed, _], [_, third, _]] =
            said_in_same_objects(&host, [script, script, object].map(|it| (&spec, it)));
        assert_eq!(first.lines().filter(|line| line.starts_with('[')).count(), 2, "{first}");
        assert!(first.contains("\n0 /proc/net/dev\n"), "{first}");
        assert_eq!(second, first);
        renewed != network && third != renewed
    });
    assert!(is_renewed, "each seat has the network of the one before");
}

#[test]
fn a_seat_in_name_spaces_of_another_has_limits_of_its_own() {
    let Some(host) = handing_host() else { return };
    let with = |memory| {
        let limits = SeatLimits { memory: Bytes::from_mib(memory), ..spec().limits };
        SeatSpec { limits, ..spec() }
    };
    let fill = "python3 -c 'bytearray(b\"1\") * (80 << 20); print(\"filled\")'";
    let [_, [said, ..]] = said_in_same_objects(&host, [(&with(256), ""), (&with(64), fill)]);
    assert_eq!(said, "");
}

#[test]
fn what_one_seat_reads_gives_the_next_no_more_memory() {
    let host = Host::probe(&options()).unwrap();
    // On a disk, and not in memory: the kernel charges a file to the first who reads it.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let large = std::fs::File::create(place.path().join("large")).unwrap();
    std::io::Write::write_all(&mut &large, &vec![1; 48 << 20]).unwrap();
    large.sync_all().unwrap();
    let advice = nix::fcntl::PosixFadviseAdvice::POSIX_FADV_DONTNEED;
    nix::fcntl::posix_fadvise(&large, 0, 0, advice).unwrap();
    let folder = Folder { host: place.path().to_owned(), inside: "/large".into() };
    // It may take 64 MiB.
    let spec = SeatSpec { folders: vec![folder], ..own_spec(54) };
    let in_one = |script: &str| {
        let mut seat = Seat::start(&host, &spec).unwrap();
        let report = shell_in(&mut seat, script);
        seat.stop().unwrap();
        report
    };
    assert_eq!(in_one("cat /large/large > /dev/null").ending, Ending::Exited(0));
    let report = in_one("exec python3 -c 'bytearray(b\"1\") * (80 << 20)'");
    assert_eq!(report.ending, Ending::MemoryLimit, "{report:?}");
}

#[test]
fn a_seat_in_which_more_was_made_than_an_answer_is_not_taken_again() {
    let spec = own_spec(58);
    let (_, place) = said_in_taken(&spec, ": > /scratch/a; : > /scratch/b");
    let (_, other) = said_in_taken(&spec, "echo");
    assert_ne!(place, other);
}

#[test]
fn a_seat_in_which_a_file_without_a_name_was_made_is_not_taken_again() {
    let spec = own_spec(56);
    let open = "python3 -c 'import os; os.open(\"/tmp\", os.O_TMPFILE | os.O_WRONLY)'";
    let (_, place) = said_in_taken(&spec, open);
    let (_, other) = said_in_taken(&spec, "echo");
    assert_ne!(place, other);
}

/// Takes a seat, lays `from` into its scratch and runs a script there as a program that stays;
/// gives what the script said.
fn said_by_staying(spec: &SeatSpec, from: &Path, script: &str) -> String {
    let mut seat = Seat::acquire(host(), spec).unwrap();
    let [from, shown] = [from; 2].map(Path::to_owned);
    let work = WorkFolder { from, shown, name: "bot".to_owned(), linked: None };
    seat.add_work_folder(&work).unwrap();
    let command = ["/bin/sh", "-c", script].map(OsString::from);
    let program = Program {
        command: &command,
        folder: Path::new("/scratch/bot"),
        put: &[],
        pipes: Pipes::None,
        limits: limits(),
    };
    let mut live = seat.start_program(&program).unwrap();
    while live.poll_report().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let said = String::from_utf8_lossy(&live.end().unwrap().stdout).into_owned();
    live.stop().unwrap();
    said
}

#[test]
fn a_seat_with_a_folder_for_a_program_that_stays_is_taken_again_unless_more_was_made() {
    let root = tempfile::tempdir().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(root.path().join("notes"), "old").unwrap();
    let folder = Folder { host: root.path().to_owned(), inside: root.path().to_owned() };
    let spec = SeatSpec { folders: vec![folder], ..own_spec(57) };
    // The kernel numbers the files of a seat one after the other.
    let number = "stat -c %i notes";
    let first = said_by_staying(&spec, root.path(), &format!("{number}; echo new > notes"));
    let second = said_by_staying(&spec, root.path(), &format!("{number}; cat notes; : > own"));
    let third = said_by_staying(&spec, root.path(), &format!("{number}; ls"));
    let second = second.strip_suffix("old").unwrap_or_else(|| panic!("{second}"));
    assert_ne!(second, first, "the seat was made anew");
    assert_eq!(third, format!("{first}notes\n"), "the seat was taken again");
}
