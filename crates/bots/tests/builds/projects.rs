//! Bots with a `bot.json`, as published for the Entelect Challenge.

use std::fs;

use joust_bots::{Build, NotBuilt};

use crate::Test;
use crate::fixture::{Fixture, moved};

pub(crate) const TESTS: &[Test] = &[
    ("a_python_project_gets_key_folder_and_its_own_arguments", python),
    ("a_python_2_project_is_run_by_python_2", python2),
    ("what_old_node_forgave_is_forgiven", javascript),
    ("npm_runs_where_the_project_has_dependencies", npm),
    ("a_c_sharp_project_file_of_windows_is_compiled_by_mono", csharp),
    ("a_c_plus_plus_console_project_of_windows_is_built", cpp),
    ("a_go_project_is_built_by_its_import_path", go),
    ("a_rust_project_loses_its_exe", rust),
    ("a_jar_that_is_shipped_is_run", jar),
    ("a_script_in_the_submission_is_never_run", nuget),
    ("a_project_that_is_not_there_is_refused", missing),
];

pub(crate) fn manifest(bot_type: &str, project: &str, run_file: &str) -> String {
    format!(
        "{{\"NickName\": \"Bot\", \"BotType\": \"{bot_type}\", \
         \"ProjectLocation\": \"{project}\", \"RunFile\": \"{run_file}\"}}"
    )
}

/// Builds a project and returns it, or nothing where its tools are not here.
pub(crate) fn build(manifest: &str, files: &[(&str, &str)]) -> Option<(Fixture, Build)> {
    let fixture = Fixture::new();
    let all: Vec<(&str, &str)> = [("bot.json", manifest)].iter().chain(files).copied().collect();
    match fixture.build_project("bot", &all) {
        Ok(build) => Some((fixture, build)),
        // A language that is not on this machine is no failure of ours.
        Err(NotBuilt::MissingToolchain(missing)) => {
            crate::say(&format!("  left out: {missing}"));
            None
        }
        Err(other) => panic!("{other}"),
    }
}

pub(crate) fn moves(manifest: &str, files: &[(&str, &str)], expected: &str) {
    if let Some((_fixture, build)) = build(manifest, files) {
        assert_eq!(moved(&build), expected);
    }
}

const PYTHON: &str = "import json, sys\n\
    round = json.load(open(sys.argv[2] + '/state.json'))['Round']\n\
    open(sys.argv[2] + '/move.txt', 'w').write('%s %s' % (round, sys.argv[1:2] + sys.argv[3:]))\n";

fn python() {
    let manifest = "{'NickName': 'P', 'BotType': 5, 'ProjectLocation': '', \
        'RunFile': 'Src\\\\Bot.py', 'RunArgs': '-x \"a b\"'}";
    let files = [("src/bot.py", PYTHON), ("requirements.txt", "# nothing\n")];
    moves(manifest, &files, "7 ['A', '-x', 'a b']");
}

fn python2() {
    let source = "import sys\nprint 'old'\nopen(sys.argv[2] + '/move.txt', 'w').write(`3/2`)\n";
    moves(&manifest("Python2", "", "bot.py"), &[("bot.py", source)], "1");
}

const NODE: &str = "const fs = require('fs');\n\
    const round = JSON.parse(fs.readFileSync(process.argv[3] + '/state.json')).Round;\n\
    fs.writeFile(process.argv[3] + '/move.txt', round - 4);\n";

fn javascript() {
    moves(&manifest("JavaScript", "", "bot.js"), &[("bot.js", NODE)], "3");
}

fn npm() {
    let package =
        "{\"name\": \"bot\", \"version\": \"1.0.0\", \"dependencies\": {\"own\": \"file:own\"}}";
    let files = [
        ("package.json", package),
        ("own/package.json", "{\"name\": \"own\", \"version\": \"1.0.0\", \"main\": \"own.js\"}"),
        ("own/own.js", "module.exports = 5;\n"),
        ("bot.js", "require('fs').writeFileSync(process.argv[3] + '/move.txt', require('own'));\n"),
    ];
    moves(&manifest("JavaScript", "", "bot.js"), &files, "5");
}

const CSHARP_PROJECT: &str = "<Project ToolsVersion=\"14.0\"><PropertyGroup>\
    <OutputType>Exe</OutputType><DefineConstants>FIVE</DefineConstants></PropertyGroup>\
    <ItemGroup><Reference Include=\"System\"/><Reference Include=\"System.NotHere\"/></ItemGroup>\
    <ItemGroup><Compile Include=\"Program.cs\"/><Compile Include=\"Moves\\Move.cs\"/></ItemGroup>\
    </Project>";

fn csharp() {
    let files = [
        ("Reference/Reference.csproj", CSHARP_PROJECT),
        (
            "Reference/Program.cs",
            "class P { static void Main(string[] a) { System.IO.File.WriteAllText(\
             System.IO.Path.Combine(a[1], \"move.txt\"), Moves.Move.Get() + \"\\r\\n\"); } }\n",
        ),
        (
            "Reference/Moves/Move.cs",
            "namespace Moves { class Move { public static string Get() {\n#if FIVE\nreturn \"5\";\n\
             #else\nreturn \"0\";\n#endif\n} } }\n",
        ),
        ("Reference/Left.cs", "this is not part of the project\n"),
    ];
    let manifest =
        manifest("CSharp", "Reference\\\\", "Reference\\\\bin\\\\Debug\\\\Reference.exe");
    moves(&manifest, &files, "5\r\n");
}

fn cpp() {
    let files = [
        ("Bot/stdafx.h", "#pragma once\n#include \"targetver.h\"\n#include <tchar.h>\n"),
        ("Bot/targetver.h", "#pragma once\n#include <SDKDDKVer.h>\n"),
        (
            "Bot/Bot.cpp",
            "#include \"stdafx.h\"\n#include <fstream>\n#include <string>\n\
             int _tmain(int argc, _TCHAR *argv[])\n\
             { std::ofstream(std::string(argv[2]) + \"/move.txt\") << 4; return 0; }\n",
        ),
    ];
    moves(&manifest("CPlusPlus", "Bot", "Bot\\\\Release\\\\Bot.exe"), &files, "4");
}

fn go() {
    let files = [
        (
            "src/goboat/main.go",
            "package main\nimport (\"goboat/moves\"; \"os\")\n\
             func main() { os.WriteFile(os.Args[2] + \"/move.txt\", []byte(moves.Next()), 0644) }\n",
        ),
        ("src/goboat/moves/moves.go", "package moves\nfunc Next() string { return \"2\" }\n"),
    ];
    moves(&manifest("Golang", "goboat", "goboat.exe"), &files, "2");
}

fn rust() {
    let files = [
        ("bot/Cargo.toml", "[package]\nname = \"rust_bot\"\nversion = \"0.1.0\"\n"),
        (
            "bot/src/main.rs",
            "use std::io::Write;\nfn main() { let folder = std::env::args().nth(2).unwrap();\n\
             let mut file = std::fs::File::create(folder + \"/move.txt\").unwrap();\n\
             file.write_all(b\"1\").unwrap(); }\n",
        ),
    ];
    moves(&manifest("Rust", "bot", "bot\\\\target\\\\release\\\\rust_bot.exe"), &files, "1");
}

pub(crate) const JAVA: &str = "public class Main { public static void main(String[] a) throws Exception {\n\
    java.nio.file.Files.write(java.nio.file.Paths.get(a[1], \"move.txt\"), \"6\".getBytes()); } }\n";

fn jar() {
    let Some((_made, made)) = build(&manifest("Java", "", "Main.jar"), &[("Main.java", JAVA)])
    else {
        return;
    };
    let classes = made.folder.join(".joust/classes/Main.class");
    let fixture = Fixture::new();
    let path = fixture.write("jar", &[("bot.json", &manifest("Java", "", "Bot.jar"))]);
    let mut jar = zip::ZipWriter::new(fs::File::create(path.join("Bot.jar")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in [
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\nMain-Class: Main\n".to_vec()),
        ("Main.class", fs::read(classes).unwrap()),
    ] {
        jar.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut jar, &bytes).unwrap();
    }
    jar.finish().unwrap();
    assert_eq!(moved(&fixture.build_project("jar", &[]).unwrap()), "6");
}

fn nuget() {
    let trap = "#!/bin/sh\ntouch /bot/trapped\n";
    let files = [
        ("nuget.exe", trap),
        ("python3", trap),
        ("setup.sh", trap),
        (
            "bot.py",
            "import os, sys\nopen(sys.argv[2] + '/move.txt', 'w').write(str(os.path.exists('/bot/trapped')))\n",
        ),
    ];
    moves(&manifest("Python3", "", "bot.py"), &files, "False");
}

fn missing() {
    let fixture = Fixture::new();
    let files = [("bot.json", &*manifest("Golang", "gone", "gone")), ("main.go", "package main\n")];
    let refused = fixture.build_project("a", &files);
    match refused {
        Err(NotBuilt::MissingToolchain(_)) => {}
        Err(refused) => {
            assert_eq!(refused.word(), "build-refused");
            assert_eq!(refused.to_string(), "the project's folder `/bot/gone` is not there");
        }
        Ok(_) => panic!("nothing can be built"),
    }
}
