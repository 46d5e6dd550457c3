//! Items, entries and variants of a value, as serde asks for them.

use std::vec::IntoIter;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::super::node::MapEntry;
use super::super::rejection::Rejection;
use super::cursor::TAG;
use super::{Cursor, ValueError};

/// Items of a list that can be read.
pub(super) struct ListReader<'a>(IntoIter<Cursor<'a>>);

impl<'a> ListReader<'a> {
    pub(super) fn new(mut items: Vec<Cursor<'a>>) -> Self {
        items.retain(|item| item.diagnostics.is_readable(item.node));
        Self(items.into_iter())
    }
}

impl<'de> SeqAccess<'de> for ListReader<'_> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ValueError> {
        let Some(item) = self.0.next() else { return Ok(None) };
        seed.deserialize(item.clone()).map(Some).map_err(|error| item.report_error(error))
    }
}

/// Entries of a mapping that can be read.
pub(super) struct MapReader<'a> {
    mapping: Cursor<'a>,
    entries: IntoIter<(&'a MapEntry, Cursor<'a>)>,
    value: Option<Cursor<'a>>,
}

impl<'a> MapReader<'a> {
    pub(super) fn new(mapping: Cursor<'a>, entries: Vec<(&'a MapEntry, Cursor<'a>)>) -> Self {
        Self { mapping, entries: entries.into_iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for MapReader<'_> {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ValueError> {
        let Some((entry, value)) = self.entries.next() else { return Ok(None) };
        let key: StrDeserializer<'_, ValueError> = entry.key.as_str().into_deserializer();
        let read = seed.deserialize(key).map_err(|error| {
            match error {
                ValueError::UnknownKey(known) => self.mapping.report_unknown(entry, known),
                ValueError::Rejected(rejection) => value.refuse_key(entry, rejection),
                other => value.refuse_key(entry, Rejection::bare(other.to_string())),
            }
            value.diagnostics.mark(value.node);
            ValueError::Reported
        });
        self.value = Some(value);
        read.map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ValueError> {
        let value = self.value.take().expect("a key comes before its value");
        seed.deserialize(value.clone()).map_err(|error| value.report_error(error))
    }
}

/// Variant of an enum with the value that it is chosen by.
pub(super) struct VariantReader<'a> {
    pub(super) word: &'static str,
    pub(super) content: Cursor<'a>,
}

impl<'de, 'a> EnumAccess<'de> for VariantReader<'a> {
    type Error = ValueError;
    type Variant = Cursor<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Cursor<'a>), ValueError> {
        let word: StrDeserializer<'_, ValueError> = self.word.into_deserializer();
        Ok((seed.deserialize(word)?, self.content))
    }
}

impl<'de> VariantAccess<'de> for Cursor<'_> {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        self.entries(Some(&[TAG]));
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, ValueError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ValueError> {
        serde::Deserializer::deserialize_seq(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let known: Vec<&str> = [TAG].into_iter().chain(keys.iter().copied()).collect();
        let mut entries = self.section(&known)?;
        entries.retain(|(entry, _)| entry.key != TAG);
        visitor.visit_map(MapReader::new(self, entries))
    }
}
