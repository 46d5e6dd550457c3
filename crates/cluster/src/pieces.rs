//! Pieces of letters that are longer than a message of the transport may be.
//!
//! A worker cuts a report into [`Piece`]s, which the coordinator puts together in a [`Pile`]. What
//! a coordinator says is laid beside the builds, where workers read, and the message is a [`Laid`]
//! that names it.

use std::collections::{BTreeMap, VecDeque};

use joust_model::BuildHash;
use serde::{Deserialize, Serialize};

use crate::envelope::{EnvelopeError, MOST_BYTES, letter, write};

/// How many pieces a letter may have.
const MOST_PIECES: u32 = 2048;
/// How many pieces of letters that are not whole are kept: the transport holds on to them, and to
/// no more than 4,096 messages.
const MOST_PIECES_KEPT: usize = 3072;
/// How many bytes of such letters are kept.
const MOST_KEPT: usize = 2 * MOST_BYTES;
/// What a piece's envelope and its fields take at most, bytes.
const AROUND: usize = 256;

/// A piece of a letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The hash of the whole letter.
    pub of: BuildHash,
    /// Which piece it is, from 0.
    pub number: u32,
    /// How many there are.
    pub count: u32,
    /// Its bytes.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// A letter that lies beside the builds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Laid {
    /// The hash of the letter, under which it lies.
    pub letter: BuildHash,
}

letter!(Piece, 5, "piece of a letter");
letter!(Laid, 6, "place of a letter");

/// Returns the hash of a letter.
#[must_use]
pub fn hash_of(letter: &[u8]) -> BuildHash {
    BuildHash::of("joust-letter-1", &[letter])
}

/// Cuts a letter into messages of at most `most` bytes.
///
/// # Errors
///
/// [`EnvelopeError::TooLarge`] when so small messages cannot carry it.
pub fn cut(letter: &[u8], most: usize) -> Result<Vec<Vec<u8>>, EnvelopeError> {
    let size = most.saturating_sub(AROUND).max(1);
    let too_large = EnvelopeError::TooLarge {
        what: "letter",
        bytes: letter.len(),
        most: size.saturating_mul(MOST_PIECES as usize),
    };
    let (of, parts) = (hash_of(letter), letter.len().div_ceil(size));
    let count = u32::try_from(parts).ok().filter(|count| *count <= MOST_PIECES).ok_or(too_large)?;
    let piece =
        |(number, bytes): (u32, &[u8])| write(&Piece { of, number, count, bytes: bytes.to_vec() });
    (0..count).zip(letter.chunks(size)).map(piece).collect()
}

/// A piece that came, and how its arrival is acknowledged.
pub struct Arrived<'a> {
    /// Who sent it.
    pub from: &'a str,
    /// Where it is acknowledged.
    pub reply: &'a str,
    /// The piece.
    pub piece: Piece,
}

/// A letter of which all pieces are there.
#[derive(Debug, PartialEq, Eq)]
pub struct Whole {
    /// Its bytes.
    pub letter: Vec<u8>,
    /// Where its pieces are acknowledged.
    pub replies: Vec<String>,
}

/// What came of a piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Piled {
    /// The letter that it completes.
    pub whole: Option<Whole>,
    /// Where pieces are acknowledged of which nothing will come.
    pub dropped: Vec<String>,
}

/// Letters of which not all pieces are there, the oldest first.
#[derive(Debug, Default)]
pub struct Pile {
    begun: VecDeque<Begun>,
    kept: Amount,
}

/// How much something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Amount {
    bytes: usize,
    pieces: usize,
}

#[derive(Debug)]
struct Begun {
    from: String,
    of: BuildHash,
    count: u32,
    pieces: BTreeMap<u32, Kept>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    reply: String,
}

impl Begun {
    fn amount(&self) -> Amount {
        Amount { bytes: self.bytes, pieces: self.pieces.len() }
    }

    fn take(&mut self, number: u32, kept: Kept) {
        self.bytes += kept.bytes.len();
        let before = self.pieces.insert(number, kept);
        self.bytes -= before.map_or(0, |it| it.bytes.len());
    }

    fn replies(self) -> Vec<String> {
        self.pieces.into_values().map(|it| it.reply).collect()
    }
}

impl Pile {
    /// Takes a piece; one that comes again takes the place of the first.
    pub fn take(&mut self, arrived: Arrived<'_>) -> Piled {
        let Arrived { from, reply, piece: Piece { of, number, count, bytes } } = arrived;
        let is_it = |it: &Begun| it.from == from && it.of == of && it.count == count;
        if number >= count || count > MOST_PIECES {
            return Piled { dropped: vec![reply.to_owned()], whole: None };
        }
        let place = self.begun.iter().position(is_it);
        let mut begun = match place.and_then(|at| self.remove(at)) {
            Some(begun) => begun,
            None => {
                let (from, pieces) = (from.to_owned(), BTreeMap::new());
                Begun { from, of, count, pieces, bytes: 0 }
            }
        };
        begun.take(number, Kept { bytes, reply: reply.to_owned() });
        if begun.bytes > MOST_BYTES {
            return Piled { dropped: begun.replies(), whole: None };
        }
        if begun.pieces.len() == count as usize {
            return finished(begun);
        }
        let Amount { bytes, pieces } = begun.amount();
        self.kept = Amount { bytes: self.kept.bytes + bytes, pieces: self.kept.pieces + pieces };
        self.begun.push_back(begun);
        Piled { dropped: self.make_room(), whole: None }
    }

    fn remove(&mut self, at: usize) -> Option<Begun> {
        let begun = self.begun.remove(at)?;
        let Amount { bytes, pieces } = begun.amount();
        self.kept = Amount { bytes: self.kept.bytes - bytes, pieces: self.kept.pieces - pieces };
        Some(begun)
    }

    /// Drops the oldest letters of whoever has most in here, so that nobody takes the room of
    /// all.
    fn make_room(&mut self) -> Vec<String> {
        let mut dropped = Vec::new();
        while self.kept.bytes > MOST_KEPT || self.kept.pieces > MOST_PIECES_KEPT {
            let Some(at) = self.oldest_of_the_greediest() else { break };
            dropped.extend(self.remove(at).into_iter().flat_map(Begun::replies));
        }
        dropped
    }

    fn oldest_of_the_greediest(&self) -> Option<usize> {
        let is_of_bytes = self.kept.bytes > MOST_KEPT;
        let mut amounts = BTreeMap::<&str, usize>::new();
        for it in &self.begun {
            let Amount { bytes, pieces } = it.amount();
            *amounts.entry(&it.from).or_default() += if is_of_bytes { bytes } else { pieces };
        }
        let (from, _) = amounts.into_iter().max_by_key(|(_, amount)| *amount)?;
        self.begun.iter().position(|it| it.from == from)
    }
}

fn finished(begun: Begun) -> Piled {
    let letter: Vec<u8> = begun.pieces.values().flat_map(|it| &it.bytes).copied().collect();
    if hash_of(&letter) != begun.of {
        return Piled { dropped: begun.replies(), whole: None };
    }
    Piled { whole: Some(Whole { letter, replies: begun.replies() }), dropped: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::read;

    fn pieces(letter: &[u8], most: usize) -> Vec<Piece> {
        let cut = cut(letter, most).expect("it can be cut");
        assert!(cut.iter().all(|message| message.len() <= most), "a message is too long");
        cut.iter().map(|message| read(message).expect("it was written")).collect()
    }

    fn arrived(piece: &Piece) -> Arrived<'_> {
        Arrived { from: "one", reply: "reply", piece: piece.clone() }
    }

    #[test]
    fn a_letter_is_whole_when_all_its_pieces_came_in_whatever_order_and_number() {
        let letter: Vec<u8> = (0..3000_u32).map(|it| it as u8).collect();
        let pieces = pieces(&letter, 1000);
        let mut pile = Pile::default();
        for piece in pieces[1..].iter().rev().chain(&pieces[1..]) {
            assert_eq!(pile.take(arrived(piece)), Piled::default());
        }
        let other = Arrived { from: "two", ..arrived(&pieces[0]) };
        assert_eq!(pile.take(other).whole, None, "nobody completes what somebody else began");
        let whole = pile.take(arrived(&pieces[0])).whole.expect("all are there");
        assert_eq!((whole.letter, whole.replies.len()), (letter, pieces.len()));
    }

    #[test]
    fn pieces_that_make_another_letter_are_dropped_and_acknowledged() {
        let mut pieces = pieces(&[7; 3000], 1000);
        pieces[2].bytes[0] = 8;
        let mut pile = Pile::default();
        let last = pieces.iter().map(|piece| pile.take(arrived(piece))).last();
        let dropped = vec!["reply".to_owned(); pieces.len()];
        assert_eq!(last, Some(Piled { whole: None, dropped }));
        for (number, count) in [(3, 3), (0, u32::MAX)] {
            let odd = Piece { number, count, ..pieces[0].clone() };
            assert_eq!(pile.take(arrived(&odd)).dropped, ["reply"]);
        }
    }

    #[test]
    fn letters_that_are_never_whole_take_no_more_than_their_room() {
        let mut pile = Pile::default();
        let mut dropped = 0;
        for letter in 0..9 {
            let of = BuildHash([letter; 32]);
            let piece = Piece { of, number: 0, count: 2, bytes: vec![0; MOST_BYTES / 4] };
            dropped += pile.take(arrived(&piece)).dropped.len();
        }
        assert_eq!((pile.begun.len(), dropped), (8, 1));
    }

    #[test]
    fn tiny_pieces_of_letters_that_are_never_whole_push_out_nobody_elses() {
        let mut pile = Pile::default();
        let large = pieces(&[7; 3000], 1000);
        let (last, first) = large.split_last().expect("it has pieces");
        first.iter().for_each(|piece| _ = pile.take(arrived(piece)));
        let mut dropped = 0;
        for letter in 0..5000_u32 {
            let of = BuildHash::of("test", &[&letter.to_le_bytes()]);
            let piece = Piece { of, number: letter % 2, count: 2048, bytes: vec![0] };
            let odd = Arrived { from: "two", reply: "odd", piece };
            dropped += pile.take(odd).dropped.iter().filter(|it| *it == "odd").count();
        }
        assert_eq!(dropped, 5000 + first.len() - MOST_PIECES_KEPT);
        assert!(pile.take(arrived(last)).whole.is_some(), "it is the other's own letters that go");
    }
}
