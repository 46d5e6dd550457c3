//! Picture of a position: the board as white sees it.

use std::collections::BTreeMap;

use cozy_chess::{Board, Color, File, Piece, Rank, Square};
use joust_gamekit::{Legend, PictureLayer, Scene};

pub(crate) fn picture(board: &Board) -> Scene {
    let row = |rank: &Rank| {
        File::ALL.iter().map(|file| symbol(board, Square::new(*file, *rank))).collect()
    };
    let rows = Rank::ALL.iter().rev().map(row).collect();
    let layer = PictureLayer { name: "pieces".to_owned(), rows, ..PictureLayer::default() };
    Scene { layers: vec![layer], legend: legend(), ..Scene::default() }
}

fn symbol(board: &Board, square: Square) -> char {
    let Some(piece) = board.piece_on(square) else { return '.' };
    let letter: char = piece.into();
    match board.color_on(square) {
        Some(Color::White) => letter.to_ascii_uppercase(),
        _ => letter,
    }
}

fn legend() -> BTreeMap<char, Legend> {
    let entry =
        |kind: &str, colour: &str| Legend { kind: kind.to_owned(), colour: colour.to_owned() };
    let mut legend = BTreeMap::from([('.', entry("floor", "dim"))]);
    for piece in Piece::ALL {
        let letter: char = piece.into();
        legend.insert(letter.to_ascii_uppercase(), entry("sign", "seat-0"));
        legend.insert(letter, entry("sign", "seat-1"));
    }
    legend
}
