//! Colours of pictures: those of the site's style sheets, in each of its themes.

use std::collections::HashMap;
use std::sync::LazyLock;

use tiny_skia::Color;

/// Theme of the site that a picture is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    pub(super) fn colours(self) -> &'static Palette {
        match self {
            Self::Light => &PALETTES[0],
            Self::Dark => &PALETTES[1],
        }
    }
}

/// Style sheets with a line for each colour: `--name: light-dark(#2b6fe8, #5c97ff);`.
const SHEETS: [&str; 3] = [
    include_str!("../site/assets/style.css"),
    include_str!("../site/assets/viewer.css"),
    include_str!("colours.css"),
];

/// Palettes of the light theme and of the dark one.
static PALETTES: LazyLock<[Palette; 2]> = LazyLock::new(|| {
    let lines = SHEETS.iter().flat_map(|sheet| sheet.lines());
    let pairs: Vec<_> = lines.filter_map(colour_pair).collect();
    [0, 1].map(|theme| Palette(pairs.iter().map(|(name, pair)| (*name, pair[theme])).collect()))
});

/// Reads the name of a colour, and its numbers in the themes.
fn colour_pair(line: &'static str) -> Option<(&'static str, [u32; 2])> {
    let (name, pair) = line.trim().strip_prefix("--")?.split_once(": light-dark(#")?;
    let (light, dark) = pair.strip_suffix(");")?.split_once(", #")?;
    let number = |digits| u32::from_str_radix(digits, 16).ok();
    Some((name, [number(light)?, number(dark)?]))
}

/// Colours of a theme by their names in the style sheets, each as `0xrrggbb`.
pub(super) struct Palette(HashMap<&'static str, u32>);

/// Number of colours of seats; later seats reuse them.
const SEATS: u8 = 12;

impl Palette {
    /// Returns the colour with this name.
    pub(super) fn of(&self, name: &str) -> u32 {
        *self.0.get(name).unwrap_or_else(|| panic!("no style sheet has the colour `{name}`"))
    }

    /// Returns the colour of a seat.
    pub(super) fn seat(&self, seat: u8) -> u32 {
        self.of(&format!("seat-{}", seat % SEATS))
    }
}

/// Returns a colour written as `0xrrggbb`.
pub(super) fn opaque(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color::from_rgba8(red, green, blue, 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_style_sheets_in_both_themes() {
        let colours = [Theme::Light, Theme::Dark].map(Theme::colours);
        assert_eq!(colours.map(|it| it.of("bg")), [0xfa_f7_f1, 0x12_18_1a]);
        assert_eq!(colours.map(|it| it.of("rv-brick-b")), [0xac_59_36, 0xab_5f_43]);
        assert_eq!(colours.map(|it| it.of("iron")), [0x16_1b_26, 0xa9_b4_c6]);
        assert_eq!(colours.map(|it| it.seat(13)), [0xc0_48_08, 0xff_8a_3d]);
    }
}
