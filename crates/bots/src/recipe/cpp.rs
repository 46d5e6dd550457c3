//! Sources of a C++ project of the Windows tools: those that its project file names,
//! else all but the main files of other programs.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::super::SourceTree;
use super::super::manifest::Project;
use super::dotnet::{beneath, xml::ProjectFile};
use super::project::stem_of;

/// Returns those of `all` that are compiled.
pub(super) fn sources(tree: &SourceTree, project: &Project, all: Vec<&str>) -> Vec<String> {
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
    let run = stem_of(&project.run_file);
    let own = mains.iter().find(|path| stem(path).eq_ignore_ascii_case(&run));
    let is_other = |path: &str| own.is_some_and(|own| *own != path && mains.contains(&path));
    all.iter().filter(|path| !is_other(path)).map(|path| (*path).to_owned()).collect()
}

/// Returns the sources that the project file names; of several project files the one
/// counts that is called like the file to run.
fn named(tree: &SourceTree, project: &Project, all: &[&str]) -> Vec<String> {
    let prefix = project.prefix();
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let files = paths.filter(|path| path.starts_with(&prefix) && path.ends_with(".vcxproj"));
    let files: Vec<&str> = files.collect();
    let run = stem_of(&project.run_file);
    let own = files.iter().find(|path| stem(path).eq_ignore_ascii_case(&run));
    let only = if let [only] = &files[..] { Some(only) } else { None };
    let Some(file) = own.or(only) else { return Vec::new() };
    let Ok(read) = ProjectFile::read(&text(tree, file)) else { return Vec::new() };
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let included = read.includes("ClCompile").filter_map(|path| beneath(folder, path));
    let there = |path: String| all.iter().find(|one| one.eq_ignore_ascii_case(&path));
    included.filter_map(there).map(|path| (*path).to_owned()).collect()
}

fn stem(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn text(tree: &SourceTree, path: &str) -> String {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(tree.root.join(path));
    let read = file.and_then(|file| file.take(1 << 20).read_to_end(&mut bytes));
    if read.is_ok() { String::from_utf8_lossy(&bytes).into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "#include <x>\nint main(int argc, char **argv) { return 0; }\n";

    fn compiled(files: &[(&str, &str)], folder: &str, run_file: &str) -> String {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = SourceTree::read(root.path(), &[]).unwrap();
        let all = tree.files.iter().map(|file| &*file.path).filter(|path| path.ends_with(".cpp"));
        let (folder, run_file) = (folder.to_owned(), run_file.to_owned());
        let project = Project { folder, run_file, ..Project::default() };
        sources(&tree, &project, all.collect()).join(" ")
    }

    #[test]
    fn of_two_main_files_the_one_called_like_the_program_is_compiled() {
        let files = [("Bot.cpp", MAIN), ("map.cpp", "void f() {}"), ("test.cpp", MAIN)];
        assert_eq!(compiled(&files, "", "Release/bot.exe"), "Bot.cpp map.cpp");
        assert_eq!(compiled(&files, "", "Release/other.exe"), "Bot.cpp map.cpp test.cpp");
    }

    #[test]
    fn the_project_file_goes_before_that() {
        let project = "<Project><ItemGroup><ClCompile Include=\"Src\\Test.cpp\" />\
            <ClCompile Include=\"Gone.cpp\" /></ItemGroup></Project>";
        let files = [("a/bot.vcxproj", project), ("a/Src/test.cpp", MAIN), ("a/bot.cpp", MAIN)];
        assert_eq!(compiled(&files, "a", "Release/bot.exe"), "a/Src/test.cpp");
    }
}
