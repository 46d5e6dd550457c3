//! Colours of pictures: those of the site's light theme.

use tiny_skia::Color;

pub(super) const GROUND: u32 = 0xfa_f7_f1;
pub(super) const PANEL: u32 = 0xff_fd_f9;
pub(super) const TEXT: u32 = 0x1d_25_29;
pub(super) const MUTED: u32 = 0x59_64_6a;
pub(super) const ACCENT: u32 = 0x0d_5c_63;
pub(super) const GOLD: u32 = 0x8a_5f_0c;

/// Colours of the seats, in their order.
const SEATS: [u32; 12] = [
    0x2b_6f_e8, 0xc0_48_08, 0x1f_7f_44, 0x8a_3f_d6, 0xd0_2c_6d, 0x0a_77_89, 0x8f_66_00, 0x8a_4b_2a,
    0x5b_64_72, 0xb3_26_1e, 0x3f_62_12, 0x43_38_ca,
];

/// Returns the colour of a seat.
pub(super) fn seat(seat: u8) -> u32 {
    SEATS[usize::from(seat) % SEATS.len()]
}

/// Returns a colour written as `0xrrggbb`.
pub(super) fn opaque(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color::from_rgba8(red, green, blue, 0xff)
}
