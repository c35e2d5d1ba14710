//! `normalizer_stats.json`: the format that other programs read, and its arithmetic.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// The content of `normalizer_stats.json`, and of `/api/normalizer`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NormalizerStats {
    /// Finished calls.
    pub total_processed: u64,
    /// Those whose arguments were changed.
    pub total_normalized: u64,
    /// Time of writing, in RFC 3339 format.
    pub last_updated: String,
    /// Counts by tool name.
    #[serde(deserialize_with = "null_is_empty")]
    pub by_tool: BTreeMap<String, ToolCounts>,
    /// Hits by rule id.
    #[serde(deserialize_with = "null_is_empty")]
    pub by_rule: BTreeMap<String, RuleHits>,
    /// The last changed calls, the oldest first. `recent` is the name that another program uses.
    #[serde(deserialize_with = "null_is_empty", alias = "recent")]
    pub recent_normalizations: Vec<RecentNormalization>,
}

/// Counts of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCounts {
    /// Finished calls.
    pub processed: u64,
    /// Those whose arguments were changed.
    pub normalized: u64,
}

/// Hits of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleHits {
    /// Id of the rule, or the code of the step when no rule caused the change.
    pub rule_id: String,
    /// Type as in rules files, or `schema`.
    #[serde(rename = "type")]
    pub rule_type: String,
    /// Calls that it changed.
    pub hits: u64,
    /// The tools of these calls, in the order of first use.
    #[serde(deserialize_with = "null_is_empty")]
    pub tools: Vec<String>,
}

/// One call whose arguments were changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentNormalization {
    /// Time of the request, in RFC 3339 format.
    pub ts: String,
    /// The tool.
    pub tool: String,
    /// The changes.
    #[serde(deserialize_with = "null_is_empty")]
    pub applied: Vec<Applied>,
}

/// One change of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Applied {
    /// Id of the rule, or the code of the step.
    pub rule_id: String,
    /// Type of the rule, or `schema`.
    #[serde(rename = "type")]
    pub rule_type: String,
    /// The parameter, with dots between the levels.
    pub param: String,
    /// Value before the change, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Value after the change, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl NormalizerStats {
    /// Adds the counts of another process. Keeps at most `recent` of the last changed calls.
    pub fn add(&mut self, other: &NormalizerStats, recent: usize) {
        self.total_processed = self.total_processed.saturating_add(other.total_processed);
        self.total_normalized = self.total_normalized.saturating_add(other.total_normalized);
        for (tool, counts) in &other.by_tool {
            let mine = self.by_tool.entry(tool.clone()).or_default();
            mine.processed = mine.processed.saturating_add(counts.processed);
            mine.normalized = mine.normalized.saturating_add(counts.normalized);
        }
        for (id, rule) in &other.by_rule {
            let mine = self.by_rule.entry(id.clone()).or_insert_with(|| RuleHits {
                rule_id: rule.rule_id.clone(),
                rule_type: rule.rule_type.clone(),
                ..RuleHits::default()
            });
            mine.hits = mine.hits.saturating_add(rule.hits);
            for tool in &rule.tools {
                if !mine.tools.contains(tool) {
                    mine.tools.push(tool.clone());
                }
            }
        }
        self.recent_normalizations.extend(other.recent_normalizations.iter().cloned());
        // Unparsable times sort first. Equal times keep their order.
        self.recent_normalizations.sort_by_key(|call| super::time::microseconds(&call.ts));
        let too_many = self.recent_normalizations.len().saturating_sub(recent);
        self.recent_normalizations.drain(..too_many);
    }

    /// The counts that are here and not in `known`, and would be lost if only `known` were left. `None` when there are
    /// none.
    pub fn beyond(&self, known: &NormalizerStats) -> Option<NormalizerStats> {
        let mut lost = NormalizerStats {
            total_processed: self.total_processed.saturating_sub(known.total_processed),
            total_normalized: self.total_normalized.saturating_sub(known.total_normalized),
            last_updated: self.last_updated.clone(),
            ..NormalizerStats::default()
        };
        for (tool, counts) in &self.by_tool {
            let theirs = known.by_tool.get(tool).copied().unwrap_or_default();
            let left = ToolCounts {
                processed: counts.processed.saturating_sub(theirs.processed),
                normalized: counts.normalized.saturating_sub(theirs.normalized),
            };
            if left != ToolCounts::default() {
                lost.by_tool.insert(tool.clone(), left);
            }
        }
        for (id, rule) in &self.by_rule {
            let hits = rule.hits.saturating_sub(known.by_rule.get(id).map_or(0, |theirs| theirs.hits));
            if hits > 0 {
                lost.by_rule.insert(id.clone(), RuleHits { hits, ..rule.clone() });
            }
        }
        let is_nothing = lost.total_processed == 0
            && lost.total_normalized == 0
            && lost.by_tool.is_empty()
            && lost.by_rule.is_empty();
        if is_nothing {
            return None;
        }
        let unknown = |call: &&RecentNormalization| !known.recent_normalizations.contains(call);
        lost.recent_normalizations = self.recent_normalizations.iter().filter(unknown).cloned().collect();
        Some(lost)
    }
}

/// Other writers use `null` for empty.
fn null_is_empty<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
