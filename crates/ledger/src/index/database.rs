//! Common interface to both databases: a statement with values in, rows of values out.

use std::time::Duration;

use serde::Serialize;
use sqlx::postgres::{PgPool, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Column, Row as _, Transaction, TypeInfo, ValueRef};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::error::StoreError;
use super::sql::SqlDialect;

/// Timeout of one statement. A connection without a response for longer counts as lost.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// A value of a parameter or of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum SqlValue {
    Null,
    Int(i64),
    Text(String),
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> SqlValue {
        SqlValue::Int(number)
    }
}

impl From<bool> for SqlValue {
    fn from(is_so: bool) -> SqlValue {
        SqlValue::Int(is_so.into())
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> SqlValue {
        SqlValue::from(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> SqlValue {
        // PostgreSQL text cannot contain a NUL character.
        match text.contains('\0') {
            true => SqlValue::Text(text.replace('\0', "\u{fffd}")),
            false => SqlValue::Text(text),
        }
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> SqlValue {
        value.map_or(SqlValue::Null, Into::into)
    }
}

/// A statement, and its values in the order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    dialect: SqlDialect,
    sql: String,
    values: Vec<SqlValue>,
}

impl Statement {
    pub fn new(dialect: SqlDialect, sql: &str) -> Statement {
        Statement { dialect, sql: sql.to_owned(), values: Vec::new() }
    }

    /// Adds the next value.
    pub fn with(mut self, value: impl Into<SqlValue>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// Adds the next values.
    pub fn with_all(mut self, values: impl IntoIterator<Item = SqlValue>) -> Statement {
        self.values.extend(values);
        self
    }

    /// Adds a value and returns its placeholder.
    pub fn bind(&mut self, value: impl Into<SqlValue>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Replaces `{name}` with trusted SQL, never with input of a caller.
    pub fn fill(&mut self, name: &str, words: &str) {
        self.sql = self.sql.replace(&format!("{{{name}}}"), words);
    }

    /// Replaces `{rows}` with placeholders for this number of rows of all its values.
    pub fn fill_rows(&mut self, count: usize) {
        let columns = self.values.len() / count.max(1);
        let row = format!("({})", vec!["?"; columns].join(", "));
        self.fill("rows", &vec![row; count].join(", "));
    }

    pub fn dialect(&self) -> SqlDialect {
        self.dialect
    }
}

/// One row, read from left to right.
#[derive(Debug)]
pub(super) struct SqlRow {
    values: std::vec::IntoIter<SqlValue>,
}

impl SqlRow {
    /// The next value as a number; 0 when it is missing.
    pub fn int(&mut self) -> i64 {
        self.maybe_int().unwrap_or_default()
    }

    pub fn maybe_int(&mut self) -> Option<i64> {
        match self.values.next() {
            Some(SqlValue::Int(number)) => Some(number),
            Some(SqlValue::Text(text)) => text.parse().ok(),
            _ => None,
        }
    }

    /// The next value as a number that is not negative.
    pub fn count(&mut self) -> u64 {
        u64::try_from(self.int()).unwrap_or_default()
    }

    /// The next value as text; empty when it is missing.
    pub fn text(&mut self) -> String {
        self.maybe_text().unwrap_or_default()
    }

    pub fn maybe_text(&mut self) -> Option<String> {
        match self.values.next() {
            Some(SqlValue::Text(text)) => Some(text),
            Some(SqlValue::Int(number)) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// The connection pools of a database.
#[derive(Debug)]
pub(super) enum Database {
    /// One writer, several readers.
    Sqlite { writer: SqlitePool, readers: SqlitePool },
    /// `ready` is set once the tables exist.
    Postgres { pool: PgPool, ready: OnceCell<()> },
}

/// A transaction.
#[derive(Debug)]
pub(super) enum StoreTransaction {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Database {
    pub fn dialect(&self) -> SqlDialect {
        match self {
            Database::Sqlite { .. } => SqlDialect::Sqlite,
            Database::Postgres { .. } => SqlDialect::Postgres,
        }
    }

    /// Runs a query.
    pub async fn rows(&self, statement: Statement) -> Result<Vec<SqlRow>, StoreError> {
        with_timeout(async {
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

    /// Starts a write transaction.
    pub async fn begin(&self) -> Result<StoreTransaction, StoreError> {
        with_timeout(async {
            match self {
                // Immediate, and not with the first write: SQLite cannot make a reader wait that later wants to write.
                Database::Sqlite { writer, .. } => {
                    Ok(StoreTransaction::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?))
                }
                Database::Postgres { pool, ready } => {
                    postgres_ready(pool, ready).await?;
                    Ok(StoreTransaction::Postgres(pool.begin().await?))
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

impl StoreTransaction {
    pub fn dialect(&self) -> SqlDialect {
        match self {
            StoreTransaction::Sqlite(_) => SqlDialect::Sqlite,
            StoreTransaction::Postgres(_) => SqlDialect::Postgres,
        }
    }

    /// A statement in the dialect of this database.
    pub fn statement(&self, pick: impl Fn(&super::sql::Sql) -> &'static str) -> Statement {
        let dialect = self.dialect();
        Statement::new(dialect, pick(dialect.sql()))
    }

    pub async fn rows(&mut self, statement: Statement) -> Result<Vec<SqlRow>, StoreError> {
        with_timeout(async {
            match self {
                StoreTransaction::Sqlite(transaction) => sqlite_rows(&mut **transaction, statement).await,
                StoreTransaction::Postgres(transaction) => postgres_rows(&mut **transaction, statement).await,
            }
        })
        .await
    }

    /// Executes a statement completely, or not at all on a unique violation. Returns whether it was executed. Only for
    /// SQLite: in PostgreSQL the violation would abort the transaction.
    pub async fn put(&mut self, statement: Statement) -> Result<bool, StoreError> {
        let StoreTransaction::Sqlite(transaction) = self else { return Ok(false) };
        with_timeout(async {
            match sqlite_query(statement).execute(&mut **transaction).await {
                Ok(_) => Ok(true),
                Err(sqlx::Error::Database(refusal)) if refusal.is_unique_violation() => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        with_timeout(async {
            match self {
                StoreTransaction::Sqlite(transaction) => transaction.commit().await?,
                StoreTransaction::Postgres(transaction) => transaction.commit().await?,
            }
            Ok(())
        })
        .await
    }
}

async fn with_timeout<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = |_| StoreError::Away(format!("no answer within {} seconds", STATEMENT_TIMEOUT.as_secs()));
    timeout(STATEMENT_TIMEOUT, work).await.map_err(late)?
}

/// Creates missing tables. Processes that start at the same time wait for each other.
async fn postgres_ready(pool: &PgPool, ready: &OnceCell<()>) -> Result<(), StoreError> {
    let migrate = || async { Ok::<(), StoreError>(SqlDialect::Postgres.migrator().run(pool).await?) };
    ready.get_or_try_init(migrate).await.map(|_| ())
}

async fn sqlite_rows<'e>(
    executor: impl sqlx::Executor<'e, Database = Sqlite>,
    statement: Statement,
) -> Result<Vec<SqlRow>, StoreError> {
    let rows = sqlite_query(statement).fetch_all(executor).await?;
    rows.iter().map(sqlite_row).collect()
}

fn sqlite_query(statement: Statement) -> Query<'static, Sqlite, SqliteArguments> {
    // The SQL is Toolwright's own; input of callers is in the values.
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for value in statement.values {
        query = match value {
            SqlValue::Null => query.bind(None::<String>),
            SqlValue::Int(number) => query.bind(number),
            SqlValue::Text(text) => query.bind(text),
        };
    }
    query
}

async fn postgres_rows<'e>(
    executor: impl sqlx::Executor<'e, Database = Postgres>,
    statement: Statement,
) -> Result<Vec<SqlRow>, StoreError> {
    let mut query = sqlx::query(AssertSqlSafe(statement.sql));
    for value in statement.values {
        query = match value {
            SqlValue::Null => query.bind(None::<String>),
            SqlValue::Int(number) => query.bind(number),
            SqlValue::Text(text) => query.bind(text),
        };
    }
    let rows = query.fetch_all(executor).await?;
    rows.iter().map(postgres_row).collect()
}

fn sqlite_row(row: &SqliteRow) -> Result<SqlRow, StoreError> {
    let read = |index: usize| -> Result<SqlValue, StoreError> {
        let raw = row.try_get_raw(index)?;
        if raw.is_null() {
            return Ok(SqlValue::Null);
        }
        Ok(match raw.type_info().name() {
            "TEXT" => SqlValue::Text(row.try_get(index)?),
            _ => SqlValue::Int(row.try_get_unchecked(index)?),
        })
    };
    let values: Result<Vec<SqlValue>, StoreError> = (0..row.len()).map(read).collect();
    Ok(SqlRow { values: values?.into_iter() })
}

fn postgres_row(row: &PgRow) -> Result<SqlRow, StoreError> {
    let read = |index: usize| -> Result<SqlValue, StoreError> {
        if row.try_get_raw(index)?.is_null() {
            return Ok(SqlValue::Null);
        }
        Ok(match row.column(index).type_info().name() {
            "BOOL" => SqlValue::Int(i64::from(row.try_get::<bool, _>(index)?)),
            "INT2" => SqlValue::Int(i64::from(row.try_get::<i16, _>(index)?)),
            "INT4" => SqlValue::Int(i64::from(row.try_get::<i32, _>(index)?)),
            "INT8" => SqlValue::Int(row.try_get(index)?),
            // The result of a function without a value.
            "VOID" => SqlValue::Null,
            _ => SqlValue::Text(row.try_get(index)?),
        })
    };
    let values: Result<Vec<SqlValue>, StoreError> = (0..row.len()).map(read).collect();
    Ok(SqlRow { values: values?.into_iter() })
}
