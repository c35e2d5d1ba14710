//! The SQL of both databases, from files: `sql/` is common, `sql/sqlite` and `sql/postgres` are specific, with the same
//! names and the same columns in the same order.

/// The dialect of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SqlDialect {
    Sqlite,
    Postgres,
}

macro_rules! statements {
    (of both: $($same:ident),*; of each: $($name:ident),* $(,)?) => {
        /// One field per file, or per pair of files.
        pub(super) struct Sql {
            $(pub $same: &'static str,)*
            $(pub $name: &'static str,)*
        }

        const SQLITE: Sql = Sql {
            $($same: include_str!(concat!("sql/", stringify!($same), ".sql")),)*
            $($name: include_str!(concat!("sql/sqlite/", stringify!($name), ".sql")),)*
        };
        const POSTGRES: Sql = Sql {
            $($same: include_str!(concat!("sql/", stringify!($same), ".sql")),)*
            $($name: include_str!(concat!("sql/postgres/", stringify!($name), ".sql")),)*
        };
    };
}

statements! {
    of both: begin_run, calls, errors, exchanges, forget_progress, ids_below, ids_beyond, ids_of_node,
    indexed, next_version, nodes, put_rule, rule, rules_after, seen, values, version;
    of each: delete_call_rules, delete_calls, delete_exchanges, ended, exchange_sums, insert_call_rules, insert_calls,
    insert_exchanges, numbers_there, sums,
}

/// SQLite stores the words of calls in a separate table.
pub(super) const SQLITE_INSERT_WORDS: &str = include_str!("sql/sqlite/insert_words.sql");
/// SQLite stores the words of calls in a separate table.
pub(super) const SQLITE_DELETE_WORDS: &str = include_str!("sql/sqlite/delete_calls_text.sql");
/// Only PostgreSQL has notifications.
pub(super) const POSTGRES_NOTIFY: &str = include_str!("sql/postgres/notify.sql");

/// Migrations in order. A released file never changes: sqlx compares checksums.
const SQLITE_STEPS: [(&str, &str); 3] = [
    ("calls", include_str!("sql/sqlite/0001_calls.sql")),
    ("exchanges", include_str!("sql/sqlite/0002_exchanges.sql")),
    ("principal", include_str!("sql/sqlite/0003_principal.sql")),
];
const POSTGRES_STEPS: [(&str, &str); 3] = [
    ("calls", include_str!("sql/postgres/0001_calls.sql")),
    ("exchanges", include_str!("sql/postgres/0002_exchanges.sql")),
    ("principal", include_str!("sql/postgres/0003_principal.sql")),
];

/// A table of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordTable {
    Calls,
    Exchanges,
}

impl RecordTable {
    pub const ALL: [RecordTable; 2] = [RecordTable::Calls, RecordTable::Exchanges];

    pub fn name(self) -> &'static str {
        match self {
            RecordTable::Calls => "calls",
            RecordTable::Exchanges => "exchanges",
        }
    }
}

impl SqlDialect {
    pub fn sql(self) -> &'static Sql {
        match self {
            SqlDialect::Sqlite => &SQLITE,
            SqlDialect::Postgres => &POSTGRES,
        }
    }

    /// The migrations from an empty database to the current schema.
    pub fn migrator(self) -> sqlx::migrate::Migrator {
        use sqlx::SqlSafeStr;
        use sqlx::migrate::{Migration, MigrationType, Migrator};
        let steps = match self {
            SqlDialect::Sqlite => &SQLITE_STEPS,
            SqlDialect::Postgres => &POSTGRES_STEPS,
        };
        let migrations = steps.iter().zip(1..).map(|(&(name, sql), version)| {
            Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
        });
        let mut migrator = Migrator::with_migrations(migrations.collect());
        // The database may be shared with other programs that use sqlx.
        migrator.dangerous_set_table_name("toolwright_migrations");
        migrator
    }

    /// A condition on a boolean column, written so that an index on it is used.
    pub fn is_true(self, column: &str) -> String {
        match self {
            SqlDialect::Sqlite => format!("{column} = 1"),
            SqlDialect::Postgres => column.to_owned(),
        }
    }
}
