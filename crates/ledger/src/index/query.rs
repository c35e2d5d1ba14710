//! Questions about calls. Every answer has a bound.

use serde::Serialize;
use toolwright_base::unix_micros;

use super::Store;
use super::database::Row;
use super::error::StoreError;
use super::filter::{Filter, running};
use super::rows::{FoundCall, signed};
use super::sql::Table;
use crate::Record;

/// The most rows of one answer, whatever is asked for.
pub const MOST_ROWS: usize = 2_000;

/// One page of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The calls, newest first.
    pub calls: Vec<FoundCall>,
    /// What to ask with for the next page; nothing when this was the last.
    pub next: Option<i64>,
}

/// What calls are summed up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Nothing: one sum of all.
    All,
    /// The tool's own name.
    Tool,
    /// Who called.
    Client,
    /// The server.
    Server,
    /// The rule that changed them, or the code of the step where no rule asked for the change.
    Rule,
    /// The code of the error.
    Code,
    /// The gateway that wrote them down.
    Node,
    /// The minute they came in; the key is its begin in microseconds.
    Minute,
    /// The hour they came in; the key is its begin in microseconds.
    Hour,
}

/// What calls with one key come to. Calls without an end are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// What they have in common.
    pub key: String,
    /// How many there were.
    pub calls: u64,
    /// How many did what they were asked.
    pub ok: u64,
    /// How many had their arguments changed.
    pub changed: u64,
    /// The size of all arguments.
    pub bytes_in: u64,
    /// The size of all results.
    pub bytes_out: u64,
    /// When the last came in, in microseconds since 1970.
    pub last: i64,
    /// How long they took in the mean, in microseconds.
    pub mean_us: u64,
    /// How long the shortest took, in microseconds.
    pub min_us: u64,
    /// How long the longest took, in microseconds.
    pub max_us: u64,
    /// Half of the calls took no longer, in microseconds.
    pub p50_us: u64,
    /// 95 of 100 calls took no longer, in microseconds.
    pub p95_us: u64,
    /// 99 of 100 calls took no longer, in microseconds.
    pub p99_us: u64,
}

/// Failures that are the same in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameErrors {
    /// The tool.
    pub tool: String,
    /// A server that it happened at.
    pub server: Option<String>,
    /// The code.
    pub code: String,
    /// The words.
    pub message: String,
    /// The parameters that it is about, as JSON Pointers.
    pub parameters: Vec<String>,
    /// How often.
    pub calls: u64,
    /// When first, in microseconds since 1970.
    pub first: i64,
    /// When last, in microseconds since 1970.
    pub last: i64,
}

/// A column whose values make a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Tools.
    Tools,
    /// Servers.
    Servers,
    /// Clients.
    Clients,
    /// Codes of errors.
    Codes,
    /// Gateways.
    Nodes,
    /// Models that were asked for.
    Models,
    /// Upstreams that were asked.
    Upstreams,
}

impl Store {
    /// Calls, newest first. `after` is the `next` of the page before.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn calls(&self, filter: &Filter, after: Option<i64>, limit: usize) -> Result<Page, StoreError> {
        let limit = limit.clamp(1, MOST_ROWS);
        let mut statement = self.statement(|sql| sql.calls);
        let from = filter.write(&mut statement, unix_micros(), false, after);
        let is_running = running(&mut statement, unix_micros());
        // One more than asked for tells whether there is a next page.
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

    /// The calls that took longest, the slowest first.
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

    /// One call by its name; the newest where gateways gave one name twice.
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

    /// Calls of one node that are over, from behind a number on, in the order of their numbers.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn records_after(
        &self,
        node: &str,
        number: u64,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError> {
        let mut ask = self.statement(|sql| sql.calls);
        let (node, after) = (ask.bind(node), ask.bind(signed(number)));
        let most = ask.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        let filter = format!("calls.node = {node} AND calls.seq > {after} AND calls.kind = 0");
        for (name, words) in [
            ("from", "calls"),
            ("filter", &*filter),
            ("running", "1 = 0"),
            ("order", "calls.seq"),
            ("limit", &*most),
        ] {
            ask.fill(name, words);
        }
        Ok(self.rows(ask).await?.into_iter().map(|row| FoundCall::read(row).record).collect())
    }

    /// Sums of calls: by a name the most frequent first, by time the oldest first. At most `limit` and
    /// [`MOST_ROWS`]; of times the newest are given then.
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

    /// Failures that are the same in words, the most frequent first.
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

    /// The values that calls have in a column, in order.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn values(&self, menu: Menu, limit: usize) -> Result<Vec<String>, StoreError> {
        let (table, column) = match menu {
            Menu::Tools => (Table::Calls, "tool"),
            Menu::Servers => (Table::Calls, "server"),
            Menu::Clients => (Table::Calls, "client"),
            Menu::Codes => (Table::Calls, "error_code"),
            Menu::Nodes => (Table::Calls, "node"),
            Menu::Models => (Table::Exchanges, "model"),
            Menu::Upstreams => (Table::Exchanges, "upstream"),
        };
        let mut statement = self.statement(|sql| sql.values);
        let most = statement.bind(signed(limit.clamp(1, MOST_ROWS) as u64));
        statement.fill("table", table.name());
        statement.fill("column", column);
        statement.fill("limit", &most);
        let mut values: Vec<String> =
            self.rows(statement).await?.into_iter().map(|mut row| row.text()).collect();
        // Databases disagree about the order of letters.
        values.sort_unstable();
        Ok(values)
    }
}

impl Sum {
    fn read(mut row: Row) -> Sum {
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
    fn read(mut row: Row) -> SameErrors {
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
