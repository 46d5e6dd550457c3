//! Sources and include folders of a C++ project of the Windows tools: the sources that
//! its project file names, else all but the main files of other programs; the folders
//! that it and the files it imports name, such as those of packages; and the
//! names that it defines for the compiler, in its release.

pub(crate) mod wrappers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use joust_bots::SourceTree;
use joust_bots::manifest::Project;
use joust_config::read_start;
use regex::Regex;
use roxmltree::{Document, Node};

use super::dotnet::xml::ProjectFile;
use super::{beneath, folder_of, name_of};
use crate::{BOT, parse_xml};

/// Largest number of files that may import each other.
const MOST_FILES: usize = 32;

/// Largest number of folders, and of other files, that one of them names.
const MOST_NAMED: usize = 1000;

/// Returns those of `all` that are compiled.
pub(crate) fn sources(tree: &SourceTree, project: &Project, all: Vec<&str>) -> Vec<String> {
    let named = named(tree, project, &all);
    if !named.is_empty() {
        return named;
    }
    let is_main = |path: &str| {
        static MAIN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?m)^\s*(int|void|auto)\s+(_t|w)?main\s*\(").expect("a pattern")
        });
        MAIN.is_match(&text(tree, path))
    };
    let mains: Vec<&str> = all.iter().copied().filter(|path| is_main(path)).collect();
    let own = own_main(&mains, project);
    let is_other = |path: &str| own.is_some_and(|own| own != path && mains.contains(&path));
    all.iter().filter(|path| !is_other(path)).map(|path| (*path).to_owned()).collect()
}

/// Returns the main file of the bot: the one that is called like the file to run, else the only
/// one that is no test or example.
fn own_main<'a>(mains: &[&'a str], project: &Project) -> Option<&'a str> {
    let run = project.program_name();
    let named = mains.iter().copied().find(|path| stem(path).eq_ignore_ascii_case(run));
    let is_aside = |path: &str| {
        let mut words = path.split(['/', '_', '.', '-']).map(str::to_ascii_lowercase);
        words.any(|word| matches!(&*word, "test" | "tests" | "example" | "examples" | "bench"))
    };
    let mut serious = mains.iter().copied().filter(|path| !is_aside(path));
    let only = serious.next().filter(|_| serious.next().is_none());
    named.or(only)
}

/// Returns the sources that the project file names.
fn named(tree: &SourceTree, project: &Project, all: &[&str]) -> Vec<String> {
    let Some(file) = project_file(tree, project) else { return Vec::new() };
    let Ok(read) = ProjectFile::read(&text(tree, file)) else { return Vec::new() };
    let included = read.includes("ClCompile").filter_map(|path| beneath(folder_of(file), path));
    let lower = |path: &str| path.to_ascii_lowercase();
    let there: BTreeMap<String, &str> = all.iter().rev().map(|path| (lower(path), *path)).collect();
    let mut taken = BTreeSet::new();
    let named = included.filter_map(|path| there.get(&lower(&path)).copied());
    named.filter(|path| taken.insert(*path)).map(str::to_owned).collect()
}

/// Returns the project file; of several the one that is called like the file to run.
fn project_file<'a>(tree: &'a SourceTree, project: &Project) -> Option<&'a str> {
    let prefix = project.prefix();
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let files = paths.filter(|path| path.starts_with(&prefix) && path.ends_with(".vcxproj"));
    let files: Vec<&str> = files.collect();
    let run = project.program_name();
    let own = files.iter().find(|path| stem(path).eq_ignore_ascii_case(run));
    let only = if let [only] = &files[..] { Some(only) } else { None };
    own.or(only).copied()
}

/// Returns the compiler's options for `folders` of headers. Folders that a project file names go
/// before the system's; guessed ones go after, so that a `stdint.h` somewhere in the bot does not
/// hide `<stdint.h>`.
pub(crate) fn include_arguments(
    tree: &SourceTree,
    project: &Project,
    folders: &[String],
) -> Vec<String> {
    let options: &[&str] = match project_file(tree, project) {
        Some(_) => &["-I"],
        None => &["-iquote", "-idirafter"],
    };
    let of_option = |option: &&str| {
        folders.iter().map(|folder| format!("{option}{BOT}/{folder}")).collect::<Vec<_>>()
    };
    options.iter().flat_map(of_option).collect()
}

/// Returns the folders of the tree in which the project looks for headers.
pub(crate) fn include_folders(tree: &SourceTree, project: &Project) -> Vec<String> {
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"<Import\s[^>]*?Project\s*=\s*"([^"]+)""#).expect("a pattern")
    });
    static FOLDERS: LazyLock<Regex> = LazyLock::new(|| {
        let name = "AdditionalIncludeDirectories";
        Regex::new(&format!("<{name}[^>]*>([^<]*)</{name}>")).expect("a pattern")
    });
    let Some(main) = project_file(tree, project) else { return folders_of_headers(tree, project) };
    let (mut waiting, mut seen) = (vec![main.to_owned()], BTreeSet::new());
    let mut folders = Vec::new();
    while let Some(file) = waiting.pop() {
        if seen.len() == MOST_FILES || !seen.insert(file.clone()) {
            continue;
        }
        let text = text(tree, &file);
        let place = |path: &str| place(path, folder_of(&file), folder_of(main));
        let all = FOLDERS.captures_iter(&text).flat_map(|found| {
            found.extract::<1>().1[0].split(';').filter_map(place).collect::<Vec<_>>()
        });
        folders.extend(all.take(MOST_NAMED).filter_map(|folder| real_folder(tree, &folder)));
        let imports = IMPORT.captures_iter(&text).filter_map(|found| place(&found[1]));
        waiting.extend(imports.take(MOST_NAMED).filter_map(|path| {
            let there = tree.files.iter().find(|one| one.path.eq_ignore_ascii_case(&path));
            there.map(|one| one.path.clone())
        }));
    }
    let mut named = BTreeSet::new();
    folders.retain(|folder| named.insert(folder.clone()));
    folders
}

/// Returns the folders of a project without a project file in which headers lie, and those that
/// are called as if they did.
fn folders_of_headers(tree: &SourceTree, project: &Project) -> Vec<String> {
    let prefix = project.prefix();
    let mut found = BTreeSet::new();
    let is_header = |path: &&str| {
        let end = Path::new(path).extension().and_then(|end| end.to_str()).unwrap_or_default();
        matches!(end, "h" | "hpp" | "hh" | "hxx" | "inl") && path.starts_with(&prefix)
    };
    for path in tree.files.iter().map(|file| file.path.as_str()).filter(is_header) {
        let own = folder_of(path);
        let named = Path::new(own).ancestors().filter_map(Path::to_str);
        let named = named.filter(|folder| matches!(name_of(folder), "include" | "Include" | "inc"));
        found.extend(named.chain([own]).filter(|folder| !folder.is_empty()).map(str::to_owned));
    }
    found.into_iter().take(MOST_FILES).collect()
}

/// Returns the place in the tree that a path in a file of `folder` names; `None` outside the tree,
/// or for a macro that only the Windows tools know.
fn place(path: &str, folder: &str, project: &str) -> Option<String> {
    let path = path.trim();
    let (start, rest) = match path.strip_prefix("$(").and_then(|rest| rest.split_once(')')) {
        Some(("MSBuildThisFileDirectory", rest)) => (folder, rest),
        Some(("ProjectDir" | "MSBuildProjectDirectory", rest)) => (project, rest),
        Some(("SolutionDir", rest)) => ("", rest),
        Some(_) => return None,
        None => (project, path),
    };
    let rest = rest.trim_start_matches(['/', '\\']);
    let is_plain = !rest.contains(['$', '%', '*']);
    if path.is_empty() || !is_plain { None } else { beneath(start, rest) }
}

/// Returns the folder of the tree that a path means, whatever its case.
fn real_folder(tree: &SourceTree, folder: &str) -> Option<String> {
    let is_beneath = |path: &str| {
        folder.is_empty()
            || path.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder))
                && path[folder.len()..].starts_with('/')
    };
    let file = tree.files.iter().find(|file| is_beneath(&file.path))?;
    Some(file.path[..folder.len()].to_owned())
}

fn stem(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn text(tree: &SourceTree, path: &str) -> String {
    let bytes = read_start(&tree.root.join(path), 1 << 20).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Largest number of elements, texts and comments in a project file.
const MOST_NODES: u32 = 200_000;
/// Largest number of names that are taken.
const MOST_NAMES: usize = 256;
/// Longest name with its value, bytes.
const LONGEST: usize = 255;
/// Longest conditions of a list, bytes.
const LONGEST_CONDITION: usize = 1024;
/// Names for programs that run on Windows or use texts of wide characters, which do not apply here;
/// sorted.
const LEFT_OUT: [&str; 9] =
    ["UNICODE", "WIN32", "WIN64", "_UNICODE", "_USRDLL", "_WIN32", "_WIN64", "_WINDLL", "_WINDOWS"];

/// Returns the compiler's options for the names that the project file defines.
pub(crate) fn defined_names(tree: &SourceTree, project: &Project) -> Vec<String> {
    let file = project_file(tree, project);
    file.map(|file| arguments_of(&text(tree, file))).unwrap_or_default()
}

fn arguments_of(text: &str) -> Vec<String> {
    let Ok(document) = parse_xml(text, MOST_NODES) else { return Vec::new() };
    let mut named = BTreeSet::new();
    let values = values(&document);
    let all = values.iter().flat_map(|value| value.split(';')).filter_map(argument);
    let first = all.filter(|(name, _)| named.insert(name.clone())).map(|(_, argument)| argument);
    first.take(MOST_NAMES).collect()
}

/// Returns the lists of definitions that hold always or in the first release of the file.
fn values<'a>(document: &'a Document<'_>) -> Vec<&'a str> {
    let groups = children(document.root_element(), "ItemDefinitionGroup");
    let compilers = groups.flat_map(|group| children(group, "ClCompile"));
    let lists = compilers.flat_map(|compiler| children(compiler, "PreprocessorDefinitions"));
    let lists: Vec<(String, &str)> = lists
        .filter_map(|list| Some((condition(list)?, list.text().unwrap_or_default())))
        .collect();
    let release = lists.iter().map(|(condition, _)| condition).find(|one| one.contains("Release"));
    let holds = |condition: &String| condition.is_empty() || Some(condition) == release;
    lists.iter().filter(|(condition, _)| holds(condition)).map(|(_, text)| *text).collect()
}

fn children<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// Returns the conditions of a list and of the elements around it; `None` where they are too long.
/// Every list keeps a copy of them.
fn condition(list: Node<'_, '_>) -> Option<String> {
    let conditions = || list.ancestors().filter_map(|node| node.attribute("Condition"));
    let length: usize = conditions().map(str::len).sum();
    (length <= LONGEST_CONDITION).then(|| conditions().collect())
}

/// Returns the name of a definition and the compiler's option for it.
fn argument(definition: &str) -> Option<(String, String)> {
    let definition = definition.trim().replace("\\\"", "\"");
    let (name, value) = definition.split_once('=').unwrap_or((&definition, ""));
    let is_wanted = is_identifier(name) && LEFT_OUT.binary_search(&name).is_err();
    let is_plain =
        value.chars().all(|one| one.is_ascii_alphanumeric() || "_.\"'+-*/()".contains(one));
    let is_taken = is_wanted && is_plain && definition.len() <= LONGEST;
    is_taken.then(|| (name.to_owned(), format!("-D{definition}")))
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|one: char| one.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const MAIN: &str = "#include <x>\nint main(int argc, char **argv) { return 0; }\n";

    pub(super) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, SourceTree) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = SourceTree::read(root.path(), &[]).unwrap();
        (root, tree)
    }

    fn compiled(files: &[(&str, &str)], folder: &str, run_file: &str) -> String {
        let (_root, tree) = tree(files);
        let all = tree.files.iter().map(|file| &*file.path).filter(|path| path.ends_with(".cpp"));
        let (folder, run_file) = (folder.to_owned(), run_file.to_owned());
        let project = Project { folder, run_file, ..Project::default() };
        sources(&tree, &project, all.collect()).join(" ")
    }

    #[test]
    fn of_two_main_files_the_one_called_like_the_program_is_compiled() {
        let files = [("Bot.cpp", MAIN), ("map.cpp", "void f() {}"), ("test.cpp", MAIN)];
        assert_eq!(compiled(&files, "", "Release/bot.exe"), "Bot.cpp map.cpp");
        assert_eq!(compiled(&files, "", "Release/other.exe"), "Bot.cpp map.cpp", "a test is none");
        let both = [("one.cpp", MAIN), ("two.cpp", MAIN)];
        assert_eq!(compiled(&both, "", "Release/other.exe"), "one.cpp two.cpp", "who knows");
    }

    #[test]
    fn the_project_file_goes_before_that() {
        let project = "<Project><ItemGroup><ClCompile Include=\"Src\\Test.cpp\" />\
            <ClCompile Include=\"Gone.cpp\" /></ItemGroup></Project>";
        let files = [("a/bot.vcxproj", project), ("a/Src/test.cpp", MAIN), ("a/bot.cpp", MAIN)];
        assert_eq!(compiled(&files, "a", "Release/bot.exe"), "a/Src/test.cpp");
        let include = format!("<ClCompile Include=\"{}\" />", "Src\\Test.cpp;".repeat(60_000));
        let project = format!("<Project><ItemGroup>{include}</ItemGroup></Project>");
        let files = [("a/bot.vcxproj", &*project), files[1], files[2]];
        assert_eq!(compiled(&files, "a", "Release/bot.exe"), "a/Src/test.cpp", "named again");
    }

    #[test]
    fn without_a_project_file_headers_are_looked_for_where_they_lie() {
        let files = [("a.cpp", ""), ("b.h", ""), ("Include/c/d.hpp", ""), ("x/include/y/z.h", "")];
        let (_root, tree) = tree(&files);
        let expected = ["Include", "Include/c", "x/include", "x/include/y"];
        assert_eq!(include_folders(&tree, &Project::default()), expected);
    }

    #[test]
    fn guessed_folders_do_not_hide_headers_of_the_system() {
        let (_root, tree) = tree(&[("a.cpp", ""), ("msinttypes/stdint.h", "")]);
        let project = Project::default();
        let folders = include_folders(&tree, &project);
        let expected = ["-iquote/bot/msinttypes", "-idirafter/bot/msinttypes"];
        assert_eq!(include_arguments(&tree, &project, &folders), expected);
    }

    #[test]
    fn headers_are_looked_for_where_the_project_and_its_packages_say() {
        let project = r#"<Project><ItemDefinitionGroup><ClCompile>
            <AdditionalIncludeDirectories>Inc;$(SolutionDir)Shared\;..\..\out;$(Nobody)x;C:\x;%(All)
            </AdditionalIncludeDirectories></ClCompile></ItemDefinitionGroup>
            <Import Project="$(VCTargetsPath)\Microsoft.Cpp.targets" />
            <Import Project="..\packages\json.1\build\json.targets" Condition="Exists('x')" />
            </Project>"#;
        let package = "<Project><AdditionalIncludeDirectories>\
            $(MSBuildThisFileDirectory)../..//json.1/include/;%(AdditionalIncludeDirectories)\
            </AdditionalIncludeDirectories></Project>";
        let files = [
            ("Bot/bot.vcxproj", project),
            ("Bot/inc/a.h", ""),
            ("shared/b.h", ""),
            ("packages/json.1/build/json.targets", package),
            ("packages/json.1/include/json/j.h", ""),
            ("out/c.h", ""),
        ];
        let (_root, tree) = tree(&files);
        let (folder, run_file) = ("Bot".to_owned(), "x/bot.exe".to_owned());
        let project = Project { folder, run_file, ..Project::default() };
        let expected = ["Bot/inc", "shared", "packages/json.1/include"];
        assert_eq!(include_folders(&tree, &project), expected);
    }

    fn list(condition: &str, names: &str) -> String {
        format!(
            "<ItemDefinitionGroup{condition}><ClCompile><PreprocessorDefinitions>{names}\
             </PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>"
        )
    }

    fn arguments_of_groups(groups: &[String]) -> String {
        let space = "xmlns=\"http://schemas.microsoft.com/developer/msbuild/2003\"";
        arguments_of(&format!("<Project {space}>{}</Project>", groups.concat())).join(" ")
    }

    #[test]
    fn definitions_of_windows_and_malformed_names_are_left_out() {
        let all = "WIN32;_CONSOLE; SPEED=4;_UNICODE;A=(1+2)*3;T=\\\"x\\\";EMPTY=;9A;A B;C=a b;D=$(X);\
            E=`x`;-o;;%(PreprocessorDefinitions)";
        let expected = "-D_CONSOLE -DSPEED=4 -DA=(1+2)*3 -DT=\"x\" -DEMPTY=";
        assert_eq!(arguments_of_groups(&[list("", all)]), expected);
        assert!(LEFT_OUT.is_sorted());
    }

    #[test]
    fn the_first_release_holds_and_what_holds_always() {
        let of = |configuration: &str, names: &str| {
            let condition =
                format!(" Condition=\"'$(Configuration)|$(Platform)'=='{configuration}'\"");
            list(&condition, names)
        };
        let groups = [
            of("Debug|Win32", "_DEBUG;SIZE=1"),
            of("Release|Win32", "NDEBUG;SIZE=2;SIZE=5"),
            of("Release|x64", "NDEBUG;SIZE=3;WIDE"),
            list("", "ALWAYS"),
        ];
        assert_eq!(arguments_of_groups(&groups), "-DNDEBUG -DSIZE=2 -DALWAYS");
    }

    #[test]
    fn a_long_condition_is_not_kept_for_every_list_below_it() {
        let of = |length: usize| {
            format!(" Condition=\"{}Release\"", "x".repeat(length - "Release".len()))
        };
        let [long, longer] = [LONGEST_CONDITION, LONGEST_CONDITION + 1].map(of);
        assert_eq!(arguments_of_groups(&[list(&long, "A"), list("", "B")]), "-DA -DB");
        assert_eq!(arguments_of_groups(&[list(&longer, "A"), list("", "B")]), "-DB");
    }

    #[test]
    fn a_malformed_project_file_defines_nothing() {
        assert_eq!(arguments_of("<Project>"), [""; 0]);
        let aside = "<Midl><PreprocessorDefinitions>A</PreprocessorDefinitions></Midl>";
        let aside = format!("<ItemDefinitionGroup>{aside}</ItemDefinitionGroup>");
        assert_eq!(arguments_of_groups(&[aside]), "");
    }
}
