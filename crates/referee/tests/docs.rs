//! Links into `docs/`: every heading that source or a page links to exists.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads source and pages from files; the referee itself never does"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The anchors of the pages, by the page's name without `.md`.
type Pages = BTreeMap<String, BTreeSet<String>>;

/// A link to a heading of a page, and where it stands.
struct Link {
    file: PathBuf,
    line: usize,
    page: String,
    anchor: String,
}

impl Link {
    fn is_broken(&self, pages: &Pages) -> bool {
        !pages.get(&self.page).is_some_and(|anchors| anchors.contains(&self.anchor))
    }

    fn describe(&self) -> String {
        let Self { file, line, page, anchor } = self;
        format!("{}:{line}: docs/{page}.md has no heading `#{anchor}`", file.display())
    }
}

/// Fewer links than this were found by a reader of source that has stopped to work.
const FEWEST_LINKS: usize = 78;

#[test]
fn every_link_from_source_hits_a_heading() {
    let pages = pages();
    let links: Vec<Link> = crate_folders()
        .iter()
        .flat_map(|folder| files_below(folder, "rs"))
        .flat_map(|file| links_of_source(&file))
        .collect();
    assert!(links.len() >= FEWEST_LINKS, "only {} links found", links.len());
    assert_none_is_broken(&links, &pages);
}

#[test]
fn every_link_inside_the_pages_hits_a_heading() {
    let pages = pages();
    let files = files_below(&docs(), "md");
    let links: Vec<Link> = files.iter().flat_map(|file| links_of_page(file)).collect();
    assert!(!links.is_empty());
    assert_none_is_broken(&links, &pages);
}

#[test]
fn no_comment_names_a_source_by_number() {
    let numbered = |line: &&str| {
        let source = line.split_once("Source: ").map(|(_, source)| source);
        source.is_some_and(|source| {
            source.starts_with(|symbol: char| symbol.is_ascii_digit())
                || source.starts_with("section ")
                || source.starts_with("spec")
        })
    };
    for file in files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs") {
        let text = read(&file);
        assert_eq!(text.lines().find(numbered), None, "{}", file.display());
    }
}

#[test]
fn every_game_with_an_original_has_a_page_in_the_crate_s_documentation() {
    let module = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/docs.rs"));
    let index = read(&docs().join("README.md"));
    let games = joust_referee::Catalogue::built_in();
    for game in games.iter().filter(|game| game.spec().has_rules("original")) {
        let page = format!("../docs/{}.md", game.id());
        assert!(module.contains(&page), "{page}");
        assert!(index.contains(&format!("({}.md)", game.id())), "{}", game.id());
    }
}

#[test]
fn every_path_of_the_tutorial_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = read(&docs().join("add-a-game.md"));
    let is_path = |text: &&str| {
        ["crates/", "bots/", ".github/"].iter().any(|top| text.starts_with(top))
            && !text.contains([' ', '*'])
    };
    let paths: Vec<_> = page.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(paths.len() > 20, "only {paths:?} found");
    let missing: Vec<_> = paths.iter().filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[track_caller]
fn assert_none_is_broken(links: &[Link], pages: &Pages) {
    let broken: Vec<String> =
        links.iter().filter(|link| link.is_broken(pages)).map(Link::describe).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn crate_folders() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(&crates).expect("the crate lies beside others");
    let folders = entries.map(|entry| entry.expect("it can be read").path());
    folders.flat_map(|folder| ["src", "tests", "benches"].map(|name| folder.join(name))).collect()
}

/// Returns the files below `folder`, if there is such a folder, whose names end so.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        if path.is_dir() {
            files.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            files.push(path);
        }
    }
    files
}

fn read(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the anchors of all pages; a page with two headings of one anchor is an error.
fn pages() -> Pages {
    let mut pages = Pages::new();
    for file in files_below(&docs(), "md") {
        let mut anchors = BTreeSet::new();
        for heading in headings(&read(&file)) {
            let is_new = anchors.insert(anchor_of(heading));
            assert!(is_new, "{}: two headings `{heading}`", file.display());
        }
        pages.insert(name_of(&file), anchors);
    }
    pages
}

fn name_of(page: &Path) -> String {
    page.file_stem().expect("a page has a name").to_string_lossy().into_owned()
}

fn headings(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut headings = Vec::new();
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if !is_code && line.starts_with('#') {
            headings.push(line.trim_start_matches('#').trim());
        }
    }
    headings
}

/// Returns the anchor that both `rustdoc` and code hosts give a heading.
fn anchor_of(heading: &str) -> String {
    let kept = heading.chars().filter(|symbol| symbol.is_alphanumeric() || " -_".contains(*symbol));
    kept.map(|symbol| if symbol == ' ' { '-' } else { symbol.to_ascii_lowercase() }).collect()
}

/// Finds `docs::page#anchor`.
fn links_of_source(file: &Path) -> Vec<Link> {
    let link = |text: &str| {
        let (module, anchor) = text.split_once('#')?;
        let is_module =
            module.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_');
        is_module.then(|| (module.replace('_', "-"), up_to_bracket(anchor)))
    };
    links(file, "::docs::", link)
}

/// Finds `](#anchor)` and `](page.md#anchor)`; a link to a whole page has no anchor.
fn links_of_page(file: &Path) -> Vec<Link> {
    let own = name_of(file);
    let link = |text: &str| {
        let (page, anchor) = text.split_once(')')?.0.split_once('#')?;
        let page = if page.is_empty() { own.as_str() } else { page.strip_suffix(".md")? };
        Some((page.to_owned(), anchor.to_owned()))
    };
    links(file, "](", link)
}

fn up_to_bracket(text: &str) -> String {
    text.split([')', ']', '>', '`', ' ']).next().unwrap_or_default().to_owned()
}

fn links(file: &Path, mark: &str, link: impl Fn(&str) -> Option<(String, String)>) -> Vec<Link> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(read(file).lines()) {
        for text in line.split(mark).skip(1) {
            if let Some((page, anchor)) = link(text) {
                found.push(Link { file: file.to_owned(), line: number, page, anchor });
            }
        }
    }
    found
}
