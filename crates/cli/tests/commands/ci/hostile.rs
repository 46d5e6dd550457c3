//! Output of bots is plain text in the summary, in annotations and in the log.

use super::Repository;

/// Text with control sequences for a build service, a page and a terminal.
const EVIL: &str = "::error::forged ##[error]forged </details><script>x</script>![i](http://e.x/i) \
                    | x | @everyone `y` ```` [l](http://e.x) \\x1b[2J\\u202e";

/// Characters that a terminal obeys, or that turn a line around.
const CONTROLS: [char; 4] = ['\u{1b}', '\u{9b}', '\u{202e}', '\r'];

/// Beginnings of our own annotations.
const OURS: [&str; 4] = ["::error file=", "::error title=", "::warning file=", "::warning title="];

/// Returns the lines that some reader of a log would obey.
fn obeyed(text: &str) -> Vec<&str> {
    let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    text.lines().filter(is_command).collect()
}

/// Returns the Markdown outside code spans and code blocks.
fn markup(page: &str) -> String {
    let mut outside = String::new();
    let mut fence: Option<String> = None;
    for line in page.lines() {
        let ticks: String = line.chars().take_while(|one| *one == '`').collect();
        match &fence {
            Some(open) if line.trim_end() == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && line.ends_with("text") => fence = Some(ticks),
            None => outside.push_str(&without_spans(line)),
        }
        outside.push('\n');
    }
    assert!(fence.is_none(), "a block stays open:\n{page}");
    outside
}

/// Removes code spans as Markdown finds them: a run of backticks to the next run
/// as long.
fn without_spans(line: &str) -> String {
    let mut rest = line;
    let mut outside = String::new();
    while let Some(at) = rest.find('`') {
        let run = rest[at..].chars().take_while(|one| *one == '`').count();
        let after = &rest[at + run..];
        let end = after.match_indices('`').map(|(place, _)| place).find(|place| {
            let is_begin = !after[..*place].ends_with('`');
            is_begin && after[*place..].chars().take_while(|one| *one == '`').count() == run
        });
        outside.push_str(&rest[..at]);
        match end {
            Some(end) => rest = &after[end + run..],
            None => {
                outside.push_str(&rest[at..at + run]);
                rest = after;
            }
        }
    }
    outside + rest
}

fn assert_harmless(stdout: &str, stderr: &str) {
    for text in [stdout, stderr] {
        assert!(!text.contains(CONTROLS), "{text:?}");
    }
    assert_eq!(obeyed(stdout), [""; 0]);
    let forged: Vec<_> = obeyed(stderr)
        .into_iter()
        .filter(|line| !OURS.iter().any(|ours| line.starts_with(ours)))
        .collect();
    assert_eq!(forged, [""; 0], "only our own annotations");
    let outside = markup(stdout);
    for evil in ["<script", "</script", "![i]", "[l]", "@everyone", "http:"] {
        assert!(!outside.contains(evil), "`{evil}` is mark-up:\n{stdout}");
    }
}

/// Runs as a build service does, and checks every file that the run writes.
fn run_in_actions(repository: &Repository, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command =
        repository.env.command(["ci", "--base", "main", "--base-database", "base.db"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", repository.path("page.md"));
    let output = command.args(more).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(repository.path(name)).expect(name);
    assert_eq!(read("joust-ci/summary.md"), stdout);
    assert!(read("page.md").ends_with(&stdout), "the job's page has what was printed");
    assert_harmless(&read("joust-ci/leaderboard.md"), "");
    for name in ["joust-ci/summary.json", "joust-ci/leaderboard.json"] {
        let text = read(name);
        serde_json::from_str::<serde_json::Value>(&text).expect(name);
        assert!(!text.contains(CONTROLS), "{name}: {text:?}");
        assert_eq!(obeyed(&text), [""; 0], "{name}");
    }
    (output.status.code(), stdout, stderr)
}

#[test]
fn j03_standard_error_of_a_bot_forges_nothing() {
    let repository = Repository::new();
    let source = format!(
        "import sys\nsys.stderr.write('''{EVIL}\n::error::second line\n````\n</details>\n''')\nsys.exit(1)"
    );
    repository.python_bot("bob", &source);
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert_eq!(status, Some(6), "{stderr}");
    assert!(stdout.contains("| ::error::second line"), "it is shown, as text:\n{stdout}");
    assert_harmless(&stdout, &stderr);
}

#[test]
fn j02_a_build_log_forges_nothing() {
    let repository = Repository::new();
    // The compiler shows the line, and the line is the bot's.
    repository.python_bot("bob", "x = 1\n::error::forged ##[error]forged </details><script> ````");
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert_eq!(status, Some(6), "{stderr}");
    assert!(stdout.contains("SyntaxError"), "{stdout}");
    assert!(stderr.contains("::error file=bots/bob/main.py,line=2,"), "{stderr}");
    assert_harmless(&stdout, &stderr);
}

#[test]
fn j01_names_and_owners_forge_nothing() {
    let repository = Repository::new();
    let name = "``|<script>x ![i](x) @everyone ##[error]forged::error::x";
    repository.write(
        "bots/evil/bot.yaml",
        &format!("name: \"{name}\"\nlanguage: python\nentry: main.py\nowner: \"{name}\"\n"),
    );
    repository.write("bots/evil/main.py", "import sys; sys.exit(1)\n");
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert_eq!(status, Some(6), "{stdout}\n{stderr}");
    assert_harmless(&stdout, &stderr);
    let (status, stdout, stderr) = run_in_actions(&repository, &["--author", "`<script>::x"]);
    assert_eq!(status, Some(8), "{stdout}\n{stderr}");
    assert_harmless(&stdout, &stderr);
}

#[test]
fn j01_authors_and_controls_forge_nothing_in_any_file() {
    let repository = Repository::new();
    let evil =
        "\\u001b[2J\\u009b2J\\u202e\\r\\n::error::forged ##[error]x <script>x</script> @everyone";
    let manifest =
        format!("name: dan\nlanguage: python\nentry: main.py\nowner: dan\nauthor: \"{evil}\"\n");
    repository.write("bots/dan/bot.yaml", &manifest);
    let source = "import os\nos.write(2, b'\\x1b[2J\\xc2\\x9b2J\\xe2\\x80\\xae\\r\\n::error::x\\n')\nos.write(1, b'\\x1b]0;x\\x07\\n')";
    repository.write("bots/dan/main.py", source);
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert!([Some(2), Some(6)].contains(&status), "{status:?} {stdout}\n{stderr}");
    assert_harmless(&stdout, &stderr);
}

#[test]
fn j02_a_name_of_a_branch_forges_nothing() {
    let repository = Repository::new();
    let branch = "a`<script>@everyone##|<b>y";
    repository.git(["branch", branch, "main"]);
    repository.bot("dan", "echo W");
    repository.commit("one more");
    let words = ["ci", "--base", branch, "--base-database", "base.db", "--dry-run"];
    let ran = repository.env.run(words).expect(0);
    assert_harmless(&ran.stdout, &ran.stderr);
}

#[test]
fn j04_names_of_files_forge_nothing() {
    let repository = Repository::new();
    let folder = "bots/a,line=1::x\n::error::forged <script> \u{1b}[2J `![i](x)";
    repository.write(&format!("{folder}/bot.yaml"), "name: a/b\nlanguage: python\n");
    repository.write("`<script>\n::error::forged @everyone.md", "x");
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert_eq!(status, Some(6), "{stdout}\n{stderr}");
    assert!(stderr.contains("::error file=bots/a%2Cline=1%3A%3Ax\\u{a}"), "{stderr}");
    assert_harmless(&stdout, &stderr);
}

#[test]
fn j04_a_name_that_is_not_utf_8_is_the_bots_fault() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new();
    let name = std::ffi::OsStr::from_bytes(b"odd-\xff");
    std::fs::write(repository.path("bots/bob").join(name), "x").unwrap();
    std::fs::write(repository.path("").join(name), "x").unwrap();
    repository.commit("hostile");
    let (status, stdout, stderr) = run_in_actions(&repository, &[]);
    assert_eq!(status, Some(6), "{stdout}\n{stderr}");
    assert!(stderr.contains("::error file=bots/bob/odd-\u{fffd},title=Not a bot::"), "{stderr}");
    assert_harmless(&stdout, &stderr);
    assert_eq!(repository.of_bot("bob")["change"], "unreadable");
    assert_eq!(repository.report()["other_files"][0], "odd-\u{fffd}");
}

#[test]
fn a_flood_of_problems_stays_below_what_a_comment_may_have() {
    let repository = Repository::new();
    let source = "import sys\nsys.stderr.write(('`' * 200 + '\\n') * 300)\nsys.exit(1)";
    for number in 0..3 {
        repository.bot(&format!("bot-{number}"), source);
    }
    for number in 0..2000 {
        repository.write(&format!("other/{}-{number}", "`x".repeat(90)), "");
    }
    repository.commit("hostile");
    let (_, stdout, stderr) = run_in_actions(&repository, &["--dry-run"]);
    assert!(stdout.len() <= 60_000, "{}", stdout.len());
    assert_harmless(&stdout, &stderr);
}

/// The size of a large file, bytes.
const LARGE: u64 = 400 << 20;

impl Repository {
    fn write_large(&self, name: &str) {
        std::fs::File::create(self.path(name)).unwrap().set_len(LARGE).unwrap();
    }

    /// Checks the change in as much memory as two large files would fill.
    fn check_in_little_memory(&self) {
        let joust = env!("CARGO_BIN_EXE_joust");
        let script = format!("ulimit -v 1200000 && exec {joust} ci --base main --dry-run");
        let mut limited = std::process::Command::new("bash");
        limited.args(["-c", &script]).current_dir(self.env.path());
        let ran = limited.env_clear().envs(self.env.variables()).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn a_large_file_is_not_read_into_memory() {
    let repository = Repository::new();
    repository.bot("dan", "echo E");
    repository.write_large("bots/dan/weights");
    repository.commit("zeros");
    repository.check_in_little_memory();
    assert_eq!(repository.of_bot("dan")["change"], "new");
}

#[test]
fn a_large_file_of_the_base_is_not_read_into_memory() {
    let repository = Repository::new();
    repository.git(["checkout", "--quiet", "main"]);
    repository.write_large("weights");
    repository.commit("zeros");
    repository.git(["checkout", "--quiet", "-B", "pr"]);
    repository.bot("dan", "echo E");
    repository.commit("one more");
    repository.check_in_little_memory();
    assert_eq!(repository.report()["other_files"], serde_json::json!([]));
}
