//! Questions about exchanges with models. Every answer has a bound.

use serde::Serialize;

use super::Store;
use super::database::{Row, Statement};
use super::error::StoreError;
use super::exchange_rows::FoundExchange;
use super::filter::Status;
use super::query::MOST_ROWS;
use super::rows::{first_id_at, id_behind, signed};

/// Which exchanges are meant: all that fit everything that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeFilter {
    /// The model that was asked for.
    pub model: Option<String>,
    /// The model that was asked of the upstream.
    pub upstream_model: Option<String>,
    /// The upstream.
    pub upstream: Option<String>,
    /// Who asked.
    pub client: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The gateway that wrote it down.
    pub node: Option<String>,
    /// What became of it; those that changed are those with calls that were mended. There are no others than these
    /// and those that went well or failed.
    pub status: Option<Status>,
    /// The code of the error.
    pub code: Option<String>,
    /// From this time on, in microseconds since 1970.
    pub from: Option<i64>,
    /// Before this time.
    pub to: Option<i64>,
    /// Sums are made of so many of the newest only: of all the others they take long.
    pub newest: Option<u64>,
}

/// One page of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct ExchangePage {
    /// The exchanges, newest first.
    pub exchanges: Vec<FoundExchange>,
    /// What to ask with for the next page; nothing when this was the last.
    pub next: Option<i64>,
}

/// What exchanges are summed up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangesBy {
    /// Nothing: one sum of all.
    All,
    /// The model that was asked for.
    Model,
    /// The model that was asked of the upstream.
    UpstreamModel,
    /// The upstream.
    Upstream,
    /// Who asked.
    Client,
    /// The code of the error.
    Code,
    /// The gateway that wrote them down.
    Node,
    /// The minute they came in; the key is its begin in microseconds.
    Minute,
    /// The hour they came in; the key is its begin in microseconds.
    Hour,
}

/// What exchanges with one key come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExchangeSum {
    /// What they have in common.
    pub key: String,
    /// How many there were.
    pub requests: u64,
    /// How many went well.
    pub ok: u64,
    /// What was read anew, in tokens.
    pub input_tokens: u64,
    /// What was read from caches, in tokens.
    pub cache_read_tokens: u64,
    /// What was written to caches, in tokens.
    pub cache_write_tokens: u64,
    /// What was written, in tokens.
    pub output_tokens: u64,
    /// How many of these were thoughts.
    pub reasoning_tokens: u64,
    /// How many calls of tools there were.
    pub calls: u64,
    /// How many of them were mended.
    pub repaired: u64,
    /// How many of them could not be mended.
    pub refused: u64,
    /// How often an upstream was asked.
    pub attempts: u64,
    /// When the last came in, in microseconds since 1970.
    pub last: i64,
    /// How long they took in the mean, in microseconds.
    pub mean_us: u64,
    /// How long the longest took, in microseconds.
    pub max_us: u64,
    /// Half of them took no longer, in microseconds.
    pub p50_us: u64,
    /// 95 of 100 took no longer, in microseconds.
    pub p95_us: u64,
    /// Half of those with a first token had it no later, in microseconds; nothing when none had one.
    pub first_token_p50_us: Option<u64>,
    /// 95 of 100 of those with a first token had it no later, in microseconds.
    pub first_token_p95_us: Option<u64>,
}

impl Store {
    /// Exchanges, newest first. `after` is the `next` of the page before.
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
        // One more than asked for tells whether there is a next page.
        let most = statement.bind(signed(limit as u64 + 1));
        statement.fill("limit", &most);
        let rows = self.rows(statement).await?;
        let is_more = rows.len() > limit;
        let exchanges: Vec<FoundExchange> =
            rows.into_iter().take(limit).filter_map(FoundExchange::read).collect();
        Ok(ExchangePage { next: exchanges.last().filter(|_| is_more).map(|found| found.id), exchanges })
    }

    /// One exchange by its name; the newest where gateways gave one name twice.
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

    /// Sums of exchanges: by a name the most frequent first, by time the oldest first. At most `limit` and
    /// [`MOST_ROWS`]; of times the newest are given then.
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
    /// Writes the filter into a statement, in the place of `{filter}`. `before` asks for what comes behind a cursor.
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
        // The id narrows what is read, the time says it exactly.
        for (time, operator, edge) in
            [(self.from, ">=", first_id_at as fn(i64) -> i64), (self.to, "<", id_behind as fn(i64) -> i64)]
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
    fn read(mut row: Row) -> ExchangeSum {
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
