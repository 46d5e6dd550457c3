use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn hash(folder: &tempfile::TempDir) -> SourceHash {
    SourceTree::read(folder.path(), &[]).unwrap().hash()
}

#[test]
fn a_prebuilt_program_comes_with_the_files_beside_it() {
    let files = ["bot.cs", "bin/Debug/Bot.exe", "bin/Debug/J.dll", "bin/x", "bin/Debug/en/J.dll"];
    let folder = folder(&files.map(|path| (path, "")));
    let ignore = ["bin".to_owned()];
    let paths = |run: &str| -> Vec<String> {
        let tree = SourceTree::read_with(folder.path(), &ignore, run).unwrap();
        tree.files.into_iter().map(|file| file.path).collect()
    };
    assert_eq!(paths("bin/Debug/Bot.exe"), ["bin/Debug/Bot.exe", "bin/Debug/J.dll", "bot.cs"]);
    assert_eq!(paths("bin/Release/Bot.exe"), ["bot.cs"]);
}

#[test]
fn equal_trees_in_different_places_have_one_hash() {
    let files = [("a.py", "1"), ("lib/b.py", "2")];
    assert_eq!(hash(&folder(&files)), hash(&folder(&files)));
}

#[test]
fn content_path_and_executable_bit_change_the_hash() {
    let base = hash(&folder(&[("a", "1")]));
    assert_ne!(base, hash(&folder(&[("a", "2")])));
    assert_ne!(base, hash(&folder(&[("b", "1")])));
    let other = folder(&[("a", "1")]);
    let path = other.path().join("a");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_ne!(base, hash(&other));
}

#[test]
fn hidden_and_ignored_files_are_not_part_of_it() {
    let all = folder(&[("a", "1"), (".git/config", "x"), ("lib/target/b", "2")]);
    let tree = SourceTree::read(all.path(), &["target".to_owned()]).unwrap();
    assert_eq!(tree.hash(), hash(&folder(&[("a", "1")])));
}

#[test]
fn virtual_environments_and_files_of_file_managers_are_not_part_of_it() {
    let files = [("a", "1"), ("Thumbs.db", "x"), ("__MACOSX/._a", "x"), ("venv/pyvenv.cfg", "x")];
    let all = folder(&files);
    symlink("/usr/bin/python3", all.path().join("venv/python3")).unwrap();
    let tree = SourceTree::read(all.path(), &[]).unwrap();
    assert_eq!(tree.hash(), hash(&folder(&[("a", "1")])));
}

#[test]
fn an_ignored_name_does_not_hide_a_link_that_leaves_the_folder() {
    let ignore = ["target".to_owned()];
    let linked = |target: &str, link: &str| {
        let tree = folder(&[("a", "1"), ("lib/b", "2")]);
        symlink(target, tree.path().join(link)).unwrap();
        SourceTree::read(tree.path(), &ignore).map(|tree| tree.hash())
    };
    assert_eq!(linked("lib", "target").unwrap(), hash(&folder(&[("a", "1"), ("lib/b", "2")])));
    for (target, link) in [("../.github/workflows", "target"), ("/etc", "lib/target")] {
        let problem = linked(target, link).unwrap_err();
        assert!(problem.message.starts_with("a link that does not stay"), "{problem}");
    }
}

#[test]
fn a_shipped_program_is_not_taken_from_behind_a_link() {
    let outside = folder(&[("Bot.exe", ""), ("secret", "")]);
    let tree = folder(&[("bot.cs", ""), ("bin/x", "")]);
    symlink(outside.path(), tree.path().join("bin/Debug")).unwrap();
    let ignore = ["bin".to_owned()];
    let problem = SourceTree::read_with(tree.path(), &ignore, "bin/Debug/Bot.exe").unwrap_err();
    assert_eq!(problem.message, "it is reached through a link");
}

#[test]
fn a_module_beside_a_bot_is_not_taken_from_behind_a_link() {
    let outside = folder(&[("brain.py", "")]);
    let tree = folder(&[("agent.py", "")]);
    symlink(outside.path(), tree.path().join("lib")).unwrap();
    let beside = ["lib/brain.py".to_owned()];
    let agent = tree.path().join("agent.py");
    let problem = SourceTree::of_files(&agent, "agent.py", &beside, &[]).unwrap_err();
    assert_eq!(problem.message, "it is reached through a link");
}

#[test]
fn a_link_inside_is_kept_and_one_that_leaves_is_refused() {
    let tree = folder(&[("lib/b", "2")]);
    symlink("lib/b", tree.path().join("b")).unwrap();
    let read = SourceTree::read(tree.path(), &[]).unwrap();
    assert_eq!(read.files[0].kind, FileKind::Link("lib/b".to_owned()));
    for target in ["/etc/passwd", "../outside", "lib/../../x", "nowhere", "."] {
        let tree = folder(&[("lib/b", "2")]);
        symlink(target, tree.path().join("c")).unwrap();
        let problem = SourceTree::read(tree.path(), &[]).unwrap_err();
        assert!(problem.message.starts_with("a link that"), "{target}: {problem}");
    }
}

#[test]
fn a_bot_that_is_a_link_is_what_it_leads_to_in_its_folder() {
    let tree = folder(&[("real.py", "1"), ("agent.py.d/x", "")]);
    symlink("real.py", tree.path().join("agent.py")).unwrap();
    symlink("/etc/passwd", tree.path().join("far.py")).unwrap();
    let read = SourceTree::of_file(&tree.path().join("agent.py")).unwrap();
    assert_eq!(read.hash(), hash(&folder(&[("agent.py", "1")])));
    let copy = folder(&[]);
    read.copy_to(copy.path()).unwrap();
    assert_eq!(hash(&copy), read.hash());
    assert!(SourceTree::of_file(&tree.path().join("far.py")).is_err());
}

#[test]
fn a_socket_is_refused() {
    let tree = folder(&[]);
    let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("s")).unwrap();
    let problem = SourceTree::read(tree.path(), &[]).unwrap_err();
    assert_eq!(problem.message, "neither a plain file nor a folder");
}

#[test]
fn a_copy_has_the_same_hash() {
    let (tree, copy) = (folder(&[("a", "1"), ("lib/b", "2")]), folder(&[]));
    symlink("a", tree.path().join("c")).unwrap();
    let read = SourceTree::read(tree.path(), &[]).unwrap();
    read.copy_to(copy.path()).unwrap();
    assert_eq!(hash(&copy), read.hash());
}
