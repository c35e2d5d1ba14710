//! Queries about exchanges with models. Every result is bounded.

use serde::Serialize;

use super::Store;
use super::call_queries::MOST_ROWS;
use super::call_rows::{first_id_at, id_after, signed};
use super::database::{SqlRow, Statement};
use super::error::StoreError;
use super::exchange_rows::FoundExchange;
use super::filter::Status;

/// Filter for exchanges: all given conditions must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeFilter {
    /// Model that the client requested.
    pub model: Option<String>,
    /// Model that was requested from the upstream.
    pub upstream_model: Option<String>,
    /// The upstream.
    pub upstream: Option<String>,
    /// The client.
    pub client: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The gateway that recorded it.
    pub node: Option<String>,
    /// The status; `Changed` matches exchanges with repaired calls. `Running` and `Interrupted` match nothing.
    pub status: Option<Status>,
    /// The error code.
    pub code: Option<String>,
    /// Start of the time range in microseconds since 1970.
    pub from: Option<i64>,
    /// Exclusive end of the time range.
    pub to: Option<i64>,
    /// Limits sums to this number of the newest exchanges: sums over all take long.
    pub newest: Option<u64>,
}

/// One page of a result.
#[derive(Clone, Debug, Serialize)]
pub struct ExchangePage {
    /// The exchanges, newest first.
    pub exchanges: Vec<FoundExchange>,
    /// The cursor for the next page; `None` on the last one.
    pub next: Option<i64>,
}

/// Grouping of exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangesBy {
    /// No grouping: one sum of all.
    All,
    /// Model that the client requested.
    Model,
    /// Model that was requested from the upstream.
    UpstreamModel,
    /// The upstream.
    Upstream,
    /// The client.
    Client,
    /// The error code.
    Code,
    /// The gateway that recorded them.
    Node,
    /// The minute of the request; the key is its start in microseconds.
    Minute,
    /// The hour of the request; the key is its start in microseconds.
    Hour,
}

/// Sums over the exchanges with one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExchangeSum {
    /// The key.
    pub key: String,
    /// Number of exchanges.
    pub requests: u64,
    /// Number of successful ones.
    pub ok: u64,
    /// Input tokens that were not read from a cache.
    pub input_tokens: u64,
    /// Tokens that were read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens that were written to a cache.
    pub cache_write_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Reasoning tokens among them.
    pub reasoning_tokens: u64,
    /// Number of tool calls.
    pub calls: u64,
    /// Repaired tool calls.
    pub repaired: u64,
    /// Tool calls that could not be repaired.
    pub refused: u64,
    /// Number of requests to upstreams.
    pub attempts: u64,
    /// Time of the last request in microseconds since 1970.
    pub last: i64,
    /// Mean duration in microseconds.
    pub mean_us: u64,
    /// Longest duration in microseconds.
    pub max_us: u64,
    /// Median duration in microseconds.
    pub p50_us: u64,
    /// 95th percentile of the duration in microseconds.
    pub p95_us: u64,
    /// Median time to the first token in microseconds; `None` without any first token.
    pub first_token_p50_us: Option<u64>,
    /// 95th percentile of the time to the first token in microseconds.
    pub first_token_p95_us: Option<u64>,
}

impl Store {
    /// Exchanges, newest first. `after` is the `next` of the previous page.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn exchanges(
        &self,
        filter: &ExchangeFilter,
        after: Option<i64>,
        limit: usize,
    ) -> Result<ExchangePage, StoreError> {
        let limit = limit.clamp(1, MOST_ROWS);
        let mut statement = self.statement(|sql| sql.exchanges);
        filter.write(&mut statement, after);
        // One more than the limit shows whether there is a next page.
        let most = statement.bind(signed(limit as u64 + 1));
        statement.fill("limit", &most);
        let rows = self.rows(statement).await?;
        let is_more = rows.len() > limit;
        let exchanges: Vec<FoundExchange> =
            rows.into_iter().take(limit).filter_map(FoundExchange::read).collect();
        Ok(ExchangePage { next: exchanges.last().filter(|_| is_more).map(|found| found.id), exchanges })
    }

    /// One exchange by its id; the newest when several gateways assigned the same id.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn exchange(&self, call: &str) -> Result<Option<FoundExchange>, StoreError> {
        let mut statement = self.statement(|sql| sql.exchanges);
        let wanted = statement.bind(call);
        statement.fill("filter", &format!("exchanges.call_id = {wanted}"));
        statement.fill("limit", "1");
        Ok(self.rows(statement).await?.into_iter().next().and_then(FoundExchange::read))
    }

    /// Sums of exchanges: grouped by a name the most frequent first, by time the oldest first. At most `limit` and
    /// [`MOST_ROWS`]; of times the newest are returned.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn exchange_sums(
        &self,
        filter: &ExchangeFilter,
        by: ExchangesBy,
        limit: usize,
    ) -> Result<Vec<ExchangeSum>, StoreError> {
        let (key, is_time) = match by {
            ExchangesBy::All => ("'all'", false),
            ExchangesBy::Model => ("exchanges.model", false),
            ExchangesBy::UpstreamModel => ("exchanges.upstream_model", false),
            ExchangesBy::Upstream => ("exchanges.upstream", false),
            ExchangesBy::Client => ("exchanges.client", false),
            ExchangesBy::Code => ("exchanges.error_code", false),
            ExchangesBy::Node => ("exchanges.node", false),
            ExchangesBy::Minute => ("exchanges.ts / 60000000 * 60000000", true),
            ExchangesBy::Hour => ("exchanges.ts / 3600000000 * 3600000000", true),
        };
        let mut statement = self.statement(|sql| sql.exchange_sums);
        filter.write(&mut statement, None);
        let newest = match filter.newest {
            Some(count) => format!("ORDER BY exchanges.id DESC LIMIT {}", statement.bind(signed(count))),
            None => String::new(),
        };
        statement.fill("newest", &newest);
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("key", key);
        statement.fill("order", if is_time { "key DESC" } else { "requests DESC, key" });
        statement.fill("limit", &most);
        let mut sums: Vec<ExchangeSum> =
            self.rows(statement).await?.into_iter().map(ExchangeSum::read).collect();
        if is_time {
            sums.reverse();
        }
        Ok(sums)
    }
}

impl ExchangeFilter {
    /// Writes the filter into a statement, in place of `{filter}`. `before` is the cursor of the previous page.
    fn write(&self, statement: &mut Statement, before: Option<i64>) {
        let mut conditions = Vec::new();
        let columns = [
            ("exchanges.model", &self.model),
            ("exchanges.upstream_model", &self.upstream_model),
            ("exchanges.upstream", &self.upstream),
            ("exchanges.client", &self.client),
            ("exchanges.session", &self.session),
            ("exchanges.node", &self.node),
            ("exchanges.error_code", &self.code),
        ];
        for (column, wanted) in columns {
            if let Some(wanted) = wanted {
                let wanted = statement.bind(wanted.as_str());
                conditions.push(format!("{column} = {wanted}"));
            }
        }
        if let Some(status) = self.status {
            conditions.push(match status {
                Status::Ok => statement.dialect().is_true("exchanges.ok"),
                Status::Error => "exchanges.error_code IS NOT NULL".to_owned(),
                Status::Changed => "exchanges.repaired > 0".to_owned(),
                Status::Running | Status::Interrupted => "1 = 0".to_owned(),
            });
        }
        // The id narrows the range that is read, the time is exact.
        for (time, operator, edge) in
            [(self.from, ">=", first_id_at as fn(i64) -> i64), (self.to, "<", id_after as fn(i64) -> i64)]
        {
            let Some(time) = time else { continue };
            let edge = statement.bind(edge(time));
            let time = statement.bind(time);
            conditions.push(format!("exchanges.id {operator} {edge} AND exchanges.ts {operator} {time}"));
        }
        if let Some(before) = before {
            let before = statement.bind(before);
            conditions.push(format!("exchanges.id < {before}"));
        }
        let filter = match conditions.is_empty() {
            true => "1 = 1".to_owned(),
            false => conditions.join(" AND "),
        };
        statement.fill("filter", &filter);
    }
}

impl ExchangeSum {
    fn read(mut row: SqlRow) -> ExchangeSum {
        ExchangeSum {
            key: row.text(),
            requests: row.count(),
            ok: row.count(),
            input_tokens: row.count(),
            cache_read_tokens: row.count(),
            cache_write_tokens: row.count(),
            output_tokens: row.count(),
            reasoning_tokens: row.count(),
            calls: row.count(),
            repaired: row.count(),
            refused: row.count(),
            attempts: row.count(),
            last: row.int(),
            mean_us: row.count(),
            max_us: row.count(),
            p50_us: row.count(),
            p95_us: row.count(),
            first_token_p50_us: row.maybe_int().and_then(|us| u64::try_from(us).ok()),
            first_token_p95_us: row.maybe_int().and_then(|us| u64::try_from(us).ok()),
        }
    }
}
