//! Clients that resolve names, list interfaces and play, in each language: the kernel's interfaces
//! that a runtime uses for that work, or fail without harm.

use std::process::Command;

use super::env;

/// A client and the program without which it cannot be built or run.
const CLIENTS: [(&str, &str, &str); 6] = [
    ("python_names.py", "python3", include_str!("names/python_names.py")),
    ("ruby_names.rb", "ruby", include_str!("names/ruby_names.rb")),
    ("node_names.js", "node", include_str!("names/node_names.js")),
    ("JavaNames.java", "javac", include_str!("names/JavaNames.java")),
    ("go_names.go", "go", include_str!("names/go_names.go")),
    ("CsNames.cs", "mcs", include_str!("names/CsNames.cs")),
];

fn is_here(program: &str) -> bool {
    let found = Command::new("/bin/sh").args(["-c", &format!("command -v {program}")]).output();
    found.is_ok_and(|output| output.status.success())
}

#[test]
#[ignore = "long: one bout in each language"]
fn clients_of_every_language_resolve_names_and_play() {
    let env = env();
    let here: Vec<_> = CLIENTS.iter().filter(|(_, program, _)| is_here(program)).collect();
    here.iter().for_each(|(name, _, source)| env.write(name, source));
    // Two at least.
    let clients = here.iter().map(|(name, ..)| *name).chain(["python_names.py"]).take(6);
    let slow = ["-o", "turns=3", "-o", "tick_ms=60000", "-o", "window_ms=60000"];
    let arguments = ["play", "uwcs-bomberman"].into_iter().chain(clients).chain(slow);
    let bout = env.run(arguments.chain(["--format", "json", "--turns"])).expect(0).json();
    let turns = bout["turns"].as_array().expect("a list");
    for (seat, (name, ..)) in here.iter().enumerate() {
        let verdicts = &bout["seats"][seat]["verdicts"];
        assert!(verdicts.as_object().is_some_and(|it| it.keys().eq(["ok"])), "{name}: {bout}");
        let said = turns.iter().filter(|turn| turn["seat"] == seat).map(|turn| &turn["stderr"]);
        let said: String = said.filter_map(serde_json::Value::as_str).collect();
        for known in ["localhost 127.0.0.1", "joust 127.0.0.1", "uwcs.co.uk 127.0.0.1"] {
            assert!(said.contains(known), "{name} `{known}`: {said}");
        }
    }
}
