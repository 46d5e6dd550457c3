//! Serde form of a scene: the referee's wire form as bytes. For `#[serde(with = "scene_bytes")]`.

use std::borrow::Borrow;

use joust_referee::{Scene, wire};
use serde::de::Error as _;
use serde::{Deserializer, Serializer};

/// Serialises a scene, or a value that contains one.
///
/// # Errors
///
/// The serializer's.
pub fn serialize<S: Serializer>(
    scene: &impl Borrow<Scene>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    wire::push_scene(&mut bytes, scene.borrow());
    serde_bytes::serialize(&bytes, serializer)
}

/// Deserialises a scene, or a value that is made from one.
///
/// # Errors
///
/// The deserializer's, and bytes that are not a scene.
pub fn deserialize<'de, D: Deserializer<'de>, T: From<Scene>>(from: D) -> Result<T, D::Error> {
    let bytes: Vec<u8> = serde_bytes::deserialize(from)?;
    wire::scene(&bytes).map(T::from).ok_or_else(|| D::Error::custom("these bytes are no scene"))
}
