//! Keyboard play: lines that people type at a game's sample views, and pictures that they are shown
//! of views of any bytes.
#![no_main]

use std::sync::LazyLock;

use joust_referee::{Catalogue, Game, Part, Parts};
use libfuzzer_sys::fuzz_target;

/// Every sample view with the game it is from.
static VIEWS: LazyLock<Vec<(Game, Parts)>> = LazyLock::new(|| {
    let samples = |game: &Game| {
        let game = game.clone();
        let samples = game.samples(game.spec().default_rules());
        samples.into_iter().map(move |sample| (game.clone(), sample.parts))
    };
    Catalogue::built_in().iter().flat_map(samples).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&view, rest)) = bytes.split_first() else { return };
    let (game, sample) = &VIEWS[usize::from(view) % VIEWS.len()];
    let text = String::from_utf8_lossy(rest);
    let lines: Vec<String> = text.lines().take(12).map(str::to_owned).collect();
    let _ = game.typed(sample, &lines);
    let _ = game.receive_line(&text, "bob");
    // The same view with another content: what its parts are called stays.
    let forged = sample.0.iter().map(|part| Part { name: part.name.clone(), bytes: rest.into() });
    let forged = Parts(forged.collect());
    let _ = game.picture(&forged);
    let _ = game.typed(&forged, &lines);
});
