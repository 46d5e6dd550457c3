//! Reader of a section by its table.

use std::collections::BTreeMap;
use std::path::Path;

use joust_referee::Catalogue;

use super::super::place::Place;
use super::super::problem::Source;
use super::super::section::{Item, Reading, Section};
use super::super::yaml;
use super::{Default, Key, Kind, Table};

/// Path and place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Origin {
    pub(in super::super) path: String,
    pub(in super::super) place: Place,
}

/// Places of the values in force, by section and key. Those that are left
/// out are missing.
#[derive(Clone, Debug, std::default::Default)]
pub(in super::super) struct Origins(BTreeMap<(&'static str, &'static str), Origin>);

impl Origins {
    /// Returns where a key of a section is written.
    pub(in super::super) fn get(
        &self,
        section: &'static str,
        key: &'static str,
    ) -> Option<&Origin> {
        self.0.get(&(section, key))
    }
}

impl<T> Table<T> {
    /// Reads every key that is written in `section` and says where it stands.
    pub(in super::super) fn read(&self, section: &Section<'_>, to: &mut T, origins: &mut Origins) {
        let mut left_out = Vec::new();
        for key in self.keys {
            let Some(item) = section.item(key.name) else {
                left_out.push(key);
                continue;
            };
            if key.read(&item, to, origins) {
                let origin = Origin { path: item.path, place: item.node.place };
                origins.0.insert((self.name, key.name), origin);
            }
        }
        left_out.into_iter().for_each(|key| key.settle(section, to));
    }

    /// Reads the section that `item` is, and reports the keys that are not in the table.
    pub(in super::super) fn read_item(&self, item: &Item<'_>, to: &mut T, origins: &mut Origins) {
        let Some(section) = item.section() else { return };
        self.read(&section, to, origins);
        section.finish();
    }

    /// Sets every default that a row has.
    pub(in super::super) fn set_defaults(&self, to: &mut T) {
        for key in self.keys {
            if let Kind::Section(kind) = &key.kind {
                (kind.set_defaults)(to);
            }
            if let Some(text) = key.written_default() {
                key.set(text, to);
            }
        }
    }
}

impl<T> Key<T> {
    /// Does what is to be done when the key is left out.
    fn settle(&self, section: &Section<'_>, to: &mut T) {
        match self.default {
            Default::Follows { settle, .. } => settle(to),
            Default::Required(hint) => section.missing(self.name, hint),
            Default::Is(_) | Default::Text(_) | Default::InHelp(_) | Default::Nothing => {}
        }
    }

    /// Sets the value that is written as `text`.
    fn set(&self, text: &str, to: &mut T) {
        let source = Source::new(Path::new(""), text);
        // No default is about a game.
        let games = Catalogue::empty();
        let reading = Reading::new(&source, &games);
        let node = yaml::read(text).expect("a default is YAML");
        let item = Item { reading: &reading, path: self.name.to_owned(), node: &node };
        let is_read = self.read(&item, to, &mut Origins::default());
        assert!(is_read && reading.into_problems().is_empty(), "`{text}` is no default");
    }

    /// Reads a value; says whether it could be read.
    fn read(&self, item: &Item<'_>, to: &mut T, origins: &mut Origins) -> bool {
        match &self.kind {
            Kind::Duration(field) => put((field.get_mut)(to), item.duration()),
            Kind::OptionalDuration(field) => put((field.get_mut)(to), item.duration().map(Some)),
            Kind::Size(field) => put((field.get_mut)(to), item.size()),
            Kind::Memory(field) => put((field.get_mut)(to), item.memory()),
            Kind::Count { range, field } => put((field.get_mut)(to), item.count(range)),
            Kind::Flag(field) => put((field.get_mut)(to), item.flag()),
            Kind::Text(field) => put((field.get_mut)(to), item.text().map(Some)),
            Kind::Word(words) => {
                let known = (words.all)().into_iter().zip(0..).collect::<Vec<_>>();
                let word = item.word(words.what, &known);
                word.map(|index| (words.set)(to, index)).is_some()
            }
            Kind::Section(kind) => {
                (kind.read)(item, to, origins);
                true
            }
            Kind::Own(kind) => (kind.read)(item, to),
        }
    }
}

fn put<V>(to: &mut V, value: Option<V>) -> bool {
    value.map(|value| *to = value).is_some()
}
