//! Conversions as files: what one dialect says, and what is made of it in another.
//!
//! A folder under `golden/` is one row of the table of conversions. In it, `CASE.FROM.json` is what comes in and
//! every `CASE.TO.golden.json` is what goes out, where `FROM` and `TO` are names of dialects. What a case is, its name
//! says first: `request…`, `response…`, or `error-STATUS…`. Beside them may stand
//! * `CASE.target.json`: what is special about the upstream (`{"max_completion_tokens": true}`);
//! * `CASE.TO.notes.txt`: what could not be said, one note a line. It is there exactly when there are notes.
//!
//! What comes in may be no JSON at all (`error-502.openai-chat.txt`). A new pair begins with an empty golden file;
//! `UPDATE_GOLDEN=1 cargo nextest run -p toolwright-llm --test golden` fills it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_jsonrpc::{Json, raw};
use toolwright_llm::form::Request;
use toolwright_llm::{Dialect, Failure, Notes, ReasoningField, Reply, Target, dialects};

/// One conversion that the files ask for.
struct Case {
    folder: PathBuf,
    name: String,
    from: Dialect,
    input: PathBuf,
    to: Vec<Dialect>,
}

#[test]
fn every_golden_file_is_what_its_input_becomes() {
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let cases = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"));
    assert!(!cases.is_empty(), "there are golden files");
    let mut wrong = Vec::new();
    for case in &cases {
        for to in case.to.iter().copied() {
            let (made, notes) = case.convert(to);
            case.compare(to, "golden.json", Some(made), is_update, &mut wrong);
            case.compare(to, "notes.txt", (!notes.is_empty()).then_some(notes), is_update, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} differ (UPDATE_GOLDEN=1 writes them):\n{}", wrong.len(), wrong.join("\n"));
}

impl Case {
    fn convert(&self, to: Dialect) -> (String, String) {
        let input = fs::read_to_string(&self.input).expect("a readable file");
        let mut notes = Notes::default();
        let made = if self.name.starts_with("request") {
            let target = self.target(to);
            dialects::of(self.from)
                .read_request(&input)
                .and_then(|request| dialects::write_request(&request, &target, &mut notes))
                .unwrap_or_else(|failure| refused(&failure))
        } else if self.name.starts_with("response") {
            dialects::of(self.from)
                .read_response(&input)
                .map(|response| dialects::of(to).write_response(&response, &reply()))
                .unwrap_or_else(|failure| refused(&failure))
        } else {
            let status = self.name.split('-').nth(1).and_then(|word| word.parse().ok());
            let failure = dialects::of(self.from)
                .read_error(status.expect("a status in the name of an error"), input.trim());
            format!(
                r#"{{"status":{},"body":{}}}"#,
                failure.status,
                dialects::of(to).write_error(&failure, "req_0123456789")
            )
        };
        let mut out = String::new();
        pretty(&made, 0, &mut out);
        out.push('\n');
        let notes =
            notes.as_slice().iter().map(|note| format!("{}: {}\n", note.code, note.message)).collect();
        (out, notes)
    }

    /// The upstream: one of the dialect's, but for what a file says.
    fn target(&self, dialect: Dialect) -> Target {
        let mut target = Target::new(dialect, "upstream-model");
        let Ok(text) = fs::read_to_string(self.folder.join(format!("{}.target.json", self.name))) else {
            return target;
        };
        for member in raw::members(&text).expect("a target is an object") {
            let is_yes = member.value == "true";
            match &*member.key {
                "max_completion_tokens" => target.max_completion_tokens = is_yes,
                "takes_temperature" => target.takes_temperature = is_yes,
                "takes_top_k" => target.takes_top_k = is_yes,
                "most_stop_sequences" => target.most_stop_sequences = member.value.parse().ok(),
                "default_max_tokens" => target.default_max_tokens = member.value.parse().expect("a number"),
                "model" => target.model = member.to_json().to_text().expect("a text"),
                "reasoning" => {
                    target.reasoning = match member.value {
                        r#""reasoning""# => ReasoningField::Reasoning,
                        r#""reasoning_content""# => ReasoningField::ReasoningContent,
                        _ => ReasoningField::None,
                    }
                }
                other => panic!("{}: no target has {other}", self.folder.display()),
            }
        }
        target
    }

    fn compare(
        &self,
        to: Dialect,
        end: &str,
        made: Option<String>,
        is_update: bool,
        wrong: &mut Vec<String>,
    ) {
        let path = self.folder.join(format!("{}.{}.{end}", self.name, to.name()));
        let expected = fs::read_to_string(&path).ok();
        if expected == made {
            return;
        }
        if is_update {
            match made {
                Some(made) => fs::write(&path, made).expect("a file that can be written"),
                None => fs::remove_file(&path).expect("a file that can be removed"),
            }
            return;
        }
        wrong.push(format!(
            "--- {}\n{}\n+++ made\n{}",
            path.display(),
            expected.as_deref().unwrap_or("(no file)"),
            made.as_deref().unwrap_or("(nothing)")
        ));
    }
}

/// Who is answered, always the same.
fn reply() -> Reply {
    let request = Request { model: "asked-model".to_owned(), ..Request::default() };
    Reply {
        request: Arc::new(request),
        id: "0123456789abcdefghijklmn".to_owned(),
        created: 1_700_000_000,
        estimated_input: 7,
    }
}

fn refused(failure: &Failure) -> String {
    let param = failure.param.as_deref().map_or("null".to_owned(), raw::quote);
    format!(
        r#"{{"refused":{{"status":{},"message":{},"param":{param}}}}}"#,
        failure.status,
        raw::quote(&failure.message)
    )
}

/// All cases, sorted. Everything that lies in the folders has to be a part of one.
fn cases(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).expect("the golden folder").map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    for folder in folders {
        cases.extend(cases_of(&folder));
    }
    cases
}

fn cases_of(folder: &Path) -> Vec<Case> {
    let mut inputs: BTreeMap<String, (Dialect, PathBuf)> = BTreeMap::new();
    let mut outputs: BTreeMap<String, Vec<Dialect>> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let parts: Vec<&str> = file.split('.').collect();
        match parts.as_slice() {
            [_, "target", "json"] | [_, _, "notes", "txt"] => {}
            [case, to, "golden", "json"] => {
                let to =
                    Dialect::of_name(to).unwrap_or_else(|| panic!("{}: no such dialect", path.display()));
                outputs.entry((*case).to_owned()).or_default().push(to);
            }
            [case, from, "json" | "txt"] => {
                let from =
                    Dialect::of_name(from).unwrap_or_else(|| panic!("{}: no such dialect", path.display()));
                let before = inputs.insert((*case).to_owned(), (from, path.clone()));
                assert!(before.is_none(), "{}: {case} has two inputs", folder.display());
            }
            _ => panic!("{}: no part of a case", path.display()),
        }
    }
    let cases: Vec<Case> = inputs
        .into_iter()
        .map(|(name, (from, input))| {
            let mut to = outputs.remove(&name).unwrap_or_default();
            assert!(!to.is_empty(), "{}: {name} becomes nothing", folder.display());
            to.sort_by_key(|dialect| dialect.name());
            Case { folder: folder.to_owned(), name, from, input, to }
        })
        .collect();
    assert!(outputs.is_empty(), "{}: {:?} come of nothing", folder.display(), outputs.keys());
    cases
}

/// JSON for people: one member a line, in the order and with the numbers that were written.
fn pretty(text: &str, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    let json = Json::parse(text).unwrap_or_else(|error| panic!("{error} in what was written: {text}"));
    if let Ok(members) = raw::members(text) {
        out.push('{');
        for (at, member) in members.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            line(out, depth + 1);
            raw::write_quoted(&member.key, out);
            out.push_str(": ");
            pretty(member.value, depth + 1, out);
        }
        if !members.is_empty() {
            line(out, depth);
        }
        out.push('}');
    } else if let Ok(items) = raw::items(text) {
        let is_flat = items.iter().all(|item| !item.starts_with(['{', '[']));
        out.push('[');
        for (at, item) in items.iter().enumerate() {
            out.push_str(match (at, is_flat) {
                (0, _) => "",
                (_, true) => ", ",
                (_, false) => ",",
            });
            if !is_flat {
                line(out, depth + 1);
            }
            pretty(item, depth + 1, out);
        }
        if !is_flat {
            line(out, depth);
        }
        out.push(']');
    } else {
        out.push_str(json.as_str());
    }
}
