//! Puts records in: each once, however often it comes.

use std::collections::{BTreeMap, HashSet};

use toolwright_base::unix_micros;

use super::Store;
use super::database::{Statement, Work};
use super::error::StoreError;
use super::rows::{Incoming, MOST_SHIFTED, NEXT_ID, signed, to_json};
use super::sql::{Dialect, SQLITE_DELETE_WORDS, SQLITE_INSERT_WORDS, Table};
use crate::{Kind, Record};

/// How many records, and how much text, one statement takes in.
pub const BATCH_RECORDS: usize = 500;
/// How many records, and how much text, one statement takes in.
pub const BATCH_BYTES: usize = 4 << 20;

/// How many records are made ready before others have their turn.
const RECORDS_AT_A_TIME: usize = 16;
/// How many rows one statement takes in, of the databases that take values. Few sizes: a statement is prepared once.
const STATEMENT_ROWS: [usize; 3] = [32, 8, 1];

impl Store {
    /// Puts records in; those that are there already, by node and number, stay as they are. How many were new.
    ///
    /// The records of one node come in the order of their numbers: what [`Store::indexed`] says afterwards is the
    /// highest of them. The end of a call takes the place of its begin.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. Batches before the one that failed are in.
    pub async fn insert(&self, records: &[Record]) -> Result<usize, StoreError> {
        let mut new = 0;
        let mut batch: Vec<Incoming<'_>> = Vec::new();
        let mut size = 0;
        for (number, record) in records.iter().enumerate() {
            if number % RECORDS_AT_A_TIME == 0 {
                // A call may wait for this thread.
                tokio::task::yield_now().await;
            }
            let incoming = Incoming::new(record);
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

    async fn insert_batch(&self, batch: Vec<Incoming<'_>>) -> Result<usize, StoreError> {
        self.try_insert_batch(batch).await.inspect_err(|error| self.remember_damage(error))
    }

    async fn try_insert_batch(&self, batch: Vec<Incoming<'_>>) -> Result<usize, StoreError> {
        let mut nodes: BTreeMap<&str, Node<'_>> = BTreeMap::new();
        for Incoming { record, .. } in &batch {
            let node = nodes.entry(&record.node).or_default();
            node.last = node.last.max(record.seq);
            if record.kind != Kind::Exchange {
                node.calls.insert(&record.call);
            }
        }
        let mut work = self.begin().await?;
        let (exchanges, calls) = without_doubles(batch)
            .into_iter()
            .partition::<Vec<_>, _>(|incoming| incoming.table() == Table::Exchanges);
        let mut new = put(&mut work, Table::Calls, calls).await?;
        new += put(&mut work, Table::Exchanges, exchanges).await?;
        for (name, node) in &nodes {
            if !node.calls.is_empty() {
                let ended = work.statement(|sql| sql.ended).with(*name).with(to_json(&node.calls));
                let ids: Vec<i64> = work.rows(ended).await?.iter_mut().map(|row| row.int()).collect();
                delete(&mut work, Table::Calls, &ids).await?;
            }
            let seen = work.statement(|sql| sql.seen).with(*name).with(unix_micros()).with(signed(node.last));
            work.rows(seen).await?;
        }
        work.commit().await?;
        Ok(new)
    }
}

/// What a batch says of a node.
#[derive(Default)]
struct Node<'a> {
    last: u64,
    calls: HashSet<&'a str>,
}

/// Leaves out what comes twice, and begins whose end comes with them.
fn without_doubles(batch: Vec<Incoming<'_>>) -> Vec<Incoming<'_>> {
    let ended: HashSet<(&str, &str)> = batch
        .iter()
        .filter(|incoming| incoming.record.kind == Kind::Call)
        .map(|incoming| (incoming.record.node.as_str(), incoming.record.call.as_str()))
        .collect();
    let mut seen = HashSet::new();
    let mut kept = batch;
    kept.retain(|Incoming { record, .. }| {
        let is_over = record.kind == Kind::InProgress && ended.contains(&(&*record.node, &*record.call));
        !is_over && seen.insert((record.node.as_str(), record.seq))
    });
    kept
}

/// Puts rows in. Two of one time may want one id: the later one takes the next that is free.
async fn put(work: &mut Work, table: Table, batch: Vec<Incoming<'_>>) -> Result<usize, StoreError> {
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
        let put = match work.dialect() {
            Dialect::Sqlite => put_values(work, table, &waiting).await?,
            Dialect::Postgres => put_json(work, table, &waiting).await?,
        };
        new += put.len();
        let (put, left): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|incoming| put.contains(&incoming.id));
        if table == Table::Calls {
            put_beside(work, &put).await?;
        }
        waiting = without_those_there(work, table, left).await?;
        waiting.iter_mut().for_each(|incoming| incoming.id += NEXT_ID);
        tries += 1;
        if tries > MOST_SHIFTED / 2 && !waiting.is_empty() {
            let words =
                "more records of one millisecond than there is room for; the clock of the node stands still";
            return Err(StoreError::Refused(words.to_owned()));
        }
    }
    Ok(new)
}

fn insert_into(work: &Work, table: Table) -> Statement {
    work.statement(|sql| match table {
        Table::Calls => sql.insert_calls,
        Table::Exchanges => sql.insert_exchanges,
    })
}

/// Puts in what is not there, all rows as one JSON. Which got in.
async fn put_json(work: &mut Work, table: Table, rows: &[Incoming<'_>]) -> Result<HashSet<i64>, StoreError> {
    let json = to_json(&rows.iter().map(Incoming::columns).collect::<Vec<_>>());
    let put = work.rows(insert_into(work, table).with(json)).await?;
    Ok(put.into_iter().map(|mut row| row.int()).collect())
}

/// The same with values, which SQLite takes in three times as fast. Nearly always all of them are new, and need not be
/// told one by one.
async fn put_values(
    work: &mut Work,
    table: Table,
    rows: &[Incoming<'_>],
) -> Result<HashSet<i64>, StoreError> {
    let mut put = HashSet::with_capacity(rows.len());
    let mut rest = rows;
    while let Some(count) = STATEMENT_ROWS.into_iter().find(|count| *count <= rest.len()) {
        let (some, behind) = rest.split_at(count);
        rest = behind;
        if work.put(insert_rows(work, table, some, "")).await? {
            put.extend(some.iter().map(|incoming| incoming.id));
        } else {
            let insert = insert_rows(work, table, some, "ON CONFLICT DO NOTHING RETURNING id");
            put.extend(work.rows(insert).await?.into_iter().map(|mut row| row.int()));
        }
    }
    Ok(put)
}

fn insert_rows(work: &Work, table: Table, rows: &[Incoming<'_>], conflict: &str) -> Statement {
    let values = rows.iter().flat_map(|incoming| {
        let mut columns = incoming.columns();
        if table == Table::Calls {
            // The words have a table of their own.
            columns.pop();
        }
        columns
    });
    let mut insert = insert_into(work, table).with_all(values);
    insert.fill_rows(rows.len());
    insert.fill("conflict", conflict);
    insert
}

/// The words and the rules of rows that were put in.
async fn put_beside(work: &mut Work, put: &[Incoming<'_>]) -> Result<(), StoreError> {
    if work.dialect() == Dialect::Sqlite && !put.is_empty() {
        let words: Vec<_> = put.iter().map(|incoming| (incoming.id, &incoming.words)).collect();
        let insert = Statement::new(Dialect::Sqlite, SQLITE_INSERT_WORDS).with(to_json(&words));
        work.rows(insert).await?;
    }
    let rules: Vec<_> = put
        .iter()
        .flat_map(|incoming| incoming.rules().into_iter().map(|(rule, count)| (rule, incoming.id, count)))
        .collect();
    if !rules.is_empty() {
        let insert = work.statement(|sql| sql.insert_call_rules).with(without_zero(to_json(&rules)));
        work.rows(insert).await?;
    }
    Ok(())
}

/// The names of rules come from files, where nothing keeps a zero letter out.
fn without_zero(json: String) -> String {
    json.replace("\\u0000", "\u{fffd}")
}

async fn without_those_there<'a>(
    work: &mut Work,
    table: Table,
    left: Vec<Incoming<'a>>,
) -> Result<Vec<Incoming<'a>>, StoreError> {
    let mut numbers: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for Incoming { record, .. } in &left {
        numbers.entry(&record.node).or_default().push(signed(record.seq));
    }
    let mut there = HashSet::new();
    for (node, numbers) in numbers {
        let mut ask = work.statement(|sql| sql.numbers_there).with(node).with(to_json(&numbers));
        ask.fill("table", table.name());
        there.extend(work.rows(ask).await?.iter_mut().map(|row| (node, row.int())));
    }
    let is_there = |incoming: &Incoming<'_>| {
        there.contains(&(incoming.record.node.as_str(), signed(incoming.record.seq)))
    };
    Ok(left.into_iter().filter(|incoming| !is_there(incoming)).collect())
}

/// Takes rows out, with their words and rules.
pub(super) async fn delete(work: &mut Work, table: Table, ids: &[i64]) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids = to_json(&ids);
    if table == Table::Exchanges {
        let delete = work.statement(|sql| sql.delete_exchanges).with(ids.as_str());
        work.rows(delete).await?;
        return Ok(());
    }
    if work.dialect() == Dialect::Sqlite {
        work.rows(Statement::new(Dialect::Sqlite, SQLITE_DELETE_WORDS).with(ids.as_str())).await?;
    }
    for pick in [|sql: &super::sql::Sql| sql.delete_call_rules, |sql: &super::sql::Sql| sql.delete_calls] {
        let delete = work.statement(pick).with(ids.as_str());
        work.rows(delete).await?;
    }
    Ok(())
}
