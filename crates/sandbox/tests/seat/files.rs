//! Files of a seat: its scratch, its folders, and copies in and out.

use super::*;

#[test]
fn with_the_network_of_the_host_files_move_between_folders() {
    let open = SeatSpec { network: Network::Host, ..spec() };
    let script =
        "mkdir a b && echo text > a/file && ln a/file b/linked && mv a/file b/moved && ls b";
    let report = shell_in(&mut start(&open), script);
    assert_eq!((text(&report).as_str(), report.stderr.as_slice()), ("linked\nmoved\n", &b""[..]));
}

/// A seat whose programs may write to `/bot`, a folder with a program and a file below.
fn written(scratch_use: ScratchUse) -> (tempfile::TempDir, SeatSpec) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    for name in ["main", "d/file"] {
        std::fs::write(folder.path().join(name), "text\n").unwrap();
    }
    let inside = PathBuf::from("/bot");
    let folders = vec![Folder { host: folder.path().to_owned(), inside: inside.clone() }];
    let spec = SeatSpec { folders, written: Some(inside), scratch_use, ..spec() };
    (folder, spec)
}

const WRITES: &str = "cd /bot; ls -A . d; cat main; echo log > log; echo more >> main; rm d/file; \
    mkdir d/new; touch -d @1 .; chmod 700 .; echo written";
const FIRST: &str = ".:\nd\nmain\n\nd:\nfile\ntext\nwritten\n";

#[test]
fn a_program_writes_beside_itself_and_the_next_turn_sees_nothing_of_it() {
    let (folder, spec) = written(ScratchUse::FreshEachTurn);
    let mut seat = start(&spec);
    for _ in 0..3 {
        let report = shell_in(&mut seat, WRITES);
        assert_eq!((text(&report).as_str(), report.stderr.as_slice()), (FIRST, &b""[..]));
    }
    // The smallest change is one.
    shell_in(&mut seat, "chmod 700 /bot");
    assert_eq!(text(&shell_in(&mut seat, "stat -c %a /bot")), "755\n");
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    let main = std::fs::read_to_string(folder.path().join("main")).unwrap();
    assert_eq!((names, main.as_str()), (2, "text\n"));
}

#[test]
fn what_is_written_to_a_kept_scratch_stays_and_counts_as_scratch() {
    let (_folder, spec) = written(ScratchUse::KeptForSeat);
    let mut seat = start(&spec);
    assert_eq!(text(&shell_in(&mut seat, WRITES)), FIRST);
    assert_eq!(text(&shell_in(&mut seat, "cat /bot/main /bot/log")), "text\nmore\nlog\n");
    let full = shell_in(&mut seat, "head -c 9000000 /dev/zero > /bot/large");
    assert!(full.usage.limits_hit.contains(LimitHit::Disk), "{full:?}");
}

#[test]
fn who_writes_nothing_keeps_its_seat() {
    let (_folder, spec) = written(ScratchUse::FreshEachTurn);
    let mut seat = start(&spec);
    let made = "stat -c %z /bot/d";
    let first = text(&shell_in(&mut seat, made));
    assert_eq!(text(&shell_in(&mut seat, made)), first);
    shell_in(&mut seat, "echo log > /bot/log");
    assert_ne!(text(&shell_in(&mut seat, made)), first);
}

#[test]
fn every_writable_place_is_new_each_turn() {
    let mut seat = start(&spec());
    let fill = "echo x > /scratch/a; mkdir -p /tmp/b/c; echo x > /dev/shm/d; chmod 0 /tmp/b";
    shell_in(&mut seat, fill);
    let look = "ls -A /scratch /tmp /dev/shm | grep -v : ; stat -c %Y.%a /scratch /tmp";
    let report = shell_in(&mut seat, look);
    assert_eq!(text(&report).trim(), "0.1777\n0.1777");
}

#[test]
fn a_kept_scratch_is_kept() {
    let kept = SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() };
    let mut seat = start(&kept);
    shell_in(&mut seat, "echo kept > /scratch/a");
    assert_eq!(text(&shell_in(&mut seat, "cat /scratch/a")), "kept\n");
}

#[test]
fn a_program_starts_in_the_folder_that_has_the_name_now() {
    let kept = SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() };
    let mut seat = start(&kept);
    shell_in(&mut seat, "mkdir a; echo first > a/who");
    let mut said_in_a = |script: &str| {
        let command = ["/bin/sh", "-c", script].map(OsString::from);
        let folder = Path::new("/scratch/a");
        let turn = Turn { command: &command, folder, put: &[], take: &[], limits: limits() };
        text(&seat.turn(&turn).unwrap())
    };
    let moved = "cat who; mv ../a ../b; mkdir ../a; echo second > ../a/who";
    assert_eq!(said_in_a(moved), "first\n");
    assert_eq!(said_in_a("cat who"), "second\n");
}

#[test]
fn files_go_in_and_come_out() {
    let put = [PutFile { path: "in/state".to_owned(), bytes: (&b"42"[..]).into() }];
    let take = ["move", "missing", "link", "pipe", "long"]
        .map(|path| TakeFile { path: path.to_owned(), cap: Bytes(4) });
    let script = "cp in/state move; ln -s /etc/passwd link; mkfifo pipe; echo 12345 > long";
    let command = ["/bin/sh", "-c", script].map(OsString::from);
    let turn = Turn {
        command: &command,
        folder: Path::new("/scratch"),
        put: &put,
        take: &take,
        limits: limits(),
    };
    let report = start(&spec()).turn(&turn).unwrap();
    let taken: Vec<FileOutcome> = report.files.into_iter().map(|file| file.outcome).collect();
    let expected = [
        FileOutcome::Bytes(b"42".to_vec()),
        FileOutcome::Missing,
        FileOutcome::NotPlain,
        FileOutcome::NotPlain,
        FileOutcome::TooLong,
    ];
    assert_eq!(taken, expected);
    assert!(report.usage.limits_hit.contains(LimitHit::AnswerFile));
}

#[test]
fn a_folder_is_readable_under_its_neutral_path_only() {
    let home = tempfile::tempdir().unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let secret = home.path().join("very-secret-name");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("data"), "inside\n").unwrap();
    let spec = SeatSpec {
        folders: vec![Folder { host: secret.clone(), inside: PathBuf::from("/bot") }],
        ..spec()
    };
    let mut seat = start(&spec);
    assert_eq!(text(&shell_in(&mut seat, "cat /bot/data; rm /bot/data 2>/dev/null")), "inside\n");
    let report =
        shell_in(&mut seat, "cat /proc/self/mountinfo /proc/self/mounts /proc/self/cgroup");
    assert_eq!(report.ending, Ending::Exited(0));
    for hidden in ["very-secret-name", "tmp.", "joust-"] {
        assert!(!text(&report).contains(hidden), "{hidden} in {}", text(&report));
    }
    assert!(secret.join("data").exists());
}

#[test]
fn a_build_is_copied_out_readable_by_all() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("main"), "text").unwrap();
    symlink("main", source.join("link")).unwrap();
    let to = root.path().join("out");
    let export = Export {
        inside: "src".to_owned(),
        to: to.clone(),
        max_bytes: Bytes::from_mib(1),
        max_files: 100,
    };
    let import = Import { from: source, inside: "src".to_owned() };
    let script = "cd src; cp main built; chmod 4700 built; mkdir d; echo x > d/e; chmod 0 d/e";
    let mut seat = start(&SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() });
    seat.import(&import).unwrap();
    let report = shell_in(&mut seat, script);
    assert_eq!(report.ending, Ending::Exited(0), "{}", report.stderr.escape_ascii());
    let exported = seat.export(&export).unwrap();
    assert_eq!(exported, Ok(Exported { bytes: Bytes(10), files: 5 }));
    let mode = |path: &str| std::fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("built"), mode("d"), mode("d/e")), (0o755, 0o755, 0o644));
    assert_eq!(std::fs::read_to_string(to.join("link")).unwrap(), "text");
}

#[test]
fn a_folder_laid_into_the_scratch_can_be_written_to_and_stays_what_it_was() {
    let root = tempfile::tempdir().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let at = |name: &str| root.path().join(name);
    std::fs::write(at("notes.txt"), "old").unwrap();
    std::fs::create_dir_all(at("lib/data")).unwrap();
    std::fs::write(at("lib/data/weights"), "1").unwrap();
    symlink("notes.txt", at("link")).unwrap();
    std::fs::File::create(at("huge")).unwrap().set_len(3 << 20).unwrap();
    std::fs::create_dir(at("many")).unwrap();
    (0..1500).for_each(|number| std::fs::write(at(&format!("many/{number}")), "x").unwrap());
    let folder = Folder { host: root.path().to_owned(), inside: "/bot".into() };
    let spec = SeatSpec { folders: vec![folder], ..spec() };
    let mut seat = start(&spec);
    std::fs::create_dir(at("made")).unwrap();
    std::fs::write(at("made/part"), "made").unwrap();
    let work = WorkFolder {
        from: root.path().to_owned(),
        shown: "/bot".into(),
        name: "bot".to_owned(),
        linked: Some("made".into()),
    };
    seat.add_work_folder(&work).unwrap();
    let script = "cd /scratch/bot && echo new > link && echo 2 >> lib/data/weights && : > own && \
                  cat notes.txt lib/data/weights && wc -c < huge && ls many | wc -l && \
                  cat made/part && readlink made && \
                  (: > many/x || : > huge || : > made/x) 2>/dev/null || echo refused";
    let report = shell_in(&mut seat, script);
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    let made = "made/bot/made\n";
    assert_eq!(said, format!("new\n12\n3145728\n1500\n{made}refused\n"), "{report:?}");
    assert_eq!(std::fs::read_to_string(at("notes.txt")).unwrap(), "old");
    assert_eq!(std::fs::read_to_string(at("lib/data/weights")).unwrap(), "1");
    assert!(!at("own").exists() && !at("many/x").exists());
}

#[test]
fn a_hidden_folder_appears_empty_and_nothing_can_be_put_there() {
    let host = tempfile::tempdir().unwrap();
    std::fs::set_permissions(host.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(host.path().join("lib/site")).unwrap();
    std::fs::write(host.path().join("lib/site/stray"), "").unwrap();
    std::fs::write(host.path().join("lib/own"), "").unwrap();
    let folder = Folder { host: host.path().to_owned(), inside: "/tools".into() };
    let hidden = ["/tools/lib/site", "/usr/share", "/tools/none"].map(PathBuf::from).to_vec();
    let spec = SeatSpec { folders: vec![folder], hidden, ..spec() };
    let mut seat = start(&spec);
    let script = "ls -A /tools/lib /tools/lib/site /usr/share; \
                  (: > /tools/lib/site/x) 2>/dev/null || echo closed";
    let report = shell_in(&mut seat, script);
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    assert_eq!(said, "/tools/lib:\nown\nsite\n\n/tools/lib/site:\n\n/usr/share:\nclosed\n");
}

#[test]
fn a_build_with_a_pipe_or_a_huge_file_is_refused() {
    for (script, refused) in [
        ("mkfifo p", ExportError::NotPlain(PathBuf::from("p"))),
        ("truncate -s 1T big", ExportError::TooManyBytes(Bytes::from_mib(1))),
        ("ln -s /etc/passwd l", ExportError::LinkLeadsOut(PathBuf::from("l"))),
    ] {
        let root = tempfile::tempdir().unwrap();
        let export = Export {
            inside: String::new(),
            to: root.path().join("out"),
            max_bytes: Bytes::from_mib(1),
            max_files: 100,
        };
        let mut seat = start(&SeatSpec { scratch_use: ScratchUse::KeptForSeat, ..spec() });
        assert_eq!(shell_in(&mut seat, script).ending, Ending::Exited(0));
        assert_eq!(seat.export(&export).unwrap(), Err(refused));
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let spec = SeatSpec {
        folders: vec![Folder { host: "/no/such/folder".into(), inside: "/bot".into() }],
        ..spec()
    };
    let error = Seat::start(host(), &spec).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
    assert_eq!(error.errno(), Some(libc::ENOENT));
}
