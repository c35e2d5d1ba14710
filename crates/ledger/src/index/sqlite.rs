//! SQLite: the index file of one machine, and the handling of unusable files.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::Connection;
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool,
    SqlitePoolOptions, SqliteSynchronous,
};
use toolwright_base::private_options;

use super::database::Database;
use super::error::StoreError;
use super::sql::SqlDialect;

/// Maximum number of concurrent readers.
const READERS: u32 = 4;
/// Idle timeout of a reader connection: each uses memory.
const READER_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout for a write of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Part of the file that is memory-mapped.
const MAPPED_BYTES: &str = "268435456";
/// Size to which the write-ahead log is truncated after a checkpoint.
const WAL_BYTES: &str = "67108864";
/// Page cache of a reader, in KiB.
const READER_CACHE_KIB: &str = "-16384";
/// Page cache of the writer, in KiB: it appends, and the ends of the indexes are small.
const WRITER_CACHE_KIB: &str = "-2048";

/// Magic bytes of an SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The file and the files that SQLite creates next to it.
const DATABASE_FILES: [&str; 3] = ["", "-wal", "-shm"];

/// An unusable index file that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Its new path.
    pub file: PathBuf,
    /// The reason.
    pub why: String,
}

/// Opens or creates the file. One that is damaged or from a later version is set aside.
pub(super) async fn open(file: &Path) -> Result<(Database, Option<SetAside>), StoreError> {
    let marked = damage_mark(file);
    let why = match marked.exists() {
        true => "a damage was found while it was in use".to_owned(),
        false => match try_open(file).await {
            Ok(database) => return Ok((database, None)),
            Err(error @ (StoreError::Broken(_) | StoreError::Newer(_))) => error.to_string(),
            Err(error) => return Err(error),
        },
    };
    let moved = set_aside(file).and_then(|moved| {
        remove(&marked)?;
        Ok(moved)
    });
    let failed = |error: io::Error| StoreError::File { path: file.to_owned(), reason: error.to_string() };
    let set_aside = SetAside { file: moved.map_err(failed)?, why };
    tracing::error!(
        "the index {} could not be used and is now {}: {}. A new one is made from the journal",
        file.display(),
        set_aside.file.display(),
        set_aside.why
    );
    Ok((try_open(file).await?, Some(set_aside)))
}

/// Opens or creates a file from the configuration. A file that is not an index is left unchanged, and so is a damaged
/// one: its purpose is unknown.
pub(super) async fn open_named(file: &Path) -> Result<Database, StoreError> {
    let not_an_index = || StoreError::NotOurs { path: file.to_owned() };
    let mut magic = [0; MAGIC.len()];
    match fs::File::open(file) {
        Ok(mut opened) => match io::Read::read_exact(&mut opened, &mut magic) {
            Ok(()) if magic == *MAGIC => {}
            _ if opened.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) => {}
            _ => return Err(not_an_index()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            return Err(StoreError::File { path: file.to_owned(), reason: error.to_string() });
        }
    }
    if magic == *MAGIC {
        match is_index(file).await.map_err(StoreError::from) {
            Ok(true) => {}
            Ok(false) | Err(StoreError::Broken(_)) => return Err(not_an_index()),
            Err(error) => return Err(error),
        }
    }
    match try_open(file).await {
        Err(StoreError::Broken(_)) => Err(not_an_index()),
        opened => opened,
    }
}

/// Whether a database has the tables of an index, or none at all.
async fn is_index(file: &Path) -> Result<bool, sqlx::Error> {
    let mut database = SqliteConnection::connect_with(
        &SqliteConnectOptions::new().filename(file).busy_timeout(BUSY_TIMEOUT).read_only(true),
    )
    .await?;
    let sql = "SELECT count(*) = 0 OR sum(name = 'toolwright_migrations') > 0 FROM sqlite_master WHERE type = 'table'";
    let is_index: i64 = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
    database.close().await?;
    Ok(is_index != 0)
}

/// Marks the file as damaged, for the next start.
pub(super) fn mark_damaged(file: &Path) {
    if let Err(error) = fs::write(damage_mark(file), b"") {
        tracing::error!(
            "the index {} is damaged, and that could not be written down: {error}",
            file.display()
        );
    }
}

fn damage_mark(file: &Path) -> PathBuf {
    with_ending(file, ".damaged")
}

async fn try_open(file: &Path) -> Result<Database, StoreError> {
    // Creates the file with private permissions: SQLite copies them to the files next to it. When it cannot be created,
    // the database reports the reason.
    drop(private_options(OpenOptions::new().write(true).create(true).truncate(false)).open(file));
    let shared = SqliteConnectOptions::new().filename(file).busy_timeout(BUSY_TIMEOUT);
    let reading = shared
        .clone()
        .pragma("mmap_size", MAPPED_BYTES)
        .pragma("cache_size", READER_CACHE_KIB)
        .read_only(true);
    let writing = shared
        .pragma("cache_size", WRITER_CACHE_KIB)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // A system crash may lose the last transactions; the journal contains them.
        .synchronous(SqliteSynchronous::Normal)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .pragma("journal_size_limit", WAL_BYTES);
    let writer = pool(1)
        .after_release(|connection, _| {
            Box::pin(async move {
                // On a full disk SQLite rolls back by itself, but sqlx still counts the transaction and would refuse
                // every later one. Such a connection is closed, and the next one starts clean. The ping waits for a
                // running rollback.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
        .connect_with(writing)
        .await?;
    let checked = async {
        SqlDialect::Sqlite.migrator().run(&writer).await?;
        check(&writer).await?;
        let readers = pool(READERS).idle_timeout(READER_IDLE_TIMEOUT).connect_with(reading).await?;
        Ok::<SqlitePool, StoreError>(readers)
    };
    match checked.await {
        Ok(readers) => Ok(Database::Sqlite { writer, readers }),
        Err(error) => {
            writer.close().await;
            Err(error)
        }
    }
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(BUSY_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// Reads a little of every table, so that a truncated or overwritten file is detected at startup. A full check would
/// take seconds for a large file.
async fn check(pool: &SqlitePool) -> Result<(), StoreError> {
    for sql in [
        "SELECT count(*) FROM (SELECT * FROM calls ORDER BY id DESC LIMIT 50)",
        "SELECT count(*) FROM (SELECT * FROM calls ORDER BY id LIMIT 50)",
        "SELECT count(*) FROM (SELECT node, seq FROM calls ORDER BY node DESC, seq DESC LIMIT 50)",
        "SELECT count(*) FROM (SELECT rowid FROM calls_text('\"tool\"*') LIMIT 1)",
        "SELECT count(*) FROM (SELECT * FROM exchanges ORDER BY id DESC LIMIT 50)",
        "SELECT count(*) FROM nodes",
        "SELECT count(*) FROM rules",
    ] {
        sqlx::query(sql).fetch_one(pool).await?;
    }
    Ok(())
}

/// Renames the file and those next to it. An earlier one that was set aside is replaced.
fn set_aside(file: &Path) -> io::Result<PathBuf> {
    let aside = with_ending(file, ".broken");
    for ending in DATABASE_FILES {
        let target = with_ending(&aside, ending);
        remove(&target)?;
        match fs::rename(with_ending(file, ending), target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(aside)
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::super::database::{Statement, StoreTransaction};
    use super::*;

    #[tokio::test]
    async fn full_disk_leaves_no_open_transaction() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = try_open(&folder.path().join("index.db")).await.expect("opened");
        let Database::Sqlite { writer, .. } = &database else { panic!("it is SQLite") };
        // A page limit acts like a full disk, on this one connection.
        sqlx::query("PRAGMA max_page_count = 1").execute(writer).await.expect("limited");
        let StoreTransaction::Sqlite(mut transaction) = database.begin().await.expect("begun") else {
            panic!("it is SQLite")
        };
        // One row: SQLite has no statement journal for it, and rolls back everything.
        let large = "INSERT INTO toolwright_migrations (version, description, success, checksum, execution_time) \
                     VALUES (1001, hex(zeroblob(2000000)), 1, x'00', 0)";
        let refused = sqlx::query(large).execute(&mut *transaction).await.expect_err("no room");
        assert!(refused.to_string().contains("full"), "{refused}");
        drop(transaction);
        // There is space again.
        let mut transaction = database.begin().await.expect("a new transaction begins");
        let seen = Statement::new(
            SqlDialect::Sqlite,
            "SELECT count(*) FROM toolwright_migrations WHERE version > 1000",
        );
        assert_eq!(transaction.rows(seen).await.expect("read")[0].int(), 0);
        transaction.commit().await.expect("committed");
        database.close().await;
    }
}
