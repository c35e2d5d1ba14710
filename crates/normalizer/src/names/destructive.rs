//! Destructive tools, recognized by their name, and destructive flags.
//!
//! Some verbs destroy something in any position (`delete`). Others do only as the action of the tool
//! (`stop_service`, but not `get_stop`), or only with certain objects (`format_disk`, but not
//! `format_date`). Paying counts as destroying: neither can be undone. A tool that runs its input
//! is in between: it can destroy, but does not by itself. So is one that places an order, which can
//! be cancelled.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::fold::fold;
use super::lexicon::{
    canonical, is_destructive_flag_name, is_destructive_flag_word, is_destructive_verb, lines,
};
use super::words::words;

/// Verbs with their accompanying words.
type Verbs = HashMap<&'static str, Vec<&'static str>>;

/// The verbs of one kind of harm.
struct HarmVerbs {
    /// Verbs that need an object.
    phrases: Verbs,
    /// Verbs that must be the action of the tool, with the words before which they are not.
    actions: Verbs,
}

static DESTROYING: LazyLock<HarmVerbs> = LazyLock::new(|| HarmVerbs {
    phrases: verbs(include_str!("vocabulary/destructive-phrases.txt")),
    actions: verbs(include_str!("vocabulary/destructive-actions.txt")),
});
static RUNNING: LazyLock<HarmVerbs> = LazyLock::new(|| HarmVerbs {
    phrases: verbs(include_str!("vocabulary/running-phrases.txt")),
    actions: verbs(include_str!("vocabulary/running-actions.txt")),
});

/// Not destructive by itself, but without its filter it may change everything.
static WRITING: LazyLock<HarmVerbs> = LazyLock::new(|| HarmVerbs {
    phrases: Verbs::new(),
    actions: verbs(include_str!("vocabulary/writing-verbs.txt")),
});

/// Words before a verb that make another action of it.
const OTHER_ACTIONS: &[&str] = &[
    "add",
    "calculate",
    "check",
    "compute",
    "count",
    "create",
    "describe",
    "estimate",
    "explain",
    "export",
    "fetch",
    "find",
    "generate",
    "get",
    "has",
    "import",
    "is",
    "list",
    "lookup",
    "make",
    "new",
    "parse",
    "preview",
    "query",
    "read",
    "search",
    "show",
    "simulate",
    "validate",
    "view",
];

fn verbs(text: &'static str) -> Verbs {
    let mut verbs = Verbs::new();
    for line in lines(text) {
        let (verb, objects) = line.split_once('|').unwrap_or((line, ""));
        verbs.insert(verb.trim(), objects.split_whitespace().map(canonical).collect());
    }
    verbs
}

/// Whether a tool of that name destroys or interrupts something, or pays.
pub(crate) fn is_destructive_tool(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| is_destructive_verb(word)) || DESTROYING.matches_any(&words)
}

/// Whether a tool of that name runs its input, or places an order.
pub(crate) fn is_running_tool(name: &str) -> bool {
    RUNNING.matches_any(&words(name))
}

/// Whether a tool of that name changes existing data.
pub(crate) fn is_writing_tool(name: &str) -> bool {
    WRITING.matches_any(&words(name))
}

/// Whether a parameter of that name can destroy something if its value is wrong.
pub fn is_destructive_flag(name: &str) -> bool {
    is_destructive_flag_name(&fold(name)) || has_destructive_word(name)
}

/// Whether the words of a name are destructive, whatever its type.
pub(crate) fn has_destructive_word(name: &str) -> bool {
    let words = words(name);
    // `remove_files`, but not `remove_file_extension`: the object must be the last word.
    words.iter().any(|word| is_destructive_flag_word(word)) || DESTROYING.match_with_object(&words, 1)
}

/// Whether a verb is the action.
fn is_action(words: &[String], at: usize) -> bool {
    !words[..at].iter().any(|word| OTHER_ACTIONS.contains(&word.as_str()))
}

impl HarmVerbs {
    fn matches_any(&self, words: &[String]) -> bool {
        self.match_alone(words) || self.match_with_object(words, words.len())
    }

    fn match_alone(&self, words: &[String]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let next = words.get(at + 1).map(|next| canonical(next));
            let is_harmless = |others: &Vec<&str>| next.is_some_and(|next| others.contains(&next));
            self.actions.get(word.as_str()).is_some_and(|others| !is_harmless(others)) && is_action(words, at)
        })
    }

    /// Whether a verb is followed by one of its objects within the last `reach` words.
    fn match_with_object(&self, words: &[String], reach: usize) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let rest = &words[(at + 1).max(words.len() - reach)..];
            let has_object = |objects: &Vec<&str>| rest.iter().any(|next| objects.contains(&canonical(next)));
            self.phrases.get(word.as_str()).is_some_and(has_object) && is_action(words, at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{is_destructive_flag, is_destructive_tool, is_running_tool, is_writing_tool};

    #[test]
    fn irreversible_tools_are_recognized_by_verb() {
        for name in [
            "delete_note",
            "empty_trash",
            "s3_empty_bucket",
            "format_disk",
            "eliminateUser",
            "dispose_asset",
            "tear_down_stack",
            "tearDown",
            "shut_down_host",
            "scrub_history",
            "vacuum_database",
            "expire_session",
            "burn_tokens",
            "unshare_file",
            "forget_memory",
            "disable_alarm",
            "stop_service",
            "docker_container_stop",
            "drain_node",
            "abort_build",
            "rotate_keys",
            "send_money",
            "charge_card",
            "create_charge",
            "place_bet",
            "buy_stock",
            "sell_shares",
        ] {
            assert!(is_destructive_tool(name), "{name}");
        }
    }

    #[test]
    fn same_word_in_other_role_is_harmless() {
        for name in [
            "format_date",
            "format_text",
            "list_empty_folders",
            "create_empty_folder",
            "is_empty",
            "empty_values",
            "order_by",
            "list_orders",
            "stop_words",
            "get_bus_stop",
            "run_query",
            "run_tests",
            "ev_charge_schedule",
            "get_charge",
            "rotate_image",
            "pdf_rotate",
            "send_message",
            "nearby_places",
            "minecraft_place_block",
            "docker_run_container",
            "vacuum_start",
            "burn_rate",
            "forget_password",
            "purchase_history",
            "eval_metrics",
            "parse_shell",
            "get_place_order",
        ] {
            assert!(!is_destructive_tool(name) && !is_running_tool(name), "{name}");
        }
    }

    #[test]
    fn tool_that_runs_its_input_is_recognized() {
        for name in [
            "run_shell",
            "run_terminal_cmd",
            "execute_sql",
            "ssh_exec",
            "shell",
            "eval",
            "runPython",
            "place_order",
            "submit_limit_order",
        ] {
            assert!(is_running_tool(name) && !is_destructive_tool(name), "{name}");
        }
    }

    #[test]
    fn tool_that_changes_data_writes() {
        for name in ["update_rows", "modifyUser", "db_migrate", "bulk_edit", "rename_files", "s3_sync_bucket"]
        {
            assert!(is_writing_tool(name), "{name}");
        }
        for name in
            ["list_files", "get_settings", "search_updates", "list_sent", "read_note", "get_change_set"]
        {
            assert!(!is_writing_tool(name), "{name}");
        }
    }

    #[test]
    fn destructive_flags_are_recognized() {
        for name in [
            "overwrite",
            "remove_files",
            "discardChanges",
            "empty_trash",
            "unlink",
            "everything",
            "include_volumes",
            "amend",
            "purge_all",
        ] {
            assert!(is_destructive_flag(name), "{name}");
        }
        for name in
            ["remove_file_extension", "remove_duplicates", "include_archived", "empty_lines", "format"]
        {
            assert!(!is_destructive_flag(name), "{name}");
        }
    }
}
