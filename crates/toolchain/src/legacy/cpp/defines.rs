//! Names that a C++ project file of the Windows tools defines for the compiler, in its release.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use super::{SourceTree, project_file, text};
use crate::parse_xml;
use joust_bots::manifest::Project;

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
pub(crate) fn arguments(tree: &SourceTree, project: &Project) -> Vec<String> {
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
mod tests {
    use super::*;

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
