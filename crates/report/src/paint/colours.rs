//! Colours of pictures: those of the site's style sheets, in each of its themes.

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
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

/// Colours of a theme, each written as `0xrrggbb`. Of a pair, the squares of a ground take turns.
pub(super) struct Palette {
    pub(super) ground: u32,
    pub(super) panel: u32,
    pub(super) text: u32,
    pub(super) muted: u32,
    pub(super) accent: u32,
    pub(super) gold: u32,
    pub(super) floor: [u32; 2],
    pub(super) water: [u32; 2],
    pub(super) wall_side: u32,
    pub(super) wall_top: u32,
    pub(super) mortar: u32,
    pub(super) bricks: [u32; 2],
    pub(super) crate_edge: u32,
    pub(super) crate_side: u32,
    pub(super) rock: u32,
    pub(super) gem: u32,
    /// Colour of iron, and of the text on it.
    pub(super) iron: u32,
    pub(super) on_iron: u32,
    pub(super) spent: u32,
    pub(super) fuse: u32,
    pub(super) shot: u32,
    pub(super) missile: u32,
    pub(super) treasure: u32,
    pub(super) bonus: u32,
    pub(super) ripple: u32,
    pub(super) spoilt: u32,
    /// Colour of writing on a seat's colour.
    pub(super) on_seat: u32,
    seats: [u32; 12],
}

impl Palette {
    /// Returns the colour of a seat.
    pub(super) fn seat(&self, seat: u8) -> u32 {
        self.seats[usize::from(seat) % self.seats.len()]
    }
}

static LIGHT: Palette = Palette {
    ground: 0xfa_f7_f1,
    panel: 0xff_fd_f9,
    text: 0x1d_25_29,
    muted: 0x59_64_6a,
    accent: 0x0d_5c_63,
    gold: 0x8a_5f_0c,
    floor: [0xe9_ed_f4, 0xdf_e5_ee],
    water: [0xd3_e8_f8, 0xc9_e1_f4],
    wall_side: 0x4d_56_66,
    wall_top: 0x72_7c_8d,
    mortar: 0x8e_74_62,
    bricks: [0xb9_63_3f, 0xac_59_36],
    crate_edge: 0x7a_53_24,
    crate_side: 0xc0_8c_4b,
    rock: 0x5d_66_75,
    gem: 0x5f_dc_f0,
    iron: 0x16_1b_26,
    on_iron: 0xff_ff_ff,
    spent: 0x98_a2_b1,
    fuse: 0x8f_5c_2a,
    shot: 0xd9_8f_00,
    missile: 0xb3_26_1e,
    treasure: 0xd9_8f_00,
    bonus: 0x7c_3a_ed,
    ripple: 0x33_60_8a,
    spoilt: 0xb8_86_0b,
    on_seat: 0xff_ff_ff,
    seats: [
        0x2b_6f_e8, 0xc0_48_08, 0x1f_7f_44, 0x8a_3f_d6, 0xd0_2c_6d, 0x0a_77_89, 0x8f_66_00,
        0x8a_4b_2a, 0x5b_64_72, 0xb3_26_1e, 0x3f_62_12, 0x43_38_ca,
    ],
};

static DARK: Palette = Palette {
    ground: 0x12_18_1a,
    panel: 0x19_21_23,
    text: 0xe9_e6_de,
    muted: 0x9e_aa_ad,
    accent: 0x74_c7_c2,
    gold: 0xe0_b1_52,
    floor: [0x23_2b_3a, 0x1e_25_33],
    water: [0x1b_41_63, 0x18_3a_59],
    wall_side: 0x4b_55_67,
    wall_top: 0x77_83_9b,
    mortar: 0x4c_3a_30,
    bricks: [0xb4_67_4a, 0xab_5f_43],
    crate_edge: 0xb9_8a_52,
    crate_side: 0x8d_62_33,
    rock: 0x77_83_9a,
    gem: 0xa5_f4_ff,
    // Iron on a dark floor is seen by its rim.
    iron: 0xa9_b4_c6,
    on_iron: 0x0e_11_17,
    spent: 0x77_83_9b,
    fuse: 0xc7_94_63,
    shot: 0xff_c5_3d,
    missile: 0xf2_6b_65,
    treasure: 0xff_c5_3d,
    bonus: 0x8b_5c_f6,
    ripple: 0xb9_d4_ea,
    spoilt: 0xe0_b1_52,
    on_seat: 0x0c_11_17,
    seats: [
        0x5c_97_ff, 0xff_8a_3d, 0x3f_bf_6e, 0xb0_7b_f5, 0xf5_65_9b, 0x2f_b8_cc, 0xd9_a5_20,
        0xcb_8a_62, 0x97_a1_b0, 0xf2_6b_65, 0x8d_b0_4a, 0x96_92_ff,
    ],
};

/// Returns a colour written as `0xrrggbb`.
pub(super) fn opaque(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color::from_rgba8(red, green, blue, 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEETS: &str = concat!(
        include_str!("../site/assets/style.css"),
        include_str!("../site/assets/viewer.css")
    );

    #[test]
    fn pictures_have_the_colours_of_the_style_sheets_in_both_themes() {
        let is_there = |name: &str, of: &dyn Fn(&Palette) -> u32| {
            let [light, dark] = [&LIGHT, &DARK].map(of);
            let line = format!("--{name}: light-dark(#{light:06x}, #{dark:06x});");
            assert!(SHEETS.contains(&line), "{line}");
        };
        is_there("bg", &|colours| colours.ground);
        is_there("panel", &|colours| colours.panel);
        is_there("fg", &|colours| colours.text);
        is_there("muted", &|colours| colours.muted);
        is_there("accent", &|colours| colours.accent);
        is_there("gold", &|colours| colours.gold);
        is_there("rv-floor-a", &|colours| colours.floor[0]);
        is_there("rv-floor-b", &|colours| colours.floor[1]);
        is_there("rv-water-a", &|colours| colours.water[0]);
        is_there("rv-water-b", &|colours| colours.water[1]);
        is_there("rv-wall-side", &|colours| colours.wall_side);
        is_there("rv-wall-top", &|colours| colours.wall_top);
        is_there("rv-mortar", &|colours| colours.mortar);
        is_there("rv-brick-a", &|colours| colours.bricks[0]);
        is_there("rv-brick-b", &|colours| colours.bricks[1]);
        is_there("rv-wood-b", &|colours| colours.crate_side);
        is_there("rv-wood-c", &|colours| colours.crate_edge);
        is_there("rv-rock-a", &|colours| colours.rock);
        is_there("rv-ore-gem", &|colours| colours.gem);
        is_there("rv-fuse", &|colours| colours.fuse);
        is_there("rv-bonus", &|colours| colours.bonus);
        is_there("rv-ripple", &|colours| colours.ripple);
        is_there("on-seat", &|colours| colours.on_seat);
        for seat in 0..12 {
            is_there(&format!("seat-{seat}"), &|colours| colours.seat(seat));
        }
    }
}
