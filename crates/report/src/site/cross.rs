//! The cross table as a heat map, and of a big field as a picture: a square for each pair.

use std::collections::HashSet;

use serde::Serialize;

use super::leaderboard::{Heading, heading};
use super::{EventSite, formatting, names};
use joust_standings::standings::PairRecord;

/// The most bots of the heat map on an event's first page.
const ON_FIRST_PAGE: usize = 24;

/// The most bots of the heat map on a page of its own.
const ON_OWN_PAGE: usize = 50;

/// A page with nothing but the heat map.
#[derive(Debug, Serialize)]
pub(super) struct CrossPage {
    event: Heading,
    cross: CrossTable,
    picture: Option<Picture>,
}

/// The whole table as a picture, and the bot of each line.
#[derive(Debug, Serialize)]
struct Picture {
    src: &'static str,
    size: usize,
    bots: Vec<String>,
}

/// The heat map.
#[derive(Debug, Serialize)]
pub(super) struct CrossTable {
    rows: Vec<CrossRow>,
    /// Bots it shows and bots there are.
    shown: usize,
    all: String,
    /// True if bots are left out here.
    is_cut: bool,
    has_page: bool,
    unfinished: bool,
}

#[derive(Debug, Serialize)]
struct CrossRow {
    name: String,
    cells: Vec<HeatCell>,
}

/// Record of the bot in a row against the one in a column.
#[derive(Debug, Serialize)]
struct HeatCell {
    #[serde(flatten)]
    record: PairRecord,
    page: Option<String>,
}

/// Returns the heat map of an event's first page.
pub(super) fn first(event: &EventSite) -> Option<CrossTable> {
    (event.standings.playing().len() > 1).then(|| table(event, ON_FIRST_PAGE))
}

/// True if the heat map has a page of its own.
pub(super) fn has_page(event: &EventSite) -> bool {
    event.standings.playing().len() > ON_FIRST_PAGE
}

/// True if the field is too big for the heat map, and has a picture of it.
pub(super) fn has_picture(event: &EventSite) -> bool {
    event.standings.playing().len() > ON_OWN_PAGE
}

/// Returns the page of the heat map.
pub(super) fn page(event: &EventSite) -> CrossPage {
    let picture = has_picture(event).then(|| picture(event));
    CrossPage { event: heading(event), cross: table(event, ON_OWN_PAGE), picture }
}

/// The most bots that are in the picture, the best: as many squares wide and high.
const MOST_IN_PICTURE: usize = 2000;

/// Returns the picture of the table.
pub(super) fn drawn(event: &EventSite) -> Vec<u8> {
    let cross = &event.standings.cross;
    let size = cross.bots().min(MOST_IN_PICTURE);
    picture_of((0..size).map(|place| cross.line(place, size)))
}

fn picture(event: &EventSite) -> Picture {
    let rows = event.standings.playing().iter().take(MOST_IN_PICTURE);
    let bots: Vec<_> = rows.map(|row| row.bot.name.clone()).collect();
    Picture { src: names::CROSS_PICTURE, size: bots.len(), bots }
}

fn table(event: &EventSite, most: usize) -> CrossTable {
    let standings = &event.standings;
    let all = standings.playing().len();
    let shown = all.min(most);
    let pairs = pairs_with_page(event);
    let rows = (0..shown).map(|place| row(event, place, shown, &pairs)).collect();
    let unfinished = |place: usize| standings.cross.line(place, shown).any(|cell| cell.unfinished);
    CrossTable {
        rows,
        shown,
        all: formatting::count(all as u64),
        is_cut: shown < all,
        has_page: has_page(event) && most == ON_FIRST_PAGE,
        unfinished: (0..shown).any(unfinished),
    }
}

/// Pairs of places whose match has a page.
fn pairs_with_page(event: &EventSite) -> HashSet<[usize; 2]> {
    let places = event.bouts.matches.iter().filter_map(|meeting| match &meeting.bots[..] {
        [one, other] => event.place(one).zip(event.place(other)),
        _ => None,
    });
    places.flat_map(|(one, other)| [[one, other], [other, one]]).collect()
}

fn row(event: &EventSite, place: usize, shown: usize, pairs: &HashSet<[usize; 2]>) -> CrossRow {
    let rows = event.standings.playing();
    let name = &rows[place].bot.name;
    let cells = event.standings.cross.line(place, shown).enumerate();
    let cell = |(other, record): (usize, PairRecord)| {
        let has_page = pairs.contains(&[place, other]);
        let page = has_page.then(|| names::match_file(&[name, &rows[other].bot.name]));
        HeatCell { record, page }
    };
    CrossRow { name: name.clone(), cells: cells.map(cell).collect() }
}

/// Returns the points that were won, per hundred, which adds up to 100 with those of the other
/// bot; `None` without a bout.
pub(super) fn percent([won, drawn, lost]: [u32; 3]) -> Option<u32> {
    let [won, drawn, lost] = [won, drawn, lost].map(u64::from);
    u32::try_from(rounded(won * 2 + drawn, (won + drawn + lost) * 2)?).ok()
}

/// Returns a share in percent, rounded so that it and its complement add up to a hundred: halves
/// are rounded away from 50.
pub(super) fn rounded(part: u64, all: u64) -> Option<u64> {
    let nearest = |part: u64| (part * 200 + all).checked_div(all * 2);
    if part * 2 >= all { nearest(part) } else { Some(100 - nearest(all - part)?) }
}

/// Returns the step of a share among eleven: 0 for none, 10 for all.
pub(super) fn step(percent: u32) -> u32 {
    (percent + 5) / 10
}

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
fn picture_of<L: Iterator<Item = PairRecord>>(lines: impl ExactSizeIterator<Item = L>) -> Vec<u8> {
    let size = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let squares =
        lines.flatten().map(|cell| percent([cell.won, cell.drawn, cell.lost]).map_or(0, colour));
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
    1 + u8::try_from(step(percent)).unwrap_or(10).min(10)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn each_pair_is_a_square_of_its_share() {
        let cell = |won, lost| PairRecord { won, drawn: 0, lost, unfinished: false };
        let table = [vec![cell(0, 0), cell(2, 0)], vec![cell(0, 2), cell(0, 0)]];
        let file = picture_of(table.into_iter().map(Vec::into_iter));
        let mut picture = png::Decoder::new(Cursor::new(file)).read_info().expect("a picture");
        let info = picture.info();
        assert_eq!((info.width, info.height, info.color_type), (2, 2, png::ColorType::Indexed));
        assert_eq!(info.trns.as_deref(), Some(&[0][..]));
        let mut squares = [7; 4];
        picture.next_frame(&mut squares).expect("it is whole");
        assert_eq!(squares, [0, 11, 1, 0]);
    }

    #[test]
    fn a_share_has_one_of_eleven_colours() {
        assert_eq!([percent([3, 1, 0]), percent([0, 1, 3])], [Some(88), Some(12)]);
        assert_eq!([percent([2, 0, 1]), percent([1, 0, 2])], [Some(67), Some(33)]);
        assert_eq!(percent([0, 0, 2]), Some(0));
        assert_eq!(percent([0, 0, 0]), None);
        assert_eq!([0, 4, 5, 50, 94, 95, 100].map(step), [0, 0, 1, 5, 9, 10, 10]);
    }
}
