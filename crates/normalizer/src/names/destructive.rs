//! What a tool can do harm with: what it does by its name, and the flags that let it.
//!
//! Some verbs destroy something wherever they stand (`delete`). Others do only as what the tool does
//! (`stop_service`, but not `get_stop`), or only with what it is done to (`format_disk`, but not
//! `format_date`). Paying counts as destroying: neither can be taken back. A tool that runs whatever
//! it is given is in between: it can destroy, but it does not by itself. So is one that places an order,
//! which can be called off.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::fold::fold;
use super::lexicon::{
    canonical, is_destructive_flag_name, is_destructive_flag_word, is_destructive_verb, lines,
};
use super::words::words;

/// Verbs with the words that go with them.
type Verbs = HashMap<&'static str, Vec<&'static str>>;

/// The verbs of one kind of harm.
struct Deeds {
    /// Verbs that need their object.
    phrases: Verbs,
    /// Verbs that need to be what the tool does, with the words before which they are not.
    actions: Verbs,
}

static DESTROYING: LazyLock<Deeds> = LazyLock::new(|| Deeds {
    phrases: verbs(include_str!("vocabulary/destructive-phrases.txt")),
    actions: verbs(include_str!("vocabulary/destructive-actions.txt")),
});
static RUNNING: LazyLock<Deeds> = LazyLock::new(|| Deeds {
    phrases: verbs(include_str!("vocabulary/running-phrases.txt")),
    actions: verbs(include_str!("vocabulary/running-actions.txt")),
});

/// Not destroying by itself, but a filter that is lost lets it change everything.
static WRITING: LazyLock<Deeds> = LazyLock::new(|| Deeds {
    phrases: Verbs::new(),
    actions: verbs(include_str!("vocabulary/writing-verbs.txt")),
});

/// Words before a verb which say that something else is done.
const OTHER_DEEDS: &[&str] = &[
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
        let (verb, beside) = line.split_once('|').unwrap_or((line, ""));
        verbs.insert(verb.trim(), beside.split_whitespace().map(canonical).collect());
    }
    verbs
}

/// Whether a tool of that name destroys or interrupts something, or pays.
pub(crate) fn is_destructive_tool(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| is_destructive_verb(word)) || DESTROYING.say(&words)
}

/// Whether a tool of that name runs whatever it is given, or places an order.
pub(crate) fn is_running_tool(name: &str) -> bool {
    RUNNING.say(&words(name))
}

/// Whether a tool of that name changes what is there.
pub(crate) fn is_writing_tool(name: &str) -> bool {
    WRITING.say(&words(name))
}

/// Whether a parameter of that name can destroy something when its value is wrong.
pub fn is_destructive_flag(name: &str) -> bool {
    is_destructive_flag_name(&fold(name)) || has_destructive_word(name)
}

/// Whether the words of a name say so, whatever it takes.
pub(crate) fn has_destructive_word(name: &str) -> bool {
    let words = words(name);
    // `remove_files`, but not `remove_file_extension`: the object ends the name.
    words.iter().any(|word| is_destructive_flag_word(word)) || DESTROYING.say_with_object(&words, 1)
}

/// Whether a verb is what is done.
fn is_done(words: &[String], at: usize) -> bool {
    !words[..at].iter().any(|word| OTHER_DEEDS.contains(&word.as_str()))
}

impl Deeds {
    fn say(&self, words: &[String]) -> bool {
        self.say_alone(words) || self.say_with_object(words, words.len())
    }

    fn say_alone(&self, words: &[String]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let next = words.get(at + 1).map(|next| canonical(next));
            let is_harmless = |others: &Vec<&str>| next.is_some_and(|next| others.contains(&next));
            self.actions.get(word.as_str()).is_some_and(|others| !is_harmless(others)) && is_done(words, at)
        })
    }

    /// Whether a verb stands before one of its objects, which is one of the last `reach` words.
    fn say_with_object(&self, words: &[String], reach: usize) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let rest = &words[(at + 1).max(words.len() - reach)..];
            let is_said = |objects: &Vec<&str>| rest.iter().any(|next| objects.contains(&canonical(next)));
            self.phrases.get(word.as_str()).is_some_and(is_said) && is_done(words, at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{is_destructive_flag, is_destructive_tool, is_running_tool, is_writing_tool};

    #[test]
    fn what_cannot_be_taken_back_is_known_by_its_verb() {
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
    fn the_same_word_as_something_else_is_harmless() {
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
    fn a_tool_that_runs_what_it_is_given_is_known() {
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
    fn a_tool_that_changes_what_is_there_writes() {
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
    fn flags_that_let_something_be_destroyed_are_known() {
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
