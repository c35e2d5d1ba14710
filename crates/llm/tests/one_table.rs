//! A dialect is a module: no product code outside of `dialects/` decides by the dialect.

use std::fs;
use std::path::{Path, PathBuf};

use toolwright_llm::Dialect;

/// The one table.
const TABLE: &str = "llm/src/dialects.rs";
/// The modules, and what they share.
const MODULES: &str = "llm/src/dialects";
/// Where the dialects are declared.
const ENUM: &str = "model/src/dialect.rs";
/// Upstreams for tests, which answer in a dialect without the code that is tested.
const TESTKIT: &str = "testkit/src";

#[test]
fn only_the_modules_decide_by_the_dialect() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut wrong = Vec::new();
    for file in sources(crates) {
        let text = fs::read_to_string(&file).expect("a readable file");
        let product = text.split("mod tests {").next().unwrap_or_default();
        let decisions = product.lines().enumerate().filter(|(_, line)| decides(line));
        wrong.extend(decisions.map(|(at, line)| format!("{}:{}: {}", file.display(), at + 1, line.trim())));
    }
    assert!(
        wrong.is_empty(),
        "ask the module of the dialect (`dialects::of`) instead:\n{}",
        wrong.join("\n")
    );
}

/// Whether a line compares a dialect with a certain one, or is an arm for one.
fn decides(line: &str) -> bool {
    Dialect::ALL.iter().map(|dialect| format!("Dialect::{dialect:?}")).any(|name| {
        let Some((before, after)) = line.split_once(&name) else { return false };
        let (before, after) = (before.trim_end(), after.trim_start());
        before.ends_with("==") || before.ends_with("!=") || before.ends_with('|') || {
            after.starts_with("=>")
                || after.starts_with('|')
                || after.starts_with("if ")
                || after.starts_with(", _)")
        }
    })
}

/// The sources of all products, without modules of tests in files of their own.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_apart = [TABLE, MODULES, ENUM, TESTKIT].iter().any(|apart| path.ends_with(apart));
        if is_apart || matches!(name.as_str(), "tests" | "tests.rs" | "benches" | "target") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn comparisons_and_arms_are_decisions() {
    for line in [
        "if dialect == Dialect::OpenAiChat {",
        "Dialect::OllamaChat => true,",
        "(Dialect::OllamaChat, _) => true,",
        "matches!(dialect, Dialect::AnthropicMessages | Dialect::OllamaChat)",
    ] {
        assert!(decides(line), "{line}");
    }
    for line in ["let usual = Dialect::OllamaChat;", "request.dialect = Some(Dialect::OpenAiChat);"] {
        assert!(!decides(line), "{line}");
    }
}
