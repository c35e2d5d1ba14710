//! One door to both databases: a statement with values goes in, rows of values come out.

use std::time::Duration;

use serde::Serialize;
use sqlx::postgres::{PgPool, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Column, Row as _, Transaction, TypeInfo, ValueRef};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::error::StoreError;
use super::sql::Dialect;

/// How long one statement may take. A connection that says nothing for longer counts as gone.
const STATEMENT_TIME: Duration = Duration::from_secs(30);

/// A value that goes in or comes out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Null,
    Int(i64),
    Text(String),
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<bool> for Value {
    fn from(is_so: bool) -> Value {
        Value::Int(is_so.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::from(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        // PostgreSQL has no letter for zero.
        match text.contains('\0') {
            true => Value::Text(text.replace('\0', "\u{fffd}")),
            false => Value::Text(text),
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A statement, and its values in the order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    dialect: Dialect,
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    pub fn new(dialect: Dialect, sql: &str) -> Statement {
        Statement { dialect, sql: sql.to_owned(), values: Vec::new() }
    }

    /// Gives the next value.
    pub fn with(mut self, value: impl Into<Value>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// Gives the next values.
    pub fn with_all(mut self, values: impl IntoIterator<Item = Value>) -> Statement {
        self.values.extend(values);
        self
    }

    /// Takes a value in and gives what it is called in the text.
    pub fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Puts words of ours, never of a caller, in the place of `{name}`.
    pub fn fill(&mut self, name: &str, words: &str) {
        self.sql = self.sql.replace(&format!("{{{name}}}"), words);
    }

    /// Puts places for so many rows of all its values in the place of `{rows}`.
    pub fn fill_rows(&mut self, count: usize) {
        let columns = self.values.len() / count.max(1);
        let row = format!("({})", vec!["?"; columns].join(", "));
        self.fill("rows", &vec![row; count].join(", "));
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}

/// One row, read from left to right.
#[derive(Debug)]
pub(super) struct Row {
    values: std::vec::IntoIter<Value>,
}

impl Row {
    /// The next value as a number; 0 where there is none.
    pub fn int(&mut self) -> i64 {
        self.maybe_int().unwrap_or_default()
    }

    pub fn maybe_int(&mut self) -> Option<i64> {
        match self.values.next() {
            Some(Value::Int(number)) => Some(number),
            Some(Value::Text(text)) => text.parse().ok(),
            _ => None,
        }
    }

    /// The next value as a number that is not negative.
    pub fn count(&mut self) -> u64 {
        u64::try_from(self.int()).unwrap_or_default()
    }

    /// The next value as text; empty where there is none.
    pub fn text(&mut self) -> String {
        self.maybe_text().unwrap_or_default()
    }

    pub fn maybe_text(&mut self) -> Option<String> {
        match self.values.next() {
            Some(Value::Text(text)) => Some(text),
            Some(Value::Int(number)) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// Where the calls are.
#[derive(Debug)]
pub(super) enum Database {
    /// One writes, several read.
    Sqlite { writer: SqlitePool, readers: SqlitePool },
    /// `ready` once the tables have been seen to be there.
    Postgres { pool: PgPool, ready: OnceCell<()> },
}

/// What is done together or not at all.
#[derive(Debug)]
pub(super) enum Work {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Database {
    pub fn dialect(&self) -> Dialect {
        match self {
            Database::Sqlite { .. } => Dialect::Sqlite,
            Database::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Asks.
    pub async fn rows(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        within(async {
            match self {
                Database::Sqlite { readers, .. } => sqlite_rows(readers, statement).await,
                Database::Postgres { pool, ready } => {
                    postgres_ready(pool, ready).await?;
                    postgres_rows(pool, statement).await
                }
            }
        })
        .await
    }

    /// Begins to write.
    pub async fn begin(&self) -> Result<Work, StoreError> {
        within(async {
            match self {
                // At once, and not with the first write: whoever reads first and writes then cannot be made to wait.
                Database::Sqlite { writer, .. } => {
                    Ok(Work::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?))
                }
                Database::Postgres { pool, ready } => {
                    postgres_ready(pool, ready).await?;
                    Ok(Work::Postgres(pool.begin().await?))
                }
            }
        })
        .await
    }

    pub async fn close(&self) {
        match self {
            Database::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
            Database::Postgres { pool, .. } => pool.close().await,
        }
    }
}

impl Work {
    pub fn dialect(&self) -> Dialect {
        match self {
            Work::Sqlite(_) => Dialect::Sqlite,
            Work::Postgres(_) => Dialect::Postgres,
        }
    }

    /// A statement of this database.
    pub fn statement(&self, pick: impl Fn(&super::sql::Sql) -> &'static str) -> Statement {
        let dialect = self.dialect();
        Statement::new(dialect, pick(dialect.sql()))
    }

    pub async fn rows(&mut self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        within(async {
            match self {
                Work::Sqlite(work) => sqlite_rows(&mut **work, statement).await,
                Work::Postgres(work) => postgres_rows(&mut **work, statement).await,
            }
        })
        .await
    }

    /// Does a statement whole, or not at all when what it puts in is there already: whether it did. Only for SQLite:
    /// with PostgreSQL nothing more could be done in this work.
    pub async fn put(&mut self, statement: Statement) -> Result<bool, StoreError> {
        let Work::Sqlite(work) = self else { return Ok(false) };
        within(async {
            match sqlite_query(statement).execute(&mut **work).await {
                Ok(_) => Ok(true),
                Err(sqlx::Error::Database(refusal)) if refusal.is_unique_violation() => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        within(async {
            match self {
                Work::Sqlite(work) => work.commit().await?,
                Work::Postgres(work) => work.commit().await?,
            }
            Ok(())
        })
        .await
    }
}

async fn within<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = |_| StoreError::Away(format!("no answer within {} seconds", STATEMENT_TIME.as_secs()));
    timeout(STATEMENT_TIME, work).await.map_err(late)?
}

/// Makes the tables where they are not. Several that start at once wait for each other.
async fn postgres_ready(pool: &PgPool, ready: &OnceCell<()>) -> Result<(), StoreError> {
    let migrate = || async { Ok::<(), StoreError>(Dialect::Postgres.migrator().run(pool).await?) };
    ready.get_or_try_init(migrate).await.map(|_| ())
}

async fn sqlite_rows<'e>(
    executor: impl sqlx::Executor<'e, Database = Sqlite>,
    statement: Statement,
) -> Result<Vec<Row>, StoreError> {
    let rows = sqlite_query(statement).fetch_all(executor).await?;
    rows.iter().map(sqlite_row).collect()
}

fn sqlite_query(statement: Statement) -> Query<'static, Sqlite, SqliteArguments> {
    // The text is ours; what comes from callers is in the values.
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for value in statement.values {
        query = match value {
            Value::Null => query.bind(None::<String>),
            Value::Int(number) => query.bind(number),
            Value::Text(text) => query.bind(text),
        };
    }
    query
}

async fn postgres_rows<'e>(
    executor: impl sqlx::Executor<'e, Database = Postgres>,
    statement: Statement,
) -> Result<Vec<Row>, StoreError> {
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for value in statement.values {
        query = match value {
            Value::Null => query.bind(None::<String>),
            Value::Int(number) => query.bind(number),
            Value::Text(text) => query.bind(text),
        };
    }
    let rows = query.fetch_all(executor).await?;
    rows.iter().map(postgres_row).collect()
}

fn sqlite_row(row: &SqliteRow) -> Result<Row, StoreError> {
    let read = |index: usize| -> Result<Value, StoreError> {
        let raw = row.try_get_raw(index)?;
        if raw.is_null() {
            return Ok(Value::Null);
        }
        Ok(match raw.type_info().name() {
            "TEXT" => Value::Text(row.try_get(index)?),
            _ => Value::Int(row.try_get_unchecked(index)?),
        })
    };
    let values: Result<Vec<Value>, StoreError> = (0..row.len()).map(read).collect();
    Ok(Row { values: values?.into_iter() })
}

fn postgres_row(row: &PgRow) -> Result<Row, StoreError> {
    let read = |index: usize| -> Result<Value, StoreError> {
        if row.try_get_raw(index)?.is_null() {
            return Ok(Value::Null);
        }
        Ok(match row.column(index).type_info().name() {
            "BOOL" => Value::Int(i64::from(row.try_get::<bool, _>(index)?)),
            "INT2" => Value::Int(i64::from(row.try_get::<i16, _>(index)?)),
            "INT4" => Value::Int(i64::from(row.try_get::<i32, _>(index)?)),
            "INT8" => Value::Int(row.try_get(index)?),
            // What a function gives that gives nothing.
            "VOID" => Value::Null,
            _ => Value::Text(row.try_get(index)?),
        })
    };
    let values: Result<Vec<Value>, StoreError> = (0..row.len()).map(read).collect();
    Ok(Row { values: values?.into_iter() })
}
