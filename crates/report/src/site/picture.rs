//! The cross table of a big field as a picture: a square for each pair.

use super::cross;
use joust_standings::standings::PairRecord;

/// Colours of shares of points, from none to all; they are seen on a light page
/// and on a dark one. The first is for pairs that have not met.
const COLOURS: [[u8; 3]; 12] = [
    [0x80, 0x80, 0x80],
    [0xa8, 0x43, 0x1f],
    [0xbd, 0x5e, 0x38],
    [0xcf, 0x7d, 0x58],
    [0xdb, 0xa0, 0x83],
    [0xdc, 0xc3, 0xb3],
    [0xcf, 0xcb, 0xc2],
    [0xb4, 0xcf, 0xca],
    [0x8d, 0xbc, 0xb5],
    [0x5f, 0xa2, 0x9c],
    [0x35, 0x85, 0x8a],
    [0x14, 0x68, 0x6e],
];

/// Writing into memory does not fail.
const MEMORY: &str = "memory takes all";

/// Returns the picture as a PNG file: as wide and high as there are lines, the best placed first.
/// Pairs that have not met are transparent.
pub(super) fn of<L: Iterator<Item = PairRecord>>(
    lines: impl ExactSizeIterator<Item = L>,
) -> Vec<u8> {
    let size = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let squares = lines
        .flatten()
        .map(|cell| cross::percent([cell.won, cell.drawn, cell.lost]).map_or(0, colour));
    let squares: Vec<u8> = squares.collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size, size);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(COLOURS.concat());
    encoder.set_trns(vec![0]);
    let mut writer = encoder.write_header().expect(MEMORY);
    writer.write_image_data(&squares).expect(MEMORY);
    drop(writer);
    file
}

fn colour(percent: u32) -> u8 {
    1 + u8::try_from(cross::step(percent)).unwrap_or(10).min(10)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn each_pair_is_a_square_of_its_share() {
        let cell = |won, lost| PairRecord { won, drawn: 0, lost, unfinished: false };
        let table = [vec![cell(0, 0), cell(2, 0)], vec![cell(0, 2), cell(0, 0)]];
        let file = of(table.into_iter().map(Vec::into_iter));
        let mut picture = png::Decoder::new(Cursor::new(file)).read_info().expect("a picture");
        let info = picture.info();
        assert_eq!((info.width, info.height, info.color_type), (2, 2, png::ColorType::Indexed));
        assert_eq!(info.trns.as_deref(), Some(&[0][..]));
        let mut squares = [7; 4];
        picture.next_frame(&mut squares).expect("it is whole");
        assert_eq!(squares, [0, 11, 1, 0]);
    }
}
