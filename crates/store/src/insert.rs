//! Inserting rows. Each statement inserts many of them, because a statement costs more than a row.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, SqliteConnection};

/// Numbers of rows per statement. There are few, so that SQLite caches every prepared statement.
/// The largest, with the most columns, stays far below SQLite's limit of 32,766 values.
const ROWS: [usize; 5] = [256, 64, 16, 4, 1];

/// A table and the columns that are written: `logs (bout, action_log)`.
#[derive(Clone, Debug)]
pub(super) struct Insert(Cow<'static, str>);

/// A statement with the values of its rows.
pub(super) struct Statement {
    text: Arc<str>,
    arguments: SqliteArguments,
}

impl Insert {
    /// Makes an insertion from its text: `logs (bout, action_log)`.
    pub(super) const fn of(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Makes an insertion into the columns `own` of `table`, and into `names`.
    pub(super) fn new(table: &str, own: &str, names: impl Iterator<Item = &'static str>) -> Self {
        let names: Vec<_> = names.collect();
        Self(format!("{table} ({own}, {})", names.join(", ")).into())
    }

    /// Returns the statements that insert `rows`, each made when the iterator reaches it. `push`
    /// adds a row's values in the order of the columns.
    pub(super) fn rows<'a, T: Sync>(
        &'a self,
        rows: &'a [T],
        mut push: impl FnMut(&mut Values, &T) + Send + 'a,
    ) -> impl Iterator<Item = Statement> + Send + 'a {
        let (mut left, mut size, mut text) = (rows, 0, Arc::default());
        std::iter::from_fn(move || {
            let fitting = *ROWS.iter().find(|size| **size <= left.len())?;
            if fitting != size {
                (size, text) = (fitting, self.text(fitting).into());
            }
            let (some, rest) = left.split_at(size);
            left = rest;
            let mut values = Values { arguments: SqliteArguments::default() };
            values.arguments.reserve(size * self.columns(), 0);
            some.iter().for_each(|row| push(&mut values, row));
            Some(Statement { text: Arc::clone(&text), arguments: values.arguments })
        })
    }

    fn columns(&self) -> usize {
        self.0.matches(',').count() + 1
    }

    /// Returns the SQL text for `rows` rows.
    fn text(&self, rows: usize) -> String {
        let row = format!("({}?)", "?,".repeat(self.columns() - 1));
        let others = format!(",{row}").repeat(rows - 1);
        format!("INSERT INTO {} VALUES {row}{others}", self.0)
    }
}

/// Executes statements. The next one is prepared while SQLite executes the current one.
pub(super) async fn execute(
    change: &mut SqliteConnection,
    mut statements: impl Iterator<Item = Statement> + Send,
) -> Result<(), sqlx::Error> {
    let mut next = statements.next();
    while let Some(Statement { text, arguments }) = next {
        let insert = sqlx::query_with(AssertSqlSafe(text), arguments);
        let (executed, following) =
            tokio::join!(biased; insert.execute(&mut *change), async { statements.next() });
        executed?;
        next = following;
    }
    Ok(())
}

/// Values of some rows, one column after the other.
pub(super) struct Values {
    arguments: SqliteArguments,
}

impl Values {
    pub(super) fn number(&mut self, value: i64) -> &mut Self {
        self.add(value)
    }

    pub(super) fn text(&mut self, value: &str) -> &mut Self {
        self.add(value)
    }

    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.add(value)
    }

    pub(super) fn null(&mut self) -> &mut Self {
        self.add(None::<&str>)
    }

    fn add<'q>(
        &mut self,
        value: impl sqlx::Encode<'q, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    ) -> &mut Self {
        self.arguments.add(value).expect("numbers, texts and bytes are what SQLite takes");
        self
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, Connection as _};

    use super::*;

    async fn table() -> SqliteConnection {
        let mut connection = SqliteConnectOptions::new().in_memory(true).connect().await.unwrap();
        let table = "CREATE TABLE pets (number INTEGER, name TEXT, kind TEXT, food TEXT, fur BLOB)";
        sqlx::query(table).execute(&mut connection).await.unwrap();
        connection
    }

    /// Its number, name, kind, food and fur.
    type Pet = (i64, String, String, Option<String>, Vec<u8>);

    #[tokio::test]
    async fn every_row_is_written_with_its_own_values_however_many_there_are() {
        let pets = Insert::of("pets (number, name, kind, food, fur)");
        for count in [0_i64, 1, 3, 4, 5, 63, 255, 256, 257, 600] {
            let mut connection = table().await;
            let numbers: Vec<i64> = (1..=count).collect();
            let push = |values: &mut Values, number: &i64| {
                let (name, kind) = (format!("pet {number}"), format!("kind {}", number % 40));
                values.number(*number).text(&name).text(&kind);
                if number % 2 == 0 {
                    values.text("hay")
                } else {
                    values.null()
                };
                values.bytes(&number.to_le_bytes());
            };
            execute(&mut connection, pets.rows(&numbers, push)).await.unwrap();
            let rows: Vec<Pet> = sqlx::query_as("SELECT * FROM pets ORDER BY number")
                .fetch_all(&mut connection)
                .await
                .unwrap();
            assert_eq!(rows.len(), numbers.len());
            for (number, row) in numbers.iter().zip(rows) {
                let food = (number % 2 == 0).then(|| "hay".to_owned());
                let name = format!("pet {number}");
                let kind = format!("kind {}", number % 40);
                assert_eq!(row, (*number, name, kind, food, number.to_le_bytes().to_vec()));
            }
            connection.close().await.unwrap();
        }
    }
}
