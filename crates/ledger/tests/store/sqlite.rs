//! The contract on SQLite, and unusable files.

use std::fs;
use std::path::Path;

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use toolwright_ledger::Record;
use toolwright_ledger::index::{Filter, Store};

use crate::contract::CHECKS;
use crate::records::call;

async fn open(file: &Path) -> Store {
    let (store, set_aside) = Store::sqlite(file).await.expect("it opens");
    assert_eq!(set_aside, None);
    store
}

async fn count(store: &Store) -> usize {
    store.calls(&Filter::default(), None, 2_000).await.expect("an answer").calls.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_holds_on_sqlite() {
    for (name, check) in CHECKS {
        eprintln!("sqlite: {name}");
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(&folder.path().join("index.db")).await;
        check(store.clone()).await;
        store.close().await;
    }
}

#[tokio::test]
async fn records_survive_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    for seq in 1..=3 {
        let store = open(&file).await;
        assert_eq!(store.indexed("a").await.expect("an answer"), seq - 1);
        store.insert(&[call("a", seq)]).await.expect("put in");
        // Closed or dropped: the result is the same.
        if seq == 2 {
            store.close().await;
        }
    }
    assert_eq!(count(&open(&file).await).await, 3);
}

#[tokio::test]
async fn two_processes_may_share_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    let (one, two) = (open(&file).await, open(&file).await);
    let put = |store: Store, node: &'static str| async move {
        for seq in 1..=40 {
            store.insert(&[call(node, seq)]).await.expect("put in");
        }
    };
    tokio::join!(put(one.clone(), "a"), put(two.clone(), "b"));
    assert_eq!(count(&one).await, 80);
    assert_eq!(count(&two).await, 80);
}

#[tokio::test]
async fn non_database_file_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    fs::write(&file, "this is not a database at all, and long enough to be looked at. ".repeat(100))
        .expect("written");
    let (store, set_aside) = Store::sqlite(&file).await.expect("it opens");
    let set_aside = set_aside.expect("it says so");
    assert_eq!(set_aside.file, folder.path().join("index.db.broken"));
    assert!(fs::read_to_string(&set_aside.file).expect("it is kept").starts_with("this is not"));
    assert_eq!(store.indexed("a").await.expect("an answer"), 0, "the journal is read from its begin");
    store.insert(&[call("a", 1)]).await.expect("put in");
}

#[tokio::test]
async fn corrupt_file_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    let store = open(&file).await;
    let records: Vec<Record> = (1..=3_000).map(|seq| call("a", seq)).collect();
    store.insert(&records).await.expect("put in");
    store.close().await;
    let mut bytes = fs::read(&file).expect("read");
    // The first page is intact: it looks like a database.
    bytes[4_096..].fill(0x5a);
    fs::write(&file, bytes).expect("written");
    let (store, set_aside) = Store::sqlite(&file).await.expect("it opens");
    assert!(set_aside.is_some());
    assert_eq!(count(&store).await, 0);
}

#[tokio::test]
async fn damage_found_in_use_is_repaired_at_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    let store = open(&file).await;
    let records: Vec<Record> = (1..=3_000).map(|seq| call("a", seq)).collect();
    store.insert(&records).await.expect("put in");
    store.close().await;
    let mut bytes = fs::read(&file).expect("read");
    // Everything but the ends, which are checked at opening.
    let middle = bytes.len() / 3..bytes.len() / 3 * 2;
    bytes[middle].fill(0x5a);
    fs::write(&file, bytes).expect("written");
    let (store, first) = Store::sqlite(&file).await.expect("it opens");
    if first.is_none() {
        let words = Filter { text: Some("hosts".into()), ..Filter::default() };
        let mut answers = Vec::new();
        for filter in [Filter::default(), words] {
            answers.push(store.sums(&filter, toolwright_ledger::index::By::Tool, 10).await.is_err());
        }
        assert!(answers.contains(&true), "a damaged file does not answer as if nothing were");
        store.close().await;
        let (_, second) = Store::sqlite(&file).await.expect("it opens");
        assert!(second.is_some());
    }
}

#[tokio::test]
async fn newer_file_is_set_aside_intact() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("index.db");
    let store = open(&file).await;
    store.insert(&[call("a", 1)]).await.expect("put in");
    store.close().await;
    let mut later = connect(&file).await;
    let step = "INSERT INTO toolwright_migrations (version, description, success, checksum, execution_time) \
                VALUES (999, 'later', true, x'00', 1)";
    sqlx::query(step).execute(&mut later).await.expect("a later step");
    later.close().await.expect("closed");
    let (store, set_aside) = Store::sqlite(&file).await.expect("it opens");
    let set_aside = set_aside.expect("it says so");
    assert!(set_aside.why.contains("later"), "{}", set_aside.why);
    assert_eq!(count(&store).await, 0);
    let mut kept = connect(&set_aside.file).await;
    let calls: i64 =
        sqlx::query_scalar("SELECT count(*) FROM calls").fetch_one(&mut kept).await.expect("an answer");
    assert_eq!(calls, 1);
}

#[tokio::test]
async fn missing_folder_is_a_retryable_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = Store::sqlite(&folder.path().join("none/index.db")).await.expect_err("no folder");
    assert!(error.is_away(), "{error}");
}

async fn connect(file: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.expect("a connection")
}

#[cfg(unix)]
#[tokio::test]
async fn index_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = Store::sqlite(&folder.path().join("index.db")).await.expect("it opens");
    store.seen("main").await.expect("written");
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
    assert!(files.len() >= 2, "there is a write-ahead file: {files:?}");
    for file in files {
        let mode = file.metadata().expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
}

#[tokio::test]
async fn configured_file_that_is_no_index_is_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes.txt");
    fs::write(&notes, "my notes, which are longer than a header").expect("written");
    let other = folder.path().join("other.db");
    let options = SqliteConnectOptions::new().filename(&other).create_if_missing(true);
    let mut database = SqliteConnection::connect_with(&options).await.expect("made");
    sqlx::query("CREATE TABLE calls (mine TEXT)").execute(&mut database).await.expect("made");
    database.close().await.expect("closed");
    for file in [notes, other] {
        let before = fs::read(&file).expect("read");
        let error = Store::sqlite_named(&file).await.expect_err("it is no index").to_string();
        assert!(error.contains("is no index of calls"), "{error}");
        assert_eq!(fs::read(&file).expect("read"), before, "{}", file.display());
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing was put beside them");
    // A new file becomes an index, and is one the next time.
    let new = folder.path().join("calls.db");
    for _ in 0..2 {
        let store = Store::sqlite_named(&new).await.expect("it opens");
        store.seen("main").await.expect("written");
        store.close().await;
    }
}
