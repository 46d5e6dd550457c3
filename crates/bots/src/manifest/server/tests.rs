use std::fs;

use joust_referee::GameSpec;

use super::*;
use crate::source_language::tests::shipped;

/// Reads a server whose folder holds these files.
fn read_server(files: &[(&str, &str)]) -> Result<Manifest, Vec<String>> {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("snake");
    fs::create_dir(&folder).expect("a folder can be made");
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        fs::write(path, text).expect("a file can be written");
    }
    read_folder(&folder)
}

fn read_folder(folder: &Path) -> Result<Manifest, Vec<String>> {
    let game = GameSpec { manifests: vec!["server".to_owned()], ..GameSpec::default() };
    let languages = shipped();
    let candidate = Candidate::new(folder, &game, &languages);
    crate::manifest::read(&candidate)
        .map_err(|problems| problems.iter().map(BotProblem::advice).collect())
}

/// Language, main file and start, for short tests.
fn started(files: &[(&str, &str)]) -> (String, String, String) {
    let manifest = read_server(files).expect("it is a server");
    let run = manifest.run.unwrap_or_default().join(" ");
    (manifest.language, manifest.entry.unwrap_or_default(), run)
}

fn is(language: &str, entry: &str, run: &str) -> (String, String, String) {
    (language.to_owned(), entry.to_owned(), run.to_owned())
}

#[test]
fn a_main_file_alone_is_started_as_its_language_starts_it() {
    let python = [("Procfile", "web: python server.py"), ("server.py", ""), ("main.go", "")];
    assert_eq!(started(&python), is("python", "server.py", ""));
    let node = [("package.json", r#"{"scripts": {"start": "node ./src/a.js"}}"#), ("src/a.js", "")];
    assert_eq!(started(&node), is("javascript", "src/a.js", ""));
}

#[test]
fn the_first_file_that_can_start_here_counts() {
    let files = [
        ("Procfile", "web: bundle exec rackup -p $PORT"),
        ("Dockerfile", "CMD exec gunicorn --bind :$PORT main:app"),
        (".replit", "run = \"python3 server.py\""),
        ("package.json", r#"{"scripts": {"start": "node index.js"}}"#),
        ("server.py", ""),
        ("index.js", ""),
    ];
    assert_eq!(started(&files), is("python", "server.py", ""));
}

#[test]
fn a_command_with_arguments_is_kept_with_its_port() {
    let files = [("Procfile", "web: java -DPORT=${PORT} -jar target/a.jar"), ("pom.xml", "")];
    assert_eq!(started(&files), is("java", "", "java -DPORT=$PORT -jar target/a.jar"));
}

#[test]
fn a_package_is_started_by_its_script_and_not_by_its_package_manager() {
    let package = r#"{"scripts": {"build": "tsc", "start": "node ./build/index.js"}}"#;
    let files = [("Dockerfile", "CMD [\"npm\", \"start\"]"), ("package.json", package)];
    assert_eq!(started(&files), is("javascript", "", "node ./build/index.js"));
}

#[test]
fn programs_of_other_systems_are_left_to_the_language() {
    let go = [("Dockerfile", "RUN go build -o /usr/local/bin/app\nCMD [\"app\"]"), ("go.mod", "")];
    assert_eq!(started(&go), is("go", "", ""));
    let rust = [("Procfile", "web: ./target/release/web"), ("Cargo.toml", "")];
    assert_eq!(started(&rust), is("rust", "", ""));
}

#[test]
fn a_line_for_a_shell_is_run_by_one_if_it_begins_with_a_language() {
    let web = "web: java -cp 'target/dependency/*' $JAVA_OPTS a.Main --port $PORT target/*.war";
    let run = web.replacen("web:", "/bin/sh -c", 1);
    assert_eq!(started(&[("Procfile", web), ("pom.xml", "")]), is("java", "", &run));
    let other = [("Procfile", "web: cd a && node a.js"), ("index.js", "")];
    assert_eq!(started(&other), is("javascript", "index.js", ""));
}

#[test]
fn variables_of_a_command_are_set_for_it() {
    let package = r#"{"scripts": {"start": "cross-env NODE_ENV=production PORT=9000 node a.js"}}"#;
    let run = "env NODE_ENV=production PORT=9000 node a.js";
    assert_eq!(started(&[("package.json", package), ("a.js", "")]), is("javascript", "", run));
}

#[test]
fn a_module_of_the_libraries_is_started_by_its_language() {
    let web = ("Procfile", "web: uvicorn main:app --host 0.0.0.0 --port $PORT");
    let files = [web, ("requirements.txt", "fastapi\nUvicorn[standard]==0.20\n"), ("main.py", "")];
    let run = "python -m uvicorn main:app --host 0.0.0.0 --port $PORT";
    assert_eq!(started(&files), is("python", "", run));
    assert_eq!(started(&[web, ("main.py", "")]), is("python", "main.py", ""));
}

#[test]
fn a_program_of_a_package_starts_a_server() {
    let package = r#"{"scripts": {"start": "tsx a.ts"}, "devDependencies": {"tsx": "4"}}"#;
    let run = "./node_modules/.bin/tsx a.ts";
    assert_eq!(started(&[("package.json", package), ("a.ts", "")]), is("javascript", "", run));
}

#[test]
fn build_steps_of_a_dockerfile_make_its_program() {
    let files = [("Dockerfile", "RUN make all\nCMD [\"./snake\"]"), ("main.cpp", "")];
    let manifest = read_server(&files).expect("it is a server");
    assert_eq!(manifest.build, Some(vec![vec!["make".to_owned(), "all".to_owned()]]));
    assert_eq!(manifest.run, Some(vec!["./snake".to_owned()]));
}

#[test]
fn a_manifest_beside_the_files_goes_before_them() {
    let files = [
        ("bot.yaml", "build: make\nrun: ./snake ${PORT}\nport: 8080\npath: /ann\n"),
        ("Procfile", "web: ./start.sh"),
        ("start.sh", ""),
        ("main.cpp", ""),
    ];
    let manifest = read_server(&files).expect("it is a server");
    assert_eq!((manifest.name.as_str(), manifest.language.as_str()), ("snake", "cpp"));
    assert_eq!(manifest.run, Some(vec!["./snake".to_owned(), "$PORT".to_owned()]));
    assert_eq!(manifest.server, Some(ServerKeys { port: Some(8080), path: "/ann".to_owned() }));
    let another = [("bot.yaml", "language: go\n"), ("Procfile", "web: python a.py"), ("a.py", "")];
    assert_eq!(started(&another), is("go", "", ""));
}

#[test]
fn files_in_two_languages_leave_the_language_open() {
    let files = [("main.py", ""), ("index.js", "")];
    let problems = read_server(&files).expect_err("there are two languages");
    let expected = "its language is not clear (a `bot.yaml` in it may say `language: python`)";
    assert_eq!(problems, [expected]);
}

#[test]
fn hostile_files_start_nothing() {
    let long = format!("web: python main.py{}", " ".repeat(70_000));
    let files = ["web: 'python main.py", "web: python ../main.py; x", "\u{0}", &long];
    for text in files {
        assert_eq!(
            started(&[("Procfile", text), ("main.py", "")]),
            is("python", "main.py", ""),
            "{text}"
        );
    }
}

#[test]
fn a_link_is_not_read() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (folder, other) = (home.path().join("snake"), home.path().join("other"));
    fs::create_dir(&folder).expect("a folder can be made");
    fs::write(&other, "web: node other.js").expect("a file can be written");
    fs::write(folder.join("main.py"), "").expect("a file can be written");
    std::os::unix::fs::symlink(&other, folder.join("Procfile")).expect("a link can be made");
    assert_eq!(read_folder(&folder).expect("it is a server").language, "python");
}
