use joust_config::SourceLocation;

use super::*;

struct Tournament(tempfile::TempDir, SourceLanguages, Cancel);

impl Tournament {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder, crate::source_language::tests::shipped(), Cancel::default())
    }

    fn find(&self, game: &str, per_owner: PerOwner) -> Result<Vec<String>, Vec<String>> {
        let names = |bots: Vec<BotSource>| bots.iter().map(|bot| bot.name().to_owned()).collect();
        self.survey(game, per_owner, "bots/*").map(names)
    }

    fn survey(
        &self,
        game: &str,
        per_owner: PerOwner,
        glob: &str,
    ) -> Result<Vec<BotSource>, Vec<String>> {
        let game = crate::game(game);
        let search = BotSearch {
            file: Path::new("tournament.yaml"),
            folder: self.0.path(),
            globs: &[self::glob(glob)],
            game: game.spec(),
            languages: &self.1,
            per_owner,
            cache: &self.0.path().join("cache"),
            cancel: &self.2,
        };
        let root = self.0.path();
        // The path of the folder stands before a message alone: everybody reads the message.
        let told = |problems: &[BotProblem]| -> Vec<String> {
            let inside = |problem: &BotProblem| {
                let file = problem.file.strip_prefix(root).unwrap_or(&problem.file).to_owned();
                BotProblem { file, ..problem.clone() }.to_string()
            };
            problems.iter().map(inside).collect()
        };
        let (bots, problems) = survey(&search);
        if !problems.is_empty() {
            return Err(told(&problems));
        }
        let unreadable: Vec<BotProblem> =
            bots.iter().flat_map(|bot| bot.unreadable.clone()).collect();
        if unreadable.is_empty() { Ok(bots) } else { Err(told(&unreadable)) }
    }

    fn battlebots(&self) -> Result<Vec<String>, Vec<String>> {
        self.find("battlebots", PerOwner::Any)
    }
}

#[test]
fn folders_and_single_files_are_found_and_sorted_by_name() {
    let tournament = Tournament::with(&[
        ("bots/z/bot.yaml", "name: alpha\nlanguage: c\n"),
        ("bots/zeta.py", ""),
        ("bots/off/bot.yaml", "name: off\nlanguage: c\nenabled: false\n"),
        ("bots/README.md", "read me"),
        ("bots/.hidden.py", ""),
    ]);
    assert_eq!(tournament.battlebots().unwrap(), ["alpha", "zeta"]);
}

#[test]
fn a_name_that_looks_like_anothers_is_refused() {
    let tournament = Tournament::with(&[
        ("bots/sniper/bot.yaml", "name: sniper\nlanguage: c\n"),
        ("bots/other/bot.yaml", "name: \"\\u0455niper\"\nlanguage: c\n"),
    ]);
    let problems = tournament.battlebots().unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    let hint = "that one is called `sniper`: the two look alike";
    assert!(problems[0].starts_with("bots/other: the name `\u{455}niper` is taken by"));
    assert!(problems[0].contains(hint), "{problems:?}");
}

#[test]
fn a_glob_without_a_match_is_refused_with_its_place() {
    let problems = Tournament::with(&[]).battlebots().unwrap_err();
    assert!(problems[0].starts_with("tournament.yaml:4:9: no bot matches `bots/*`"));
}

#[test]
fn a_folder_without_a_manifest_names_the_accepted_forms() {
    let tournament = Tournament::with(&[("bots/x/main.py", "")]);
    let problems = tournament.battlebots().unwrap_err();
    assert!(
        problems[0]
            .starts_with("bots/x: not a bot (a bot of `battlebots` is a folder with a `bot.yaml`")
    );
    assert!(problems[0].contains("or a single source file"));
    let elsewhere = tournament.find("battleships-2017", PerOwner::Any).unwrap_err();
    assert!(!elsewhere[0].contains("single source file"));
}

#[test]
fn a_manifest_that_is_named_says_to_name_its_folder() {
    let tournament = Tournament::with(&[("bots/bot.yaml", "name: x\nlanguage: c\n")]);
    let problems = tournament.battlebots().unwrap_err();
    let told = "bots/bot.yaml: a manifest, not a bot (name the folder that it is in: `bots`)";
    assert_eq!(problems, [told]);
}

#[test]
fn names_equal_but_for_case_are_refused() {
    let tournament = Tournament::with(&[("bots/Ann.py", ""), ("bots/ann.rb", "")]);
    let problems = tournament.battlebots().unwrap_err();
    let told = "bots/ann.rb: the name `ann` is taken by `bots/Ann.py` \
                (that one is called `Ann`: case does not count)";
    assert_eq!(problems, [told]);
}

#[test]
fn of_two_equal_names_the_one_whose_folder_is_called_so_was_first() {
    let tournament = Tournament::with(&[
        ("bots/a/bot.yaml", "name: b\nlanguage: c\n"),
        ("bots/b/bot.yaml", "name: b\nlanguage: c\n"),
    ]);
    let problems = tournament.battlebots().unwrap_err();
    assert!(problems[0].starts_with("bots/a: the name `b` is taken by `bots/b`"), "{problems:?}");
}

#[test]
fn every_bot_whose_name_is_taken_has_a_name_of_its_own_and_a_reason() {
    let manifest = "{name: bot, language: c}";
    let places = ["alice", "bob", "carol", "dan"];
    let files = places.map(|place| (format!("bots/{place}/bot/bot.yaml"), manifest));
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let (names, problems) = named(&files, &[glob("bots/*/bot")]);
    let not_built = ["bob", "carol", "dan"].map(|one| format!("bot ({one} bot) cannot be read"));
    assert_eq!(names[0], "bot c");
    assert_eq!(names[1..], not_built);
    assert_eq!(problems, [""; 0]);
}

#[test]
fn an_agent_takes_its_modules_along_and_no_other_agent() {
    let tournament = Tournament::with(&[
        ("team/bots/__init__.py", ""),
        ("team/bots/requirements.txt", ""),
        ("team/bots/one.py", "import two, shared\nfrom . import two\nfrom .lib import near\n"),
        ("team/bots/two.py", ""),
        ("team/bots/lib/near.py", ""),
        ("team/bots/lib/near.txt", ""),
        ("team/shared.py", ""),
        ("team/requirements.txt", ""),
    ]);
    let found = tournament.survey("coderone-dungeon", PerOwner::Any, "team/bots/*.*").unwrap();
    let paths = |bot: &BotSource| -> Vec<String> {
        let tree = bot.tree(&tournament.1).unwrap();
        tree.files.into_iter().map(|file| file.path).collect()
    };
    let [one, two] = &found[..] else { panic!("{found:?}") };
    let package = "bots/__init__.py";
    let lib = ["bots/lib/near.py", "bots/lib/near.txt"];
    let expected = [package, lib[0], lib[1], "bots/one.py", "requirements.txt", "shared.py"];
    assert_eq!(paths(one), expected);
    assert_eq!(paths(two), [package, "bots/two.py", "requirements.txt"]);
}

#[test]
fn two_bots_of_one_owner_are_refused_where_that_is_forbidden() {
    let tournament = Tournament::with(&[
        ("bots/a/bot.yaml", "name: a\nlanguage: c\nowner: Bo\n"),
        ("bots/b/bot.yaml", "name: b\nlanguage: c\nowner: bo\n"),
        ("bots/c/bot.yaml", "name: c\nlanguage: c\n"),
    ]);
    assert_eq!(tournament.battlebots().unwrap().len(), 3);
    let problems = tournament.find("battlebots", PerOwner::One).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("bots/b: `bo` has entered `a` already"));
}

#[test]
fn all_problems_are_reported_at_once() {
    let tournament = Tournament::with(&[
        ("bots/a/bot.yaml", "name: CON\nlanguage: c\n"),
        ("bots/b/main.c", ""),
        ("bots/c.zip", "no archive"),
    ]);
    assert_eq!(tournament.battlebots().unwrap_err().len(), 3);
}

#[test]
fn a_package_in_an_archive_is_called_like_its_folder_or_else_like_the_archive() {
    let pack = |archive: &str, folder: &str| {
        let tournament = Tournament::with(&[("bots/.keep", "")]);
        let file = fs::File::create(tournament.0.path().join("bots").join(archive)).unwrap();
        let mut zip = zip::ZipWriter::new(file);
        for name in ["__init__.py", "brain.py"] {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("{folder}{name}"), options).unwrap();
        }
        zip.finish().unwrap();
        tournament.find("coderone-dungeon", PerOwner::Any)
    };
    assert_eq!(pack("champ.v2.zip", "").unwrap(), ["champ.v2"]);
    assert_eq!(pack("champ.zip", "inner/").unwrap(), ["inner"]);
}

#[test]
fn a_search_that_is_cancelled_reads_no_bot() {
    let tournament = Tournament::with(&[("bots/bot.py", "")]);
    assert!(tournament.battlebots().is_ok());
    tournament.2.cancel();
    let stopped = tournament.battlebots().unwrap_err();
    assert_eq!(stopped, ["tournament.yaml: the search for bots was stopped"]);
}

/// Returns the names of what some patterns select, and what is wrong.
fn named(files: &[(&str, &str)], globs: &[Pattern]) -> (Vec<String>, Vec<String>) {
    let (tournament, game) = (Tournament::with(files), crate::game("bomberman-2016"));
    let search = BotSearch {
        file: Path::new("tournament.yaml"),
        folder: tournament.0.path(),
        globs,
        game: game.spec(),
        languages: &tournament.1,
        per_owner: PerOwner::Any,
        cache: &tournament.0.path().join("cache"),
        cancel: &tournament.2,
    };
    let (bots, problems) = survey(&search);
    let languages = |bot: &BotSource| match bot.unreadable.is_empty() {
        true => format!("{} {}", bot.name(), bot.manifest.language),
        false => format!("{} cannot be read", bot.name()),
    };
    let problems = problems.iter().map(|problem| problem.message.clone());
    (bots.iter().map(languages).collect(), problems.collect())
}

fn glob(text: &str) -> Pattern {
    let place = SourceLocation { line: 4, column: 9, width: 1 };
    Pattern { text: text.to_owned(), name: None, language: None, place }
}

const JOHN: &str = "{NickName: 'John', BotType: 0, ProjectLocation: '', RunFile: 'a.exe'}";
const JAVA: &str = "{NickName: 'JOHN', BotType: 1, ProjectLocation: '', RunFile: 'a.jar'}";

#[test]
fn equal_nicknames_get_the_folder_as_suffix_and_a_newcomer_renames_no_bot() {
    let mut files = vec![
        ("bots/C#/bot.json", JOHN),
        ("bots/Java/bot.json", JAVA),
        ("more/x/Bot/bot.json", JOHN),
    ];
    let globs = [glob("bots/*"), glob("more/*/Bot")];
    let expected = ["JOHN (Java) java", "John (C#) csharp", "John (x Bot) csharp"];
    assert_eq!(named(&files, &globs), (expected.map(str::to_owned).to_vec(), vec![]));
    files.insert(0, ("bots/A/bot.json", JOHN));
    let (names, problems) = named(&files, &globs);
    assert!(problems.is_empty() && expected.iter().all(|old| names.contains(&(*old).into())));
    assert_eq!(names.len(), 4);
}

#[test]
fn additions_of_bots_that_are_listed_one_by_one_show_no_whole_path() {
    let files = [("all/of/them/a/Bot/bot.json", JOHN), ("all/of/them/b/Bot/bot.json", JAVA)];
    let globs = [glob("all/of/them/a/Bot"), glob("all/of/them/b/Bot")];
    let expected = ["JOHN (b Bot) java", "John (a Bot) csharp"];
    assert_eq!(named(&files, &globs), (expected.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn a_name_that_results_from_an_addition_may_not_be_taken_either() {
    let taken = "{NickName: 'John (Java)', BotType: 1, ProjectLocation: '', RunFile: 'a.jar'}";
    let files = [("b/C#/bot.json", JOHN), ("b/Java/bot.json", JAVA), ("b/x/bot.json", taken)];
    let (names, problems) = named(&files, &[glob("b/*")]);
    let expected = ["JOHN (Java) java", "John (C#) csharp", "John (Java) (x) cannot be read"];
    assert_eq!((names, problems), (expected.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn an_unusable_manifest_does_not_keep_others_from_playing() {
    let files = [
        ("bots/bad/bot.json", "{"),
        ("bots/good/bot.json", JOHN),
        ("bots/john/bot.yaml", "nam: x\nlanguage: c\n"),
        ("bots/none/x.txt", ""),
    ];
    let (names, problems) = named(&files, &[glob("bots/*")]);
    let expected =
        ["John csharp", "bad cannot be read", "john (john) cannot be read", "none cannot be read"];
    assert_eq!((names, problems), (expected.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn an_entry_names_a_bot_and_its_language() {
    let python = "{NickName: 'P', BotType: 'Python3', ProjectLocation: '', RunFile: 'b.py'}";
    let files = [("b/old/bot.json", python), ("b/old/b.py", ""), ("b/new/bot.json", JOHN)];
    let entry = Pattern {
        name: Some("Oldie".to_owned()),
        language: Some("python2".to_owned()),
        ..glob("b/old")
    };
    let (names, problems) = named(&files, &[glob("b/*"), entry.clone()]);
    assert_eq!((names, problems), (vec!["John csharp".into(), "Oldie python2".into()], vec![]));
    let many = Pattern { text: "b/*".to_owned(), ..entry.clone() };
    assert!(named(&files, &[many]).1[0].contains("more than one bot"));
    let unknown = Pattern { language: Some("pyton".to_owned()), ..entry };
    assert_eq!(named(&files, &[unknown]).1, ["unknown language `pyton`"]);
}

#[test]
fn two_stars_search_every_folder() {
    let tournament = Tournament::with(&[("a/b/x.py", ""), ("a/y.py", "")]);
    let paths = expand(tournament.0.path(), "**/*.py").unwrap();
    assert_eq!(paths.len(), 2);
}

#[test]
fn the_ways_that_lead_to_one_folder_are_bounded() {
    let tournament = Tournament::with(&[("a/a/a/a/a/a/a/a/x.py", ""), ("a/b/x.py", "")]);
    let folder = tournament.0.path();
    for link in ["a/c", "a/d"] {
        std::os::unix::fs::symlink(".", folder.join(link)).unwrap();
    }
    let found = |glob: &str| super::expand_within(folder, glob, 10_000).map(|paths| paths.len());
    assert_eq!(found(&format!("{}x.py", "**/".repeat(40))), Ok(2));
    assert_eq!(found(&format!("{}*.py", "**/a/".repeat(6))), Ok(1));
    assert_eq!(found("a/*/../b/x.py"), Ok(2));
    for endless in ["**/../".repeat(40), format!("a/{}", "*/".repeat(40))] {
        let error = found(&endless).unwrap_err();
        assert!(error.ends_with("looks at more than 10000 paths"), "{error}");
    }
}

/// Makes something that nobody may read to its end, or wait for.
fn put_odd(at: &Path, kind: &str) {
    match kind {
        "pipe" => nix::unistd::mkfifo(at, nix::sys::stat::Mode::S_IRWXU).unwrap(),
        "link to a pipe" => {
            let pipe = at.with_file_name("other");
            put_odd(&pipe, "pipe");
            std::os::unix::fs::symlink(pipe, at).unwrap();
        }
        "link to a device" => std::os::unix::fs::symlink("/dev/zero", at).unwrap(),
        "socket" => drop(std::os::unix::net::UnixListener::bind(at).unwrap()),
        _ => fs::File::create(at).unwrap().set_len(1 << 40).unwrap(),
    }
}

/// Surveys in another thread, which hangs or has no memory left where the file is read.
fn survey_within(seconds: u64, game: &'static str, folder: tempfile::TempDir) -> bool {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let tournament =
            Tournament(folder, crate::source_language::tests::shipped(), Cancel::default());
        let bots = tournament.survey(game, PerOwner::Any, "bots/*").unwrap_or_default();
        // What names nothing odd in its manifest is refused when its files are read.
        let trees: Vec<_> = bots.iter().map(|bot| bot.tree(&tournament.1)).collect();
        let _ = send.send(trees.iter().all(Result::is_err));
    });
    receive.recv_timeout(std::time::Duration::from_secs(seconds)).unwrap_or(false)
}

#[test]
fn an_endless_file_does_not_block() {
    let manifest = "name: a\nlanguage: python\nentry: main.py\n";
    for (game, path) in [
        ("battlebots", "bots/a/bot.yaml"),
        ("battlebots", "bots/a/main.py"),
        ("battlebots", "bots/a/requirements.txt"),
        ("battlebots", "bots/a.py"),
        ("battlebots", "bots/A.java"),
        ("battlebots", "bots/a.zip"),
        ("battlebots", "bots/a.tar.gz"),
        ("bomberman-2016", "bots/a/bot.json"),
        ("coderone-dungeon", "bots/a.py"),
        ("coderone-dungeon", "bots/a/__init__.py"),
        ("coderone-dungeon", "bots/a/agent.py"),
    ] {
        for kind in ["pipe", "link to a pipe", "link to a device", "socket", "a tebibyte"] {
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path().join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            if path.starts_with("bots/a/") && game == "battlebots" && !path.ends_with("bot.yaml") {
                fs::write(at.with_file_name("bot.yaml"), manifest).unwrap();
            }
            put_odd(&at, kind);
            assert!(survey_within(20, game, folder), "{game}: {path} is {kind}");
        }
    }
}

#[test]
fn sources_called_like_documents_play_and_leftovers_of_tools_do_not() {
    let files = [
        ("bots/license_to_kill.py", ""),
        ("bots/readme_first.py", ""),
        ("bots/README.md", ""),
        ("bots/LICENSE", ""),
        ("bots/Thumbs.db", ""),
        ("bots/__pycache__/a.cpython-311.pyc", ""),
        ("bots/env/pyvenv.cfg", ""),
    ];
    let names = Tournament::with(&files).battlebots();
    assert_eq!(names, Ok(vec!["license_to_kill".to_owned(), "readme_first".to_owned()]));
}

fn zip_at(path: &Path, entries: &[(&str, &str)]) {
    let mut writer = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, text) in entries {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_source_file_alone_in_an_archive_plays_as_it_does_unpacked() {
    let tournament = Tournament::with(&[("bots/other.py", "")]);
    zip_at(&tournament.0.path().join("bots/solo.zip"), &[("bot.py", "print(1)")]);
    assert_eq!(tournament.battlebots(), Ok(vec!["other".to_owned(), "solo".to_owned()]));
}

#[test]
fn a_message_about_an_archive_names_it_and_its_top() {
    let tournament = Tournament::with(&[("bots/other.py", "")]);
    zip_at(&tournament.0.path().join("bots/odd.zip"), &[("a.txt", ""), ("b/c.txt", "")]);
    let problems = tournament.battlebots().unwrap_err();
    assert!(problems[0].starts_with("bots/odd.zip: not a bot"), "{problems:?}");
    assert!(problems[0].contains("at the archive's top: `a.txt`, `b`"), "{problems:?}");
    let packed = Tournament::with(&[("bots/other.rar", "")]).battlebots().unwrap_err();
    let told =
        "bots/other.rar: an archive that is not unpacked (pack it again as `.zip` or `.tar.gz`)";
    assert_eq!(packed, [told]);
}
