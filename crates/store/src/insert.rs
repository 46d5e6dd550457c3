//! Writing rows: a table's rows go through one statement, which is prepared once for all of
//! them, on the thread of whoever writes.
//!
//! Going through `sqlx` instead, each row's values are copied to another thread, and a statement
//! costs more than its row; statements of many rows cost SQLite itself more.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use rusqlite::types::Null;
use rusqlite::{Connection, Statement, ToSql, ffi};
use sqlx::SqliteConnection;
use sqlx::error::{DatabaseError, ErrorKind};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::columns::Listed;

/// A table and those of its columns that are written: `logs (bout, action_log)`.
#[derive(Clone, Debug)]
pub(super) struct Insert(Cow<'static, str>);

impl Insert {
    /// Writes the columns of `text`: `logs (bout, action_log)`.
    pub(super) const fn of(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Writes the columns `own` of `table`, and those of a list.
    pub(super) fn new(table: &str, own: &str, list: &[Listed]) -> Self {
        let names: Vec<_> = list.iter().map(|column| column.name).collect();
        Self(format!("{table} ({own}, {})", names.join(", ")).into())
    }

    /// Writes rows into the table of `file`; `push` adds a row's values in the order of the
    /// columns.
    pub(super) fn write<T>(
        &self,
        file: &Connection,
        rows: impl IntoIterator<Item = T>,
        mut push: impl FnMut(&mut Values<'_>, T),
    ) -> rusqlite::Result<()> {
        let statement = file.prepare(&self.text())?;
        let given = (0..statement.parameter_count()).map(|_| Given::Nothing).collect();
        let mut values = Values { statement, given, next: 0, taken: Ok(()) };
        for row in rows {
            values.next = 0;
            push(&mut values, row);
            std::mem::replace(&mut values.taken, Ok(()))?;
            values.statement.raw_execute()?;
        }
        Ok(())
    }

    fn text(&self) -> String {
        let columns = self.0.matches(',').count() + 1;
        format!("INSERT INTO {} VALUES (?{})", self.0, ",?".repeat(columns - 1))
    }
}

/// The values of a row, one column after the other. SQLite keeps those of the row before, which
/// most columns have again.
pub(super) struct Values<'c> {
    statement: Statement<'c>,
    given: Vec<Given>,
    /// The column whose value comes next.
    next: usize,
    taken: rusqlite::Result<()>,
}

/// What the row before has in a column.
enum Given {
    /// Nothing that is remembered.
    Nothing,
    Null,
    Number(i64),
    Text(String),
}

/// Longer texts are those of one row, bytes.
const LONGEST_REMEMBERED: usize = 64;

impl Values<'_> {
    pub(super) fn number(&mut self, value: i64) -> &mut Self {
        match self.before() {
            Given::Number(before) if *before == value => self.keep(),
            before => {
                *before = Given::Number(value);
                self.add(value)
            }
        }
    }

    pub(super) fn text(&mut self, value: &str) -> &mut Self {
        match self.before() {
            Given::Text(before) if before == value => return self.keep(),
            before if value.len() > LONGEST_REMEMBERED => *before = Given::Nothing,
            Given::Text(before) => {
                before.clear();
                before.push_str(value);
            }
            before => *before = Given::Text(value.to_owned()),
        }
        self.add(value)
    }

    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        *self.before() = Given::Nothing;
        self.add(value)
    }

    pub(super) fn null(&mut self) -> &mut Self {
        match self.before() {
            Given::Null => self.keep(),
            before => {
                *before = Given::Null;
                self.add(Null)
            }
        }
    }

    /// Returns what the row before has in the next column.
    fn before(&mut self) -> &mut Given {
        &mut self.given[self.next]
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

/// Has `work` use SQLite on this thread, on the connection of a change and as part of it.
///
/// # Errors
///
/// What SQLite refuses.
#[expect(unsafe_code, reason = "the change is another library's, and the rows are part of it")]
pub(super) async fn within<T>(
    change: &mut SqliteConnection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, sqlx::Error> {
    let mut handle = change.lock_handle().await?;
    let done = beside(|| {
        // SAFETY: while the handle is locked nobody else uses the connection, and it is open;
        // what is made of it here does not close it, and is gone before the lock is.
        let file = unsafe { Connection::from_handle(handle.as_raw_handle().as_ptr()) }?;
        work(&file)
    });
    done.map_err(refused)
}

/// Returns what SQLite refused as an error of the other library.
pub(super) fn refused(error: rusqlite::Error) -> sqlx::Error {
    sqlx::Error::Database(Box::new(Refused::from(error)))
}

/// Does what keeps a thread busy, while the runtime's other tasks go on elsewhere if they can.
fn beside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
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
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, Connection as _};

    use super::*;

    /// Its number, name, kind, food and fur.
    type Pet = (i64, String, String, Option<String>, Vec<u8>);

    async fn table() -> SqliteConnection {
        let mut connection = SqliteConnectOptions::new().in_memory(true).connect().await.unwrap();
        let table = "CREATE TABLE pets (number INTEGER PRIMARY KEY, name TEXT, kind TEXT, food TEXT, fur BLOB)";
        sqlx::query(table).execute(&mut connection).await.unwrap();
        connection
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

    fn push(values: &mut Values<'_>, (number, name, kind, food, fur): &Pet) {
        values.number(*number).text(name).text(kind);
        match food {
            Some(food) => values.text(food),
            None => values.null(),
        };
        values.bytes(fur);
    }

    #[tokio::test]
    async fn every_row_is_written_with_its_own_values_however_many_there_are() {
        let insert = Insert::of("pets (number, name, kind, food, fur)");
        for count in [0, 1, 2, 600] {
            let mut connection = table().await;
            let pets: Vec<Pet> = (1..=count).map(pet).collect();
            within(&mut connection, |file| insert.write(file, &pets, push)).await.unwrap();
            let rows: Vec<Pet> = sqlx::query_as("SELECT * FROM pets ORDER BY number")
                .fetch_all(&mut connection)
                .await
                .unwrap();
            assert_eq!(rows, pets);
            connection.close().await.unwrap();
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn rows_are_part_of_the_change_that_they_are_written_in() {
        let insert = Insert::of("pets (number, name, kind, food, fur)");
        let mut connection = table().await;
        let mut change = connection.begin().await.unwrap();
        within(&mut change, |file| insert.write(file, &[pet(1)], push)).await.unwrap();
        let again = within(&mut change, |file| insert.write(file, &[pet(1)], push)).await;
        let again = again.expect_err("it is there").into_database_error().expect("of SQLite");
        assert!(again.is_unique_violation(), "{again:?}");
        assert_eq!(again.message(), "UNIQUE constraint failed: pets.number");
        let elsewhere = Insert::of("pots (number)");
        let none = within(&mut change, |file| {
            elsewhere.write(file, [1], |values, number| {
                values.number(number);
            })
        });
        let none = none.await.expect_err("no such table").into_database_error().expect("of SQLite");
        assert_eq!((none.message(), none.code().as_deref()), ("no such table: pots", Some("1")));
        change.rollback().await.unwrap();
        let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM pets")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(rows, 0);
    }
}
