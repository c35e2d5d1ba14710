//! The SQL of both databases, from files: `sql/` what both understand, `sql/sqlite` and `sql/postgres` what each has
//! in its own words, with the same names and the same columns in the same order.

/// Which database is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
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

/// SQLite keeps words in a table of their own.
pub(super) const SQLITE_INSERT_WORDS: &str = include_str!("sql/sqlite/insert_words.sql");
/// SQLite keeps words in a table of their own.
pub(super) const SQLITE_DELETE_WORDS: &str = include_str!("sql/sqlite/delete_calls_text.sql");
/// Only PostgreSQL tells others.
pub(super) const POSTGRES_NOTIFY: &str = include_str!("sql/postgres/notify.sql");

/// What brings a database to the present shape, in order. A file that was ever released does not change.
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
pub(super) enum Table {
    Calls,
    Exchanges,
}

impl Table {
    pub const ALL: [Table; 2] = [Table::Calls, Table::Exchanges];

    pub fn name(self) -> &'static str {
        match self {
            Table::Calls => "calls",
            Table::Exchanges => "exchanges",
        }
    }
}

impl Dialect {
    pub fn sql(self) -> &'static Sql {
        match self {
            Dialect::Sqlite => &SQLITE,
            Dialect::Postgres => &POSTGRES,
        }
    }

    /// The steps from an empty database to the present shape.
    pub fn migrator(self) -> sqlx::migrate::Migrator {
        use sqlx::SqlSafeStr;
        use sqlx::migrate::{Migration, MigrationType, Migrator};
        let steps = match self {
            Dialect::Sqlite => &SQLITE_STEPS,
            Dialect::Postgres => &POSTGRES_STEPS,
        };
        let migrations = steps.iter().zip(1..).map(|(&(name, sql), version)| {
            Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
        });
        let mut migrator = Migrator::with_migrations(migrations.collect());
        // The database may be shared with others that use the same library.
        migrator.dangerous_set_table_name("toolwright_migrations");
        migrator
    }

    /// A condition on a column of yes and no, written so that an index on it is used.
    pub fn is_true(self, column: &str) -> String {
        match self {
            Dialect::Sqlite => format!("{column} = 1"),
            Dialect::Postgres => column.to_owned(),
        }
    }
}
