use super::*;

/// Returns the closure of the first of `files`: its path, and the files beside it that it needs.
fn found(files: &[(&str, &str)]) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join("agents").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let agent = folder.path().join("agents").join(files[0].0);
    let closure = closure(&agent, &BTreeSet::new()).unwrap();
    (closure.entry, closure.beside)
}

#[test]
fn what_another_bot_imports_is_not_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.py"), "import b\n").unwrap();
    fs::write(at("b.py"), "import c\n").unwrap();
    fs::write(at("c.py"), "").unwrap();
    let beside = |bots: &[&str]| {
        let bots = bots.iter().map(|bot| at(bot)).collect();
        closure(&at("a.py"), &bots).unwrap().beside
    };
    assert_eq!(beside(&["a.py"]), ["b.py", "c.py"]);
    assert_eq!(beside(&["a.py", "b.py"]), ["b.py"], "the list of bots leaves b.py out later");
}

fn beside(files: &[(&str, &str)]) -> Vec<String> {
    found(files).1
}

#[test]
fn a_file_that_imports_nothing_of_its_folder_is_alone() {
    let text = "import random, json\nfrom coderone.dungeon.agent import GameState\n";
    assert!(beside(&[("a.py", text), ("b.py", ""), ("data.json", "")]).is_empty());
}

#[test]
fn modules_and_packages_beside_it_belong_to_it_and_what_they_import() {
    let files = [
        (
            "a.py",
            "import os, path_finding as pf\nfrom strategy.attack import (\n  go, # x\n  run)\n",
        ),
        ("path_finding.py", "try: import heap\nexcept ImportError: pass\n"),
        ("heap.py", ""),
        ("strategy/__init__.py", "from . import tables\n"),
        ("strategy/attack.py", "import late\n"),
        ("strategy/tables.py", ""),
        ("strategy/weights.json", "[1]"),
        ("late.py", ""),
        ("stranger.py", ""),
    ];
    assert_eq!(beside(&files), ["heap.py", "late.py", "path_finding.py", "strategy"]);
}

#[test]
fn a_file_in_a_package_keeps_its_package() {
    let files = [
        (
            "team/bots/one.py",
            "from ..shared import search\nfrom .help import x\nfrom . import more\n",
        ),
        ("team/__init__.py", ""),
        ("team/bots/__init__.py", "import team.names"),
        ("team/bots/help.py", ""),
        ("team/bots/more.py", "from ... import nowhere\n"),
        ("team/bots/two.py", ""),
        ("team/shared/__init__.py", ""),
        ("team/shared/search.py", ""),
        ("team/names.py", ""),
    ];
    let (entry, beside) = found(&files);
    assert_eq!(entry, "team/bots/one.py");
    let expected = [
        "team/__init__.py",
        "team/bots/__init__.py",
        "team/bots/help.py",
        "team/bots/more.py",
        "team/names.py",
        "team/shared",
    ];
    assert_eq!(beside, expected);
}

#[test]
fn requirements_beside_it_belong_to_it() {
    let files = [("a.py", "import numpy\n"), ("requirements.txt", "numpy\n")];
    assert_eq!(beside(&files), ["requirements.txt"]);
}

#[test]
fn texts_that_are_no_python_are_of_no_interest() {
    let text = "from\nimport\nfrom  import x\nimport ../../etc\nimport a..b, .c\nfrom /etc import passwd\n\
                import (\n\u{0}\nfrom x import *\nfrom the left";
    assert!(beside(&[("a.py", text), ("b.py", "")]).is_empty());
    assert_eq!(beside(&[("a.py", "import a\nimport b"), ("b.py", "import a, b")]), ["b.py"]);
}

#[test]
fn what_a_link_leads_to_does_not_belong_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("other/inner")).unwrap();
    fs::create_dir(at("mine")).unwrap();
    fs::write(at("other/secret.py"), "").unwrap();
    fs::write(at("other/inner/deep.py"), "").unwrap();
    fs::write(at("mine/a.py"), "import secret, far, far.secret, far.inner.deep\n").unwrap();
    std::os::unix::fs::symlink("../other", at("mine/far")).unwrap();
    std::os::unix::fs::symlink("../other/secret.py", at("mine/secret.py")).unwrap();
    assert_eq!(closure(&at("mine/a.py"), &BTreeSet::new()).unwrap().beside, [""; 0]);
}

#[test]
fn a_link_with_another_name_belongs_to_it_with_what_it_leads_to_in_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("lib/v2")).unwrap();
    fs::write(at("a.py"), "import search, tables.far\n").unwrap();
    fs::write(at("lib/find.py"), "import heap\n").unwrap();
    fs::write(at("heap.py"), "").unwrap();
    fs::write(at("lib/v2/far.py"), "").unwrap();
    std::os::unix::fs::symlink("lib/find.py", at("search.py")).unwrap();
    std::os::unix::fs::symlink("./lib/v2", at("tables")).unwrap();
    let beside = closure(&at("a.py"), &BTreeSet::new()).unwrap().beside;
    assert_eq!(beside, ["heap.py", "lib/find.py", "lib/v2", "search.py", "tables"]);
}

#[test]
fn a_comment_behind_a_parenthesis_hides_no_later_import() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["a.py", "b.py", "c.py"] {
        fs::write(folder.path().join(file), "").unwrap();
    }
    let text = "from b import (  # (noqa\n    x,  # )\n    y)\nimport c\n";
    let agent = folder.path().join("agent.py");
    fs::write(&agent, text).unwrap();
    assert_eq!(closure(&agent, &BTreeSet::new()).unwrap().beside, ["b.py", "c.py"]);
}

#[test]
fn a_text_of_imports_alone_takes_no_long() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.py"), "").unwrap();
    let agent = folder.path().join("agent.py");
    for endless in [
        format!("from b import ({}", "\na,".repeat(1_000_000)),
        format!("import b, \\{}", "\na, \\".repeat(500_000)),
        format!("import b\nimport a{}", ".a".repeat(1_500_000)),
        format!("import b\nfrom {} import a", ".".repeat(3_000_000)),
        (0..200_000).map(|number| format!("import c{number}, b\n")).collect(),
    ] {
        fs::write(&agent, endless).unwrap();
        assert_eq!(closure(&agent, &BTreeSet::new()).unwrap().beside, ["b.py"]);
    }
}
