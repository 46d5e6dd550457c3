//! Lookups: where bouts are in the files of partitions.
//!
//! Files stay open from one lookup to the next, some of them and on no thread of their own: with
//! one for each partition, memory would grow as a league does.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::super::bouts::id_number;
use super::Closed;
use joust_model::BoutId;

/// How much of a file is held in memory; negative numbers are KiB.
const CACHE_KIB: i64 = -64;

/// How many files stay open.
const MOST_OPEN: usize = 8;

/// Files of partitions that are open, each with the number of its partition; the one that was used
/// last is the last.
#[derive(Debug, Default)]
pub(in super::super) struct Lookups(Vec<(i64, Connection)>);

/// A bout of a partition: its row there.
pub(super) struct Sought {
    pub(super) bout: BoutId,
    pub(super) number: i64,
}

impl Lookups {
    /// Returns where those of `sought` are that a partition has and that were not lifted; `None`
    /// when its chain does not end as it was closed.
    pub(super) fn find(
        &mut self,
        closed: &Closed,
        sought: &[BoutId],
    ) -> rusqlite::Result<Option<Vec<Sought>>> {
        let open_now = self.0.iter().position(|(partition, _)| *partition == closed.number);
        // It is opened anew after whatever goes wrong.
        let file = match open_now {
            Some(place) => self.0.remove(place).1,
            None => {
                let file = open(closed.path())?;
                if !has_its_chain(closed, &file)? {
                    return Ok(None);
                }
                file
            }
        };
        let mut found = find(&file, sought)?;
        if self.0.len() == MOST_OPEN {
            self.0.remove(0);
        }
        self.0.push((closed.number, file));
        if !found.is_empty() {
            // Whoever plays all again lifts whole partitions.
            let lifted: HashSet<i64> = closed.lifted.iter().copied().collect();
            found.retain(|one| !lifted.contains(&one.number));
        }
        Ok(Some(found))
    }
}

/// Opens a file that nobody writes: it is locked for nobody either.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let file = Connection::open_with_flags(format!("{}?immutable=1", uri(path)), flags)?;
    file.pragma_update(None, "cache_size", CACHE_KIB)?;
    Ok(file)
}

/// Returns the address of a file.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte));
            }
            _ => _ = write!(uri, "%{byte:02x}"),
        }
    }
    uri
}

/// Says whether the last link is the one that the partition was closed with.
fn has_its_chain(closed: &Closed, file: &Connection) -> rusqlite::Result<bool> {
    let last = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1";
    let last = file.query_row(last, (), |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(closed.ends_with(last.optional()?))
}

fn find(file: &Connection, sought: &[BoutId]) -> rusqlite::Result<Vec<Sought>> {
    let mut row = file.prepare("SELECT number FROM bouts WHERE id = ?")?;
    let mut found = Vec::new();
    for bout in sought {
        let number = row.query_row([id_number(*bout)], |row| row.get(0)).optional()?;
        found.extend(number.map(|number| Sought { bout: *bout, number }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_file_is_opened_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["plain.db", "50% of?a#league &more.db", "\u{e9}t\u{e9} :memory:.db"] {
            let path = folder.path().join(name);
            Connection::open(&path).unwrap().execute_batch("CREATE TABLE it (a)").unwrap();
            let file = open(&path).unwrap();
            assert!(file.table_exists(None, "it").unwrap(), "{name}");
        }
        assert!(open(&folder.path().join("none.db")).is_err());
    }
}
