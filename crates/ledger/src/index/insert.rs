//! Inserts records: each once, however often it is inserted (idempotent).

use std::collections::{BTreeMap, HashSet};

use toolwright_base::unix_micros;

use super::Store;
use super::call_rows::{IncomingRecord, MAX_ID_SHIFT_MS, NEXT_ID, signed, to_json};
use super::database::{Statement, StoreTransaction};
use super::error::StoreError;
use super::sql::{RecordTable, SQLITE_DELETE_WORDS, SQLITE_INSERT_WORDS, SqlDialect};
use crate::{Kind, Record};

/// Maximum number of records of one batch.
pub const BATCH_RECORDS: usize = 500;
/// Maximum text size of one batch in bytes.
pub const BATCH_BYTES: usize = 4 << 20;

/// Records that are prepared before the task yields.
const RECORDS_AT_A_TIME: usize = 16;
/// Row counts of one SQLite statement. Few sizes, so that each statement is prepared once.
const STATEMENT_ROWS: [usize; 3] = [32, 8, 1];

impl Store {
    /// Inserts records; existing ones, by node and sequence number, stay unchanged. Returns the number of new ones.
    ///
    /// The records of one node must be in the order of their sequence numbers: [`Store::indexed`] then returns the
    /// highest. The end record of a call replaces its start record.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. Batches before the failed one are inserted.
    pub async fn insert(&self, records: &[Record]) -> Result<usize, StoreError> {
        let mut new = 0;
        let mut batch: Vec<IncomingRecord<'_>> = Vec::new();
        let mut size = 0;
        for (number, record) in records.iter().enumerate() {
            if number % RECORDS_AT_A_TIME == 0 {
                // A call may wait for this thread.
                tokio::task::yield_now().await;
            }
            let incoming = IncomingRecord::new(record);
            if batch.len() == BATCH_RECORDS || (size + incoming.size() > BATCH_BYTES && !batch.is_empty()) {
                new += self.insert_batch(std::mem::take(&mut batch)).await?;
                size = 0;
            }
            size += incoming.size();
            batch.push(incoming);
        }
        if !batch.is_empty() {
            new += self.insert_batch(batch).await?;
        }
        Ok(new)
    }

    async fn insert_batch(&self, batch: Vec<IncomingRecord<'_>>) -> Result<usize, StoreError> {
        self.try_insert_batch(batch).await.inspect_err(|error| self.mark_if_damaged(error))
    }

    async fn try_insert_batch(&self, batch: Vec<IncomingRecord<'_>>) -> Result<usize, StoreError> {
        let mut nodes: BTreeMap<&str, NodeBatch<'_>> = BTreeMap::new();
        for IncomingRecord { record, .. } in &batch {
            let node = nodes.entry(&record.node).or_default();
            node.last = node.last.max(record.seq);
            if record.kind != Kind::Exchange {
                node.calls.insert(&record.call);
            }
        }
        let mut transaction = self.begin().await?;
        let (exchanges, calls) = deduplicate(batch)
            .into_iter()
            .partition::<Vec<_>, _>(|incoming| incoming.table() == RecordTable::Exchanges);
        let mut new = put(&mut transaction, RecordTable::Calls, calls).await?;
        new += put(&mut transaction, RecordTable::Exchanges, exchanges).await?;
        for (name, node) in &nodes {
            if !node.calls.is_empty() {
                let ended = transaction.statement(|sql| sql.ended).with(*name).with(to_json(&node.calls));
                let ids: Vec<i64> = transaction.rows(ended).await?.iter_mut().map(|row| row.int()).collect();
                delete(&mut transaction, RecordTable::Calls, &ids).await?;
            }
            let seen =
                transaction.statement(|sql| sql.seen).with(*name).with(unix_micros()).with(signed(node.last));
            transaction.rows(seen).await?;
        }
        transaction.commit().await?;
        Ok(new)
    }
}

/// The records of one node in a batch.
#[derive(Default)]
struct NodeBatch<'a> {
    last: u64,
    calls: HashSet<&'a str>,
}

/// Removes duplicates, and start records whose end record is in the same batch.
fn deduplicate(batch: Vec<IncomingRecord<'_>>) -> Vec<IncomingRecord<'_>> {
    let ended: HashSet<(&str, &str)> = batch
        .iter()
        .filter(|incoming| incoming.record.kind == Kind::Call)
        .map(|incoming| (incoming.record.node.as_str(), incoming.record.call.as_str()))
        .collect();
    let mut seen = HashSet::new();
    let mut kept = batch;
    kept.retain(|IncomingRecord { record, .. }| {
        let is_over = record.kind == Kind::InProgress && ended.contains(&(&*record.node, &*record.call));
        !is_over && seen.insert((record.node.as_str(), record.seq))
    });
    kept
}

/// Inserts rows. Two records of one time may get the same id: the later one takes the next free id.
async fn put(
    transaction: &mut StoreTransaction,
    table: RecordTable,
    batch: Vec<IncomingRecord<'_>>,
) -> Result<usize, StoreError> {
    let mut waiting = batch;
    let mut new = 0;
    let mut tries = 0;
    while !waiting.is_empty() {
        let mut taken = HashSet::new();
        for incoming in &mut waiting {
            while !taken.insert(incoming.id) {
                incoming.id += NEXT_ID;
            }
        }
        let put = match transaction.dialect() {
            SqlDialect::Sqlite => insert_values(transaction, table, &waiting).await?,
            SqlDialect::Postgres => insert_json(transaction, table, &waiting).await?,
        };
        new += put.len();
        let (put, left): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|incoming| put.contains(&incoming.id));
        if table == RecordTable::Calls {
            insert_words_and_rules(transaction, &put).await?;
        }
        waiting = without_existing(transaction, table, left).await?;
        waiting.iter_mut().for_each(|incoming| incoming.id += NEXT_ID);
        tries += 1;
        if tries > MAX_ID_SHIFT_MS / 2 && !waiting.is_empty() {
            let words =
                "more records of one millisecond than there is room for; the clock of the node stands still";
            return Err(StoreError::Refused(words.to_owned()));
        }
    }
    Ok(new)
}

fn insert_into(transaction: &StoreTransaction, table: RecordTable) -> Statement {
    transaction.statement(|sql| match table {
        RecordTable::Calls => sql.insert_calls,
        RecordTable::Exchanges => sql.insert_exchanges,
    })
}

/// Inserts missing rows, all as one JSON value. Returns the inserted ids.
async fn insert_json(
    transaction: &mut StoreTransaction,
    table: RecordTable,
    rows: &[IncomingRecord<'_>],
) -> Result<HashSet<i64>, StoreError> {
    let json = to_json(&rows.iter().map(IncomingRecord::columns).collect::<Vec<_>>());
    let put = transaction.rows(insert_into(transaction, table).with(json)).await?;
    Ok(put.into_iter().map(|mut row| row.int()).collect())
}

/// The same with bound values, which SQLite inserts three times as fast. Usually all rows are new, and need no
/// `RETURNING`.
async fn insert_values(
    transaction: &mut StoreTransaction,
    table: RecordTable,
    rows: &[IncomingRecord<'_>],
) -> Result<HashSet<i64>, StoreError> {
    let mut put = HashSet::with_capacity(rows.len());
    let mut rest = rows;
    while let Some(count) = STATEMENT_ROWS.into_iter().find(|count| *count <= rest.len()) {
        let (some, behind) = rest.split_at(count);
        rest = behind;
        if transaction.put(insert_rows(transaction, table, some, "")).await? {
            put.extend(some.iter().map(|incoming| incoming.id));
        } else {
            let insert = insert_rows(transaction, table, some, "ON CONFLICT DO NOTHING RETURNING id");
            put.extend(transaction.rows(insert).await?.into_iter().map(|mut row| row.int()));
        }
    }
    Ok(put)
}

fn insert_rows(
    transaction: &StoreTransaction,
    table: RecordTable,
    rows: &[IncomingRecord<'_>],
    conflict: &str,
) -> Statement {
    let values = rows.iter().flat_map(|incoming| {
        let mut columns = incoming.columns();
        if table == RecordTable::Calls {
            // SQLite stores the words in a separate table.
            columns.pop();
        }
        columns
    });
    let mut insert = insert_into(transaction, table).with_all(values);
    insert.fill_rows(rows.len());
    insert.fill("conflict", conflict);
    insert
}

/// Inserts the words and the rules of inserted rows.
async fn insert_words_and_rules(
    transaction: &mut StoreTransaction,
    put: &[IncomingRecord<'_>],
) -> Result<(), StoreError> {
    if transaction.dialect() == SqlDialect::Sqlite && !put.is_empty() {
        let words: Vec<_> = put.iter().map(|incoming| (incoming.id, &incoming.words)).collect();
        let insert = Statement::new(SqlDialect::Sqlite, SQLITE_INSERT_WORDS).with(to_json(&words));
        transaction.rows(insert).await?;
    }
    let rules: Vec<_> = put
        .iter()
        .flat_map(|incoming| incoming.rules().into_iter().map(|(rule, count)| (rule, incoming.id, count)))
        .collect();
    if !rules.is_empty() {
        let insert = transaction.statement(|sql| sql.insert_call_rules).with(without_nul(to_json(&rules)));
        transaction.rows(insert).await?;
    }
    Ok(())
}

/// Rule names come from files, which may contain a NUL character.
fn without_nul(json: String) -> String {
    json.replace("\\u0000", "\u{fffd}")
}

async fn without_existing<'a>(
    transaction: &mut StoreTransaction,
    table: RecordTable,
    left: Vec<IncomingRecord<'a>>,
) -> Result<Vec<IncomingRecord<'a>>, StoreError> {
    let mut numbers: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for IncomingRecord { record, .. } in &left {
        numbers.entry(&record.node).or_default().push(signed(record.seq));
    }
    let mut there = HashSet::new();
    for (node, numbers) in numbers {
        let mut query = transaction.statement(|sql| sql.numbers_there).with(node).with(to_json(&numbers));
        query.fill("table", table.name());
        there.extend(transaction.rows(query).await?.iter_mut().map(|row| (node, row.int())));
    }
    let is_there = |incoming: &IncomingRecord<'_>| {
        there.contains(&(incoming.record.node.as_str(), signed(incoming.record.seq)))
    };
    Ok(left.into_iter().filter(|incoming| !is_there(incoming)).collect())
}

/// Deletes rows, with their words and rules.
pub(super) async fn delete(
    transaction: &mut StoreTransaction,
    table: RecordTable,
    ids: &[i64],
) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids = to_json(&ids);
    if table == RecordTable::Exchanges {
        let delete = transaction.statement(|sql| sql.delete_exchanges).with(ids.as_str());
        transaction.rows(delete).await?;
        return Ok(());
    }
    if transaction.dialect() == SqlDialect::Sqlite {
        transaction.rows(Statement::new(SqlDialect::Sqlite, SQLITE_DELETE_WORDS).with(ids.as_str())).await?;
    }
    for pick in [|sql: &super::sql::Sql| sql.delete_call_rules, |sql: &super::sql::Sql| sql.delete_calls] {
        let delete = transaction.statement(pick).with(ids.as_str());
        transaction.rows(delete).await?;
    }
    Ok(())
}
