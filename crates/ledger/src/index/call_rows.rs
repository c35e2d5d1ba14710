//! Conversion of records to rows and back.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::database::{SqlRow, SqlValue};
use super::exchange_rows;
use super::search_words;
use super::sql::RecordTable;
use crate::{Failure, Kind, Record};

/// An id contains milliseconds in the upper bits and the end of the sequence number in the lower bits.
const NUMBER_BITS: u32 = 10;
/// Distance to the next id when one is taken: the same number, a millisecond later.
pub(super) const NEXT_ID: i64 = 1 << NUMBER_BITS;
/// Maximum number of milliseconds by which an id may be later than its record.
pub(super) const MAX_ID_SHIFT_MS: i64 = 2_000;
/// Later times are not distinguished.
const LAST_MILLISECOND: i64 = 1 << 52;

/// State of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It succeeded.
    Ok,
    /// It failed.
    Error,
    /// It was started, has no end yet, and its gateway is alive.
    Running,
    /// It was started, and its gateway exited before its end.
    Interrupted,
}

/// A call from a query.
#[derive(Clone, Debug, Serialize)]
pub struct FoundCall {
    /// Position in the order of time. The cursor for the next page.
    pub id: i64,
    /// Its state.
    pub state: State,
    /// Its record.
    #[serde(flatten)]
    pub record: Record,
}

/// The first possible id of a record at this time, in microseconds.
pub(super) fn first_id_at(ts: i64) -> i64 {
    (ts.max(0) / 1_000).min(LAST_MILLISECOND) << NUMBER_BITS
}

/// An id after all possible ids of records before this time, in microseconds.
pub(super) fn id_after(ts: i64) -> i64 {
    first_id_at(ts.saturating_add((MAX_ID_SHIFT_MS + 1) * 1_000)) + NEXT_ID
}

/// A record that is being inserted.
pub(super) struct IncomingRecord<'a> {
    pub record: &'a Record,
    pub id: i64,
    pub words: String,
    error_parameters: Option<String>,
    changes: String,
    stages: String,
    /// The whole record as JSON, for an exchange.
    whole: String,
    size: usize,
}

impl<'a> IncomingRecord<'a> {
    pub fn new(record: &'a Record) -> IncomingRecord<'a> {
        let json_size = |json: &Option<Box<RawValue>>| json.as_ref().map_or(0, |json| json.get().len());
        let changes = to_json(&record.changes);
        let message_size = record.error.as_ref().map_or(0, |error| error.message.len());
        let is_exchange = record.kind == Kind::Exchange;
        let whole = if is_exchange { to_json(record) } else { String::new() };
        IncomingRecord {
            id: first_id_at(record.ts) + signed(record.seq) % NEXT_ID,
            words: if is_exchange { String::new() } else { search_words::words_of_record(record) },
            error_parameters: record.error.as_ref().map(|error| to_json(&error.parameters)),
            stages: to_json(&record.stages),
            // Estimated size of the names and numbers of a record.
            size: 300
                + json_size(&record.arguments)
                + json_size(&record.normalized)
                + changes.len()
                + message_size
                + whole.len(),
            whole,
            changes,
            record,
        }
    }

    /// Text size that it adds to a batch.
    pub fn size(&self) -> usize {
        self.size + self.words.len()
    }

    /// Its table.
    pub fn table(&self) -> RecordTable {
        match self.record.kind {
            Kind::Exchange => RecordTable::Exchanges,
            Kind::Call | Kind::InProgress => RecordTable::Calls,
        }
    }

    /// The row, in the order of the columns of `insert_calls.sql` or `insert_exchanges.sql`.
    pub fn columns(&self) -> Vec<SqlValue> {
        match self.table() {
            RecordTable::Calls => self.call_columns(),
            RecordTable::Exchanges => exchange_rows::columns(self.record, self.id, self.size, &self.whole),
        }
    }

    fn call_columns(&self) -> Vec<SqlValue> {
        let record = self.record;
        let error = record.error.as_ref();
        vec![
            self.id.into(),
            record.node.as_str().into(),
            signed(record.seq).into(),
            record.ts.into(),
            (record.kind == Kind::InProgress).into(),
            record.call.as_str().into(),
            record.client.as_deref().into(),
            record.session.as_deref().into(),
            record.front.as_str().into(),
            record.toolbox.as_deref().into(),
            record.server.as_deref().into(),
            record.tool.as_str().into(),
            record.schema.as_deref().into(),
            record.arguments.as_deref().map(RawValue::get).into(),
            record.normalized.as_deref().map(RawValue::get).into(),
            self.changes.as_str().into(),
            self.stages.as_str().into(),
            error.map(|error| error.code.as_str()).into(),
            error.map(|error| error.message.as_str()).into(),
            self.error_parameters.as_deref().into(),
            error.is_some_and(|error| error.is_from_tool).into(),
            signed(record.duration_us).into(),
            signed(record.bytes_in).into(),
            signed(record.bytes_out).into(),
            (record.normalized.is_some() || !record.changes.is_empty()).into(),
            record.is_ok().into(),
            signed(self.size as u64).into(),
            record.principal.as_deref().into(),
            self.words.as_str().into(),
        ]
    }

    /// The rules that changed the call, with counts; a change without a rule uses the code of its step.
    pub fn rules(&self) -> BTreeMap<&'a str, i64> {
        let mut rules = BTreeMap::new();
        for change in &self.record.changes {
            *rules.entry(change.rule.as_deref().unwrap_or(&change.code)).or_default() += 1;
        }
        rules
    }
}

impl FoundCall {
    /// Reads a row of `calls.sql`.
    pub(super) fn read(mut row: SqlRow) -> FoundCall {
        let id = row.int();
        let mut record = Record {
            node: row.text(),
            seq: row.count(),
            ts: row.int(),
            kind: if row.int() == 0 { Kind::Call } else { Kind::InProgress },
            call: row.text(),
            client: row.maybe_text(),
            session: row.maybe_text(),
            front: row.text(),
            toolbox: row.maybe_text(),
            server: row.maybe_text(),
            tool: row.text(),
            schema: row.maybe_text(),
            arguments: row.maybe_text().and_then(|json| RawValue::from_string(json).ok()),
            normalized: row.maybe_text().and_then(|json| RawValue::from_string(json).ok()),
            changes: serde_json::from_str(&row.text()).unwrap_or_default(),
            stages: serde_json::from_str(&row.text()).unwrap_or_default(),
            ..Record::default()
        };
        let (code, message) = (row.maybe_text(), row.maybe_text());
        let parameters = row.maybe_text().and_then(|json| serde_json::from_str(&json).ok());
        let is_from_tool = row.int() != 0;
        record.error = code.map(|code| Failure {
            code,
            message: message.unwrap_or_default(),
            parameters: parameters.unwrap_or_default(),
            is_from_tool,
        });
        record.duration_us = row.count();
        record.bytes_in = row.count();
        record.bytes_out = row.count();
        record.principal = row.maybe_text();
        let is_running = row.int() != 0;
        let state = match (record.kind, is_running) {
            (Kind::InProgress, true) => State::Running,
            (Kind::InProgress, false) => State::Interrupted,
            (Kind::Call | Kind::Exchange, _) if record.error.is_some() => State::Error,
            (Kind::Call | Kind::Exchange, _) => State::Ok,
        };
        FoundCall { id, state, record }
    }
}

/// The databases have no unsigned integers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn to_json(value: &impl Serialize) -> String {
    // Lists and records of strings and numbers always serialize.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_come_in_the_order_of_time(a in 0..i64::MAX, b in 0..i64::MAX, seq: u64) {
            let id = |ts| IncomingRecord::new(&Record { ts, seq, ..Record::default() }).id;
            if a / 1_000 < b / 1_000 && b / 1_000 <= LAST_MILLISECOND {
                prop_assert!(id(a) < id(b));
            }
            prop_assert!(first_id_at(a) <= id(a));
            prop_assert!(id(a) < id_after(a.saturating_add(1)));
        }
    }
}
