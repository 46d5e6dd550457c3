use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::source_language::tests::shipped;

fn read_in(folder: &Path, text: &str) -> Result<Manifest, Vec<BotProblem>> {
    let languages = shipped();
    let game = crate::game("bomberman-2016");
    super::read(&Candidate::new(folder, game.spec(), &languages), text)
}

/// Reads a manifest in a folder `bot` that has these files.
fn read_with(files: &[&str], text: &str) -> Result<Manifest, Vec<String>> {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("bot");
    fs::create_dir(&folder).unwrap();
    for file in files {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "").unwrap();
    }
    let root = format!("{}/", folder.display());
    let (languages, game) = (shipped(), crate::game("bomberman-2016"));
    let candidate = Candidate::new(&folder, game.spec(), &languages);
    super::read(&candidate, text)
        .map_err(|problems| problems.iter().map(|one| one.to_string().replace(&root, "")).collect())
}

fn of(text: &str) -> Manifest {
    read_with(&["bot.py"], text).unwrap()
}

fn refused(text: &str) -> Vec<String> {
    read_with(&["bot.py"], text).unwrap_err()
}

const REST: &str = "\"ProjectLocation\": \"\", \"RunFile\": \"bot.py\"";

#[test]
fn a_recorded_manifest_is_read() {
    let manifest = of("{\"Author\":\"x\",\"Email\":\"m\",\"NickName\":\"PyStep\",\
        \"BotType\":\"Python3\",\"ProjectLocation\":\"\",\"RunFile\":\"bot.py\"}");
    assert_eq!(manifest.name, "PyStep");
    assert_eq!((manifest.author.as_deref(), manifest.language.as_str()), (Some("x"), "python"));
    assert_eq!(manifest.entry.as_deref(), Some("bot.py"));
    let project = manifest.project.unwrap();
    assert_eq!(project.folder, "");
    assert!(manifest.enabled);
}

#[test]
fn a_type_is_a_name_in_any_case_a_number_or_a_number_as_text() {
    for (number, (name, language)) in TYPES.iter().enumerate() {
        let spellings =
            [format!("\"{}\"", name.to_uppercase()), number.to_string(), format!("'{number}'")];
        for spelling in spellings {
            let manifest = of(&format!("{{BotType: {spelling}, {REST}}}"));
            assert_eq!(manifest.language, *language, "{spelling}");
        }
    }
    assert_eq!(of(&format!("{{{REST}}}")).language, "csharp", "missing");
}

#[test]
fn an_unknown_type_is_refused_with_its_place() {
    let problems = refused(&format!("{{\n \"BotType\": \"Pyton3\", {REST}}}"));
    assert_eq!(
        problems,
        ["bot.json:2:13: BotType: unknown type `Pyton3` (did you mean `Python3`?)"]
    );
    let null = refused(&format!("{{BotType: null, {REST}}}"));
    assert!(
        null[0].starts_with("bot.json:1:11: BotType: unknown type `` (known types"),
        "{null:?}"
    );
    assert_eq!(refused(&format!("{{BotType: 11, {REST}}}")).len(), 1);
}

#[test]
fn fields_are_found_in_any_case_and_unknown_ones_ignored() {
    let manifest = of("{\"nickname\": \"n\", \"BOTTYPE\": 5, \"projectLocation\": \".\", \
        \"runfile\": \"bot.py\", \"Version\": [1, {}]}");
    assert_eq!((manifest.name.as_str(), manifest.language.as_str()), ("n", "python"));
}

#[test]
fn the_name_is_the_first_that_is_given() {
    let name = |fields: &str| of(&format!("{{{fields} BotType: 5, {REST}}}")).name;
    assert_eq!(name("NickName: 'n', Author: 'a', Email: 'e',"), "n");
    assert_eq!(name("NickName: null, Author: 'a', Email: 'e',"), "a");
    assert_eq!(name("Author: 'Ann Lee', Email: 'e',"), "Ann Lee");
    assert_eq!(name("Author: '', Email: 'e.x@example.org',"), "e.x");
    assert_eq!(name(""), "bot");
}

#[test]
fn a_nickname_may_have_blanks_and_punctuation() {
    for good in ["Kraken9", "Zoë", "ボット", "C++ Sample Bot", "AI : Artificial Idiocy", "<b>&!"]
    {
        assert_eq!(of(&format!("{{NickName: '{good}', BotType: 5, {REST}}}")).name, good);
    }
}

#[test]
fn a_nickname_that_no_folder_could_have_is_made_one() {
    let name = |given: &str| of(&format!("{{NickName: '{given}', BotType: 5, {REST}}}")).name;
    assert_eq!(name("his/hers"), "his-hers");
    assert_eq!(name("a \\u0000b\\n c"), "a b c");
    assert_eq!(name(&"x".repeat(80)), "x".repeat(64));
    assert_eq!(name("CON"), "CON-");
}

#[test]
fn a_name_that_turns_the_text_around_it_is_refused_with_the_reason() {
    let problems = refused(&format!("{{NickName: 'a\\u202eb', BotType: 5, {REST}}}"));
    assert_eq!(
        problems,
        [
            "bot.json:1:12: NickName: the name has a character that cannot be seen: U+202E (give it another name)"
        ]
    );
}

#[test]
fn backslashes_are_separators_single_or_doubled() {
    let text = r#"{"BotType": 0, "ProjectLocation": "Src\\Bot\\", "RunFile": ".\\Src\\\\bin\\Debug\\Bot.exe"}"#;
    let project = of(text).project.unwrap();
    assert_eq!(
        (project.folder.as_str(), project.run_file.as_str()),
        ("Src/Bot", "Src/bin/Debug/Bot.exe")
    );
}

#[test]
fn a_file_in_another_case_is_found_where_only_one_is_called_so() {
    let text = "{BotType: 5, ProjectLocation: '', RunFile: 'SRC\\\\Bot.PY'}";
    let manifest = read_with(&["src/bot.py"], text).unwrap();
    assert_eq!(manifest.entry.as_deref(), Some("src/bot.py"));
    let two = read_with(&["src/bot.py", "src/BOT.py"], text).unwrap_err();
    assert_eq!(
        two,
        [
            "bot.json:1:44: RunFile: `src/Bot.PY` is not there (name the file that is run, from the bot's folder)"
        ]
    );
    let exact = read_with(&["SRC/Bot.PY", "src/bot.py"], text).unwrap();
    assert_eq!(exact.entry.as_deref(), Some("SRC/Bot.PY"));
}

#[test]
fn what_leaves_the_submission_is_refused() {
    for path in ["..\\\\x", "a/../../x", "/etc/passwd", "C:\\\\x", "\\\\\\\\host\\\\x", "~\\u0000"]
    {
        let text = format!("{{BotType: 5, ProjectLocation: '{path}', RunFile: '{path}'}}");
        let problems = refused(&text);
        assert!(problems[0].starts_with("bot.json:1:31: ProjectLocation: `"), "{problems:?}");
        assert!(problems[1].contains(": RunFile: `"), "{problems:?}");
    }
}

#[test]
fn a_link_out_of_the_submission_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("bot");
    fs::create_dir(&folder).unwrap();
    fs::write(home.path().join("outside.py"), "").unwrap();
    symlink("../outside.py", folder.join("bot.py")).unwrap();
    let problems = read_in(&folder, &format!("{{BotType: 5, {REST}}}")).unwrap_err();
    assert!(problems[0].message.ends_with("passes a link that leaves the bot's folder"));
}

#[test]
fn missing_fields_and_all_problems_are_reported_at_once() {
    let problems = refused("{NickName: 7, BotType: 'Cobol'}");
    let starts = [
        "bot.json:1:12: NickName: expected a text, found the number `7` (write it in quotes",
        "bot.json:1:24: BotType: unknown type `Cobol` (known types are `CSharp`,",
        "bot.json:1:1: missing key `ProjectLocation` (add a line such as",
        "bot.json:1:1: missing key `RunFile` (add a line such as",
    ];
    assert_eq!(problems.len(), starts.len(), "{problems:?}");
    for (problem, start) in problems.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem}");
    }
    let empty = refused("{BotType: 5, ProjectLocation: '', RunFile: ''}");
    assert_eq!(
        empty,
        [
            "bot.json:1:44: RunFile: it names no file (name the file that is run, from the bot's folder)"
        ]
    );
}

#[test]
fn a_field_given_twice_may_only_repeat_itself() {
    let twice = format!("{{NickName: 'a', nickname: 'a', BotType: 5, {REST}}}");
    assert_eq!(of(&twice).name, "a");
    let problems = refused(&format!("{{NickName: 'a',\n nickname: 'b', BotType: 5, {REST}}}"));
    assert_eq!(
        problems,
        ["bot.json:2:2: `NickName` is given twice, first on line 1 (delete one of the two)"]
    );
}

#[test]
fn arguments_are_split_and_dropped_for_go_and_rust() {
    let trailing = |kind: &str| {
        let text = format!("{{BotType: '{kind}', RunArgs: ' -x  \\\"a b\\\" c', {REST}}}");
        of(&text).trailing
    };
    assert_eq!(trailing("Python3"), ["-x", "a b", "c"]);
    assert!(trailing("Golang").is_empty() && trailing("Rust").is_empty());
}

#[test]
fn a_mark_is_accepted_and_bad_text_is_refused_with_its_place() {
    assert_eq!(of(&format!("\u{feff}{{BotType: 5, {REST}}}")).language, "python");
    assert_eq!(refused("{\n\"NickName\": \"x"), ["bot.json:2:13: unterminated string literal"]);
    assert_eq!(refused("[]"), ["bot.json:1:1: expected `{`"]);
}

#[test]
fn a_huge_manifest_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    fs::write(&file, " ".repeat(70_000)).unwrap();
    assert_eq!(read_manifest(&file).unwrap_err().message, "larger than 64 KiB");
}
