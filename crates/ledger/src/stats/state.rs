//! StatsState of the stats, behind their lock.

use std::collections::VecDeque;

use super::capped_table::CappedTable;
use super::latency_window::{LatencyWindow, Percentiles};
use super::{
    Applied, ClientRow, Normalization, Numbers, OTHERS, Progress, RuleRow, SCHEMA, Series, ServerRow,
    SlowestCalls, Snapshot, StatsLimits, ToolRow, UNKNOWN,
};
use crate::{Change, Kind, Record};

#[derive(Debug)]
pub(super) struct StatsState {
    limits: StatsLimits,
    total: Numbers,
    tools: CappedTable<ToolKey, ToolStats>,
    rules: CappedTable<String, RuleStats>,
    clients: CappedTable<String, Numbers>,
    servers: CappedTable<ServerKey, Numbers>,
    recent: VecDeque<Normalization>,
    slowest: SlowestCalls,
    over_time: Series,
    last_hour: LatencyWindow,
    progress: Option<Progress>,
    /// Buffer for lookup keys, so that a lookup allocates nothing.
    name: String,
}

#[derive(Debug)]
struct ToolKey {
    toolbox: Option<String>,
    server: Option<String>,
    tool: String,
}

#[derive(Debug)]
struct ServerKey {
    toolbox: Option<String>,
    server: String,
}

#[derive(Debug, Default)]
struct ToolStats {
    numbers: Numbers,
    over_time: Option<Series>,
}

#[derive(Debug, Default)]
struct RuleStats {
    rule_type: String,
    hits: u64,
    tools: Vec<String>,
    last: Option<i64>,
}

impl Default for StatsState {
    fn default() -> Self {
        StatsState::new(StatsLimits::default())
    }
}

impl StatsState {
    pub fn new(limits: StatsLimits) -> Self {
        StatsState {
            limits,
            total: Numbers::default(),
            tools: CappedTable::new(limits.tools),
            rules: CappedTable::new(limits.rules),
            clients: CappedTable::new(limits.clients),
            servers: CappedTable::new(limits.servers),
            recent: VecDeque::new(),
            slowest: SlowestCalls::new(limits.slowest),
            over_time: Series::default(),
            last_hour: LatencyWindow::default(),
            progress: None,
            name: String::new(),
        }
    }

    /// `changed` is the result of [`recent_change`] for the record.
    pub fn observe(&mut self, record: &Record, changed: Option<Normalization>) {
        self.note(record);
        if record.kind != Kind::Call {
            return;
        }
        let limit = self.limits.text;
        self.total.count(record);
        self.over_time.count(record);
        self.last_hour.count(record.ts, record.duration_us);
        self.slowest.see(record, limit);
        let (toolbox, server) = (truncate_name(&record.toolbox, limit), truncate_name(&record.server, limit));
        let tool = name_of(record, limit);
        let row = self.tool(toolbox, server, tool);
        row.numbers.count(record);
        if let Some(over_time) = &mut row.over_time {
            over_time.count(record);
        }
        if let Some(server) = server {
            self.server(toolbox, server).count(record);
        }
        if let Some(client) = &record.client {
            let client = truncate(client, limit);
            self.clients.row(client, || client.to_owned()).1.count(record);
        }
        if let Some(changed) = changed {
            self.count_changes(record, tool);
            self.recent.push_back(changed);
            self.drop_oldest();
        }
    }

    pub fn catch_up(&mut self, record: &Record) -> bool {
        let is_known = self
            .progress
            .as_ref()
            .is_some_and(|progress| progress.node != record.node || progress.has(record.seq));
        if is_known {
            return false;
        }
        let changed = recent_change(record, self.limits);
        self.observe(record, changed);
        record.kind == Kind::Call
    }

    pub fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    pub fn forget_progress(&mut self) {
        self.progress = None;
    }

    pub fn series(&self) -> &Series {
        &self.over_time
    }

    pub fn last_hour(&self, now: i64) -> Vec<Percentiles> {
        self.last_hour.percentiles(now)
    }

    pub fn tool_series(
        &mut self,
        toolbox: Option<&str>,
        server: Option<&str>,
        tool: &str,
    ) -> Option<&Series> {
        name_tool(&mut self.name, toolbox, server, tool);
        self.tools.get(&self.name)?.over_time.as_ref()
    }

    /// Adds everything in a snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.total.merge(&snapshot.total);
        self.over_time.merge(&snapshot.over_time);
        for saved in &snapshot.tools {
            let row = self.tool(saved.toolbox.as_deref(), saved.server.as_deref(), &saved.tool);
            row.numbers.merge(&saved.numbers);
            if let (Some(mine), Some(theirs)) = (&mut row.over_time, &saved.over_time) {
                mine.merge(theirs);
            }
        }
        for saved in &snapshot.servers {
            self.server(saved.toolbox.as_deref(), &saved.server).merge(&saved.numbers);
        }
        for saved in &snapshot.clients {
            self.clients.row(&saved.client, || saved.client.clone()).1.merge(&saved.numbers);
        }
        for saved in &snapshot.rules {
            let row = self.rules.row(&saved.rule_id, || saved.rule_id.clone()).1;
            row.hits = row.hits.saturating_add(saved.hits);
            row.last = row.last.max(saved.last);
            if row.rule_type.is_empty() {
                row.rule_type.clone_from(&saved.rule_type);
            }
            for tool in &saved.tools {
                row.used_by(tool, self.limits.tools_of_a_rule);
            }
        }
        self.slowest.add(&snapshot.slowest);
        self.recent.extend(snapshot.recent.iter().cloned());
        // Equal times keep their order.
        self.recent.make_contiguous().sort_by_key(|call| call.ts);
        self.drop_oldest();
        if self.progress.is_none() {
            self.progress.clone_from(&snapshot.progress);
        }
    }

    pub fn snapshot(&self, with_time: bool) -> Snapshot {
        let tools = self.tools.rows().map(|(key, row)| ToolRow {
            toolbox: key.and_then(|key| key.toolbox.clone()),
            server: key.and_then(|key| key.server.clone()),
            tool: key.map_or_else(|| OTHERS.to_owned(), |key| key.tool.clone()),
            numbers: row.numbers.clone(),
            over_time: if with_time { row.over_time.clone() } else { None },
        });
        let rules = self.rules.rows().map(|(id, row)| RuleRow {
            rule_id: id.map_or(OTHERS, String::as_str).to_owned(),
            rule_type: row.rule_type.clone(),
            hits: row.hits,
            tools: row.tools.clone(),
            last: row.last,
        });
        let clients = self.clients.rows().map(|(name, numbers)| ClientRow {
            client: name.map_or(OTHERS, String::as_str).to_owned(),
            numbers: numbers.clone(),
        });
        let servers = self.servers.rows().map(|(key, numbers)| ServerRow {
            toolbox: key.and_then(|key| key.toolbox.clone()),
            server: key.map_or_else(|| OTHERS.to_owned(), |key| key.server.clone()),
            numbers: numbers.clone(),
        });
        Snapshot {
            total: self.total.clone(),
            tools: tools.collect(),
            rules: rules.collect(),
            clients: clients.collect(),
            servers: servers.collect(),
            recent: self.recent.iter().cloned().collect(),
            slowest: self.slowest.list(),
            over_time: if with_time { self.over_time.clone() } else { Series::default() },
            progress: self.progress.clone(),
        }
    }

    fn tool(&mut self, toolbox: Option<&str>, server: Option<&str>, tool: &str) -> &mut ToolStats {
        name_tool(&mut self.name, toolbox, server, tool);
        let key = || ToolKey {
            toolbox: toolbox.map(str::to_owned),
            server: server.map(str::to_owned),
            tool: tool.to_owned(),
        };
        let (number, row) = self.tools.row(&self.name, key);
        // The row of all others has a series too; no other row beyond the limit does.
        if row.over_time.is_none() && number.is_none_or(|number| number < self.limits.tools_over_time) {
            row.over_time = Some(Series::default());
        }
        row
    }

    fn server(&mut self, toolbox: Option<&str>, server: &str) -> &mut Numbers {
        name_server(&mut self.name, toolbox, server);
        let key = || ServerKey { toolbox: toolbox.map(str::to_owned), server: server.to_owned() };
        self.servers.row(&self.name, key).1
    }

    /// A rule counts once per call, however many values it changed.
    fn count_changes(&mut self, record: &Record, tool: &str) {
        for (number, change) in record.changes.iter().enumerate() {
            let id = rule_id(change);
            if record.changes.iter().take(number).any(|before| rule_id(before) == id) {
                continue;
            }
            let row = self.rules.row(id, || id.to_owned()).1;
            row.hits = row.hits.saturating_add(1);
            row.last = row.last.max(Some(record.ts));
            if row.rule_type.is_empty() {
                row.rule_type = rule_type(change).to_owned();
            }
            row.used_by(tool, self.limits.tools_of_a_rule);
        }
    }

    fn drop_oldest(&mut self) {
        let too_many = self.recent.len().saturating_sub(self.limits.recent);
        self.recent.drain(..too_many);
    }

    fn note(&mut self, record: &Record) {
        if record.seq == 0 {
            return;
        }
        match &mut self.progress {
            Some(progress) if progress.node == record.node => progress.note(record.seq),
            Some(_) => {}
            None => {
                let mut progress = Progress::before(&record.node, record.seq);
                progress.note(record.seq);
                self.progress = Some(progress);
            }
        }
    }
}

impl RuleStats {
    fn used_by(&mut self, tool: &str, limit: usize) {
        if self.tools.len() < limit && !self.tools.iter().any(|known| known == tool) {
            self.tools.push(tool.to_owned());
        }
    }
}

/// The stored form of a call whose arguments were changed. `None` for other calls.
pub(super) fn recent_change(record: &Record, limits: StatsLimits) -> Option<Normalization> {
    if record.changes.is_empty() || record.kind != Kind::Call {
        return None;
    }
    let applied = record.changes.iter().take(limits.changes_of_a_call);
    Some(Normalization {
        ts: record.ts,
        tool: name_of(record, limits.text).to_owned(),
        applied: applied.map(|change| applied_by(change, limits.text)).collect(),
    })
}

fn name_of(record: &Record, limit: usize) -> &str {
    if is_unknown_tool(record) { UNKNOWN } else { truncate(&record.tool, limit) }
}

/// Whether the tool name is only what the client sent.
fn is_unknown_tool(record: &Record) -> bool {
    record
        .error
        .as_ref()
        .is_some_and(|error| matches!(error.code.as_str(), "unknown_tool" | "ambiguous_tool"))
}

fn rule_id(change: &Change) -> &str {
    truncate(change.rule.as_deref().unwrap_or(&change.code), 200)
}

fn rule_type(change: &Change) -> &str {
    match (&change.rule, &change.rule_type) {
        (_, Some(rule_type)) => rule_type,
        (Some(_), None) => "",
        (None, None) => SCHEMA,
    }
}

pub(super) fn applied_by(change: &Change, limit: usize) -> Applied {
    let text = |json: &String| {
        // Fast path: most strings contain no escapes.
        let inside = json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        if let Some(plain) = inside.filter(|it| !it.contains(['"', '\\'])) {
            return shortened(plain, limit);
        }
        let plain: Option<String> = serde_json::from_str(json).ok();
        shortened(plain.as_deref().unwrap_or(json), limit)
    };
    Applied {
        rule_id: rule_id(change).to_owned(),
        rule_type: rule_type(change).to_owned(),
        param: shortened(&dotted(&change.path), limit),
        from: change.from.as_ref().map(text),
        to: change.to.as_ref().map(text),
    }
}

/// Converts a JSON Pointer to dots between the levels.
fn dotted(pointer: &str) -> String {
    let dotted = pointer.strip_prefix('/').unwrap_or(pointer).replace('/', ".");
    if dotted.contains('~') { dotted.replace("~1", "/").replace("~0", "~") } else { dotted }
}

fn shortened(text: &str, limit: usize) -> String {
    let kept = truncate(text, limit);
    if kept.len() == text.len() { kept.to_owned() } else { format!("{kept}…") }
}

pub(super) fn truncate(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn truncate_name(name: &Option<String>, limit: usize) -> Option<&str> {
    name.as_deref().map(|name| truncate(name, limit))
}

/// One key for three names. No name of a server or a tool contains this separator.
fn name_tool(name: &mut String, toolbox: Option<&str>, server: Option<&str>, tool: &str) {
    name.clear();
    if tool == OTHERS {
        name.push_str(OTHERS);
        return;
    }
    for part in [toolbox.unwrap_or_default(), server.unwrap_or_default()] {
        name.push_str(part);
        name.push('\0');
    }
    name.push_str(tool);
}

fn name_server(name: &mut String, toolbox: Option<&str>, server: &str) {
    name.clear();
    if server == OTHERS {
        name.push_str(OTHERS);
        return;
    }
    name.push_str(toolbox.unwrap_or_default());
    name.push('\0');
    name.push_str(server);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_formatted_as_plain_text() {
        let applied_text = |path: &str, from: &str| {
            let change = Change { path: path.into(), from: Some(from.into()), ..Change::default() };
            let applied = applied_by(&change, 8);
            (applied.param, applied.from.unwrap_or_default())
        };
        let expect = |param: &str, from: &str| (param.to_owned(), from.to_owned());
        assert_eq!(applied_text("/force", "\"true\""), expect("force", "true"));
        assert_eq!(applied_text("/a~1b/0/~0c", r#""a\"b\n""#), expect("a/b.0.~c", "a\"b\n"));
        assert_eq!(applied_text("", "[1]"), expect("", "[1]"));
        assert_eq!(applied_text("/x", "\""), expect("x", "\""));
        assert_eq!(applied_text("/x", "old_str"), expect("x", "old_str"));
        assert_eq!(applied_text("/x", "\"ääääää\""), expect("x", "ääää…"));
    }
}
