//! The cross table of a big field as a picture: a square for each pair.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

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

/// Returns the picture as a PNG file (RFC 2083): as wide and high as there are
/// lines, the best placed first. Pairs that have not met are transparent.
pub(super) fn of<L: Iterator<Item = PairRecord>>(
    lines: impl ExactSizeIterator<Item = L>,
) -> Vec<u8> {
    let size = u32::try_from(lines.len()).unwrap_or(u32::MAX).to_be_bytes();
    // Width, height, eight bits a square, colours from a palette.
    let header = [&size[..], &size, &[8, 3, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"PLTE", &COLOURS.concat());
    chunk(&mut file, b"tRNS", &[0]);
    chunk(&mut file, b"IDAT", &packed(lines));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// The lines, each after the number of its filter, which is none.
fn packed<L: Iterator<Item = PairRecord>>(lines: impl Iterator<Item = L>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    for line in lines {
        let squares = line.map(|cell| cross::percent(&cell).map_or(0, colour));
        let line: Vec<u8> = std::iter::once(0).chain(squares).collect();
        encoder.write_all(&line).expect("compression into memory does not fail");
    }
    encoder.finish().expect("compression into memory does not fail")
}

fn colour(percent: u32) -> u8 {
    1 + u8::try_from(cross::step(percent)).unwrap_or(10).min(10)
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(data);
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    file.extend(name);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn each_pair_is_a_square_of_its_share() {
        let cell = |won, lost| PairRecord { won, drawn: 0, lost, unfinished: false };
        let table = [vec![cell(0, 0), cell(2, 0)], vec![cell(0, 2), cell(0, 0)]];
        let file = of(table.into_iter().map(Vec::into_iter));
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            &file[8..33],
            b"\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x02\x08\x03\0\0\0\x45\x68\xfd\x16"
        );
        let data = file.windows(4).position(|word| word == b"IDAT").expect("a picture") + 4;
        let mut lines = Vec::new();
        flate2::read::ZlibDecoder::new(&file[data..]).read_to_end(&mut lines).expect("zlib");
        assert_eq!(lines, [0, 0, 11, 0, 1, 0]);
    }
}
