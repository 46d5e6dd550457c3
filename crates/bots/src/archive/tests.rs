//! Archives, honest and hostile, made entry by entry.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::limits::MOST_ENTRIES;
use super::{hash_file_of, unpack};

type Entry<'a> = (&'a str, u32, &'a [u8]);

fn zip_of(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, mode, bytes) in entries {
        let options = zip::write::SimpleFileOptions::default().unix_permissions(*mode);
        if mode & 0o170_000 == 0o120_000 {
            let target = std::str::from_utf8(bytes).unwrap();
            writer.add_symlink(*name, target, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn tar_of(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o6755);
        let link = kind.is_symlink() || kind.is_hard_link();
        if link {
            header.as_old_mut().linkname[..content.len()].copy_from_slice(content);
        }
        header.set_size(if link { 0 } else { content.len() as u64 });
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
        if !link {
            bytes.extend_from_slice(content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
    }
    bytes.resize(bytes.len() + 1024, 0);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&bytes).unwrap();
    packed.finish().unwrap()
}

struct Unpacked {
    home: tempfile::TempDir,
    result: Result<PathBuf, String>,
}

fn unpacked(name: &str, bytes: &[u8]) -> Unpacked {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    fs::write(&path, bytes).unwrap();
    let result = unpack(&path, &home.path().join("deep/cache"));
    Unpacked { home, result: result.map_err(|problem| problem.message) }
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let unpacked = unpacked(name, bytes);
    let message = unpacked.result.unwrap_err();
    let above = fs::read_dir(unpacked.home.path()).unwrap().count();
    assert!(above <= 2, "something was written outside");
    message
}

#[test]
fn both_formats_unpack_to_the_same_source() {
    let zip = unpacked("a.zip", &zip_of(&[("bot.yaml", 0o644, b"name: a"), ("x/y", 0o755, b"1")]));
    let file = tar::EntryType::Regular;
    let tar = unpacked("a.tar.gz", &tar_of(&[("bot.yaml", file, b"name: a"), ("x/y", file, b"1")]));
    let read =
        |unpacked: &Unpacked| fs::read(unpacked.result.as_ref().unwrap().join("x/y")).unwrap();
    assert_eq!(read(&zip), read(&tar));
}

#[test]
fn the_only_folder_within_is_the_bot() {
    for name in ["my-bot/bot.yaml", "Assignment 3/my-bot/bot.yaml"] {
        let unpacked = unpacked("a.zip", &zip_of(&[(name, 0o644, b"name: a")]));
        assert!(unpacked.result.as_ref().unwrap().ends_with("my-bot"), "{name}");
    }
}

#[test]
fn entries_that_leave_the_folder_are_refused() {
    let file = tar::EntryType::Regular;
    for name in ["../x", "/x", "a/../../x", "C:/x", "a//x", "..\\x"] {
        let message = refused("a.tar.gz", &tar_of(&[(name, file, b"1")]));
        assert!(message.contains("leaves the folder"), "{name}: {message}");
    }
    let message = refused("a.zip", &zip_of(&[("../x", 0o644, b"1")]));
    assert!(message.contains("leaves the folder"), "{message}");
    let (deep, long) = (format!("{}x", "a/".repeat(40)), "a".repeat(2000));
    for (name, expected) in [
        ("a\nb", "characters nobody sees"),
        (deep.as_str(), "more than 32 folders deep"),
        (long.as_str(), "more than 1024 bytes"),
    ] {
        let message = refused("a.zip", &zip_of(&[(name, 0o644, b"1")]));
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn a_file_through_a_link_lands_nowhere() {
    let (link, file) = (tar::EntryType::Symlink, tar::EntryType::Regular);
    let message = refused("a.tar.gz", &tar_of(&[("out", link, b"/tmp"), ("out/x", file, b"1")]));
    assert_eq!(message, "the archive has two entries `out`");
    let message = refused("b.tar.gz", &tar_of(&[("out", link, b"../..")]));
    assert!(message.contains("does not stay inside"), "{message}");
    let message = refused("c.zip", &zip_of(&[("out", 0o120_777, b"/etc/passwd")]));
    assert!(message.contains("does not stay inside"), "{message}");
}

#[test]
fn hard_links_devices_and_pipes_are_refused() {
    for kind in
        [tar::EntryType::Link, tar::EntryType::Char, tar::EntryType::Block, tar::EntryType::Fifo]
    {
        let message = refused("a.tar.gz", &tar_of(&[("x", kind, b"")]));
        assert!(message.contains("a device, a pipe, a hard link"), "{message}");
    }
}

#[test]
fn names_equal_but_for_case_are_refused() {
    let message = refused("a.zip", &zip_of(&[("A/x", 0o644, b"1"), ("a/y", 0o644, b"2")]));
    assert!(message.contains("same when case is ignored"), "{message}");
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let file = tar::EntryType::Regular;
    for (second, kind) in [
        ("a/x", file),
        ("./a/x", file),
        ("a/x/", tar::EntryType::Directory),
        ("a/x/y", file),
        ("a/x", tar::EntryType::Symlink),
        ("a", file),
    ] {
        let message = refused("a.tar.gz", &tar_of(&[("a/x", file, b"1"), (second, kind, b"")]));
        assert!(message.starts_with("the archive has two entries `a"), "{second}: {message}");
    }
    let message = refused("a.tar.gz", &tar_of(&[("A/x", file, b"1"), ("a/X", file, b"2")]));
    assert!(message.contains("same when case is ignored"), "{message}");
    let folder = tar::EntryType::Directory;
    let twice = tar_of(&[
        ("a/", folder, b""),
        ("a/", folder, b""),
        ("a/x", file, b"1"),
        ("b/", folder, b""),
    ]);
    let twice = unpacked("a.tar.gz", &twice);
    let root = twice.result.as_ref().unwrap();
    assert!(root.ends_with("a") && root.join("x").is_file(), "an empty folder is not made");
}

#[test]
fn a_zip_that_lists_a_name_twice_is_refused() {
    // The writer refuses to: another name of the same length is written over.
    for (name, shown) in [("bot/main.py", "bot/main.py"), ("bot\\main.py", "bot/main.py")] {
        let entries = [("bot/main.py", 0o644, &b"1"[..]), ("bot/other.p", 0o644, &b"2"[..])];
        let bytes = zip_of(&entries);
        let mut changed = bytes.clone();
        for at in 0..bytes.len() - 11 {
            if &bytes[at..at + 11] == b"bot/other.p" {
                changed[at..at + 11].copy_from_slice(name.as_bytes());
            }
        }
        let message = refused("a.zip", &changed);
        assert_eq!(message, format!("the archive has two entries `{shown}`"));
    }
}

#[test]
fn what_was_changed_in_the_cache_is_unpacked_again() {
    let home = tempfile::tempdir().unwrap();
    let (path, cache) = (home.path().join("a.zip"), home.path().join("cache"));
    fs::write(&path, zip_of(&[("x", 0o644, b"1"), ("y", 0o644, b"2")])).unwrap();
    let folder = unpack(&path, &cache).unwrap();
    let spoils: [&dyn Fn(); 4] = [
        &|| fs::write(folder.join("x"), "another").unwrap(),
        &|| fs::write(folder.join(".hidden"), "more").unwrap(),
        &|| fs::remove_file(folder.join("y")).unwrap(),
        &|| fs::remove_file(hash_file_of(&folder)).unwrap(),
    ];
    for spoil in spoils {
        spoil();
        assert_eq!(unpack(&path, &cache).unwrap(), folder);
        assert_eq!(fs::read_to_string(folder.join("x")).unwrap(), "1");
        assert!(folder.join("y").is_file() && !folder.join(".hidden").exists());
    }
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "nothing else is left");
}

#[test]
fn an_archive_of_another_kind_is_another_archive() {
    let home = tempfile::tempdir().unwrap();
    let (zip, tar) = (home.path().join("a.zip"), home.path().join("a.tar.gz"));
    let bytes = zip_of(&[("x", 0o644, b"1")]);
    fs::write(&zip, &bytes).unwrap();
    fs::write(&tar, &bytes).unwrap();
    unpack(&zip, &home.path().join("cache")).unwrap();
    unpack(&tar, &home.path().join("cache")).unwrap_err();
}

#[test]
fn set_user_id_bits_are_dropped() {
    let unpacked = unpacked("a.tar.gz", &tar_of(&[("x", tar::EntryType::Regular, b"1")]));
    let mode = fs::metadata(unpacked.result.unwrap().join("x")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7000, 0);
}

#[test]
fn a_bomb_is_refused_while_unpacking() {
    let zeros = vec![0; 32 << 20];
    let message = refused("a.zip", &zip_of(&[("x", 0o644, &zeros)]));
    assert!(message.contains("times its size"), "{message}");
    let message = refused("a.tar.gz", &tar_of(&[("x", tar::EntryType::Regular, &zeros)]));
    assert!(message.contains("times its size"), "{message}");
}

#[test]
fn too_many_entries_are_refused() {
    let names: Vec<String> = (0..MOST_ENTRIES + 1).map(|index| format!("f{index}")).collect();
    let entries: Vec<Entry<'_>> =
        names.iter().map(|name| (name.as_str(), 0o644, &b""[..])).collect();
    let expected = "the archive has more than 10000 entries, files and folders";
    assert_eq!(refused("a.zip", &zip_of(&entries)), expected);
}

#[test]
fn folders_that_are_led_through_count_as_entries() {
    let below = "a/".repeat(30);
    let names: Vec<String> = (0..400).map(|index| format!("{index}/{below}f")).collect();
    let entries: Vec<Entry<'_>> =
        names.iter().map(|name| (name.as_str(), 0o644, &b""[..])).collect();
    let message = refused("a.zip", &zip_of(&entries));
    assert_eq!(message, "the archive has more than 10000 entries, files and folders");
}

#[test]
fn an_archive_with_too_many_entries_is_refused_before_anything_is_written() {
    let home = tempfile::tempdir().unwrap();
    let below = "a".repeat(900);
    let names: Vec<String> = (0..MOST_ENTRIES).map(|index| format!("{below}/{index}")).collect();
    let entries: Vec<Entry<'_>> =
        names.iter().map(|name| (name.as_str(), 0o644, &b""[..])).collect();
    let path = home.path().join("a.zip");
    fs::write(&path, zip_of(&entries)).unwrap();
    // A name of 900 bytes is too long for a file: an unpacker that writes before it has counted
    // fails there.
    let message = unpack(&path, &home.path().join("cache")).unwrap_err().message;
    assert_eq!(message, "the archive has more than 10000 entries, files and folders");
}

#[test]
fn damaged_archives_are_refused() {
    for name in ["a.zip", "a.tar.gz"] {
        let message = refused(name, b"PK\x03\x04 this is no archive at all");
        assert!(message.starts_with("the archive is damaged"), "{message}");
    }
}

#[test]
fn an_archive_whose_end_is_missing_is_damaged() {
    let file = tar::EntryType::Regular;
    let whole = tar_of(&[("bot.yaml", file, b"name: a")]);
    for missing in [1, 8, 12] {
        let message = refused("a.tar.gz", &whole[..whole.len() - missing]);
        assert!(message.contains("the archive is damaged"), "{missing}: {message}");
    }
}

#[test]
fn a_long_name_has_no_room_for_much() {
    let name = vec![b'a'; 40 << 20];
    let long = tar_of(&[("././@LongLink", tar::EntryType::GNULongName, &name)]);
    let message = refused("a.tar.gz", &long);
    assert!(message.contains("more than 32 MiB of it are in no file"), "{message}");
}

#[test]
fn a_long_name_is_refused_before_its_parts_are_looked_at() {
    let name = b"../".repeat(8 << 20);
    let long = tar_of(&[
        ("././@LongLink", tar::EntryType::GNULongName, &name),
        ("main.py", tar::EntryType::Regular, b"1"),
    ]);
    let message = refused("a.tar.gz", &long);
    assert!(message.contains("more than 1024 bytes"), "{message}");
}

#[test]
fn a_sparse_file_is_refused_before_its_pieces_are_read() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_mode(0o644);
    header.set_size(0);
    let sparse = header.as_gnu_mut().unwrap();
    sparse.name[..4].copy_from_slice(b"hole");
    sparse.set_real_size(0);
    sparse.set_is_extended(true);
    header.set_cksum();
    let mut pieces = tar::GnuExtSparseHeader::new();
    for piece in &mut pieces.sparse {
        piece.set_offset(0);
        piece.set_length(0);
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(header.as_bytes()).unwrap();
    for left in (0..4000).rev() {
        pieces.set_is_extended(left > 0);
        packed.write_all(pieces.as_bytes()).unwrap();
    }
    packed.write_all(&[0; 1024]).unwrap();
    let message = refused("a.tar.gz", &packed.finish().unwrap());
    assert_eq!(
        message,
        "the archive's entry `hole` is a device, a pipe, a hard link or a sparse file"
    );
}

#[test]
fn a_sparse_file_by_extended_headers_is_refused() {
    let sparse = tar_of(&[
        ("extended", tar::EntryType::XHeader, b"22 GNU.sparse.major=1\n"),
        ("hole", tar::EntryType::Regular, b"1\n0\n1\nx"),
    ]);
    let message = refused("a.tar.gz", &sparse);
    assert_eq!(
        message,
        "the archive's entry `hole` is a device, a pipe, a hard link or a sparse file"
    );
}

#[test]
fn names_without_the_flag_of_utf_8_are_read_by_code_page_437() {
    let mut bytes = zip_of(&[("note-X.txt", 0o644, b"1"), ("main.py", 0o644, b"2")]);
    for at in 0..bytes.len() - 6 {
        if &bytes[at..at + 6] == b"note-X" {
            bytes[at + 5] = 0x94;
        }
    }
    let unpacked = unpacked("bot.zip", &bytes);
    assert!(unpacked.result.unwrap().join("note-ö.txt").is_file());
}

#[test]
fn what_archivers_and_file_managers_add_is_left_out() {
    let entries = [
        ("bot/main.py", 0o644, &b"1"[..]),
        ("__MACOSX/bot/._main.py", 0o644, b"x"),
        ("__MACOSX/._bot", 0o644, b"x"),
        (".DS_Store", 0o644, b"x"),
        ("bot/Thumbs.db", 0o644, b"x"),
    ];
    let folder = unpacked("bot.zip", &zip_of(&entries));
    let root = folder.result.as_ref().unwrap();
    assert!(root.ends_with("bot"), "the only folder is the bot: {}", root.display());
    let names: Vec<_> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["main.py"]);
}

#[test]
fn backslashes_separate_folders() {
    let entries = [
        ("bot\\", 0o644, &b""[..]),
        ("bot\\main.py", 0o644, b"1"),
        ("bot\\data\\", 0o644, b""),
        ("bot\\data\\words.txt", 0o644, b"x"),
    ];
    let folder = unpacked("bot.zip", &zip_of(&entries));
    let root = folder.result.as_ref().unwrap();
    assert!(root.ends_with("bot") && root.join("data/words.txt").is_file(), "{}", root.display());
}

/// Makes a zip file that lists `listed` empty files and claims `claimed`, in the form that large
/// archives have, with `behind` bytes after its end.
fn zip_with_directory(listed: u32, claimed: u64, behind: usize) -> Vec<u8> {
    let mut bytes = zip_of(&[("x", 0o644, b"")]);
    let local = &bytes.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    bytes.truncate(*local);
    let start = bytes.len() as u64;
    for number in 0..listed {
        let mut header = [0_u8; 46];
        header[..4].copy_from_slice(b"PK\x01\x02");
        header[28..30].copy_from_slice(&8_u16.to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(format!("{number:08x}").as_bytes());
    }
    let (size, end) = (bytes.len() as u64 - start, bytes.len() as u64);
    bytes.extend_from_slice(b"PK\x06\x06");
    bytes.extend_from_slice(&44_u64.to_le_bytes());
    bytes.extend_from_slice(&[0; 12]);
    for number in [claimed, claimed, size, start] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(b"PK\x06\x07\0\0\0\0");
    bytes.extend_from_slice(&end.to_le_bytes());
    bytes.extend_from_slice(&1_u32.to_le_bytes());
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff");
    bytes.extend_from_slice(&[0xff; 8]);
    bytes.extend_from_slice(&[0; 2]);
    bytes.resize(bytes.len() + behind, b'-');
    bytes
}

#[test]
fn a_directory_beyond_its_bounds_is_refused_whatever_its_end_claims() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (listed, claimed, expected) in [
        (1, 8_000_000, "lists more than 65536 entries"),
        (1, u64::MAX, "lists more than 65536 entries"),
        (100_000, 100_000, "lists more than 65536 entries"),
        (100_000, 3, "lists more than 65536 entries"),
        (5, 3, "does not list what it holds"),
        (3, 5, "does not list what it holds"),
    ] {
        for behind in [0, 70_000] {
            let bytes = zip_with_directory(listed, claimed, behind);
            let message = refused("a.zip", &bytes);
            assert!(message.contains(expected), "{listed}, {claimed}, {behind}: {message}");
            fs::write(file.path(), &bytes).unwrap();
            let jar = super::check_jar(file.path()).unwrap_err();
            assert!(jar.contains(expected), "{listed}, {claimed}, {behind}: {jar}");
        }
    }
}

#[test]
fn names_of_a_directory_have_a_bound_of_their_own() {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for number in 0..300 {
        let name = format!("{number:060000}");
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    }
    let message = refused("a.zip", &writer.finish().unwrap().into_inner());
    assert!(message.contains("16 MiB of names"), "{message}");
}

#[test]
fn an_entry_with_another_checksum_is_damaged() {
    let mut bytes = zip_of(&[("x", 0o644, b"12345678")]);
    let at = bytes.windows(8).position(|at| at == b"12345678");
    let at = at.unwrap_or(31);
    bytes[at] ^= 1;
    let message = refused("a.zip", &bytes);
    assert!(message.starts_with("the archive is damaged"), "{message}");
}
