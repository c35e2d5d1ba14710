//! What can go wrong with the database, told apart by what helps.

use std::path::PathBuf;

use sqlx::migrate::MigrateError;

/// A question or a write that failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or has no time or room now: the same may succeed later.
    #[error("the database cannot be used now: {0}; it is filled from the journal later")]
    Away(String),
    /// The file of the database is damaged. At the next start it is set aside and made anew.
    #[error(
        "the index file is damaged: {0}; it is set aside at the next start and rebuilt from the journal \
         (`toolwright audit reindex` does so at once)"
    )]
    Broken(String),
    /// The database was made by a later version.
    #[error(
        "the database has the shape of a later toolwright (step {0} is not known here); use that version, \
         or give this one another database"
    )]
    Newer(i64),
    /// The database refused, and will again.
    #[error("the database refused: {0}")]
    Refused(String),
    /// Somebody else changed the rule in the meantime.
    #[error(
        "rule {id:?} is at version {found}, not at {expected}: somebody changed it; read it again and decide anew"
    )]
    Conflict {
        /// The rule.
        id: String,
        /// The version that the change was made from; 0 for a rule that should not be there.
        expected: i64,
        /// The version it has; 0 when there is no such rule.
        found: i64,
    },
    /// The address of the database was not understood.
    #[error("`store` is not an address of PostgreSQL: {0}; write `postgres://user@host/database`")]
    Address(String),
    /// The file that was named is something else.
    #[error("{path} is no index of calls, and is left as it is; name another file as `store`")]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be set aside or its folder not be made.
    #[error("the index file {path} cannot be made: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl StoreError {
    /// Whether the same may succeed later.
    pub fn is_away(&self) -> bool {
        matches!(self, StoreError::Away(_))
    }
}

/// What can be said in the address when TLS does not come about.
const TLS_HELP: &str = "in `store`: sslrootcert=FILE names a certificate authority of your own, sslmode=verify-ca does not verify the host name, sslmode=disable is for a database without TLS";

/// Primary codes of SQLite: busy, locked, read-only, input/output, full, cannot open.
const SQLITE_LATER: [i32; 6] = [5, 6, 8, 10, 13, 14];
/// Primary codes of SQLite: corrupt, not a database.
const SQLITE_BROKEN: [i32; 2] = [11, 26];
/// Classes of PostgreSQL: connection, rolled back (deadlock), no resources, no lock, operator intervention,
/// system, and a file or index that others are at work on.
const POSTGRES_LATER: [&str; 6] = ["08", "40", "53", "55", "57", "58"];

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let words = error.to_string();
        match &error {
            sqlx::Error::Database(refusal) => {
                let code = refusal.code().unwrap_or_default();
                match refusal.try_downcast_ref::<sqlx::sqlite::SqliteError>() {
                    Some(_) => {
                        // The lower eight bits are the kind, the others say more of it.
                        let primary = code.parse::<i32>().map_or(0, |code| code & 0xff);
                        match primary {
                            code if SQLITE_LATER.contains(&code) => StoreError::Away(words),
                            code if SQLITE_BROKEN.contains(&code) => StoreError::Broken(words),
                            _ => StoreError::Refused(words),
                        }
                    }
                    None if POSTGRES_LATER.iter().any(|class| code.starts_with(class)) => {
                        StoreError::Away(words)
                    }
                    // A database or a role that is not there yet: somebody may still be making it.
                    None if matches!(&*code, "3D000" | "28000" | "28P01") => StoreError::Away(words),
                    None => StoreError::Refused(words),
                }
            }
            sqlx::Error::Tls(_) => StoreError::Away(format!("{words} ({TLS_HELP})")),
            // A certificate that is refused comes as this kind, from the TLS library.
            sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                StoreError::Away(format!("{words} ({TLS_HELP})"))
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => StoreError::Away(words),
            _ => StoreError::Refused(words),
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
