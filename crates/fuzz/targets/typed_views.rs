//! What people type, and what they are shown: lines at a game's sample views, and views of any bytes drawn.
#![no_main]

use std::sync::LazyLock;

use joust_referee::{GameKind, Part, Parts, registry};
use libfuzzer_sys::fuzz_target;

/// Every sample view with the game it is from.
static VIEWS: LazyLock<Vec<(&dyn GameKind, Parts)>> = LazyLock::new(|| {
    let samples = |kind: &&'static dyn GameKind| {
        let kind = *kind;
        kind.samples(kind.rule_sets()[0]).into_iter().map(move |(_, view)| (kind, view))
    };
    registry::ALL.iter().flat_map(samples).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&view, rest)) = bytes.split_first() else { return };
    let (kind, sample) = &VIEWS[usize::from(view) % VIEWS.len()];
    let text = String::from_utf8_lossy(rest);
    let lines: Vec<String> = text.lines().take(12).map(str::to_owned).collect();
    let _ = kind.keyboard(sample, &lines);
    let _ = kind.person_hears(&text, "bob");
    // The same view with another content: what its parts are called stays.
    let forged = sample.0.iter().map(|part| Part { name: part.name.clone(), bytes: rest.into() });
    let forged = Parts(forged.collect());
    let _ = kind.picture(&forged);
    let _ = kind.keyboard(&forged, &lines);
});
