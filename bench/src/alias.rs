//! Other names for parameters that a careful reader takes for one thing only.
//!
//! A judgement, not a fact: whoever disputes an alias removes it here. Left out on purpose: names that change
//! unit (`timeout` for `timeout_ms`), quantity (`diameter`), direction (`from`, `to`) or identity (`id`, `name`).

use crate::keys;

/// Declared name in normal form, then what models send instead.
const ALIASES: &[(&str, &[&str])] = &[
    ("path", &["file_path", "filepath", "filename", "file", "absolute_path"]),
    ("filepath", &["path", "file", "filename", "absolute_path"]),
    ("repopath", &["repository_path", "repo_dir", "repository"]),
    ("content", &["contents", "text"]),
    ("query", &["q", "search_query", "search_term", "search"]),
    ("q", &["query", "search_query"]),
    ("url", &["uri", "link", "page_url"]),
    ("starturl", &["url", "root_url"]),
    ("uri", &["url", "track_uri"]),
    ("command", &["cmd"]),
    ("message", &["msg", "text"]),
    ("text", &["message", "content"]),
    ("body", &["text", "content"]),
    ("limit", &["max_results", "num_results"]),
    ("maxresults", &["limit", "num_results"]),
    ("numresults", &["max_results", "limit"]),
    ("count", &["limit", "num_results"]),
    ("perpage", &["page_size", "results_per_page"]),
    ("pagesize", &["per_page"]),
    ("directory", &["dir", "folder", "directory_path"]),
    ("workdir", &["cwd", "working_directory"]),
    ("repo", &["repository", "repo_name"]),
    ("branch", &["branch_name"]),
    ("branchname", &["branch", "new_branch"]),
    ("pullnumber", &["pr_number", "pull_request_number"]),
    ("channelid", &["channel"]),
    ("description", &["desc"]),
    ("latitude", &["lat"]),
    ("longitude", &["lng", "lon"]),
    ("source", &["src"]),
    ("destination", &["dest", "dst"]),
    ("sql", &["query", "sql_query"]),
    ("statement", &["sql"]),
    ("tablename", &["table"]),
    ("table", &["table_name"]),
    ("database", &["db", "database_name"]),
    ("collection", &["collection_name"]),
    ("timezone", &["tz"]),
    ("targetlanguage", &["target_lang"]),
    ("namespace", &["ns"]),
    ("podname", &["pod"]),
    ("replicas", &["replica_count", "num_replicas"]),
    ("quantity", &["qty"]),
    ("oldtext", &["old_string", "old_str"]),
    ("newtext", &["new_string", "new_str"]),
    ("pattern", &["regex", "search_pattern"]),
    ("bucket", &["bucket_name"]),
    ("spreadsheetid", &["spreadsheet"]),
    ("sheetname", &["sheet"]),
    ("sheet", &["sheet_name"]),
    ("range", &["cell_range"]),
    ("functionname", &["function"]),
    ("payloadjson", &["payload"]),
    ("entityid", &["entity"]),
    ("devicename", &["device"]),
    ("participants", &["attendees"]),
    ("expression", &["expr"]),
    ("expr", &["expression", "promql"]),
    ("symbol", &["ticker", "ticker_symbol"]),
    ("prompt", &["image_prompt"]),
    ("recipient", &["recipient_email"]),
    ("subject", &["email_subject", "subject_line"]),
    ("volumepercent", &["volume"]),
    ("tasktitle", &["title"]),
    ("script", &["javascript", "js_code"]),
    ("organizationslug", &["organization", "org_slug"]),
];

/// The other names of a declared parameter.
pub fn of(declared: &str) -> &'static [&'static str] {
    let normal = keys::normal(declared);
    ALIASES.iter().find(|(name, _)| *name == normal).map_or(&[], |(_, others)| others)
}

/// Whether the description of a parameter speaks against one of its other names: a folder is no file, a glob no
/// regular expression.
pub fn is_denied(other: &str, description: &str) -> bool {
    let description = description.to_lowercase();
    other.contains("file") && description.contains("folder")
        || other == "regex" && !description.contains("regular expression")
}

/// Whether `sent` may mean `declared`: by alias, by a shared word, or by a slip of the pen.
pub fn may_mean(sent: &str, declared: &str) -> bool {
    let (sent_normal, normal) = (keys::normal(sent), keys::normal(declared));
    let words = keys::words(declared);
    of(declared).iter().any(|other| keys::normal(other) == sent_normal)
        || keys::words(sent).iter().any(|word| words.contains(word))
        || keys::distance(&sent_normal, &normal) < 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_normal_form_and_without_self() {
        for (name, others) in ALIASES {
            assert_eq!(*name, keys::normal(name));
            assert!(others.iter().all(|other| keys::normal(other) != *name), "{name}");
        }
    }

    #[test]
    fn words_and_slips_count_as_meaning() {
        assert!(may_mean("line_limit", "limit"));
        assert!(may_mean("qurey", "query"));
        assert!(!may_mean("ship_date", "customer"));
    }
}
