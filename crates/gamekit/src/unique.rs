//! Objects of JSON whose keys are names, each there once.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// Reads a map; a key that stands twice is an error, as it is in every other object.
pub(crate) fn map<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Display + Ord,
    V: Deserialize<'de>,
{
    struct Entries<K, V>(PhantomData<(K, V)>);
    impl<'de, K, V> Visitor<'de> for Entries<K, V>
    where
        K: Deserialize<'de> + Display + Ord,
        V: Deserialize<'de>,
    {
        type Value = BTreeMap<K, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut read = BTreeMap::new();
            while let Some(key) = entries.next_key::<K>()? {
                if read.contains_key(&key) {
                    return Err(A::Error::custom(format_args!("duplicate field `{key:.40}`")));
                }
                read.insert(key, entries.next_value()?);
            }
            Ok(read)
        }
    }
    deserializer.deserialize_map(Entries(PhantomData))
}

/// Reads a map that may be missing or null.
pub(crate) fn some<'de, D, K, V>(deserializer: D) -> Result<Option<BTreeMap<K, V>>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Display + Ord,
    V: Deserialize<'de>,
{
    #[derive(Deserialize)]
    #[serde(bound = "K: Deserialize<'de> + Display + Ord, V: Deserialize<'de>")]
    struct Unique<K, V>(#[serde(deserialize_with = "map")] BTreeMap<K, V>);
    Ok(Option::<Unique<K, V>>::deserialize(deserializer)?.map(|unique| unique.0))
}
