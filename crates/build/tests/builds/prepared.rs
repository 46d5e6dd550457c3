//! Prepared parts of a language's builds.

use std::fs;
use std::sync::Arc;

use joust_build::PlacedBuild;
use joust_toolchain::{Languages, Machine, NotBuilt, Toolchains};

use crate::fixture::{Fixture, said};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("what_builds_have_ready_is_made_once_and_no_bot_changes_it", made_once),
    ("a_build_goes_on_where_nothing_can_be_made_ready", cannot_be_made),
    ("go_finds_its_library_compiled_and_makes_the_same_program", go),
];

/// A kit that contains a new number each time it is made.
const KIT: &str = "bash: { prepared: { of: bash, \
    build: [[/bin/sh, -c, 'mkdir \"$0\" && mktemp -u XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX >\"$0/number\"', '{out}/kit']], \
    begin: [/bin/cp, -rs, '{prepared}/kit', '{tmp}/kit'] } }";

fn toolchains(text: &str) -> Toolchains {
    let languages = Languages::with(&joust_config::yaml::from_str(text).unwrap()).unwrap();
    Toolchains::new(Arc::new(languages), Machine::this())
}

fn build(
    fixture: &Fixture,
    toolchains: &Toolchains,
    name: &str,
    files: &[(&str, &str)],
) -> Result<PlacedBuild, NotBuilt> {
    let bot = fixture.read(&fixture.write(name, files), toolchains);
    fixture.builder(toolchains).build(&bot)
}

fn scripted(
    fixture: &Fixture,
    toolchains: &Toolchains,
    name: &str,
    script: &str,
) -> Result<PlacedBuild, NotBuilt> {
    let manifest = format!("name: {name}\nlanguage: bash\nbuild: bash make.sh\nrun: ./bot\n");
    build(fixture, toolchains, name, &[("bot.yaml", &manifest), ("make.sh", script)])
}

const COPY: &str = "printf '#!/bin/sh\\necho ' >bot; chmod 755 bot; cat .build/kit/number >>bot\n";

fn made_once() {
    let (fixture, tools) = (Fixture::new(), toolchains(KIT));
    let first = scripted(&fixture, &tools, "a", COPY).unwrap();
    let number = said(&first, "");
    assert_eq!(number.len(), 36, "{number}");
    let spoil = "for f in .build/kit/number /prepared/kit/number /prepared/new; do\n\
                 echo spoilt 2>/dev/null >$f && exit 9; done\nrm .build/kit/number && mkdir .build/kit/number\nexit 8\n";
    let spoilt = scripted(&fixture, &tools, "b", spoil).unwrap_err();
    assert!(spoilt.to_string().contains("ended with status 8"), "{spoilt}");
    let again = scripted(&fixture, &tools, "c", &format!("{COPY}true\n")).unwrap();
    assert_eq!(said(&again, ""), number);
    // Another run finds it.
    let later = scripted(&fixture, &toolchains(KIT), "d", &format!("{COPY}:\n")).unwrap();
    assert_eq!(said(&later, ""), number);
    // It is no part of what a build is.
    let bot = fixture.folder.path().join("bots/a");
    let usual = toolchains("{}");
    let key = fixture.builder(&usual).key(&fixture.read(&bot, &usual)).unwrap();
    assert_eq!(key, first.hash);
}

fn cannot_be_made() {
    let fixture = Fixture::new();
    let script =
        "test ! -e /prepared || exit 9\nprintf '#!/bin/sh\\necho built' >bot; chmod 755 bot\n";
    for (name, text) in [
        ("fails", KIT.replace("mkdir", "exit 3; mkdir")),
        ("lacks", KIT.replace("of: bash", "of: zsh")),
        ("stands-for-nothing", KIT.replace("{out}", "{nowhere}")),
    ] {
        let tools = toolchains(&text);
        for bot in [name.to_owned(), format!("{name}-again")] {
            let built = scripted(&fixture, &tools, &bot, &format!("{script}# {bot}\n")).unwrap();
            assert_eq!(said(&built, ""), "built");
        }
    }
    // A command that does not find it, or breaks, is not the bot's fault.
    let text = KIT.replace("{prepared}/kit'", "{prepared}/nothing'");
    let built = scripted(
        &fixture,
        &toolchains(&text),
        "without",
        script.trim_start_matches("test ! -e /prepared || exit 9\n"),
    );
    assert_eq!(said(&built.unwrap(), ""), "built");
}

const GO: &str = "package main\nimport (\"encoding/json\"; \"fmt\"; \"os\")\n\
    func main() { text, _ := json.Marshal(os.Args[len(os.Args)-1]); fmt.Println(string(text)) }\n";

/// The bot also prints the packages that Go would have to compile.
const STALE: &str = "name: g\nlanguage: go\nbuild:\n  \
    - [/bin/sh, -c, \"go list -trimpath -f '{{.ImportPath}} {{.Stale}}' fmt encoding/json net/http >stale\"]\n  \
    - [go, build, -trimpath, -buildvcs=false, -o, bot, main.go]\nrun: ./bot\n";

fn go() {
    let fixture = Fixture::sharing();
    let source = format!("{GO}{}", fixture.never_built());
    let files = [("bot.yaml", STALE), ("main.go", &*source)];
    let with = match build(&fixture, &toolchains("{}"), "g", &files) {
        Err(NotBuilt::MissingToolchain(_)) => return,
        built => built.unwrap(),
    };
    let read = |build: &PlacedBuild, file: &str| fs::read(build.folder.join(file)).unwrap();
    let stale = |build: &PlacedBuild| String::from_utf8(read(build, "stale")).unwrap();
    assert_eq!(stale(&with), "fmt false\nencoding/json false\nnet/http true\n");
    assert_eq!(said(&with, "seen"), "\"seen\"");
    let alone = Fixture::new();
    let without = build(&alone, &toolchains("go: { prepared: null }"), "g", &files).unwrap();
    assert_eq!(stale(&without), "fmt true\nencoding/json true\nnet/http true\n");
    assert_eq!(without.hash, with.hash);
    assert!(read(&without, "bot") == read(&with, "bot"), "the programs differ");
    let logged = |fixture: &Fixture| {
        fixture.store.find(&with.hash).unwrap().map(|it| fs::read_to_string(it.log).unwrap())
    };
    assert!(logged(&fixture).unwrap().contains("/prepared/go-cache"));
    assert!(!logged(&alone).unwrap().contains("/prepared"));
}
