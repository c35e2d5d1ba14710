//! What the stats hold, behind their lock.

use std::collections::VecDeque;

use super::last_hour::{LastHour, Percentiles};
use super::table::Table;
use super::{
    Applied, ClientRow, Normalization, Numbers, OTHERS, Progress, RuleRow, SCHEMA, Series, ServerRow,
    Slowest, Snapshot, StatsLimits, ToolRow, UNKNOWN,
};
use crate::{Change, Kind, Record};

#[derive(Debug)]
pub(super) struct State {
    limits: StatsLimits,
    total: Numbers,
    tools: Table<ToolKey, Tool>,
    rules: Table<String, Rule>,
    clients: Table<String, Numbers>,
    servers: Table<ServerKey, Numbers>,
    recent: VecDeque<Normalization>,
    slowest: Slowest,
    over_time: Series,
    last_hour: LastHour,
    progress: Option<Progress>,
    /// Names are put together here, so that looking one up takes no memory.
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
struct Tool {
    numbers: Numbers,
    over_time: Option<Series>,
}

#[derive(Debug, Default)]
struct Rule {
    rule_type: String,
    hits: u64,
    tools: Vec<String>,
    last: Option<i64>,
}

impl Default for State {
    fn default() -> Self {
        State::new(StatsLimits::default())
    }
}

impl State {
    pub fn new(limits: StatsLimits) -> Self {
        State {
            limits,
            total: Numbers::default(),
            tools: Table::new(limits.tools),
            rules: Table::new(limits.rules),
            clients: Table::new(limits.clients),
            servers: Table::new(limits.servers),
            recent: VecDeque::new(),
            slowest: Slowest::new(limits.slowest),
            over_time: Series::default(),
            last_hour: LastHour::default(),
            progress: None,
            name: String::new(),
        }
    }

    /// `changed` is what [`changed`] says of the record.
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
        let (toolbox, server) = (cut_name(&record.toolbox, limit), cut_name(&record.server, limit));
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
            let client = cut(client, limit);
            self.clients.row(client, || client.to_owned()).1.count(record);
        }
        if let Some(changed) = changed {
            self.count_changes(record, tool);
            self.recent.push_back(changed);
            self.forget_old();
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
        let changed = changed(record, self.limits);
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

    /// Adds everything that a snapshot holds.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.total.merge(&snapshot.total);
        self.over_time.merge(&snapshot.over_time);
        for held in &snapshot.tools {
            let row = self.tool(held.toolbox.as_deref(), held.server.as_deref(), &held.tool);
            row.numbers.merge(&held.numbers);
            if let (Some(mine), Some(theirs)) = (&mut row.over_time, &held.over_time) {
                mine.merge(theirs);
            }
        }
        for held in &snapshot.servers {
            self.server(held.toolbox.as_deref(), &held.server).merge(&held.numbers);
        }
        for held in &snapshot.clients {
            self.clients.row(&held.client, || held.client.clone()).1.merge(&held.numbers);
        }
        for held in &snapshot.rules {
            let row = self.rules.row(&held.rule_id, || held.rule_id.clone()).1;
            row.hits = row.hits.saturating_add(held.hits);
            row.last = row.last.max(held.last);
            if row.rule_type.is_empty() {
                row.rule_type.clone_from(&held.rule_type);
            }
            for tool in &held.tools {
                row.used_by(tool, self.limits.tools_of_a_rule);
            }
        }
        self.slowest.add(&snapshot.slowest);
        self.recent.extend(snapshot.recent.iter().cloned());
        // Those of one moment stay in their order.
        self.recent.make_contiguous().sort_by_key(|call| call.ts);
        self.forget_old();
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

    fn tool(&mut self, toolbox: Option<&str>, server: Option<&str>, tool: &str) -> &mut Tool {
        name_tool(&mut self.name, toolbox, server, tool);
        let key = || ToolKey {
            toolbox: toolbox.map(str::to_owned),
            server: server.map(str::to_owned),
            tool: tool.to_owned(),
        };
        let (number, row) = self.tools.row(&self.name, key);
        // All others together have it, too, and nothing else without a place does.
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

    /// A rule counts once for a call, however many values it changed.
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

    fn forget_old(&mut self) {
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

impl Rule {
    fn used_by(&mut self, tool: &str, limit: usize) {
        if self.tools.len() < limit && !self.tools.iter().any(|known| known == tool) {
            self.tools.push(tool.to_owned());
        }
    }
}

/// What is kept of a call whose arguments were changed. Nothing for other calls.
pub(super) fn changed(record: &Record, limits: StatsLimits) -> Option<Normalization> {
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
    if is_made_up(record) { UNKNOWN } else { cut(&record.tool, limit) }
}

/// Whether the name of the tool is only what somebody sent.
fn is_made_up(record: &Record) -> bool {
    record
        .error
        .as_ref()
        .is_some_and(|error| matches!(error.code.as_str(), "unknown_tool" | "ambiguous_tool"))
}

fn rule_id(change: &Change) -> &str {
    cut(change.rule.as_deref().unwrap_or(&change.code), 200)
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
        // Most texts have nothing in them that has to be read.
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

/// A JSON Pointer with dots between the levels.
fn dotted(pointer: &str) -> String {
    let dotted = pointer.strip_prefix('/').unwrap_or(pointer).replace('/', ".");
    if dotted.contains('~') { dotted.replace("~1", "/").replace("~0", "~") } else { dotted }
}

fn shortened(text: &str, limit: usize) -> String {
    let kept = cut(text, limit);
    if kept.len() == text.len() { kept.to_owned() } else { format!("{kept}…") }
}

pub(super) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn cut_name(name: &Option<String>, limit: usize) -> Option<&str> {
    name.as_deref().map(|name| cut(name, limit))
}

/// One name for three. No name of a server or a tool has this sign between its parts.
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
    fn changes_are_told_as_plain_text() {
        let told = |path: &str, from: &str| {
            let change = Change { path: path.into(), from: Some(from.into()), ..Change::default() };
            let applied = applied_by(&change, 8);
            (applied.param, applied.from.unwrap_or_default())
        };
        let expect = |param: &str, from: &str| (param.to_owned(), from.to_owned());
        assert_eq!(told("/force", "\"true\""), expect("force", "true"));
        assert_eq!(told("/a~1b/0/~0c", r#""a\"b\n""#), expect("a/b.0.~c", "a\"b\n"));
        assert_eq!(told("", "[1]"), expect("", "[1]"));
        assert_eq!(told("/x", "\""), expect("x", "\""));
        assert_eq!(told("/x", "old_str"), expect("x", "old_str"));
        assert_eq!(told("/x", "\"ääääää\""), expect("x", "ääää…"));
    }
}
