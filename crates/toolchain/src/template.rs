//! Place-holders of the languages table, filled.

use std::collections::BTreeMap;

/// Values of place-holders.
#[derive(Clone, Debug, Default)]
pub struct PlaceholderValues {
    /// Place-holders that stand for one text.
    pub texts: BTreeMap<String, String>,
    /// Place-holders that stand for words of their own, such as `{sources}`.
    pub lists: BTreeMap<&'static str, Vec<String>>,
    /// True if `{offline:...}` stands for its argument, false for nothing.
    pub offline: bool,
}

impl PlaceholderValues {
    /// Adds one place-holder.
    pub fn set(&mut self, name: &str, text: impl Into<String>) {
        self.texts.insert(name.to_owned(), text.into());
    }

    /// Returns whether a command is left out: it copies libraries or a package cache, or fetches
    /// packages, and the bot or machine has none of them.
    pub fn leaves_out(&self, words: &[String]) -> bool {
        names(words.iter()).into_iter().any(|name| {
            let is_cache = name.starts_with("cache.") && !self.texts.contains_key(name);
            let is_brought = matches!(name, "libraries" | "packages");
            let has_set = self.texts.contains_key("locked");
            let is_of_set = name == "locked" && !has_set || name == "unlocked" && has_set;
            is_cache || is_of_set || is_brought && self.lists.get(name).is_some_and(Vec::is_empty)
        })
    }

    /// Fills the words of a command.
    ///
    /// # Errors
    ///
    /// The first place-holder that stands for nothing.
    pub fn command(&self, words: &[String]) -> Result<Vec<String>, String> {
        let mut command = Vec::new();
        for word in words {
            let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
            if name == Some("unlocked") {
                continue;
            }
            if let Some(list) = name.and_then(|name| self.lists.get(name)) {
                command.extend_from_slice(list);
            } else if let Some(argument) = offline_argument(word) {
                command.extend(self.offline.then(|| argument.to_owned()));
            } else if let Some(argument) = locked_argument(word) {
                let has_set = self.texts.contains_key("locked");
                command.extend(has_set.then(|| argument.to_owned()));
            } else {
                command.push(self.text(word)?);
            }
        }
        Ok(command)
    }

    /// Returns where something may be; `{offline:PLACE}` is none with a network.
    pub fn place<'a>(&self, place: &'a str) -> Option<&'a str> {
        match offline_argument(place) {
            Some(place) => self.offline.then_some(place),
            None => Some(place),
        }
    }

    /// Fills one text.
    ///
    /// # Errors
    ///
    /// The first place-holder that stands for nothing.
    pub fn text(&self, template: &str) -> Result<String, String> {
        let (mut filled, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("{".to_owned())?;
            filled.push_str(before);
            filled.push_str(self.texts.get(name).ok_or(name.to_owned())?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

fn offline_argument(word: &str) -> Option<&str> {
    word.strip_prefix("{offline:")?.strip_suffix('}')
}

fn locked_argument(word: &str) -> Option<&str> {
    word.strip_prefix("{locked:")?.strip_suffix('}')
}

/// Returns the names of the place-holders in `texts`.
pub(crate) fn names<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    texts
        .flat_map(|text| text.split('{').skip(1))
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> PlaceholderValues {
        let mut values = PlaceholderValues::default();
        values.lists.insert("sources", vec!["/bot/a.c".into(), "/bot/b.c".into()]);
        values.lists.insert("libraries", Vec::new());
        values.set("cc", "/usr/bin/cc");
        values.set("out", "/bot/.joust");
        values
    }

    fn command(words: &[&str]) -> Result<Vec<String>, String> {
        values().command(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn place_holders_are_filled_within_words() {
        assert_eq!(
            command(&["{cc}", "-o", "{out}/bot"]).unwrap(),
            ["/usr/bin/cc", "-o", "/bot/.joust/bot"]
        );
    }

    #[test]
    fn sources_become_words_of_their_own() {
        assert_eq!(
            command(&["{cc}", "{sources}"]).unwrap(),
            ["/usr/bin/cc", "/bot/a.c", "/bot/b.c"]
        );
    }

    #[test]
    fn an_offline_argument_is_there_only_without_a_network() {
        assert_eq!(command(&["{cc}", "{offline:--offline}"]).unwrap(), ["/usr/bin/cc"]);
        let offline = PlaceholderValues { offline: true, ..PlaceholderValues::default() };
        assert_eq!(offline.command(&["{offline:--offline}".to_owned()]).unwrap(), ["--offline"]);
    }

    #[test]
    fn fetched_libraries_replace_the_fetch() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (copies, fetches) = (words("cp {locked}/x"), words("pip {unlocked} {locked:--locked}"));
        let without = values();
        assert!(without.leaves_out(&copies) && !without.leaves_out(&fetches));
        assert_eq!(without.command(&fetches).unwrap(), ["pip"]);
        let mut with = values();
        with.set("locked", "/libraries/own");
        assert!(!with.leaves_out(&copies) && with.leaves_out(&fetches));
        assert_eq!(with.command(&words("cargo {locked:--locked}")).unwrap(), ["cargo", "--locked"]);
    }

    #[test]
    fn commands_that_copy_nothing_are_left_out() {
        let is_left_out = |word: &str| values().leaves_out(&["cp".to_owned(), word.to_owned()]);
        assert!(is_left_out("{libraries}") && is_left_out("{cache.m2}/x"));
        assert!(!is_left_out("{sources}") && !is_left_out("{out}"));
    }

    #[test]
    fn unknown_placeholders_are_named() {
        assert_eq!(command(&["{class}"]), Err("class".to_owned()));
    }
}
