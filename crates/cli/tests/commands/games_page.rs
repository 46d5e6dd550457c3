//! The page about games of one's own: its whole example runs as it is printed.

use std::process::Command;

use super::env;

/// Returns the script of the page's chapter on games in which all move at the same time.
fn script() -> &'static str {
    let page = include_str!("../../docs/games.md");
    let (_, chapter) = page.split_once("## 8. ").expect("the chapter is there");
    let (_, script) = chapter.split_once("```sh\n").expect("it has a script");
    script.split_once("```").expect("the script ends").0
}

#[test]
fn the_simultaneous_game_of_the_page_runs_when_it_is_pasted() {
    let env = env();
    let joust = env.command(["run"]);
    let mut shell = Command::new("/bin/bash");
    let folder =
        std::path::Path::new(joust.get_program()).parent().expect("a program has a folder");
    shell.args(["-ec", script()]).current_dir(env.path());
    for (name, value) in joust.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        shell.env(name, value);
    }
    let path = std::env::var("PATH").expect("there is a path");
    shell.env("PATH", format!("{}:{path}", folder.display()));
    let ran = shell.output().expect("it can be started");
    let (shown, said) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{shown}\n{said}");
    assert!(shown.contains("OK: bouts can be replayed exactly"), "{shown}\n{said}");
    for bot in ["defector", "tit-for-tat", "forgiving"] {
        assert!(shown.contains(bot), "{shown}\n{said}");
    }
    assert!(shown.contains("ranked by score"), "{shown}\n{said}");
}
