//! Filter for calls, and its translation to SQL.

use super::call_rows::{first_id_at, id_after};
use super::database::Statement;
use super::search_words;
use super::sql::SqlDialect;

/// Filter for calls: all given conditions must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Name of the tool without its server.
    pub tool: Option<String>,
    /// The server.
    pub server: Option<String>,
    /// The client.
    pub client: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The gateway that recorded it.
    pub node: Option<String>,
    /// The status.
    pub status: Option<Status>,
    /// The error code.
    pub code: Option<String>,
    /// The rule that changed it, or the code of the step when no rule caused the change.
    pub rule: Option<String>,
    /// Start of the time range in microseconds since 1970.
    pub from: Option<i64>,
    /// Exclusive end of the time range.
    pub to: Option<i64>,
    /// Words of the tool, the arguments or the error: all must match. `*` at the end of a word matches a prefix.
    pub text: Option<String>,
}

/// Status of calls in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Succeeded.
    Ok,
    /// Failed.
    Error,
    /// Had its arguments changed, with any result.
    Changed,
    /// Has no end, and its gateway has exited.
    Interrupted,
    /// Has no end, and its gateway is alive.
    Running,
}

impl std::str::FromStr for Status {
    type Err = String;

    fn from_str(word: &str) -> Result<Status, String> {
        Ok(match word {
            "ok" => Status::Ok,
            "error" => Status::Error,
            "changed" => Status::Changed,
            "interrupted" => Status::Interrupted,
            "running" => Status::Running,
            _ => {
                return Err(format!(
                    "`{word}` is no status of a call; there are `ok`, `error`, `changed`, `interrupted` and `running`"
                ));
            }
        })
    }
}

/// A gateway that was not seen for this long counts as gone. It updates its time far more often.
pub(super) const GONE_AFTER_US: i64 = 60_000_000;

/// The FROM clause of a query: the tables, and the column that is ordered by time.
pub(super) struct FromClause {
    pub tables: &'static str,
    pub id: &'static str,
}

impl Filter {
    /// Writes the filter into a statement, in place of `{from}` and `{filter}`.
    ///
    /// `joins_rules` requests one row per call and rule that changed it; `before` is the cursor of the previous page.
    pub(super) fn write(
        &self,
        statement: &mut Statement,
        now: i64,
        joins_rules: bool,
        before: Option<i64>,
    ) -> FromClause {
        let dialect = statement.dialect();
        let terms = self.text.as_deref().map(search_words::parse_query);
        let is_word_table =
            terms.as_ref().is_some_and(|words| !words.is_empty()) && dialect == SqlDialect::Sqlite;
        let mut conditions = Vec::new();
        // The most selective table comes first; CROSS JOIN keeps SQLite from reordering.
        let (from, is_rule_joined) = match (is_word_table, joins_rules, &self.rule) {
            (true, true, _) => (
                FromClause {
                    tables: "calls_text CROSS JOIN calls ON calls.id = calls_text.rowid \
                             JOIN call_rules ON call_rules.id = calls.id",
                    id: "calls_text.rowid",
                },
                true,
            ),
            (true, false, _) => (
                FromClause {
                    tables: "calls_text CROSS JOIN calls ON calls.id = calls_text.rowid",
                    id: "calls_text.rowid",
                },
                false,
            ),
            (false, true, _) | (false, false, Some(_)) => {
                conditions.push("calls.id = call_rules.id".to_owned());
                (FromClause { tables: "call_rules CROSS JOIN calls", id: "call_rules.id" }, true)
            }
            (false, false, None) => (FromClause { tables: "calls", id: "calls.id" }, false),
        };
        if let Some(rule) = &self.rule {
            let rule = statement.bind(rule.as_str());
            conditions.push(match is_rule_joined {
                true => format!("call_rules.rule = {rule}"),
                false => format!(
                    "EXISTS (SELECT 1 FROM call_rules AS r WHERE r.rule = {rule} AND r.id = calls.id)"
                ),
            });
        }
        let columns = [
            ("calls.tool", &self.tool),
            ("calls.server", &self.server),
            ("calls.client", &self.client),
            ("calls.session", &self.session),
            ("calls.node", &self.node),
            ("calls.error_code", &self.code),
        ];
        for (column, wanted) in columns {
            if let Some(wanted) = wanted {
                let wanted = statement.bind(wanted.as_str());
                conditions.push(format!("{column} = {wanted}"));
            }
        }
        if let Some(words) = &terms {
            conditions.push(self.word_condition(statement, words));
        }
        if let Some(status) = self.status {
            conditions.push(status.condition(statement, now));
        }
        // The id narrows the range that is read, the time is exact.
        for (time, operator, edge) in
            [(self.from, ">=", first_id_at as fn(i64) -> i64), (self.to, "<", id_after as fn(i64) -> i64)]
        {
            let Some(time) = time else { continue };
            let edge = statement.bind(edge(time));
            let time = statement.bind(time);
            conditions.push(format!("{} {operator} {edge} AND calls.ts {operator} {time}", from.id));
        }
        if let Some(before) = before {
            let before = statement.bind(before);
            conditions.push(format!("{} < {before}", from.id));
        }
        let filter = match conditions.is_empty() {
            true => "1 = 1".to_owned(),
            false => conditions.join(" AND "),
        };
        statement.fill("from", from.tables);
        statement.fill("filter", &filter);
        from
    }

    fn word_condition(&self, statement: &mut Statement, words: &[search_words::SearchTerm]) -> String {
        if words.is_empty() {
            // Punctuation alone matches no call.
            return "1 = 0".to_owned();
        }
        let tool = self.tool.as_deref().map(search_words::word_of_tool);
        let whole = tool.iter().map(|tool| (tool.as_str(), false));
        let all = whole.chain(words.iter().map(|word| (word.word.as_str(), word.is_prefix)));
        match statement.dialect() {
            SqlDialect::Sqlite => {
                let query =
                    all.map(|(word, is_prefix)| format!("\"{word}\"{}", if is_prefix { "*" } else { "" }));
                let query = statement.bind(query.collect::<Vec<_>>().join(" AND "));
                format!("calls_text MATCH {query}")
            }
            SqlDialect::Postgres => {
                let query =
                    all.map(|(word, is_prefix)| format!("'{word}'{}", if is_prefix { ":*" } else { "" }));
                let query = statement.bind(query.collect::<Vec<_>>().join(" & "));
                format!("calls.words @@ {query}::text::tsquery")
            }
        }
    }
}

impl Status {
    fn condition(self, statement: &mut Statement, now: i64) -> String {
        match self {
            Status::Ok => statement.dialect().is_true("calls.ok"),
            Status::Error => "calls.kind = 0 AND calls.error_code IS NOT NULL".to_owned(),
            Status::Changed => statement.dialect().is_true("calls.changed"),
            Status::Running => format!("calls.kind = 1 AND {}", running(statement, now)),
            Status::Interrupted => format!("calls.kind = 1 AND NOT {}", running(statement, now)),
        }
    }
}

/// Condition that the gateway that started a call still runs it.
pub(super) fn running(statement: &mut Statement, now: i64) -> String {
    let alive_since = statement.bind(now.saturating_sub(GONE_AFTER_US));
    format!(
        "EXISTS (SELECT 1 FROM nodes AS n WHERE n.node = calls.node AND calls.seq > n.run_seq \
         AND n.last_seen > {alive_since})"
    )
}
