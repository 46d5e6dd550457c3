//! Envelopes of other machines: any bytes are a letter or an error, and what was read is written
//! and read again alike.
#![no_main]

use joust_cluster::envelope::{self, WireMessage, StoredMessage, VERSION};
use joust_cluster::{Announcement, Batch, Report, Stage};
use libfuzzer_sys::fuzz_target;

fn read<L: WireMessage + PartialEq + std::fmt::Debug>(body: &[u8]) {
    let _ = envelope::read::<L>(body);
    // So that it does not have to guess the head.
    let mut bytes = b"joust".to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(L::KIND);
    bytes.extend(body);
    if let Ok(letter) = envelope::read::<L>(&bytes) {
        let written = envelope::write(&letter).expect("what a fuzzer makes is far below the limit");
        assert_eq!(envelope::read::<L>(&written).as_ref(), Ok(&letter));
    }
}

fuzz_target!(|bytes: &[u8]| {
    read::<Batch>(bytes);
    read::<Report>(bytes);
    read::<Stage>(bytes);
    read::<Announcement>(bytes);
    read::<StoredMessage>(bytes);
});
