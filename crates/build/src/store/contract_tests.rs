//! Contract of every build store, tried with each of them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::*;
use crate::build::tests::sample;
use joust_bots::{SourceTree, pack};

/// A store under test, with ways to tamper with it.
trait Subject {
    fn store(&self) -> &dyn BuildStore;
    fn overwrite(&self, hash: &BuildHash, path: &str, text: &str);
    fn rewrite_record(&self, hash: &BuildHash, change: &dyn Fn(&str) -> String);
}

struct Folder {
    store: FolderStore,
    _home: tempfile::TempDir,
}

impl Subject for Folder {
    fn store(&self) -> &dyn BuildStore {
        &self.store
    }

    fn overwrite(&self, hash: &BuildHash, path: &str, text: &str) {
        fs::write(self.store.folder(hash).join("tree").join(path), text).unwrap();
    }

    fn rewrite_record(&self, hash: &BuildHash, change: &dyn Fn(&str) -> String) {
        let place = self.store.folder(hash).join("build.json");
        let text = fs::read_to_string(&place).unwrap();
        fs::write(place, change(&text)).unwrap();
    }
}

impl Subject for MemoryStore {
    fn store(&self) -> &dyn BuildStore {
        self
    }

    fn overwrite(&self, hash: &BuildHash, path: &str, text: &str) {
        let mut builds = self.builds.lock();
        let packed = builds.get_mut(hash).unwrap();
        let folder = tempfile::tempdir().unwrap();
        pack::unpack(&packed.files, folder.path()).unwrap();
        fs::write(folder.path().join(path), text).unwrap();
        packed.files = pack::pack(&SourceTree::read_all(folder.path()).unwrap()).unwrap();
    }

    fn rewrite_record(&self, hash: &BuildHash, change: &dyn Fn(&str) -> String) {
        let mut builds = self.builds.lock();
        let packed = builds.get_mut(hash).unwrap();
        packed.record = change(std::str::from_utf8(&packed.record).unwrap()).into_bytes();
    }
}

fn subjects() -> [Box<dyn Subject>; 2] {
    let home = tempfile::tempdir().unwrap();
    let store = FolderStore::open(&home.path().join("a/b")).unwrap();
    [Box::new(Folder { store, _home: home }), Box::new(MemoryStore::default())]
}

/// A build that is not stored yet.
struct SampleBuild {
    folder: tempfile::TempDir,
    build: Build,
}

impl SampleBuild {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join(".joust")).unwrap();
        fs::write(tree.join(".joust/data"), "1").unwrap();
        fs::write(tree.join("bot"), "program").unwrap();
        fs::set_permissions(tree.join("bot"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("bot", tree.join("link")).unwrap();
        let build = sample(&tree);
        Self { folder, build }
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn put(&self, store: &dyn BuildStore) -> Result<BuildHash, StoreError> {
        store.put(&NewBuild { build: &self.build, tree: &self.tree(), log: "said" })?;
        Ok(self.build.hash())
    }
}

fn get(store: &dyn BuildStore, hash: &BuildHash) -> Result<Option<FetchedBuild>, StoreError> {
    store.get(hash, tempfile::tempdir().unwrap().path())
}

fn names(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn missing_builds_are_not_found() {
    for subject in subjects() {
        let (store, to) = (subject.store(), tempfile::tempdir().unwrap());
        let hash = SampleBuild::new().build.hash();
        assert!(!store.has(&hash).unwrap());
        assert_eq!(store.get(&hash, to.path()).unwrap(), None);
        assert_eq!(names(to.path()), 0);
    }
}

#[test]
fn stored_builds_come_back_with_their_files() {
    for subject in subjects() {
        let (store, made) = (subject.store(), SampleBuild::new());
        let hash = made.put(store).unwrap();
        assert!(store.has(&hash).unwrap());
        let to = tempfile::tempdir().unwrap();
        let got = store.get(&hash, to.path()).unwrap().unwrap();
        assert_eq!((&got.build, got.log.as_str()), (&made.build, "said"));
        assert_eq!(SourceTree::read_all(to.path()).unwrap().files, made.build.files);
        assert_eq!(fs::read_to_string(to.path().join("link")).unwrap(), "program");
    }
}

#[test]
fn a_build_that_is_put_again_is_there_once() {
    for subject in subjects() {
        let store = subject.store();
        let hash = SampleBuild::new().put(store).unwrap();
        assert_eq!(SampleBuild::new().put(store).unwrap(), hash);
        assert!(get(store, &hash).unwrap().is_some());
    }
}

#[test]
fn a_build_that_is_not_what_it_says_is_not_taken_in() {
    for subject in subjects() {
        let (store, made) = (subject.store(), SampleBuild::new());
        fs::write(made.tree().join("bot"), "another").unwrap();
        let hash = made.build.hash();
        let expected = format!("build {} is damaged: `bot` is not what was built", short(&hash));
        assert_eq!(made.put(store).unwrap_err().to_string(), expected);
        assert!(!store.has(&hash).unwrap());
        assert!(SampleBuild::new().put(store).is_ok(), "the right one still can be");
    }
}

#[test]
fn a_build_with_another_file_is_refused_by_its_name() {
    for subject in subjects() {
        let store = subject.store();
        let hash = SampleBuild::new().put(store).unwrap();
        subject.overwrite(&hash, ".joust/data", "2");
        let expected =
            format!("build {} is damaged: `.joust/data` is not what was built", short(&hash));
        assert_eq!(get(store, &hash).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_build_with_another_record_is_refused() {
    let changes = [
        ("heap={heap}", "heap=1", "it is not started as its recipe says"),
        ("\"path\":\"bot\"", "\"path\":\"boT\"", "its list of files is not that of its result"),
        ("gcc 12", "gcc 13", "its source and recipe are those of build"),
        ("\"language\"", "\"tongue\"", "its record cannot be read"),
    ];
    for (from, to, expected) in changes {
        for subject in subjects() {
            let store = subject.store();
            let hash = SampleBuild::new().put(store).unwrap();
            // The recipe comes before the start, which has the same words.
            subject.rewrite_record(&hash, &|text| match from {
                "heap={heap}" => {
                    let at = text.rfind(from).unwrap();
                    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
                }
                from => text.replacen(from, to, 1),
            });
            let said = get(store, &hash).unwrap_err().to_string();
            assert!(said.starts_with(&format!("build {} is damaged: ", short(&hash))), "{said}");
            assert!(said.contains(expected), "{said}");
        }
    }
}

#[test]
fn a_build_goes_from_any_store_to_a_folder() {
    for subject in subjects() {
        let home = tempfile::tempdir().unwrap();
        let here = FolderStore::open(home.path()).unwrap();
        let made = SampleBuild::new();
        let hash = made.put(subject.store()).unwrap();
        assert!(here.take(subject.store(), &hash, Some(made.build.result)).unwrap());
        assert_eq!(here.find(&hash).unwrap().unwrap().build, made.build);
        let unknown = BuildHash::of("test", &[b"unknown"]);
        assert!(!here.take(subject.store(), &unknown, None).unwrap());
    }
}

#[test]
fn a_build_that_is_not_the_one_that_played_is_not_taken() {
    for subject in subjects() {
        let home = tempfile::tempdir().unwrap();
        let here = FolderStore::open(home.path()).unwrap();
        let hash = SampleBuild::new().put(subject.store()).unwrap();
        let played = BuildHash::of("test", &[b"other files"]);
        let error = here.take(subject.store(), &hash, Some(played)).unwrap_err();
        assert!(error.to_string().contains("its files are"), "{error}");
        assert!(!here.has(&hash).unwrap());
    }
}
