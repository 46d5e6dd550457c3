//! Pictures of referees: what is left of any bytes is SVG again, of listed parts alone, and stays
//! as it is.
#![no_main]

use joust_play::fuzzing::sanitised;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Some(left) = sanitised(text) else { return };
    assert!(left.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && left.ends_with("</svg>"));
    let lower = left.to_ascii_lowercase();
    for word in ["<script", "<use", "<style", "<image", "<a ", "<a>", "<foreign", "<!", "<?", " href=", " on", " style="] {
        // In a text it would be `&lt;`; in a value a `"` would be `&quot;`.
        let is_of_tag = |(at, _): (usize, &str)| {
            word.starts_with('<') || lower[..at].rfind('<') > lower[..at].rfind('>')
        };
        let is_in_value = |(at, _): (usize, &str)| {
            let tag = lower[..at].rfind('<').unwrap_or(0);
            lower[tag..at].matches('"').count() % 2 == 1
        };
        let found = lower.match_indices(word).find(|hit| is_of_tag(*hit) && !is_in_value(*hit));
        assert!(found.is_none(), "{word} in {left}");
    }
    if let Some(again) = sanitised(&left) {
        assert_eq!(again, left);
    }
});
