//! Tests of lists: what they name, and what is refused with its place.

use super::*;

fn read(form: Form, list: &str) -> Result<List, Vec<String>> {
    read_with(form, list, "")
}

fn read_with(form: Form, list: &str, beside: &str) -> Result<List, Vec<String>> {
    read_texts(form, Texts { list, beside, modules: &[] })
}

fn read_texts(form: Form, texts: Texts<'_>) -> Result<List, Vec<String>> {
    let told = |wrong: Wrong| format!("{}:{}: {}", wrong.place.0, wrong.place.1, wrong.message);
    form.read(texts).map_err(|all| all.into_iter().map(told).collect())
}

fn names(list: &List) -> Vec<String> {
    let version = |one: &Package| one.version.clone().unwrap_or_else(|| "any".to_owned());
    list.packages.iter().map(|one| format!("{} {}", one.name, version(one))).collect()
}

const SHA256: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[test]
fn requirements_of_python_become_clean_lines() {
    let text = format!(
        "\u{feff}# all of it\nNumPy == 2.4.6 \\\n    --hash=sha256:{SHA256}  # wheel\n\n\
         typing_extensions[x, y]>=4,<5 ; python_version < \"3.11\" --hash=sha256:{SHA256}\n"
    );
    let list = read(Form::Pip, &text).unwrap();
    assert_eq!(names(&list), ["NumPy 2.4.6", "typing_extensions any"]);
    assert_eq!(
        list.folder["requirements.txt"],
        format!(
            "NumPy== 2.4.6 --hash=sha256:{SHA256}\ntyping_extensions[x, y]>=4,<5 ; python_version < \"3.11\" \
             --hash=sha256:{SHA256}\n"
        )
    );
    assert!(read(Form::Pip, "# nothing\n\n").unwrap().packages.is_empty());
}

#[test]
fn addresses_and_options_in_requirements_are_refused_with_their_lines() {
    let text = "numpy\n--index-url https://x.invalid\n-e .\nx @ https://x.invalid/x.whl\n./x.whl\n\
                git+https://x.invalid/x\n-r other.txt\nnumpy --config-settings=x\n!\n";
    let wrong = read(Form::Pip, text).unwrap_err();
    assert_eq!(
        wrong,
        [
            "2:1: `--index-url https://x.invalid` is an option",
            "3:1: `-e .` is an option",
            "4:1: `x @ https://x.invalid/x.whl` is an address",
            "5:1: `./x.whl` is an address",
            "6:1: `git+https://x.invalid/x` is an address",
            "7:1: `-r other.txt` is an option",
            "8:1: `--config-settings=x` is not `--hash=sha256:` and 64 digits",
            "9:1: `!` is not a requirement",
        ]
    );
}

#[test]
fn once_one_requirement_has_a_hash_all_need_one() {
    let text = format!("numpy==1 --hash=sha256:{SHA256}\nscipy==2\n");
    assert_eq!(read(Form::Pip, &text).unwrap_err(), ["2:1: `scipy` has no hash"]);
}

fn npm(entries: &str) -> String {
    format!("{{\n \"lockfileVersion\": 3,\n \"packages\": {{\n{entries}\n }}\n}}\n")
}

#[test]
fn packages_of_npm_lose_their_addresses_and_developers_tools() {
    let list = read(
        Form::Npm,
        &npm(r#""": {"name": "x", "scripts": {"install": "x"}, "dependencies": {"@a/b": "^1"}, "devDependencies": {"c": "1"}},
            "node_modules/@a/b": {"version": "1.2.3", "resolved": "https://r.invalid/npm/@a/b/-/b-1.2.3.tgz",
              "integrity": "sha512-AA==", "hasInstallScript": true, "os": ["https://x.invalid"], "dependencies": {"d": "npm:e@>=1 <2"}},
            "node_modules/d": {"name": "e", "version": "1.0.0", "integrity": "sha512-AA=="},
            "node_modules/c": {"version": "1.0.0", "dev": true, "resolved": "git+ssh://x"}"#),
    )
    .unwrap();
    assert_eq!(names(&list), ["@a/b 1.2.3", "e 1.0.0"]);
    let all = list.folder["package-lock.json"].clone() + &list.folder["package.json"];
    for left_out in ["r.invalid", "x.invalid", "cript", "node_modules/c", "devDependencies"] {
        assert!(!all.contains(left_out), "{left_out}: {all}");
    }
}

#[test]
fn addresses_in_a_lock_of_npm_are_refused_with_their_lines() {
    let text = npm(r#""": {"dependencies": {"a": "git+https://x.invalid/a"}},
"node_modules/b": {"version": "1.0.0", "resolved": "https://x.invalid/b.tgz", "integrity": "sha512-AA=="},
"node_modules/c": {"version": "1.0.0", "resolved": "https://x.invalid/c/-/c-1.0.0.tgz"},
"own": {"version": "1.0.0"},
"node_modules/../../d": {"version": "1.0.0", "integrity": "sha512-AA=="},
"node_modules/e": {"link": true, "resolved": "own"},
"node_modules/f": {"version": "git+https://x.invalid/f"}"#);
    let mut wrong = read(Form::Npm, &text).unwrap_err();
    wrong.sort();
    assert_eq!(
        wrong,
        [
            "10:1: `f` has no version of a registry, but `git+https://x.invalid/f`",
            "4:1: `a` is asked for at an address: `\"git+https://x.invalid/a\"`",
            "5:1: `b` comes from an address: `https://x.invalid/b.tgz`",
            "6:1: `c` has no `integrity`",
            "7:1: `own` is no package of a registry",
            "8:1: `node_modules/../../d` is no package of a registry",
            "9:1: `e` has no version of a registry, but `own`",
        ]
    );
    assert_eq!(read(Form::Npm, "{}").unwrap_err(), ["1:1: the list has no `packages`"]);
    assert!(read(Form::Npm, "{\n,").unwrap_err()[0].starts_with("2:1: the list cannot be read"));
}

#[test]
fn crates_are_asked_for_at_their_versions_and_own_ones_are_not() {
    let source = "registry+https://github.com/rust-lang/crates.io-index";
    let text = format!(
        "version = 4\n[[package]]\nname = \"bot\"\nversion = \"0.1.0\"\ndependencies = [\"a 1.0.0\"]\n\
         [[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"{source}\"\nchecksum = \"{SHA256}\"\n\
         dependencies = [\"a 2.0.0 ({source})\"]\n\
         [[package]]\nname = \"a\"\nversion = \"2.0.0\"\nsource = \"{source}\"\nchecksum = \"{SHA256}\"\n"
    );
    let list = read(Form::Cargo, &text).unwrap();
    assert_eq!(names(&list), ["a 1.0.0", "a 2.0.0"]);
    assert!(list.folder["Cargo.toml"].contains("p1 = { package = \"a\", version = \"=2.0.0\""));
    assert!(list.folder["Cargo.lock"].contains("dependencies = [\n \"a 2.0.0\",\n]"));
}

#[test]
fn crates_of_other_places_are_refused_with_their_lines() {
    let text = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"git+https://x.invalid/a#0\"\n\
                [[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"sparse+https://index.crates.io/\"\n";
    assert_eq!(
        read(Form::Cargo, text).unwrap_err(),
        ["2:8: `a` comes from an address: `git+https://x.invalid/a#0`", "6:8: `b` has no checksum"]
    );
    assert!(read(Form::Cargo, "\n[[").unwrap_err()[0].starts_with("2:"));
}

#[test]
fn modules_of_go_come_with_the_hashes_of_their_files() {
    let hash = format!("h1:{}=", "A".repeat(43));
    let sums = format!("x.org/a v1.0.0 {hash}\nx.org/a v1.0.0/go.mod {hash}\n../b v1 {hash}\n");
    let text =
        "module bot\n\ngo 1.21\ntoolchain go1.22\nrequire (\n\tx.org/a v1.0.0 // indirect\n)\n";
    let list = read_with(Form::Go, text, &sums).unwrap();
    assert_eq!(names(&list), ["x.org/a v1.0.0"]);
    assert_eq!(
        list.folder["go.mod"],
        "module joust.invalid/libraries\n\ngo 1.21\n\nrequire x.org/a v1.0.0\n"
    );
    assert!(!list.folder["go.sum"].contains("../b"));
    let wrong = "require x.org/b v1.0.0\nreplace x.org/b => ../b\nrequire /etc v1\n";
    assert_eq!(
        read_with(Form::Go, wrong, &sums).unwrap_err(),
        [
            "1:1: `x.org/b` v1.0.0 has no hash in `go.sum`",
            "2:1: `replace x.org/b => ../b` names another place",
            "3:1: `require /etc v1` cannot be read",
        ]
    );
}

#[test]
fn artefacts_of_maven_are_names_and_versions() {
    let text = "<project><properties><v>1.${w}</v><w>2</w></properties>\
        <dependencies><dependency><groupId>a.b</groupId><artifactId>c</artifactId><version>${v}</version></dependency>\
        </dependencies><build><plugins><plugin><artifactId>p</artifactId><version>3</version><configuration><x/>\
        </configuration></plugin></plugins></build></project>";
    let list = read(Form::Maven, text).unwrap();
    assert_eq!(names(&list), ["a.b:c 1.2", "org.apache.maven.plugins:p 3"]);
    assert!(!list.folder["pom.xml"].contains("configuration"));
}

fn needs(artefacts: &[[&str; 3]]) -> String {
    let one = |[group, name, version]: &[&str; 3]| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version></dependency>"
        )
    };
    let all: String = artefacts.iter().map(one).collect();
    format!("<dependencies>{all}</dependencies>")
}

#[test]
fn modules_of_a_maven_project_are_not_fetched() {
    let own = "${project.version}";
    let managed = needs(&[
        ["${project.groupId}", "logging", own],
        ["g.deep", "deep", "${revision}"],
        ["g", "top", own],
        ["g", "elsewhere", "1.5"],
        ["other", "logging", "2"],
    ]);
    let list = format!(
        "<project><groupId>g</groupId><artifactId>top</artifactId><version>1-SNAPSHOT</version>\
         <modules><module>log</module></modules>\
         <dependencyManagement>{managed}</dependencyManagement></project>"
    );
    let modules = [
        "<project><parent><groupId>g</groupId><artifactId>top</artifactId></parent>\
         <artifactId>logging</artifactId></project>",
        "<project><parent><groupId>g</groupId></parent><groupId>${project.parent.groupId}.deep</groupId>\
         <artifactId>${name}</artifactId><properties><name>deep</name></properties></project>",
        "no project",
    ];
    let modules = modules.map(str::to_owned);
    let read = |modules| read_texts(Form::Maven, Texts { list: &list, beside: "", modules });
    let found = read(&modules).unwrap();
    assert_eq!(names(&found), ["g:elsewhere 1.5", "other:logging 2"]);
    assert!(!found.folder["pom.xml"].contains("deep"));
    let wrong = read(&[]).unwrap_err();
    assert!(wrong[0].ends_with("`logging`: `${project.version}` is not one version"), "{wrong:?}");
}

#[test]
fn what_a_maven_project_says_of_itself_or_inherits_stands_for_versions() {
    let needed = needs(&[
        ["${groupId}", "a", "${version}"],
        ["${pom.groupId}", "b", "${pom.version}"],
        ["${project.groupId}", "c", "${project.version}"],
        ["${project.parent.groupId}", "d", "${parent.version}"],
    ]);
    let parent = "<groupId>g</groupId><artifactId>p</artifactId><version>7</version>";
    let project = format!("<project><parent>{parent}</parent>{needed}</project>");
    let list = read(Form::Maven, &project).unwrap();
    assert_eq!(names(&list), ["g:p 7", "g:a 7", "g:b 7", "g:c 7", "g:d 7"]);
    let own = "<version>8</version><properties><version>9</version></properties>";
    let project = format!("<project><parent>{parent}</parent>{own}{needed}</project>");
    let list = read(Form::Maven, &project).unwrap();
    assert_eq!(names(&list), ["g:p 7", "g:a 9", "g:b 8", "g:c 8", "g:d 7"]);
}

#[test]
fn modules_of_maven_are_found_beneath_the_project_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let project = |name: &str, modules: &str| {
        format!(
            "<project><groupId>g</groupId><artifactId>{name}</artifactId>\
             <modules>{modules}</modules></project>"
        )
    };
    let files = [
        ("top/pom.xml", project("top", "<module>./a</module><module>b/own.xml</module>")),
        ("top/a/pom.xml", project("one", "<module>../../top/a/deep</module>")),
        ("top/a/deep/pom.xml", project("two", "<module>../..</module><module>../gone</module>")),
        ("top/b/own.xml", project("three", "<module>../../../x</module>")),
        ("top/c/pom.xml", project("four", "")),
    ];
    for (path, text) in &files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let needed = ["one", "two", "three", "four"].map(|name| ["g", name, "1"]);
    let needed = needs(&needed);
    let text = files[0].1.replace("</project>", &format!("{needed}</project>"));
    std::fs::write(folder.path().join("top/pom.xml"), text).unwrap();
    let tree = SourceTree::read(folder.path(), &[]).unwrap();
    let lock = Form::Maven.find(&tree, "top/").unwrap().unwrap();
    assert_eq!(names(&lock.list), ["g:four 1"]);
}

#[test]
fn what_would_run_in_the_plugin_that_fetches_is_refused() {
    let plugin = |artifact: &str| {
        format!(
            "<project><build><plugins><plugin><artifactId>{artifact}</artifactId><version>3</version>\n\
             <dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId>\
             <version>1</version></dependency></dependencies></plugin></plugins></build></project>"
        )
    };
    let refused = read(Form::Maven, &plugin("maven-dependency-plugin")).unwrap_err();
    assert_eq!(refused, ["2:1: `<dependencies>` of the plugin that fetches"]);
    let list = read(Form::Maven, &plugin("maven-shade-plugin")).unwrap();
    assert_eq!(names(&list), ["org.apache.maven.plugins:maven-shade-plugin 3", "a:b 1"]);
}

#[test]
fn addresses_and_open_versions_of_maven_are_refused_with_their_lines() {
    let text = "<project>\n<repositories><repository><url>x</url></repository></repositories>\n<dependencies>\n\
        <dependency><groupId>a</groupId><artifactId>b</artifactId><version>[1,2)</version></dependency>\n\
        <dependency><groupId>a</groupId><artifactId>c</artifactId><version>${none}</version></dependency>\n\
        <dependency><groupId>a/b</groupId><artifactId>d</artifactId></dependency>\n\
        <dependency><groupId>a</groupId><artifactId>e</artifactId><version>1</version><systemPath>/x</systemPath></dependency>\n\
        </dependencies></project>";
    assert_eq!(
        read(Form::Maven, text).unwrap_err(),
        [
            "2:1: `<repositories>` names addresses",
            "7:79: `<systemPath>` names a file of the machine",
            "4:1: `b`: `[1,2)` is not one version",
            "5:1: `c`: `${none}` is not one version",
            "6:1: `a/b:d` is no name of an artefact",
        ]
    );
}

#[test]
fn packages_of_nuget_come_once_for_all_frameworks() {
    let hash = "A".repeat(86) + "==";
    let entry = format!(
        "\"Newtonsoft.Json\": {{\"type\": \"Direct\", \"resolved\": \"13.0.3\", \"contentHash\": \"{hash}\"}}"
    );
    let text = format!(
        "{{\"version\": 1, \"dependencies\": {{\"net8.0\": {{{entry}, \"own\": {{\"type\": \"Project\"}}}}, \"net472\": {{{entry}}}}}}}"
    );
    let list = read(Form::Nuget, &text).unwrap();
    assert_eq!(list.folder["packages.txt"], format!("Newtonsoft.Json 13.0.3 {hash}\n"));
    let wrong = "{\"dependencies\": {\"net8.0\": {\n\"a\": {\"resolved\": \"1\"}, \"b\": {\"resolved\": \"../1\"}}}}";
    assert_eq!(
        read(Form::Nuget, wrong).unwrap_err(),
        ["2:1: `a` has no `contentHash`", "2:25: `b` has no version"]
    );
}

#[test]
fn an_allow_list_knows_names_however_they_are_spelled() {
    let allowed = ["Typing.Extensions".to_owned(), "@types/*".to_owned()];
    assert!(Form::Pip.is_among("typing_extensions", &allowed));
    assert!(Form::Npm.is_among("@types/node", &allowed));
    assert!(!Form::Npm.is_among("typing-extensions", &allowed));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(list in "(?s).{0,200}", beside in "(?s).{0,80}") {
        for form in [Form::Pip, Form::Npm, Form::Cargo, Form::Go, Form::Maven, Form::Nuget] {
            let modules = [beside.clone()];
            let _ = form.read(Texts { list: &list, beside: &beside, modules: &modules });
        }
    }
}

/// Bytes of a list that takes minutes when each package is looked for in all of it.
const LONG: usize = 2 << 20;

/// Reads a list on a thread; returns what was said of it, unless that takes too long.
fn read_soon(form: Form, text: String) -> Vec<String> {
    let (sender, read_so_far) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let said = match read(form, &text) {
            Ok(list) => names(&list),
            Err(wrong) => wrong,
        };
        sender.send(said)
    });
    let patience = std::time::Duration::from_secs(60);
    read_so_far.recv_timeout(patience).expect("a list is read in time that grows as its length")
}

#[test]
fn a_long_list_is_read_soon_and_told_of_in_a_few_lines() {
    let many = |entry: &dyn Fn(usize) -> String| -> String {
        let mut text = String::new();
        for number in 0.. {
            let next = entry(number);
            if text.len() + next.len() > LONG {
                break;
            }
            text.push_str(&next);
        }
        text
    };
    let wrong = many(&|number| format!("\"node_modules/p{number}\":{{}},"));
    let right = many(&|number| {
        format!("\"node_modules/p{number}\":{{\"version\":\"1\",\"integrity\":\"sha512-A\"}},")
    });
    let of_npm = |entries: &str| format!("{{\"packages\":{{{entries}\"\":{{}}}}}}");
    let said = read_soon(Form::Npm, of_npm(&wrong));
    assert_eq!(said.len(), MOST_WRONG + 1);
    assert!(said[MOST_WRONG].contains("more are wrong"), "{said:?}");
    let said = read_soon(Form::Npm, of_npm(&right));
    assert!(said[0].contains("packages; at most 5000"), "{said:?}");
    let entries = many(&|number| format!("\"p{number}\":{{\"resolved\":\"1\"}},"));
    let said = read_soon(
        Form::Nuget,
        format!("{{\"dependencies\":{{\"net8.0\":{{{entries}\"z\":{{}}}}}}}}"),
    );
    assert_eq!(said.len(), MOST_WRONG + 1);
    let own = many(&|number| {
        let need = if number % 2 == 0 { "x" } else { "y" };
        format!("[[package]]\nname=\"o{number}\"\nversion=\"1\"\ndependencies=[\"{need}\"]\n")
    });
    assert_eq!(read_soon(Form::Cargo, own), Vec::<String>::new());
    let wrong =
        many(&|number| format!("[[package]]\nname=\"o{number}\"\nversion=\"1\"\nsource=\"x\"\n"));
    assert_eq!(read_soon(Form::Cargo, wrong).len(), MOST_WRONG + 1);
    let needs =
        many(&|number| format!("<dependency><artifactId>{number}</artifactId></dependency>"));
    let project = format!("<project><dependencies>{needs}</dependencies></project>");
    assert_eq!(read_soon(Form::Maven, project).len(), MOST_WRONG + 1);
}
