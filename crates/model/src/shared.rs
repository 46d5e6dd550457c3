//! A value that many plans share.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that many plans share, with its cached JSON text. The text is part of a plan's key, and
/// half a million plans may have the same value. A mutation copies the value first.
#[derive(Clone, Default)]
pub struct Shared<T>(Arc<CachedValue<T>>);

#[derive(Clone, Default)]
struct CachedValue<T> {
    value: T,
    json: OnceLock<Arc<str>>,
}

impl<T: Serialize> Shared<T> {
    /// Returns the value's JSON text.
    ///
    /// # Panics
    ///
    /// When the value has no JSON, which plain data always has.
    pub fn json(&self) -> &Arc<str> {
        self.0.json.get_or_init(|| {
            serde_json::to_string(&self.0.value).expect("plain data is JSON").into()
        })
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(CachedValue { value, json: OnceLock::new() }))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        let cached = Arc::make_mut(&mut self.0);
        cached.json = OnceLock::new();
        &mut cached.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

/// Serialises the value behind a pointer.
pub(crate) fn serialize_pointee<T: Serialize + ?Sized, S: Serializer>(
    shared: &Arc<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    (**shared).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_value_changes_only_this_copy_and_its_text() {
        let first = Shared::from(vec![1, 2]);
        assert_eq!(**first.json(), *"[1,2]");
        let mut second = first.clone();
        assert!(Arc::ptr_eq(first.json(), second.json()), "one text for both");
        second.push(3);
        assert_eq!((&**first.json(), &**second.json()), ("[1,2]", "[1,2,3]"));
        assert_ne!(first, second);
    }

    #[test]
    fn it_is_read_and_written_as_the_value_itself() {
        let read: Shared<Vec<u8>> = serde_json::from_str("[7]").expect("a list");
        assert_eq!(serde_json::to_string(&read).expect("a text"), "[7]");
    }
}
