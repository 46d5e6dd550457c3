//! Archive of a bot, unpacked beneath a folder of its own.

use std::fs;
use std::path::Path;

use joust_bots::archive::unpack;

/// Unpacks an archive called `name` of these bytes; nothing may be written beside the cache.
pub fn unpack_one(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (archive, cache) = (folder.path().join(name), folder.path().join("cache"));
    fs::write(&archive, bytes).expect("the folder takes a file");
    let _ = unpack(&archive, &cache);
    let beside = names_in(folder.path());
    assert!(beside.iter().all(|beside| beside == name || beside == "cache"), "{beside:?}");
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
