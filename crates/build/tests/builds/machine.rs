//! Tools in odd places.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use joust_toolchain::{Languages, Machine, Toolchains};

use crate::fixture::{Fixture, said};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] =
    &[("an_interpreter_in_a_closed_home_behind_a_shim_runs_bots", closed_home)];

/// A language whose interpreter is found behind a shim: Bash under another
/// name, with a file beside it that it needs.
const MINI: &str = "mini: { title: Mini, extensions: [mini], entry: [main.mini], variants: [{ \
    name: mini, install: apt install mini, programs: { mini: { find: [mini], \
    ask: ['-c', 'echo home=$MINI_HOME'], folders: { home: 'home=' }, program: '{home}/bin/mini', \
    version: [--version], accept: bash } }, environment: { MINI_SHARE: '{mini.home}/share' }, \
    run: ['{mini}', '{entry}'] }] }";

fn write_program(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn closed_home() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let installed = root.join(".minis/versions/5");
    write_program(&installed.join("bin/mini"), &fs::read("/bin/bash").unwrap());
    fs::create_dir(installed.join("share")).unwrap();
    fs::write(installed.join("share/greeting"), "hello from home\n").unwrap();
    let shim = format!("#!/bin/sh\nMINI_HOME={0} exec {0}/bin/mini \"$@\"\n", installed.display());
    write_program(&root.join("shims/mini"), shim.as_bytes());
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();

    let languages = Languages::with(&joust_config::yaml::from_str(MINI).unwrap()).unwrap();
    let path = root.join("shims");
    let machine = Machine::new(path.as_os_str(), Some(root.clone()), Duration::from_secs(10));
    let toolchains = Toolchains::new(Arc::new(languages), machine);
    let fixture = Fixture::new();
    let script = "cat $MINI_SHARE/greeting; echo $0 $BASH\n";
    let bot =
        fixture.write("a", &[("bot.yaml", "name: a\nlanguage: mini\n"), ("main.mini", script)]);
    let bot = fixture.read(&bot, &toolchains);
    let build = fixture.builder(&toolchains).build(&bot).unwrap();
    let said = said(&build, "");
    assert!(
        said.starts_with("hello from home\n/bot/main.mini /toolchains/mini/bin/mini"),
        "{said}"
    );
}
