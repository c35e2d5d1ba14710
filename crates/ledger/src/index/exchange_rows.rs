//! Conversion of exchanges with models to rows and back.

use std::sync::LazyLock;

use serde::Serialize;

use super::call_rows::signed;
use super::database::{SqlRow, SqlValue};
use crate::{Exchange, Record};

/// Maximum token count that an upstream may report; larger values are invalid, and their sums would overflow in the
/// database.
const MAX_TOKENS: u64 = 1 << 40;

/// An exchange from a query.
#[derive(Clone, Debug, Serialize)]
pub struct FoundExchange {
    /// Position in the order of time. The cursor for the next page.
    pub id: i64,
    /// Its record.
    #[serde(flatten)]
    pub record: Record,
}

/// The columns in the order of `insert_exchanges.sql`; `whole` is the record as JSON.
pub(super) fn columns(record: &Record, id: i64, size: usize, whole: &str) -> Vec<SqlValue> {
    static NONE: LazyLock<Exchange> = LazyLock::new(Exchange::default);
    let exchange = record.exchange.as_deref().unwrap_or(&NONE);
    let upstream = match &record.server {
        Some(server) if exchange.upstream.is_empty() => server,
        _ => &exchange.upstream,
    };
    let tokens = |count: Option<u64>| SqlValue::from(count.map(|count| signed(count.min(MAX_TOKENS))));
    vec![
        id.into(),
        record.node.as_str().into(),
        signed(record.seq).into(),
        record.ts.into(),
        record.call.as_str().into(),
        record.client.as_deref().into(),
        record.session.as_deref().into(),
        upstream.as_str().into(),
        exchange.model.as_str().into(),
        exchange.upstream_model.as_str().into(),
        i64::from(exchange.status).into(),
        tokens(exchange.input_tokens),
        tokens(exchange.cache_read_tokens),
        tokens(exchange.cache_write_tokens),
        tokens(exchange.output_tokens),
        tokens(exchange.reasoning_tokens),
        tokens(exchange.first_token_us),
        i64::from(exchange.calls).into(),
        i64::from(exchange.repaired).into(),
        i64::from(exchange.refused).into(),
        i64::from(exchange.attempts).into(),
        record.error.as_ref().map(|error| error.code.as_str()).into(),
        tokens(Some(record.duration_us)),
        record.is_ok().into(),
        signed(size as u64).into(),
        whole.into(),
    ]
}

impl FoundExchange {
    /// Reads a row of `exchanges.sql`; `None` when a later version wrote a record that cannot be parsed.
    pub(super) fn read(mut row: SqlRow) -> Option<FoundExchange> {
        let id = row.int();
        Some(FoundExchange { id, record: serde_json::from_str(&row.text()).ok()? })
    }
}
