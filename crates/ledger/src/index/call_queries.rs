//! Queries about calls. Every result is bounded.

use serde::Serialize;
use toolwright_base::unix_micros;

use super::Store;
use super::call_rows::{FoundCall, signed};
use super::database::SqlRow;
use super::error::StoreError;
use super::filter::{Filter, running};
use super::sql::RecordTable;
use crate::Record;

/// Maximum number of rows of one result.
pub const MOST_ROWS: usize = 2_000;

/// One page of a result.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The calls, newest first.
    pub calls: Vec<FoundCall>,
    /// The cursor for the next page; `None` on the last one.
    pub next: Option<i64>,
}

/// Grouping of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// No grouping: one sum of all.
    All,
    /// Name of the tool without its server.
    Tool,
    /// The client.
    Client,
    /// The server.
    Server,
    /// The rule that changed them, or the code of the step when no rule caused the change.
    Rule,
    /// The error code.
    Code,
    /// The gateway that recorded them.
    Node,
    /// The minute of the request; the key is its start in microseconds.
    Minute,
    /// The hour of the request; the key is its start in microseconds.
    Hour,
}

/// Sums over the calls with one key. Calls without an end are not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// The key.
    pub key: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of successful calls.
    pub ok: u64,
    /// Number of calls whose arguments were changed.
    pub changed: u64,
    /// Size of all arguments.
    pub bytes_in: u64,
    /// Size of all results.
    pub bytes_out: u64,
    /// Time of the last request in microseconds since 1970.
    pub last: i64,
    /// Mean duration in microseconds.
    pub mean_us: u64,
    /// Shortest duration in microseconds.
    pub min_us: u64,
    /// Longest duration in microseconds.
    pub max_us: u64,
    /// Median duration in microseconds.
    pub p50_us: u64,
    /// 95th percentile of the duration in microseconds.
    pub p95_us: u64,
    /// 99th percentile of the duration in microseconds.
    pub p99_us: u64,
}

/// Failures with the same message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameErrors {
    /// The tool.
    pub tool: String,
    /// One of its servers.
    pub server: Option<String>,
    /// The error code.
    pub code: String,
    /// The message.
    pub message: String,
    /// Affected parameters, as JSON Pointers.
    pub parameters: Vec<String>,
    /// Number of calls.
    pub calls: u64,
    /// Time of the first one in microseconds since 1970.
    pub first: i64,
    /// Time of the last one in microseconds since 1970.
    pub last: i64,
}

/// A column whose values are offered as a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Tools.
    Tools,
    /// Servers.
    Servers,
    /// Clients.
    Clients,
    /// Error codes.
    Codes,
    /// Gateways.
    Nodes,
    /// Models that clients requested.
    Models,
    /// Upstreams that received requests.
    Upstreams,
}

impl Store {
    /// Calls, newest first. `after` is the `next` of the previous page.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn calls(&self, filter: &Filter, after: Option<i64>, limit: usize) -> Result<Page, StoreError> {
        let limit = limit.clamp(1, MOST_ROWS);
        let mut statement = self.statement(|sql| sql.calls);
        let from = filter.write(&mut statement, unix_micros(), false, after);
        let is_running = running(&mut statement, unix_micros());
        // One more than the limit shows whether there is a next page.
        let most = statement.bind(signed(limit as u64 + 1));
        statement.fill("running", &is_running);
        statement.fill("order", &format!("{} DESC", from.id));
        statement.fill("limit", &most);
        let mut calls: Vec<FoundCall> =
            self.rows(statement).await?.into_iter().map(FoundCall::read).collect();
        let is_more = calls.len() > limit;
        calls.truncate(limit);
        Ok(Page { next: calls.last().filter(|_| is_more).map(|call| call.id), calls })
    }

    /// The slowest calls, the slowest first.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn slowest(&self, filter: &Filter, limit: usize) -> Result<Vec<FoundCall>, StoreError> {
        let mut statement = self.statement(|sql| sql.calls);
        filter.write(&mut statement, unix_micros(), false, None);
        let is_running = running(&mut statement, unix_micros());
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("running", &is_running);
        statement.fill("order", "calls.duration_us DESC");
        statement.fill("limit", &most);
        Ok(self.rows(statement).await?.into_iter().map(FoundCall::read).collect())
    }

    /// One call by its id; the newest when several gateways assigned the same id.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn call(&self, call: &str) -> Result<Option<FoundCall>, StoreError> {
        let mut statement = self.statement(|sql| sql.calls);
        let wanted = statement.bind(call);
        let is_running = running(&mut statement, unix_micros());
        let filter = format!("calls.call_id = {wanted}");
        for (name, words) in [
            ("from", "calls"),
            ("filter", &*filter),
            ("running", &*is_running),
            ("order", "calls.id DESC"),
            ("limit", "1"),
        ] {
            statement.fill(name, words);
        }
        Ok(self.rows(statement).await?.into_iter().next().map(FoundCall::read))
    }

    /// Finished calls of one node after a sequence number, in the order of sequence numbers.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn records_after(
        &self,
        node: &str,
        number: u64,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let mut query = self.statement(|sql| sql.calls);
        let (node, after) = (query.bind(node), query.bind(signed(number)));
        let most = query.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        let filter = format!("calls.node = {node} AND calls.seq > {after} AND calls.kind = 0");
        for (name, words) in [
            ("from", "calls"),
            ("filter", &*filter),
            ("running", "1 = 0"),
            ("order", "calls.seq"),
            ("limit", &*most),
        ] {
            query.fill(name, words);
        }
        Ok(self.rows(query).await?.into_iter().map(|row| FoundCall::read(row).record).collect())
    }

    /// Sums of calls: grouped by a name the most frequent first, by time the oldest first. At most `limit` and
    /// [`MOST_ROWS`]; of times the newest are returned.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn sums(&self, filter: &Filter, by: By, limit: usize) -> Result<Vec<Sum>, StoreError> {
        let (key, is_time) = match by {
            By::All => ("'all'", false),
            By::Tool => ("calls.tool", false),
            By::Client => ("calls.client", false),
            By::Server => ("calls.server", false),
            By::Rule => ("call_rules.rule", false),
            By::Code => ("calls.error_code", false),
            By::Node => ("calls.node", false),
            By::Minute => ("calls.ts / 60000000 * 60000000", true),
            By::Hour => ("calls.ts / 3600000000 * 3600000000", true),
        };
        let mut statement = self.statement(|sql| sql.sums);
        filter.write(&mut statement, unix_micros(), by == By::Rule, None);
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("key", key);
        statement.fill("order", if is_time { "key DESC" } else { "calls DESC, key" });
        statement.fill("limit", &most);
        let mut sums: Vec<Sum> = self.rows(statement).await?.into_iter().map(Sum::read).collect();
        if is_time {
            sums.reverse();
        }
        Ok(sums)
    }

    /// Failures grouped by message, the most frequent first.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn errors(&self, filter: &Filter, limit: usize) -> Result<Vec<SameErrors>, StoreError> {
        let mut statement = self.statement(|sql| sql.errors);
        filter.write(&mut statement, unix_micros(), false, None);
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("limit", &most);
        Ok(self.rows(statement).await?.into_iter().map(SameErrors::read).collect())
    }

    /// The distinct values of a column, sorted.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn values(&self, menu: Menu, limit: usize) -> Result<Vec<String>, StoreError> {
        let (table, column) = match menu {
            Menu::Tools => (RecordTable::Calls, "tool"),
            Menu::Servers => (RecordTable::Calls, "server"),
            Menu::Clients => (RecordTable::Calls, "client"),
            Menu::Codes => (RecordTable::Calls, "error_code"),
            Menu::Nodes => (RecordTable::Calls, "node"),
            Menu::Models => (RecordTable::Exchanges, "model"),
            Menu::Upstreams => (RecordTable::Exchanges, "upstream"),
        };
        let mut statement = self.statement(|sql| sql.values);
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("table", table.name());
        statement.fill("column", column);
        statement.fill("limit", &most);
        let mut values: Vec<String> =
            self.rows(statement).await?.into_iter().map(|mut row| row.text()).collect();
        // The databases have different collations.
        values.sort_unstable();
        Ok(values)
    }
}

impl Sum {
    fn read(mut row: SqlRow) -> Sum {
        Sum {
            key: row.text(),
            calls: row.count(),
            ok: row.count(),
            changed: row.count(),
            bytes_in: row.count(),
            bytes_out: row.count(),
            last: row.int(),
            mean_us: row.count(),
            min_us: row.count(),
            max_us: row.count(),
            p50_us: row.count(),
            p95_us: row.count(),
            p99_us: row.count(),
        }
    }
}

impl SameErrors {
    fn read(mut row: SqlRow) -> SameErrors {
        SameErrors {
            tool: row.text(),
            code: row.text(),
            message: row.text(),
            parameters: serde_json::from_str(&row.text()).unwrap_or_default(),
            calls: row.count(),
            first: row.int(),
            last: row.int(),
            server: row.maybe_text(),
        }
    }
}
