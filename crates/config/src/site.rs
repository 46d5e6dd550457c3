//! `site:` — what the pages of `joust report` say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::section::Item;
use super::shape::text;
use super::table::{Key, Kind, OwnKind, Table};
use joust_model::{SiteWords, escaped};

/// The longest address, bytes.
const LONGEST_ADDRESS: usize = 2000;

/// A text of one line, kept in a field.
macro_rules! one_line {
    ($name:ident) => {
        Kind::Own(OwnKind {
            read: |item, to| read_line(item).map(|text| to.$name = Some(text)).is_some(),
            show: |of| Some(of.$name.as_deref()?.into()),
            schema: text,
        })
    };
}

/// A text of any number of lines, kept in a field.
macro_rules! several_lines {
    ($name:ident) => {
        Kind::Own(OwnKind {
            read: |item, to| read_lines(item).map(|text| to.$name = Some(text)).is_some(),
            show: |of| Some(of.$name.as_deref()?.into()),
            schema: text,
        })
    };
}

/// Title of the first page.
const TITLE: Kind<SiteWords> = one_line!(title);

/// Description of the tournament.
const DESCRIPTION: Kind<SiteWords> = one_line!(description);

/// Rules of the tournament's own.
const RULES: Kind<SiteWords> = several_lines!(rules);

/// Way to enter.
const ENTER: Kind<SiteWords> = several_lines!(enter);

/// Address of the site; kept with a slash at its end.
const URL: Kind<SiteWords> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(url) = read_address(item) else { return false };
        if url.contains(['?', '#']) {
            let hint = "write the folder of the site: `https://cup.example.org/2026/`";
            item.refuse("a site's address has no `?` and no `#`", Some(hint.to_owned()));
            return false;
        }
        to.url = Some(if url.ends_with('/') { url } else { url + "/" });
        true
    },
    show: |of| Some(of.url.as_deref()?.into()),
    schema: address,
});

/// The file of the logo.
const LOGO: Kind<SiteWords> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(text) = item.text() else { return false };
        let file = PathBuf::from(&text);
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let known = SiteWords::LOGOS.map(|(known, _)| known);
        if !known.contains(&ending) {
            let hint = format!("its name ends with one of: {}", known.join(", "));
            item.refuse(format!("`{}` is no picture", escaped(&text)), Some(hint));
            return false;
        }
        to.logo = Some(file);
        true
    },
    show: |of| Some(of.logo.as_ref()?.to_string_lossy().as_ref().into()),
    schema: || json!({ "type": ["string", "null"], "pattern": r"\.(png|svg|webp|jpe?g)$" }),
});

/// Other places.
const LINKS: Kind<SiteWords> = Kind::Own(OwnKind {
    read: |item, to| read_map(item, read_address).map(|links| to.links = links).is_some(),
    show: |of| Some(json!(of.links).into()),
    schema: || json!({ "type": ["object", "null"], "additionalProperties": address() }),
});

/// Titles of events.
const TITLES: Kind<SiteWords> = Kind::Own(OwnKind {
    read: |item, to| read_map(item, read_line).map(|titles| to.titles = titles).is_some(),
    show: |of| Some(json!(of.titles).into()),
    schema: || json!({ "type": ["object", "null"], "additionalProperties": text() }),
});

fn read_map(
    item: &Item<'_>,
    read: fn(&Item<'_>) -> Option<String>,
) -> Option<BTreeMap<String, String>> {
    let entries = item.section()?.all();
    Some(
        entries.iter().filter_map(|(entry, item)| Some((entry.key.clone(), read(item)?))).collect(),
    )
}

fn read_lines(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if text.trim().is_empty() {
        let hint = "write a text, or leave the key out";
        item.refuse("an empty text says nothing", Some(hint.to_owned()));
        return None;
    }
    Some(text)
}

/// Line breaks of a folded text are spaces.
fn read_line(item: &Item<'_>) -> Option<String> {
    Some(read_lines(item)?.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn read_address(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    // Who is named before an `@` is not where the link leads.
    let is_good = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    if is_good && is_plain(&text) && text.len() <= LONGEST_ADDRESS {
        return Some(text);
    }
    let hint = "write it as a browser shows it: `https://cup.example.org/`";
    item.refuse(format!("`{}` is no address", escaped(&text)), Some(hint.to_owned()));
    None
}

fn address() -> Value {
    json!({ "type": ["string", "null"], "pattern": r"^https?://[^\s/@]+[^\s]*$" })
}

/// `site:`
pub(super) static SITE: Table<SiteWords> = Table {
    name: "site",
    keys: &[
        Key::new("title", TITLE, "What the first page is headed. Default: the name.")
            .example("Autumn cup 2026"),
        Key::new("description", DESCRIPTION, "What it is about, in a sentence or two.")
            .example("Robots of first-year students meet."),
        Key::new(
            "url",
            URL,
            "Where the site will be found, for previews of its links in chats.",
        )
        .example("https://cup.example.org/"),
        Key::new(
            "logo",
            LOGO,
            "A picture for the top of every page, relative to this file: PNG, SVG, WebP or JPEG, up \
             to 1 MiB.",
        )
        .example("logo.svg"),
        Key::new("links", LINKS, "Other places by what they are called, for every page.")
            .in_help("{}"),
        Key::new(
            "rules",
            RULES,
            "The tournament's own rules in Markdown; those of its games have pages anyway.",
        )
        .example("One bot a person."),
        Key::new("enter", ENTER, "How to enter, in Markdown, for the first page.")
            .example("Open a pull request that adds your bot."),
        Key::new(
            "titles",
            TITLES,
            "What events are called by people, by their ids. Default: the titles of their games.",
        )
        .in_help("{}"),
    ],
};
