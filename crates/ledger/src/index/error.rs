//! Errors of the database, distinguished by their remedy.

use std::path::PathBuf;

use sqlx::migrate::MigrateError;

/// Error of a query or a write.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is unavailable, busy or full: a retry may succeed.
    #[error("the database cannot be used now: {0}; it is filled from the journal later")]
    Away(String),
    /// The database file is damaged. The next start sets it aside and rebuilds it.
    #[error(
        "the index file is damaged: {0}; it is set aside at the next start and rebuilt from the journal \
         (`toolwright audit reindex` does so at once)"
    )]
    Broken(String),
    /// A later version created the database.
    #[error(
        "the database has the shape of a later toolwright (step {0} is not known here); use that version, \
         or give this one another database"
    )]
    Newer(i64),
    /// The database refused, and a retry will fail too.
    #[error("the database refused: {0}")]
    Refused(String),
    /// Another writer changed the rule in the meantime.
    #[error(
        "rule {id:?} is at version {found}, not at {expected}: somebody changed it; read it again and decide anew"
    )]
    Conflict {
        /// The rule.
        id: String,
        /// The version that the change is based on; 0 for a new rule.
        expected: i64,
        /// The actual version; 0 when there is no such rule.
        found: i64,
    },
    /// The address of the database is invalid.
    #[error("`store` is not an address of PostgreSQL: {0}; write `postgres://user@host/database`")]
    Address(String),
    /// The configured file is not an index.
    #[error("{path} is no index of calls, and is left as it is; name another file as `store`")]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be set aside, or its folder could not be created.
    #[error("the index file {path} cannot be made: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

impl StoreError {
    /// Whether a retry may succeed.
    pub fn is_away(&self) -> bool {
        matches!(self, StoreError::Away(_))
    }
}

/// Settings of the address that help when TLS fails.
const TLS_HELP: &str = "in `store`: sslrootcert=FILE names a certificate authority of your own, sslmode=verify-ca does not verify the host name, sslmode=disable is for a database without TLS";

/// Primary codes of SQLite: busy, locked, read-only, input/output, full, cannot open.
const SQLITE_RETRYABLE: [i32; 6] = [5, 6, 8, 10, 13, 14];
/// Primary codes of SQLite: corrupt, not a database.
const SQLITE_DAMAGED: [i32; 2] = [11, 26];
/// Classes of PostgreSQL: connection, rolled back (deadlock), insufficient resources, object not in prerequisite state,
/// operator intervention, system error.
const POSTGRES_RETRYABLE: [&str; 6] = ["08", "40", "53", "55", "57", "58"];

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let message = error.to_string();
        match &error {
            sqlx::Error::Database(refusal) => {
                let code = refusal.code().unwrap_or_default();
                match refusal.try_downcast_ref::<sqlx::sqlite::SqliteError>() {
                    Some(_) => {
                        // The lower eight bits are the primary code, the others the extended code.
                        let primary = code.parse::<i32>().map_or(0, |code| code & 0xff);
                        match primary {
                            code if SQLITE_RETRYABLE.contains(&code) => StoreError::Away(message),
                            code if SQLITE_DAMAGED.contains(&code) => StoreError::Broken(message),
                            _ => StoreError::Refused(message),
                        }
                    }
                    None if POSTGRES_RETRYABLE.iter().any(|class| code.starts_with(class)) => {
                        StoreError::Away(message)
                    }
                    // A database or a role that does not exist yet may still be created.
                    None if matches!(&*code, "3D000" | "28000" | "28P01") => StoreError::Away(message),
                    None => StoreError::Refused(message),
                }
            }
            sqlx::Error::Tls(_) => StoreError::Away(format!("{message} ({TLS_HELP})")),
            // The TLS library reports a refused certificate as this kind.
            sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                StoreError::Away(format!("{message} ({TLS_HELP})"))
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => StoreError::Away(message),
            _ => StoreError::Refused(message),
        }
    }
}

impl From<MigrateError> for StoreError {
    fn from(error: MigrateError) -> StoreError {
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            MigrateError::VersionMissing(step) | MigrateError::VersionMismatch(step) => {
                StoreError::Newer(step)
            }
            other => StoreError::Refused(other.to_string()),
        }
    }
}
