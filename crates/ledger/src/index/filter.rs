//! Which calls are meant, and how that is said in SQL.

use super::database::Statement;
use super::rows::{first_id_at, id_behind};
use super::sql::Dialect;
use super::words;

/// Which calls are meant: all that fit everything that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The tool's own name.
    pub tool: Option<String>,
    /// The server.
    pub server: Option<String>,
    /// Who called.
    pub client: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The gateway that wrote it down.
    pub node: Option<String>,
    /// What became of it.
    pub status: Option<Status>,
    /// The code of the error.
    pub code: Option<String>,
    /// The rule that changed it, or the code of the step where no rule asked for the change.
    pub rule: Option<String>,
    /// From this time on, in microseconds since 1970.
    pub from: Option<i64>,
    /// Before this time.
    pub to: Option<i64>,
    /// Words of the tool, the arguments or the error: all must be there. `*` at a word's end finds what begins so.
    pub text: Option<String>,
}

/// What became of calls that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Did what it was asked.
    Ok,
    /// Failed.
    Error,
    /// Had its arguments changed, however it ended.
    Changed,
    /// Has no end, and its gateway is gone.
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

/// A gateway that was not seen for so long counts as gone. It says that it is alive far more often.
pub(super) const GONE_AFTER_US: i64 = 60_000_000;

/// Where a question reads from: the tables, and the column that has the order of time.
pub(super) struct From {
    pub tables: &'static str,
    pub id: &'static str,
}

impl Filter {
    /// Writes the filter into a statement, in the places of `{from}` and `{filter}`.
    ///
    /// `joins_rules` asks for one row per call and rule that changed it; `before` for what comes behind a cursor.
    pub(super) fn write(
        &self,
        statement: &mut Statement,
        now: i64,
        joins_rules: bool,
        before: Option<i64>,
    ) -> From {
        let dialect = statement.dialect();
        let searched = self.text.as_deref().map(words::searched);
        let is_word_table =
            searched.as_ref().is_some_and(|words| !words.is_empty()) && dialect == Dialect::Sqlite;
        let mut conditions = Vec::new();
        // The first table is the one that finds fewest; CROSS JOIN keeps SQLite from another order.
        let (from, is_rule_joined) = match (is_word_table, joins_rules, &self.rule) {
            (true, true, _) => (
                From {
                    tables: "calls_text CROSS JOIN calls ON calls.id = calls_text.rowid \
                             JOIN call_rules ON call_rules.id = calls.id",
                    id: "calls_text.rowid",
                },
                true,
            ),
            (true, false, _) => (
                From {
                    tables: "calls_text CROSS JOIN calls ON calls.id = calls_text.rowid",
                    id: "calls_text.rowid",
                },
                false,
            ),
            (false, true, _) | (false, false, Some(_)) => {
                conditions.push("calls.id = call_rules.id".to_owned());
                (From { tables: "call_rules CROSS JOIN calls", id: "call_rules.id" }, true)
            }
            (false, false, None) => (From { tables: "calls", id: "calls.id" }, false),
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
        if let Some(words) = &searched {
            conditions.push(self.word_condition(statement, words));
        }
        if let Some(status) = self.status {
            conditions.push(status.condition(statement, now));
        }
        // The id narrows what is read, the time says it exactly.
        for (time, operator, edge) in
            [(self.from, ">=", first_id_at as fn(i64) -> i64), (self.to, "<", id_behind as fn(i64) -> i64)]
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

    fn word_condition(&self, statement: &mut Statement, words: &[words::Searched]) -> String {
        if words.is_empty() {
            // Signs alone are in no call.
            return "1 = 0".to_owned();
        }
        let tool = self.tool.as_deref().map(words::of_tool);
        let whole = tool.iter().map(|tool| (tool.as_str(), false));
        let all = whole.chain(words.iter().map(|word| (word.word.as_str(), word.is_begin)));
        match statement.dialect() {
            Dialect::Sqlite => {
                let query =
                    all.map(|(word, is_begin)| format!("\"{word}\"{}", if is_begin { "*" } else { "" }));
                let query = statement.bind(query.collect::<Vec<_>>().join(" AND "));
                format!("calls_text MATCH {query}")
            }
            Dialect::Postgres => {
                let query =
                    all.map(|(word, is_begin)| format!("'{word}'{}", if is_begin { ":*" } else { "" }));
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

/// Whether the gateway that began a call still runs it.
pub(super) fn running(statement: &mut Statement, now: i64) -> String {
    let alive_since = statement.bind(now.saturating_sub(GONE_AFTER_US));
    format!(
        "EXISTS (SELECT 1 FROM nodes AS n WHERE n.node = calls.node AND calls.seq > n.run_seq \
         AND n.last_seen > {alive_since})"
    )
}
