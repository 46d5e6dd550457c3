//! Variants of a language that fit a source.

use joust_config::read_start;
use regex::bytes::Regex;

use crate::language::{Language, Variant};
use joust_bots::{SourceTree, manifest::Project};

/// Number of bytes of a file that are searched for a text.
const SEARCHED: u64 = 256 << 10;

/// Source for which a way to build and run is chosen.
#[derive(Clone, Copy, Debug)]
pub struct VariantQuery<'a> {
    /// The source.
    pub tree: &'a SourceTree,
    /// Project that the manifest names, if it does.
    pub project: Option<&'a Project>,
    /// True for a bot that is a web server.
    pub is_server: bool,
}

/// Returns the variants that fit, best first. Those for projects come before all
/// others where the manifest names one, and those for web servers for these; those that name
/// files before those that do not, and when one of them fits, the others are not asked.
pub(super) fn fitting_variants<'a>(
    language: &'a Language,
    wanted: &VariantQuery<'_>,
) -> Vec<&'a Variant> {
    let special = match wanted {
        VariantQuery { project: Some(_), .. } => {
            variants_among(language, wanted, |one| one.project)
        }
        VariantQuery { is_server: true, .. } => variants_among(language, wanted, |one| one.server),
        _ => Vec::new(),
    };
    match special.is_empty() {
        true => variants_among(language, wanted, |one| !one.project && !one.server),
        false => special,
    }
}

fn variants_among<'a>(
    language: &'a Language,
    wanted: &VariantQuery<'_>,
    is_of_kind: impl Fn(&Variant) -> bool,
) -> Vec<&'a Variant> {
    let variants = || language.variants.iter().filter(|variant| is_of_kind(variant));
    let matches = |pattern: &String| matches(pattern, wanted);
    let named: Vec<&Variant> = variants().filter(|one| one.when.iter().any(matches)).collect();
    if named.is_empty() { variants().filter(|one| one.when.is_empty()).collect() } else { named }
}

/// Returns the files that would make a variant fit, for messages: with the manifest's place-holders
/// filled in, each once.
pub(super) fn expected(language: &Language, wanted: &VariantQuery<'_>) -> Vec<String> {
    let project = wanted.project.cloned().unwrap_or_default();
    let mut expected = Vec::new();
    let fits = |variant: &&Variant| {
        (!variant.project || wanted.project.is_some()) && (!variant.server || wanted.is_server)
    };
    for pattern in language.variants.iter().filter(fits).flat_map(|variant| &variant.when) {
        let (glob, _) = parts(pattern);
        let shown =
            glob.replace("{project}", &project.prefix()).replace("{file}", &project.run_file);
        if !shown.is_empty() && !expected.contains(&shown) {
            expected.push(shown);
        }
    }
    expected
}

/// Returns `GLOB` and `REGEX` of `GLOB | REGEX`.
fn parts(pattern: &str) -> (&str, Option<&str>) {
    match pattern.split_once(" | ") {
        Some((glob, text)) => (glob, Some(text)),
        None => (pattern, None),
    }
}

/// Returns whether a file of the source matches the pattern: `GLOB` asks for its path, and
/// `GLOB | REGEX` for a text in it, too.
pub(super) fn matches(pattern: &str, wanted: &VariantQuery<'_>) -> bool {
    let (glob, text) = parts(pattern);
    let project = wanted.project.cloned().unwrap_or_default();
    let glob = glob
        .replace("{project}", &globset::escape(&project.prefix()))
        .replace("{file}", &globset::escape(&project.run_file));
    let glob = globset::GlobBuilder::new(&glob).literal_separator(true).build();
    let Ok(glob) = glob.map(|glob| glob.compile_matcher()) else { return false };
    let mut files = wanted.tree.files.iter().filter(|file| glob.is_match(&file.path));
    let Some(text) = text else { return files.next().is_some() };
    let Ok(text) = Regex::new(text) else { return false };
    files.any(|file| holds(wanted.tree, &file.path, &text))
}

fn holds(tree: &SourceTree, path: &str, text: &Regex) -> bool {
    read_start(&tree.root.join(path), SEARCHED).is_ok_and(|bytes| text.is_match(&bytes))
}
