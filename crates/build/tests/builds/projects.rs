//! Bots with a `bot.json`, as published for the Entelect Challenge.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use joust_build::PlacedBuild;
use joust_toolchain::NotBuilt;

use crate::fixture::{Fixture, moved};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_python_project_gets_key_folder_and_its_own_arguments", python),
    ("a_python_2_project_is_run_by_python_2", python2),
    ("what_old_node_forgave_is_forgiven", javascript),
    ("npm_runs_where_the_project_has_dependencies", npm),
    ("a_c_sharp_project_file_of_windows_is_compiled_by_mono", csharp),
    ("resources_of_a_c_sharp_project_are_in_its_program", resources),
    ("a_c_sharp_bot_draws_letters_into_a_png_in_its_turn", png),
    ("packages_of_a_c_sharp_project_come_with_a_network_and_are_named_without", packages),
    ("a_c_plus_plus_console_project_of_windows_is_built", cpp),
    ("headers_and_definitions_of_a_c_plus_plus_project_are_read_as_on_windows", cpp_of_windows),
    ("a_go_project_is_built_by_its_import_path", go),
    ("a_rust_project_loses_its_exe", rust),
    ("cargo_builds_a_project_with_a_dependency_also_with_a_network", rust_with_a_network),
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
pub(crate) fn build(manifest: &str, files: &[(&str, &str)]) -> Option<(Fixture, PlacedBuild)> {
    build_in(Fixture::new(), manifest, files)
}

fn build_in(
    fixture: Fixture,
    manifest: &str,
    files: &[(&str, &str)],
) -> Option<(Fixture, PlacedBuild)> {
    let all: Vec<(&str, &str)> = [("bot.json", manifest)].iter().chain(files).copied().collect();
    match fixture.build_project("bot", &all) {
        Ok(build) => Some((fixture, build)),
        // A language that is not on this machine is no failure of ours.
        Err(NotBuilt::MissingToolchain(missing)) => {
            println!("  left out: {missing}");
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

const RESOURCES: &str = "<Project><PropertyGroup><RootNamespace>My.Bot</RootNamespace></PropertyGroup>\
    <ItemGroup><Compile Include=\"Program.cs\"/><EmbeddedResource Include=\"data.txt\"/>\
    <EmbeddedResource Include=\"Open-Maps\\*.txt\"/><EmbeddedResource Include=\"Form.resx\"/>\
    <EmbeddedResource Include=\"..\\two.txt\"><LogicalName>two</LogicalName></EmbeddedResource>\
    </ItemGroup></Project>";

/// Program that writes the contents and the number of its embedded resources.
const CARRIED: &str = r#"
class P { static void Main(string[] a) {
    var program = System.Reflection.Assembly.GetExecutingAssembly();
    var all = "";
    foreach (var name in new[] { "My.Bot.data.txt", "two", "My.Bot.Open_Maps.small map.txt" })
        all += new System.IO.StreamReader(program.GetManifestResourceStream(name)).ReadToEnd();
    all += program.GetManifestResourceNames().Length;
    System.IO.File.WriteAllText(System.IO.Path.Combine(a[1], "move.txt"), all);
} }
"#;

fn resources() {
    let files = [
        ("Bot/Bot.csproj", RESOURCES),
        ("Bot/Program.cs", CARRIED),
        ("Bot/Data.txt", "one "),
        ("two.txt", "two "),
        ("Bot/open-maps/small map.txt", "three "),
        ("Bot/Form.resx", "<root/>"),
    ];
    moves(&manifest("CSharp", "Bot", "Bot\\\\bin\\\\Bot.exe"), &files, "one two three 3");
}

/// A feed on the loopback with packages of one library each.
fn feed(packages: Vec<(String, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let index = format!(
        r#"{{"resources": [{{"@id": "{address}/flat/", "@type": "PackageBaseAddress/3.0.0"}}]}}"#
    );
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            request.read_line(&mut line).unwrap();
            let mut header = String::new();
            while header != "\r\n" {
                header.clear();
                request.read_line(&mut header).unwrap();
            }
            let path = line.split(' ').nth(1).unwrap_or_default();
            let package = packages.iter().find(|(name, _)| path == format!("/flat/{name}"));
            let body = match package {
                Some((_, bytes)) => bytes.as_slice(),
                None if path == "/index.json" => index.as_bytes(),
                None => b"",
            };
            let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
            let length = body.len();
            write!(stream, "HTTP/1.0 {status}\r\nContent-Length: {length}\r\n\r\n").unwrap();
            stream.write_all(body).unwrap();
        }
    });
    format!("{address}/index.json")
}

/// Makes a package of the library in `source`, which may use that in `needed`.
fn package(id: &str, source: &str, needed: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join(format!("{id}.dll"));
    let stubs = needed
        .iter()
        .map(|id| format!("public class {id} {{ public static int Get() {{ return 0; }} }}"));
    fs::write(folder.path().join("a.cs"), source).unwrap();
    let references = needed.iter().zip(stubs).map(|(id, stub)| {
        let path = folder.path().join(format!("{id}.dll"));
        fs::write(folder.path().join("stub.cs"), stub).unwrap();
        let mut compiler = std::process::Command::new("mcs");
        compiler.arg("-target:library").arg(format!("-out:{}", path.display()));
        assert!(compiler.arg(folder.path().join("stub.cs")).status().unwrap().success());
        format!("-r:{}", path.display())
    });
    let references: Vec<String> = references.collect();
    let mut compiler = std::process::Command::new("mcs");
    compiler.arg("-target:library").arg(format!("-out:{}", library.display()));
    assert!(compiler.args(references).arg(folder.path().join("a.cs")).status().unwrap().success());
    let dependencies: String =
        needed.iter().map(|id| format!("<dependency id='{id}' version='1.0.0' />")).collect();
    let manifest = format!(
        "<package xmlns='http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd'><metadata>\
         <id>{id}</id><dependencies>{dependencies}</dependencies></metadata></package>"
    );
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in [
        (format!("{id}.nuspec"), manifest.into_bytes()),
        (format!("lib/net45/{id}.dll"), fs::read(&library).unwrap()),
        (format!("lib/sl5/{id}.dll"), b"for another framework".to_vec()),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn packages() {
    if std::process::Command::new("mcs").arg("--version").output().is_err() {
        return println!("  left out: no mcs");
    }
    let outer = "public class Outer { public static int Get() { return Inner.Get() + 1; } }";
    let inner = "public class Inner { public static int Get() { return 4; } }";
    let feed = feed(vec![
        ("outer/1.2.0/outer.1.2.0.nupkg".to_owned(), package("Outer", outer, &["Inner"])),
        ("inner/1.0.0/inner.1.0.0.nupkg".to_owned(), package("Inner", inner, &[])),
    ]);
    let config = format!(
        "<configuration><packageSources><clear /><add key='here' value='{feed}' /></packageSources>\
         </configuration>"
    );
    let project = "<Project><ItemGroup><Reference Include=\"Outer, Version=1.2.0.0\">\
        <HintPath>..\\packages\\Outer.1.2.0\\lib\\net45\\Outer.dll</HintPath></Reference>\
        </ItemGroup></Project>";
    let program = "class P { static void Main(string[] a) { System.IO.File.WriteAllText(\
        System.IO.Path.Combine(a[1], \"move.txt\"), Outer.Get().ToString()); } }\n";
    let manifest = manifest("CSharp", "", "bin\\\\Debug\\\\Bot.exe");
    let files = [
        ("bot.json", manifest.as_str()),
        ("Bot/Bot.csproj", project),
        ("Bot/Program.cs", program),
        ("NuGet.Config", config.as_str()),
    ];
    let alone = Fixture::new().build_project("bot", &files).unwrap_err().to_string();
    assert!(
        alone.contains("`Outer 1.2.0` of NuGet is not in the source: `joust bot fetch` brings"),
        "{alone}"
    );
    assert!(alone.contains("`build: { network: open }` would fetch it"), "{alone}");
    let mut fixture = Fixture::new();
    fixture.limits.network = joust_config::Network::Open;
    assert_eq!(moved(&fixture.build_project("bot", &files).unwrap()), "5");
}

const DRAWING_PROJECT: &str = "<Project><ItemGroup><Reference Include=\"System\"/>\
    <Reference Include=\"System.Drawing\"/></ItemGroup>\
    <ItemGroup><Compile Include=\"Program.cs\"/></ItemGroup></Project>";

/// Program that writes the signature and size of a picture, and whether a letter left ink on it.
const DRAWING: &str = r#"
using System.Drawing;
class P { static void Main(string[] a) {
    var picture = new Bitmap(64, 32);
    using (var hand = Graphics.FromImage(picture)) {
        hand.Clear(Color.White);
        hand.DrawString("JOUST", new Font(FontFamily.GenericSansSerif, 12), Brushes.Black, 1, 1);
    }
    var file = System.IO.Path.Combine(a[1], "board.png");
    picture.Save(file, System.Drawing.Imaging.ImageFormat.Png);
    var bytes = System.IO.File.ReadAllBytes(file);
    var read = new Bitmap(file);
    bool ink = false;
    for (int x = 0; x < 64; x++) for (int y = 0; y < 32; y++) ink |= read.GetPixel(x, y).GetBrightness() < 0.5;
    System.IO.File.WriteAllText(System.IO.Path.Combine(a[1], "move.txt"), string.Format("{0}{1}{2} {3}x{4} {5}",
        (char)bytes[1], (char)bytes[2], (char)bytes[3], read.Width, read.Height, ink));
} }
"#;

fn png() {
    if !fs::exists("/usr/lib/mono/4.5/System.Drawing.dll").unwrap_or(false) {
        return println!("  left out: no System.Drawing (libmono-system-drawing4.0-cil)");
    }
    let files = [("Bot.csproj", DRAWING_PROJECT), ("Program.cs", DRAWING)];
    moves(&manifest("CSharp", "", "bin\\\\Debug\\\\Bot.exe"), &files, "PNG 64x32 True");
}

fn cpp() {
    let files = [
        (
            "Bot/Bot.vcxproj",
            "<Project><ItemGroup><ClCompile Include=\"Bot.cpp\"/></ItemGroup>\
             <Import Project=\"..\\packages\\four.1\\build\\four.targets\"/></Project>",
        ),
        (
            "packages/four.1/build/four.targets",
            "<Project><AdditionalIncludeDirectories>$(MSBuildThisFileDirectory)../include/;%(x)\
             </AdditionalIncludeDirectories></Project>",
        ),
        ("packages/four.1/include/four/four.h", "#define FOUR 4\n"),
        ("Bot/stdafx.h", "#pragma once\n#include \"targetver.h\"\n#include <tchar.h>\n"),
        ("Bot/targetver.h", "#pragma once\n#include <SDKDDKVer.h>\n"),
        (
            "Bot/Bot.cpp",
            "#include \"stdafx.h\"\n#include <fstream>\n#include <string>\n\
             #include \"four/four.h\"\nint _tmain(int argc, _TCHAR *argv[])\n\
             { std::ofstream(std::string(argv[2]) + \"/move.txt\") << FOUR; return 0; }\n",
        ),
    ];
    moves(&manifest("CPlusPlus", "Bot", "Bot\\\\Release\\\\Bot.exe"), &files, "4");
}

fn cpp_of_windows() {
    let files = [
        (
            "Bot/Bot.vcxproj",
            "<Project><ItemDefinitionGroup Condition=\"'$(Configuration)'=='Debug'\"><ClCompile>\
             <PreprocessorDefinitions>SPEED=1</PreprocessorDefinitions></ClCompile>\
             </ItemDefinitionGroup><ItemDefinitionGroup Condition=\"'$(Configuration)'=='Release'\">\
             <ClCompile><PreprocessorDefinitions>WIN32;NAME=\\\"x\\\";SPEED=(4);%(PreprocessorDefinitions)\
             </PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>\
             <ItemGroup><ClCompile Include=\"Bot.cpp\"/></ItemGroup></Project>",
        ),
        ("Bot/StdAfx.h", "#pragma once\n#include <tchar.h>\n#include <string.h>\n"),
        ("Bot/String.h", "#error this is not the one of the system\n"),
        ("Bot/other.cpp", "#include \"string.h\"\n"),
        ("Bot/json/json.h", "#include \"value.h\"\n#include <json\\Five.h>\n"),
        ("Bot/json/value.h", "#pragma once\n#define VALUE 3\n"),
        ("Bot/json/five.h", "#define FIVE 5\n"),
        (
            "Bot/Bot.cpp",
            "#include \"stdafx.h\"\r\n#include \"json\\json.h\"\r\n#include <fstream>\n\
             #include <string>\n#include <cstring>\n#ifdef WIN32\n#error no Windows\n#endif\n\
             int _tmain(int argc, _TCHAR *argv[])\n\
             { std::ofstream(std::string(argv[2]) + \"/move.txt\") << NAME << SPEED << VALUE << FIVE \
             << strlen(\"ab\"); }\n",
        ),
    ];
    moves(&manifest("CPlusPlus", "Bot", "Bot\\\\Release\\\\Bot.exe"), &files, "x4352");
}

fn go() {
    let fixture = Fixture::sharing();
    let main = format!(
        "package main\nimport (\"goboat/moves\"; \"os\")\n\
         func main() {{ os.WriteFile(os.Args[2] + \"/move.txt\", []byte(moves.Next()), 0644) }}\n{}",
        fixture.never_built()
    );
    let files = [
        ("src/goboat/main.go", &*main),
        ("src/goboat/moves/moves.go", "package moves\nfunc Next() string { return \"2\" }\n"),
    ];
    let built = build_in(fixture, &manifest("Golang", "goboat", "goboat.exe"), &files);
    if let Some((_fixture, build)) = built {
        assert_eq!(moved(&build), "2");
    }
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

/// Cargo moves its results between folders, also where the network is open.
fn rust_with_a_network() {
    let mut fixture = Fixture::new();
    fixture.limits.network = joust_config::Network::Open;
    let project = "[package]\nname = \"rust_bot\"\nversion = \"0.1.0\"\n\
        [dependencies]\nanswer = { path = \"answer\" }\n";
    let main = "fn main() { let folder = std::env::args().nth(2).unwrap();\n\
        std::fs::write(folder + \"/move.txt\", answer::ANSWER).unwrap(); }\n";
    let files = [
        ("bot/Cargo.toml", project),
        ("bot/src/main.rs", main),
        ("bot/answer/Cargo.toml", "[package]\nname = \"answer\"\nversion = \"0.1.0\"\n"),
        ("bot/answer/src/lib.rs", "pub const ANSWER: &str = \"2\";\n"),
    ];
    let manifest = manifest("Rust", "bot", "bot\\\\target\\\\release\\\\rust_bot.exe");
    if let Some((_fixture, build)) = build_in(fixture, &manifest, &files) {
        assert_eq!(moved(&build), "2");
    }
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
