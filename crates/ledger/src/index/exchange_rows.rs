//! An exchange with a model as a row, and a row as an exchange again.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Serialize;

use super::database::Row;
use super::rows::{clean, signed};
use crate::{Exchange, Record};

/// What an upstream may say of tokens; more is nonsense, and sums of it would be too large for a database.
const MOST_TOKENS: u64 = 1 << 40;

/// An exchange as it was found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundExchange {
    /// Its place in the order of time. The cursor of what comes after it.
    pub id: i64,
    /// What was written down of it.
    #[serde(flatten)]
    pub record: Record,
}

/// The columns in the order of `insert_exchanges.sql`.
#[derive(Serialize)]
pub(super) struct ExchangeColumns<'a>(
    i64,
    Cow<'a, str>,
    i64,
    i64,
    Cow<'a, str>,
    Option<Cow<'a, str>>,
    Option<Cow<'a, str>>,
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, str>,
    u16,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    u32,
    u32,
    u32,
    u32,
    Option<Cow<'a, str>>,
    i64,
    bool,
    usize,
    &'a str,
);

impl<'a> ExchangeColumns<'a> {
    /// `whole` is the record as JSON.
    pub fn new(record: &'a Record, id: i64, size: usize, whole: &'a str) -> ExchangeColumns<'a> {
        static NONE: LazyLock<Exchange> = LazyLock::new(Exchange::default);
        let exchange = record.exchange.as_deref().unwrap_or(&NONE);
        let upstream = match &record.server {
            Some(server) if exchange.upstream.is_empty() => server,
            _ => &exchange.upstream,
        };
        let tokens = |count: Option<u64>| count.map(|count| signed(count.min(MOST_TOKENS)));
        ExchangeColumns(
            id,
            clean(&record.node),
            signed(record.seq),
            record.ts,
            clean(&record.call),
            record.client.as_deref().map(clean),
            record.session.as_deref().map(clean),
            clean(upstream),
            clean(&exchange.model),
            clean(&exchange.upstream_model),
            exchange.status,
            tokens(exchange.input_tokens),
            tokens(exchange.cache_read_tokens),
            tokens(exchange.cache_write_tokens),
            tokens(exchange.output_tokens),
            tokens(exchange.reasoning_tokens),
            tokens(exchange.first_token_us),
            exchange.calls,
            exchange.repaired,
            exchange.refused,
            exchange.attempts,
            record.error.as_ref().map(|error| clean(&error.code)),
            tokens(Some(record.duration_us)).unwrap_or_default(),
            record.is_ok(),
            size,
            whole,
        )
    }
}

impl FoundExchange {
    /// Reads a row of `exchanges.sql`; nothing when a later version wrote what cannot be read.
    pub(super) fn read(mut row: Row) -> Option<FoundExchange> {
        let id = row.int();
        Some(FoundExchange { id, record: serde_json::from_str(&row.text()).ok()? })
    }
}
