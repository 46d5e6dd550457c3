//! Writing rows directly: those of a table go through one statement, which is prepared once for
//! all of them, on the thread of whoever writes.
//!
//! Going through `sqlx` instead, values are copied for another thread, and each statement is handed
//! to it and waited for.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use rusqlite::types::Null;
use rusqlite::{Connection, Statement, ToSql, ffi};
use sqlx::error::{DatabaseError, ErrorKind};

use super::insert::{Insert, Values};

impl Insert {
    /// Writes rows into the table of `file`; `push` adds a row's values in the order of the
    /// columns.
    pub(super) fn write<'c, T>(
        &self,
        file: &'c Connection,
        rows: impl IntoIterator<Item = T>,
        mut push: impl FnMut(&mut Given<'c>, T),
    ) -> rusqlite::Result<()> {
        let statement = file.prepare(&self.text(1))?;
        let before = (0..statement.parameter_count()).map(|_| Before::Nothing).collect();
        let mut values = Given { statement, before, next: 0, taken: Ok(()) };
        for row in rows {
            values.next = 0;
            push(&mut values, row);
            std::mem::replace(&mut values.taken, Ok(()))?;
            values.statement.raw_execute()?;
        }
        Ok(())
    }
}

/// The values of a row, one column after the other. SQLite keeps those of the row before, which
/// most columns have again.
pub(super) struct Given<'c> {
    statement: Statement<'c>,
    before: Vec<Before>,
    /// The column whose value comes next.
    next: usize,
    taken: rusqlite::Result<()>,
}

/// What the row before has in a column.
enum Before {
    /// Nothing that is remembered.
    Nothing,
    Null,
    Number(i64),
    Text(String),
}

/// Longer texts are those of one row, bytes.
const LONGEST_REMEMBERED: usize = 64;

impl Values for Given<'_> {
    fn number(&mut self, value: i64) -> &mut Self {
        match self.before() {
            Before::Number(before) if *before == value => self.keep(),
            before => {
                *before = Before::Number(value);
                self.add(value)
            }
        }
    }

    fn text(&mut self, value: &str) -> &mut Self {
        match self.before() {
            Before::Text(before) if before == value => return self.keep(),
            before if value.len() > LONGEST_REMEMBERED => *before = Before::Nothing,
            Before::Text(before) => {
                before.clear();
                before.push_str(value);
            }
            before => *before = Before::Text(value.to_owned()),
        }
        self.add(value)
    }

    fn bytes(&mut self, value: &[u8]) -> &mut Self {
        *self.before() = Before::Nothing;
        self.add(value)
    }

    fn null(&mut self) -> &mut Self {
        match self.before() {
            Before::Null => self.keep(),
            before => {
                *before = Before::Null;
                self.add(Null)
            }
        }
    }
}

impl Given<'_> {
    /// Returns what the row before has in the next column.
    fn before(&mut self) -> &mut Before {
        &mut self.before[self.next]
    }

    fn keep(&mut self) -> &mut Self {
        self.next += 1;
        self
    }

    fn add(&mut self, value: impl ToSql) -> &mut Self {
        self.next += 1;
        if self.taken.is_ok() {
            self.taken = self.statement.raw_bind_parameter(self.next, value);
        }
        self
    }
}

/// Returns what SQLite refused as an error of the other library.
pub(super) fn refused(error: rusqlite::Error) -> sqlx::Error {
    sqlx::Error::Database(Box::new(Refused::from(error)))
}

/// What SQLite said when it refused rows.
#[derive(Debug)]
struct Refused {
    code: Option<i32>,
    message: String,
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error().map(|error| error.extended_code);
        match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => Self { code, message },
            other => Self { code, message: other.to_string() },
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for Refused {}

impl DatabaseError for Refused {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.code.map(|code| code.to_string().into())
    }

    fn kind(&self) -> ErrorKind {
        match self.code {
            Some(ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => {
                ErrorKind::UniqueViolation
            }
            _ => ErrorKind::Other,
        }
    }

    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its number, name, kind, food and fur.
    type Pet = (i64, String, String, Option<String>, Vec<u8>);

    fn table() -> Connection {
        let file = Connection::open_in_memory().expect("memory");
        let table = "CREATE TABLE pets (number INTEGER PRIMARY KEY, name TEXT, kind TEXT, food TEXT, fur BLOB)";
        file.execute_batch(table).expect("a table");
        file
    }

    /// Texts that are short and long, as in the row before and others, beside nothing and numbers.
    fn pet(number: i64) -> Pet {
        let name = match number % 5 {
            0 => "the same".to_owned(),
            1 => "long".repeat(LONGEST_REMEMBERED),
            _ => format!("pet {}", number / 2),
        };
        let food = (number % 3 > 0).then(|| "hay".to_owned());
        (number, name, format!("kind {}", number / 7), food, number.to_le_bytes().to_vec())
    }

    fn push(values: &mut impl Values, (number, name, kind, food, fur): &Pet) {
        values.number(*number).text(name).text(kind);
        match food {
            Some(food) => values.text(food),
            None => values.null(),
        };
        values.bytes(fur);
    }

    const PETS: Insert = Insert::of("pets (number, name, kind, food, fur)");

    #[test]
    fn every_row_is_written_with_its_own_values_however_many_there_are() {
        for count in [0, 1, 2, 600] {
            let (file, pets) = (table(), (1..=count).map(pet).collect::<Vec<Pet>>());
            PETS.write(&file, &pets, push).expect("written");
            let mut rows = file.prepare("SELECT * FROM pets ORDER BY number").expect("a table");
            let row = |row: &rusqlite::Row<'_>| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            };
            let rows: Result<Vec<Pet>, _> = rows.query_map((), row).expect("read").collect();
            assert_eq!(rows.expect("read"), pets);
        }
    }

    #[test]
    fn what_is_refused_is_told_as_sqlx_tells_it() {
        let file = table();
        PETS.write(&file, &[pet(1)], push).expect("written");
        let told =
            |error: rusqlite::Error| refused(error).into_database_error().expect("of SQLite");
        let again = told(PETS.write(&file, &[pet(1)], push).expect_err("it is there"));
        assert!(again.is_unique_violation(), "{again:?}");
        assert_eq!(again.message(), "UNIQUE constraint failed: pets.number");
        let elsewhere = Insert::of("pots (number)");
        let none = elsewhere.write(&file, [1], |values, number| _ = values.number(number));
        let none = told(none.expect_err("there is no such table"));
        assert_eq!((none.message(), none.code().as_deref()), ("no such table: pots", Some("1")));
    }
}
