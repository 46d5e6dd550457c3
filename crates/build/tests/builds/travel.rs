//! Builds that go from one machine to another by their hash.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use joust_build::{
    BuildPlacer, BuildStore, Builder, MemoryStore, NewBuild, NotPlaced, PlacedBuild,
};
use joust_config::{Provided, Requirements};
use joust_model::{BuildHash, Bytes};
use joust_toolchain::{Languages, Machine, NotBuilt, Toolchains};

use crate::fixture::{Fixture, said};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_build_plays_the_same_where_its_tools_lie_elsewhere", elsewhere),
    ("a_build_is_not_started_by_other_tools_than_it_was_made_with", other_tools),
    ("a_compiled_build_plays_on_a_machine_without_its_tools", without_tools),
    ("a_library_set_travels_with_the_builds_that_use_it", library_set),
    ("a_build_that_was_tampered_with_on_its_way_is_refused_by_name", tampered),
];

/// A language with an interpreter that needs its home, and library sets that need no
/// network.
const MINI: &str = "mini: { title: Mini, extensions: [mini], entry: [main.mini], \
    libraries: { of: mini, list: requirements.txt, provided: { path: MINI_PATH, folder: .joust/lib }, build: [\
    ['{mini}', -c, 'mkdir \"$0/lib\" && read name < requirements.txt && \
    echo \"echo \\\"library of $name\\\"\" > \"$0/lib/greet\" && \
    echo \"$name 1\" > \"$0/libraries.txt\"', '{out}']] }, variants: [{ \
    name: mini, install: apt install mini, programs: { mini: { find: [mini], \
    ask: ['-c', 'echo home=$MINI_HOME'], folders: { home: 'home=' }, program: '{home}/bin/mini', \
    version: [--version], accept: mini } }, environment: { MINI_SHARE: '{mini.home}/share' }, \
    run: ['{mini}', '{entry}', 'heap={heap}'] }] }";

/// A machine with a store of its own and the interpreter somewhere beneath its home.
struct Elsewhere {
    fixture: Fixture,
    toolchains: Toolchains,
    installed: PathBuf,
}

impl Elsewhere {
    fn with_mini(place: &str, version: &str) -> Self {
        let fixture = Fixture::new();
        let root = fixture.folder.path().canonicalize().unwrap().join("home");
        let installed = root.join(place);
        let script = format!(
            "#!/bin/bash\n[ \"$1\" = --version ] && echo mini {version} || exec /bin/bash \"$@\"\n"
        );
        write_program(&installed.join("bin/mini"), &script);
        fs::create_dir(installed.join("share")).unwrap();
        fs::write(installed.join("share/greeting"), "hello\n").unwrap();
        let shim =
            format!("#!/bin/sh\nMINI_HOME={0} exec {0}/bin/mini \"$@\"\n", installed.display());
        write_program(&root.join("shims/mini"), &shim);
        let languages = Languages::with(&joust_config::yaml::from_str(MINI).unwrap()).unwrap();
        let path = root.join("shims");
        let machine = Machine::new(path.as_os_str(), Some(root), Duration::from_secs(10));
        Self { fixture, toolchains: Toolchains::new(Arc::new(languages), machine), installed }
    }

    fn build(&self, script: &str, requirements: &Requirements) -> PlacedBuild {
        let files = [("bot.yaml", "name: a\nlanguage: mini\n"), ("main.mini", script)];
        let bot = self.fixture.write("a", &files);
        let bot = self.fixture.read(&bot, &self.toolchains);
        let builder = self.fixture.builder(&self.toolchains);
        Builder { requirements, ..builder }.build(&bot).unwrap()
    }

    fn placed(&self, hash: &BuildHash) -> Result<Option<PlacedBuild>, NotPlaced> {
        placing(&self.fixture, &self.toolchains).find(hash)
    }
}

fn placing<'a>(fixture: &'a Fixture, toolchains: &'a Toolchains) -> BuildPlacer<'a> {
    BuildPlacer { store: &fixture.store, toolchains, memory: Bytes::from_mib(512) }
}

fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Puts a build of a machine into a store in memory.
fn sent(from: &Fixture, hash: &BuildHash) -> MemoryStore {
    let (store, folder) = (MemoryStore::default(), tempfile::tempdir().unwrap());
    let fetched = from.store.get(hash, folder.path()).unwrap().expect("it was built");
    let new = NewBuild { build: &fetched.build, tree: folder.path(), log: &fetched.log };
    store.put(&new).unwrap();
    store
}

const GREET: &str = "cat $MINI_SHARE/greeting; echo $0 $1 $JOUST_SEED ${!#}\n";

fn elsewhere() {
    let one = Elsewhere::with_mini(".minis/versions/5", "5");
    let built = one.build(GREET, &Requirements::default());
    let before = said(&built, "the view");
    let sent = sent(&one.fixture, &built.hash);
    let tools = one.installed.clone();
    drop(one);
    assert!(!tools.exists());

    let other = Elsewhere::with_mini("opt/mini", "5");
    assert!(other.placed(&built.hash).unwrap().is_none());
    assert!(other.fixture.store.take(&sent, &built.hash, Some(built.result)).unwrap());
    let placed = other.placed(&built.hash).unwrap().expect("it was taken");
    assert_eq!((placed.hash, placed.result), (built.hash, built.result));
    assert_eq!(said(&placed, "the view"), before);
    assert_eq!(before, "hello\n/bot/main.mini heap=384 7 the view");
    assert!(placed.folders.iter().any(|folder| folder.host == other.installed));
    // The machine that has the source makes the same build.
    assert!(other.build(GREET, &Requirements::default()).cached);
}

fn other_tools() {
    let one = Elsewhere::with_mini(".minis/versions/5", "5");
    let built = one.build(GREET, &Requirements::default());
    let sent = sent(&one.fixture, &built.hash);
    let other = Elsewhere::with_mini(".minis/versions/6", "6");
    assert!(other.fixture.store.take(&sent, &built.hash, None).unwrap());
    let error = other.placed(&built.hash).unwrap_err();
    assert_eq!(error.to_string(), "mini: `mini 6` here, `mini 5` when it was built");
}

fn without_tools() {
    let fixture = Fixture::new();
    let source =
        "#include <stdio.h>\nint main(int n, char **a) { printf(\"saw %s\\n\", a[n - 1]); }\n";
    let built =
        match fixture.build("c", &[("bot.yaml", "name: c\nlanguage: c\n"), ("main.c", source)]) {
            Err(NotBuilt::MissingToolchain(_)) => return,
            built => built.unwrap(),
        };
    let other = Fixture::new();
    assert!(other.store.take(&sent(&fixture, &built.hash), &built.hash, None).unwrap());
    // Nothing of this language is known there.
    let languages = Languages::with(&joust_config::yaml::from_str(MINI).unwrap()).unwrap();
    let machine = Machine::new(OsStr::new(""), None, Duration::from_secs(1));
    let toolchains = Toolchains::new(Arc::new(languages), machine);
    let placed = placing(&other, &toolchains).find(&built.hash).unwrap().expect("it was taken");
    assert_eq!(said(&placed, "it"), "saw it");
}

fn library_set() {
    let one = Elsewhere::with_mini(".minis/versions/5", "5");
    let place = joust_config::SourceLocation { line: 1, column: 1, width: 1 };
    let provided = Provided { names: vec!["numbers".to_owned()], place };
    let provides = BTreeMap::from([("mini".to_owned(), provided)]);
    let requirements = Requirements { provides, ..Requirements::default() };
    let built = one.build(". $MINI_PATH/greet\n", &requirements);
    assert_eq!(said(&built, ""), "library of numbers");
    let exported = tempfile::tempdir().unwrap();
    let done = one.fixture.store.export(&[built.hash], exported.path()).unwrap();
    assert_eq!((done.copied, done.missing), (1, Vec::new()));
    drop(one);

    let other = Elsewhere::with_mini("opt/mini", "5");
    let store = &other.fixture.store;
    assert!(store.import(exported.path(), &built.hash, Some(built.result)).unwrap());
    let placed = other.placed(&built.hash).unwrap().expect("it was taken");
    assert_eq!(said(&placed, ""), "library of numbers");
}

fn tampered() {
    let fixture = Fixture::new();
    let built = fixture.build_script("a", "printf '#!/bin/bash\necho mine\n' > bot; chmod +x bot");
    let built = built.unwrap();
    let exported = tempfile::tempdir().unwrap();
    fixture.store.export(&[built.hash], exported.path()).unwrap();
    let bot = exported.path().join("builds").join(built.hash.to_string()).join("tree/bot");
    fs::write(bot, "#!/bin/bash\necho theirs\n").unwrap();
    let other = Fixture::new();
    let error = other.store.import(exported.path(), &built.hash, None).unwrap_err().to_string();
    assert!(
        error.starts_with("build ") && error.ends_with("`bot` is not what was built"),
        "{error}"
    );
    assert!(!other.store.has(&built.hash).unwrap());
}
