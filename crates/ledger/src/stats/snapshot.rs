//! Snapshot of all statistics. The content of a part file.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::normalizer::{NormalizerStats, RecentNormalization, RuleHits, ToolCounts};
use super::{Applied, Numbers, Progress, Series, SlowCall, Stats, StatsLimits, rfc3339};

/// All statistics at one moment. Two snapshots can be merged: [`merge`](Snapshot::merge).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// All calls.
    pub total: Numbers,
    /// By tool, in the order of the first call.
    pub tools: Vec<ToolRow>,
    /// By rule, in the order of first use.
    pub rules: Vec<RuleRow>,
    /// By client, in the order of arrival.
    pub clients: Vec<ClientRow>,
    /// By server, in the order of the first call.
    pub servers: Vec<ServerRow>,
    /// The last changed calls, the oldest first.
    pub recent: Vec<Normalization>,
    /// The slowest calls, the slowest first.
    pub slowest: Vec<SlowCall>,
    /// All calls over time.
    #[serde(skip_serializing_if = "Series::is_empty")]
    pub over_time: Series,
    /// Which records of the journal are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// Counts of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolRow {
    /// Toolbox of its server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// Its server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Its name; [`OTHERS`](super::OTHERS) and [`UNKNOWN`](super::UNKNOWN) are placeholders.
    pub tool: String,
    /// The counts.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// Its calls over time, when it has a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_time: Option<Series>,
}

/// Hits of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleRow {
    /// Id of the rule, or the code of the step when no rule caused the change.
    pub rule_id: String,
    /// Type as in rules files, or [`SCHEMA`](super::SCHEMA).
    #[serde(rename = "type")]
    pub rule_type: String,
    /// Calls that it changed.
    pub hits: u64,
    /// The tools of these calls, in the order of first use.
    pub tools: Vec<String>,
    /// Time of the last of these calls in microseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<i64>,
}

/// Counts of one client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientRow {
    /// Its name.
    pub client: String,
    /// The counts.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// Counts of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerRow {
    /// Its toolbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// Its name.
    pub server: String,
    /// The counts.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// One call whose arguments were changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Normalization {
    /// Time of the request in microseconds since 1970.
    pub ts: i64,
    /// The tool.
    pub tool: String,
    /// The changes.
    pub applied: Vec<Applied>,
}

impl Snapshot {
    /// The sum of two snapshots, without progress: they may belong to two journals.
    pub fn merge(&self, other: &Snapshot, limits: StatsLimits) -> Snapshot {
        let stats = Stats::new(limits);
        stats.restore(self);
        stats.restore(other);
        stats.forget_progress();
        stats.snapshot()
    }

    /// Converts to the format of `normalizer_stats.json`. Tools of one name on several servers are merged there.
    pub fn normalizer(&self, now: Timestamp) -> NormalizerStats {
        let mut by_tool: BTreeMap<String, ToolCounts> = BTreeMap::new();
        for row in &self.tools {
            let counts = by_tool.entry(row.tool.clone()).or_default();
            counts.processed = counts.processed.saturating_add(row.numbers.processed);
            counts.normalized = counts.normalized.saturating_add(row.numbers.normalized);
        }
        let by_rule = self.rules.iter().map(|row| {
            let RuleRow { rule_id, rule_type, hits, tools, .. } = row.clone();
            (rule_id.clone(), RuleHits { rule_id, rule_type, hits, tools })
        });
        let recent = self.recent.iter().map(|call| RecentNormalization {
            ts: rfc3339(call.ts),
            tool: call.tool.clone(),
            applied: call.applied.clone(),
        });
        NormalizerStats {
            total_processed: self.total.processed,
            total_normalized: self.total.normalized,
            last_updated: now.to_string(),
            by_tool,
            by_rule: by_rule.collect(),
            recent_normalizations: recent.collect(),
        }
    }
}

impl From<&NormalizerStats> for Snapshot {
    /// Converts an older file. Counts that it does not contain are 0.
    fn from(stats: &NormalizerStats) -> Self {
        let tools = stats.by_tool.iter().map(|(tool, counts)| ToolRow {
            tool: tool.clone(),
            numbers: numbers(counts.processed, counts.normalized),
            ..ToolRow::default()
        });
        let rules = stats.by_rule.iter().map(|(id, rule)| RuleRow {
            rule_id: if rule.rule_id.is_empty() { id.clone() } else { rule.rule_id.clone() },
            rule_type: rule.rule_type.clone(),
            hits: rule.hits,
            tools: rule.tools.clone(),
            last: None,
        });
        let recent = stats.recent_normalizations.iter().map(|call| Normalization {
            ts: super::time::microseconds(&call.ts).unwrap_or(0),
            tool: call.tool.clone(),
            applied: call.applied.clone(),
        });
        Snapshot {
            total: numbers(stats.total_processed, stats.total_normalized),
            tools: tools.collect(),
            rules: rules.collect(),
            recent: recent.collect(),
            ..Snapshot::default()
        }
    }
}

fn numbers(processed: u64, normalized: u64) -> Numbers {
    Numbers { processed, normalized, ..Numbers::default() }
}
