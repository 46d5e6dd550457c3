//! Reads the pages of a static site strictly, as no browser would: what is not
//! well-formed, reaches outside or leads nowhere is a problem with a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// Elements that have no end.
const VOID: [&str; 7] = ["meta", "link", "input", "br", "hr", "img", "path"];

/// One page, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The values of `href`, `src` and `data-src`, except links with
    /// `rel="external"` and the page's own address on the web.
    pub links: Vec<String>,
    /// The values of `id`.
    pub ids: BTreeSet<String>,
    /// Every element that begins, with its attributes.
    pub elements: Vec<(String, BTreeMap<String, String>)>,
    /// All text, without what is between `<` and `>`, entities resolved.
    pub text: String,
    /// The text of `title`.
    pub title: String,
}

impl Page {
    /// Takes a page apart.
    ///
    /// # Errors
    ///
    /// What is not well-formed: an element that is not ended or ended in the
    /// wrong place, an attribute without quotes or given twice, an `id` given
    /// twice, a stray `<`, `>` or `&`.
    pub fn read(html: &str) -> Result<Self, String> {
        let mut page = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut rest = html.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
        while let Some(at) = rest.find('<') {
            page.add_text(&rest[..at], open.last())?;
            let end = rest.find('>').ok_or_else(|| format!("`<` without end: {}", head(rest)))?;
            let tag = &rest[at + 1..end];
            rest = &rest[end + 1..];
            match tag.strip_prefix('/') {
                Some(name) => close(&mut open, name)?,
                None => page.open(tag, &mut open)?,
            }
        }
        page.add_text(rest, None)?;
        if open.is_empty() { Ok(page) } else { Err(format!("never ended: {open:?}")) }
    }

    fn open(&mut self, tag: &str, open: &mut Vec<String>) -> Result<(), String> {
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return Err(format!("`{}` is no element", head(tag)));
        }
        let attributes = read_attributes(attributes)?;
        for key in ["href", "src", "data-src"] {
            if key == "href" && leads_outside(name, &attributes) {
                continue;
            }
            self.links.extend(attributes.get(key).cloned());
        }
        if let Some(id) = attributes.get("id")
            && !self.ids.insert(id.clone())
        {
            return Err(format!("the id `{id}` is there twice"));
        }
        self.elements.push((name.to_owned(), attributes));
        if !is_closed && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str, inside: Option<&String>) -> Result<(), String> {
        if text.contains('>') {
            return Err(format!("a stray `>` in `{}`", head(text)));
        }
        let text = resolved(text)?;
        if inside.is_some_and(|name| name == "title") {
            self.title.push_str(&text);
        }
        self.text.push_str(&text);
        Ok(())
    }

    /// Returns how many elements are called `name`.
    pub fn count(&self, name: &str) -> usize {
        self.elements.iter().filter(|(element, _)| element == name).count()
    }

    /// Returns what every page of a site owes its readers and does not give.
    pub fn shortcomings(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut must = |holds: bool, what: &str| {
            if !holds {
                missing.push(what.to_owned());
            }
        };
        must(!self.title.trim().is_empty(), "no title");
        must(self.count("h1") == 1, "not one h1");
        must(self.count("main") == 1, "not one main");
        must(self.has("html", "lang", "en"), "no language");
        must(self.has("a", "class", "skip"), "no way to skip the navigation");
        must(self.has("meta", "name", "viewport"), "no viewport");
        must(self.policy().is_some_and(is_strict), "no strict policy");
        must(self.count("style") == 0, "a style in the page");
        must(self.scripts_are_files(), "a script in the page");
        must(self.tables_are_named(), "a table without caption or scope");
        for (element, attributes) in &self.elements {
            let event = attributes.keys().find(|key| key.starts_with("on") || *key == "style");
            must(event.is_none(), &format!("`{element}` has {event:?}"));
        }
        missing
    }

    fn has(&self, element: &str, key: &str, value: &str) -> bool {
        let found = |(name, attributes): &(String, BTreeMap<String, String>)| {
            name == element && attributes.get(key).is_some_and(|found| found == value)
        };
        self.elements.iter().any(found)
    }

    fn policy(&self) -> Option<&str> {
        let metas = self.elements.iter().filter(|(name, _)| name == "meta");
        let mut policies = metas.filter_map(|(_, attributes)| {
            let is_policy = attributes.get("http-equiv")? == "Content-Security-Policy";
            is_policy.then(|| attributes.get("content").map(String::as_str)).flatten()
        });
        policies.next()
    }

    fn scripts_are_files(&self) -> bool {
        let mut scripts = self.elements.iter().filter(|(name, _)| name == "script");
        scripts.all(|(_, attributes)| attributes.contains_key("src"))
    }

    fn tables_are_named(&self) -> bool {
        let mut heads = self.elements.iter().filter(|(name, _)| name == "th");
        self.count("caption") == self.count("table")
            && heads.all(|(_, attributes)| attributes.contains_key("scope"))
    }
}

fn leads_outside(name: &str, attributes: &BTreeMap<String, String>) -> bool {
    let web = |address: &String| address.starts_with("https://") || address.starts_with("http://");
    let rel = attributes.get("rel").map(String::as_str);
    let says_so = matches!((name, rel), ("a", Some("external")) | ("link", Some("canonical")));
    says_so && attributes.get("href").is_some_and(web)
}

fn is_strict(policy: &str) -> bool {
    let parts: Vec<&str> = policy.split(';').map(str::trim).collect();
    ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"]
        .iter()
        .all(|part| parts.contains(part))
        && !policy.contains("unsafe")
        && !policy.contains("http")
}

fn close(open: &mut Vec<String>, name: &str) -> Result<(), String> {
    match open.pop() {
        Some(last) if last == name => Ok(()),
        last => Err(format!("`{name}` ends where `{last:?}` should")),
    }
}

fn read_attributes(mut rest: &str) -> Result<BTreeMap<String, String>, String> {
    let mut attributes = BTreeMap::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(attributes);
        }
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (key, behind) = rest.split_at(end);
        let value = match behind.strip_prefix("=\"") {
            None if behind.starts_with('=') => return Err(format!("`{key}` without quotes")),
            None => {
                rest = behind;
                String::new()
            }
            Some(quoted) => {
                let end = quoted.find('"').ok_or_else(|| format!("`{key}` is not ended"))?;
                rest = &quoted[end + 1..];
                resolved(&quoted[..end])?
            }
        };
        if attributes.insert(key.to_owned(), value).is_some() {
            return Err(format!("`{key}` is given twice"));
        }
    }
}

/// Resolves entities.
fn resolved(text: &str) -> Result<String, String> {
    const ENTITIES: [(&str, &str); 6] = [
        ("lt;", "<"),
        ("gt;", ">"),
        ("quot;", "\""),
        ("#x27;", "'"),
        ("#x2f;", "/"),
        ("amp;", "&"),
    ];
    let mut parts = text.split('&');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let entity = ENTITIES.iter().find(|(name, _)| part.starts_with(name));
        let (name, character) =
            entity.ok_or_else(|| format!("a stray `&` before `{}`", head(part)))?;
        shown.push_str(character);
        shown.push_str(&part[name.len()..]);
    }
    Ok(shown)
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Every file of a site by its path from the top.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Reads every file beneath a folder.
///
/// # Errors
///
/// When one cannot be read.
pub fn files(folder: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = format!("{inside}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(format!("{path}/"));
            } else {
                files.insert(path, fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}

/// Returns everything that is wrong with a site: pages that are not
/// well-formed or lack what every page owes, links that lead nowhere or
/// outside.
pub fn problems(files: &Files) -> Vec<String> {
    let mut problems = Vec::new();
    let mut pages = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        match Page::read(&String::from_utf8_lossy(bytes)) {
            Ok(page) => {
                let missing = page.shortcomings();
                problems.extend(missing.iter().map(|what| format!("{path}: {what}")));
                pages.insert(path.as_str(), page);
            }
            Err(problem) => problems.push(format!("{path}: {problem}")),
        }
    }
    for (path, page) in &pages {
        for link in &page.links {
            if let Err(problem) = follow(path, link, files, &pages) {
                problems.push(format!("{path}: `{link}`: {problem}"));
            }
        }
    }
    problems
}

fn follow(
    from: &str,
    link: &str,
    files: &Files,
    pages: &BTreeMap<&str, Page>,
) -> Result<(), &'static str> {
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let safe =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./".contains(&byte);
    if !file.bytes().all(safe) || file.starts_with('/') {
        return Err("is no plain file beside this one");
    }
    let target = if file.is_empty() { from.to_owned() } else { joined(from, file)? };
    if !files.contains_key(&target) {
        return Err("leads nowhere");
    }
    // The player resolves rounds by itself.
    let is_round =
        fragment.strip_prefix("round=").is_some_and(|round| round.parse::<u32>().is_ok());
    let page = pages.get(target.as_str());
    if fragment.is_empty() || is_round || page.is_some_and(|page| page.ids.contains(fragment)) {
        return Ok(());
    }
    Err("leads to no place of that page")
}

fn joined(from: &str, link: &str) -> Result<String, &'static str> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop().ok_or("leaves the site")?),
            "." | "" => return Err("is no plain path"),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let page =
            Page::read("<!DOCTYPE html><p id=\"a\">x &lt;b&gt; <a href=\"y.html\">y</a></p>");
        let page = page.expect("well-formed");
        assert_eq!((page.text.as_str(), page.links), ("x <b> y", vec!["y.html".to_owned()]));
        assert!(page.ids.contains("a"));
    }

    #[test]
    fn what_is_not_well_formed_is_a_problem() {
        let bad = [
            "<p>",
            "<p></b>",
            "<p id=a></p>",
            "<p id=\"a\"></p><p id=\"a\"></p>",
            "a & b",
            "a > b",
            "<script",
            "<p a=\"1\" a=\"2\"></p>",
        ];
        for html in bad {
            assert!(Page::read(&format!("<!DOCTYPE html>{html}")).is_err(), "{html}");
        }
    }

    #[test]
    fn links_outside_and_to_nowhere_are_problems() {
        let files: Files = [("a/b.html".to_owned(), Vec::new())].into();
        let follow = |link| follow("a/b.html", link, &files, &BTreeMap::new());
        assert_eq!(follow("b.html"), Ok(()));
        assert_eq!(follow("b.html#round=3"), Ok(()));
        for link in
            ["//evil.example/x", "https://evil.example", "/etc", "../../x", "c.html", "b.html#x"]
        {
            assert!(follow(link).is_err(), "{link}");
        }
    }
}
