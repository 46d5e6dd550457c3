//! Builds of well-behaved bots.

use std::collections::BTreeMap;

use joust_toolchain::NotBuilt;

use crate::fixture::{Fixture, host, said};
use joust_sandbox::Tier;
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("bots_of_several_languages_are_built_and_see_their_view", several_languages),
    ("a_second_build_builds_nothing", second_build),
    ("a_change_of_the_source_is_a_new_build", changed_source),
    ("two_builds_of_one_source_at_the_same_time_are_one", at_the_same_time),
    ("the_environment_of_a_turn_is_fixed", environment),
    ("an_authors_own_commands_are_used", own_commands),
    ("a_java_class_in_a_package_is_found", java_package),
    ("a_python_module_is_compiled_beside_its_source", python_module),
    (
        "a_python_main_file_is_compiled_and_looks_to_itself_as_if_its_source_were_run",
        python_main_file,
    ),
    ("programs_in_c_and_cpp_need_no_loader_of_libraries", static_programs),
    ("headers_of_any_c_plus_plus_bot_are_named_as_on_windows", cpp_headers),
    ("a_python_bot_sees_nothing_that_is_installed_on_the_machine", installed_libraries),
    ("a_python_bot_with_requirements_has_a_site_of_its_own", requirements),
    ("packages_of_a_go_bot_without_a_module_are_found", go_packages),
    ("what_a_build_throws_away_is_not_in_the_result", thrown_away),
];

/// A bot that prints its view backwards, in several languages.
const ECHO: &[(&str, &str)] = &[
    ("main.py", "import sys\nprint('saw ' + sys.argv[-1])\n"),
    ("main.sh", "echo \"saw ${!#}\"\n"),
    (
        "main.c",
        "#include <stdio.h>\nint main(int n, char **a) { printf(\"saw %s\\n\", a[n - 1]); }\n",
    ),
    ("main.js", "console.log('saw ' + process.argv.at(-1));\n"),
    ("main.rb", "puts 'saw ' + ARGV.last\n"),
    ("main.rs", "fn main() { println!(\"saw {}\", std::env::args().last().unwrap()); }\n"),
    (
        "Main.java",
        "class Main { public static void main(String[] a) { System.out.println(\"saw \" + a[a.length - 1]); } }\n",
    ),
    (
        "main.cpp",
        "#include <iostream>\nint main(int n, char **a) { std::cout << \"saw \" << a[n - 1]; }\n",
    ),
    (
        "Program.cs",
        "class P { static void Main(string[] a) { System.Console.WriteLine(\"saw \" + a[a.Length - 1]); } }\n",
    ),
];

fn several_languages() {
    let fixture = Fixture::new();
    let mut built = 0;
    for (file, source) in ECHO {
        let name = file.replace('.', "-");
        let manifest = format!("name: {name}\nentry: {file}\n");
        match fixture.build(&name, &[("bot.yaml", &manifest), (file, source)]) {
            Ok(build) => {
                assert_eq!(said(&build, "a b\nc"), "saw a b\nc", "{file}");
                built += 1;
            }
            // A language that is not on this machine is no failure of ours.
            Err(NotBuilt::MissingToolchain(_)) => {}
            Err(other) => panic!("{file}: {other}"),
        }
    }
    assert!(built >= 1, "at least Bash is on every machine");
}

/// A bot without `go.mod` that imports its own packages by their folders.
fn go_packages() {
    let fixture = Fixture::new();
    let main = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\twords \"./sub/words\"\n)\n\n\
                func main() { fmt.Println(words.Saw(os.Args[len(os.Args)-1])) }\n";
    let one = "package words\n\nfunc Saw(view string) string { return saw + view }\n";
    let two = "package words\n\nconst saw = \"saw \"\n";
    for (name, entry) in [("top", "main.go"), ("below", "cmd/main.go")] {
        let at = entry.trim_end_matches("main.go");
        let (one_at, two_at) = (format!("{at}sub/words/a.go"), format!("{at}sub/words/b.go"));
        let manifest = format!("name: {name}\nlanguage: go\nentry: {entry}\n");
        let files = [("bot.yaml", &*manifest), (entry, main), (&one_at, one), (&two_at, two)];
        match fixture.build(name, &files) {
            Ok(build) => assert_eq!(said(&build, "a b"), "saw a b", "{entry}"),
            Err(NotBuilt::MissingToolchain(_)) => {}
            Err(other) => panic!("{entry}: {other}"),
        }
    }
}

fn second_build() {
    let fixture = Fixture::new();
    let files = [("bot.yaml", "name: a\nlanguage: bash\n"), ("main.sh", "echo 1\n")];
    let first = fixture.build("a", &files).unwrap();
    let second = fixture.build("a", &files).unwrap();
    assert_eq!((first.cached, second.cached), (false, true));
    assert_eq!((first.hash, first.took), (second.hash, second.took));
}

fn changed_source() {
    let fixture = Fixture::new();
    let manifest = ("bot.yaml", "name: a\nlanguage: bash\n");
    let first = fixture.build("a", &[manifest, ("main.sh", "echo 1\n")]).unwrap();
    let second = fixture.build("a", &[manifest, ("main.sh", "echo 2\n")]).unwrap();
    assert_ne!(first.hash, second.hash);
    assert_eq!((said(&first, ""), said(&second, "")), ("1".to_owned(), "2".to_owned()));
}

fn at_the_same_time() {
    let fixture = Fixture::new();
    let files = [("bot.yaml", "name: a\nlanguage: bash\n"), ("main.sh", "echo 1\n")];
    fixture.write("a", &files);
    let builds = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| fixture.build("a", &[]).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(builds.iter().filter(|build| !build.cached).count(), 1);
}

fn environment() {
    let fixture = Fixture::new();
    let files = [("bot.yaml", "name: a\nlanguage: bash\n"), ("main.sh", "/usr/bin/env\n")];
    let build = fixture.build("a", &files).unwrap();
    let text = said(&build, "");
    let variables: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once('=')).collect();
    assert_eq!(variables["LC_ALL"], "C.UTF-8");
    assert_eq!(variables["TZ"], "UTC");
    assert_eq!(variables["PYTHONHASHSEED"], "0");
    assert_eq!(variables["HOME"], "/scratch");
    assert_eq!(variables["JOUST_SEED"], "7");
    assert!(!variables.contains_key("CARGO_MANIFEST_DIR"), "nothing of ours is inherited");
}

fn own_commands() {
    let fixture = Fixture::new();
    let script = "printf '#!/bin/bash\\necho \"$@\"\\n' > bot; chmod +x bot\n";
    let manifest = "name: a\nlanguage: bash\nbuild: bash make.sh\nrun: ./bot -v 'x y'\nargs: [z]\n";
    let build = fixture.build("a", &[("bot.yaml", manifest), ("make.sh", script)]).unwrap();
    assert_eq!(said(&build, "$(view)"), "-v x y z $(view)");
}

fn java_package() {
    let fixture = Fixture::new();
    let source = "package org.joust;\npublic class Main { public static void main(String[] a) { System.out.println(new Other()); } }\n";
    let other = "package org.joust;\nclass Other { public String toString() { return \"NO\"; } }\n";
    let files = [
        ("bot.yaml", "name: a\nlanguage: java\nentry: src/org/joust/Main.java\n"),
        ("src/org/joust/Main.java", source),
        ("src/org/joust/Other.java", other),
    ];
    match fixture.build("a", &files) {
        Ok(build) => assert_eq!(said(&build, ""), "NO"),
        Err(NotBuilt::MissingToolchain(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

fn python_module() {
    let fixture = Fixture::new();
    let files = [
        ("bot.yaml", "name: a\nlanguage: python\n"),
        ("main.py", "import helper\nprint(helper.__cached__, helper.said())\n"),
        ("helper.py", "def said(): return 'NO'\n"),
        ("broken.py", "this is no Python, and nobody imports it\n"),
    ];
    match fixture.build("a", &files) {
        Ok(build) => {
            let said = said(&build, "");
            assert!(said.starts_with("/bot/__pycache__/helper.") && said.ends_with("NO"), "{said}");
            let compiled = build.folder.join("__pycache__");
            assert!(compiled.read_dir().unwrap().count() >= 2);
        }
        Err(NotBuilt::MissingToolchain(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

fn thrown_away() {
    let fixture = Fixture::new();
    let script = "echo secret > $HOME/x; echo secret > $TMPDIR/y; touch .hidden\n\
        printf '#!/bin/sh\\n' > bot; chmod 755 bot\n";
    let build = fixture.build_script("a", script).unwrap();
    assert!(!build.folder.join(".build").exists());
    assert!(build.folder.join(".hidden").exists());
}

fn python_main_file() {
    let fixture = Fixture::new();
    let script = "'''a player'''\n\
                  from __future__ import annotations\n\
                  import traceback\n\
                  def play(x: NoSuchName): raise ValueError('here')\n\
                  import sys, os\n\
                  print(__doc__, os.path.basename(__file__), sys.argv[0] == __file__, sys.argv[1:])\n\
                  print(type(__loader__).__name__, __name__, os.path.dirname(__file__) == sys.path[0])\n\
                  try: play(1)\n\
                  except ValueError: print([line.split(',')[1:] for line in traceback.format_exc().splitlines() if 'in play' in line])\n";
    let files = [("bot.yaml", "name: a\nlanguage: python\n"), ("main.py", script)];
    let build = fixture.build("a", &files).unwrap();
    let expected = "a player main.py True ['$(view)']\n\
                    SourcelessFileLoader __main__ True\n\
                    [[' line 4', ' in play']]";
    assert_eq!(said(&build, "$(view)"), expected);
}

fn cpp_headers() {
    let main = "#include \"Parts\\Three.h\"\n#include \"two.h\"\n#include <cstdio>\n\
        int main() { printf(\"%d\", THREE + TWO); }\n";
    let three = "#include \"four.h\"\n#define THREE (FOUR - 1)\n";
    let files = [
        ("bot.yaml", "name: Windows\nlanguage: cpp\n"),
        ("main.cpp", main),
        ("Two.h", "#define TWO 2\n"),
        ("parts/three.h", three),
        ("parts/four.h", "#define FOUR 4\n"),
    ];
    let fixture = Fixture::new();
    match fixture.build("bot", &files) {
        Ok(build) => assert_eq!(said(&build, "x"), "5"),
        Err(NotBuilt::MissingToolchain(missing)) => println!("  left out: {missing}"),
        Err(other) => panic!("{other}"),
    }
}

#[expect(clippy::print_stdout, reason = "a language that is left out is named")]
fn static_programs() {
    let fixture = Fixture::new();
    let c = "#include <stdio.h>\nint main(void) { puts(\"NO\"); return 0; }\n";
    let cpp = "#include <cstdio>\n#include <thread>\n\
               int main() { std::thread([] { std::puts(\"NO\"); }).join(); }\n";
    for (language, file, text) in [("c", "main.c", c), ("cpp", "main.cpp", cpp)] {
        let manifest = format!("name: a\nlanguage: {language}\n");
        let build = fixture.build(language, &[("bot.yaml", &*manifest), (file, text)]);
        let build = match build {
            Err(NotBuilt::MissingToolchain(missing)) => {
                println!("not played: {missing}");
                continue;
            }
            build => build.unwrap(),
        };
        let program = std::fs::read(build.folder.join(".joust/bot")).unwrap();
        let loader = b"/ld-linux".as_slice();
        assert!(!program.windows(loader.len()).any(|bytes| bytes == loader), "{language}");
        assert_eq!(said(&build, ""), "NO", "{language}");
    }
}

fn installed_libraries() {
    let fixture = Fixture::new();
    let script = "import site, os, sys\n\
                  seen = [f for d in site.getsitepackages() if os.path.isdir(d) for f in os.listdir(d)]\n\
                  print(seen, exit.__class__.__name__, sys.flags.no_site)\n";
    let files = [("bot.yaml", "name: a\nlanguage: python\n"), ("main.py", script)];
    let build = fixture.build("a", &files).unwrap();
    if host().tier() != Tier::C {
        assert_eq!(said(&build, ""), "[] Quitter 0");
    }
}

fn requirements() {
    let fixture = Fixture::new();
    let source = "import os\nprint(os.environ['PYTHONPATH'])\n";
    let files = [
        ("bot.yaml", "name: p\nentry: p.py\n"),
        ("p.py", source),
        ("requirements.txt", "# none\n"),
    ];
    let build = fixture.build("p", &files).expect("Python and pip are here");
    assert_eq!(said(&build, ""), "/bot/.joust/site");
}
