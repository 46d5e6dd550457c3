//! The table `documents`: JSON texts that many rows share.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;

/// The numbers of texts that were met during one change.
#[derive(Default)]
pub(super) struct Documents {
    known: HashMap<Arc<str>, i64>,
    /// The last few: most rows name what the rows before them do.
    recent: Vec<(Arc<str>, i64)>,
}

/// How many texts are looked at before all others.
const RECENT: usize = 8;

impl Documents {
    /// Returns the numbers of texts, each of which is stored when it is new.
    pub(super) fn put_all(
        &mut self,
        file: &Connection,
        texts: &[Arc<str>],
    ) -> rusqlite::Result<Vec<i64>> {
        texts.iter().map(|text| self.put(file, text)).collect()
    }

    fn put(&mut self, file: &Connection, text: &Arc<str>) -> rusqlite::Result<i64> {
        let is_it = |(recent, _): &&(Arc<str>, i64)| Arc::ptr_eq(recent, text) || recent == text;
        if let Some((_, number)) = self.recent.iter().find(is_it) {
            return Ok(*number);
        }
        let number = match self.known.get(text) {
            Some(number) => *number,
            None => store(file, text)?,
        };
        self.known.insert(Arc::clone(text), number);
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push((Arc::clone(text), number));
        Ok(number)
    }
}

fn store(file: &Connection, text: &str) -> rusqlite::Result<i64> {
    file.execute("INSERT OR IGNORE INTO documents (text) VALUES (?)", [text])?;
    file.query_row("SELECT id FROM documents WHERE text = ?", [text], |row| row.get(0))
}
