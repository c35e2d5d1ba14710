//! Reads the calls of the other meta-tools.

use std::collections::HashMap;
use std::sync::LazyLock;

use toolwright_jsonrpc::Json;
use toolwright_model::{Change, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool};

use super::definitions::{self, CLOSE_TOOLBOX, DEFAULT_FOUND, MAX_FOUND, OPEN_TOOLBOX, SEARCH_TOOLS};

/// A call of `open_toolbox` or `close_toolbox`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolboxCall {
    /// The toolbox that is meant.
    pub toolbox: String,
    /// What was changed to read the call so.
    pub changes: Vec<Change>,
}

/// A call of `search_tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCall {
    /// What is looked for.
    pub query: String,
    /// How many tools at most.
    pub limit: usize,
    /// The toolbox to look in; all when absent.
    pub toolbox: Option<String>,
    /// What was changed to read the call so.
    pub changes: Vec<Change>,
}

/// Reads the arguments of `open_toolbox`. The error is the whole text for the model.
pub fn read_open(arguments: &str) -> Result<ToolboxCall, String> {
    read_toolbox(OPEN_TOOLBOX, arguments)
}

/// Reads the arguments of `close_toolbox`. The error is the whole text for the model.
pub fn read_close(arguments: &str) -> Result<ToolboxCall, String> {
    read_toolbox(CLOSE_TOOLBOX, arguments)
}

/// Reads the arguments of `search_tools`. The error is the whole text for the model.
pub fn read_search(arguments: &str) -> Result<SearchCall, String> {
    let (call, changes) = normalized(SEARCH_TOOLS, arguments, r#"{"query": "read a file"}"#)?;
    // A whole number may be written `10.0`.
    let limit = call.get("limit").and_then(|limit| limit.as_str().parse::<f64>().ok());
    let limit = limit.map_or(DEFAULT_FOUND, |limit| (limit as usize).clamp(1, MAX_FOUND));
    Ok(SearchCall {
        query: call.get_text("query").unwrap_or_default(),
        limit,
        toolbox: call.get_text("toolbox"),
        changes,
    })
}

fn read_toolbox(tool: &str, arguments: &str) -> Result<ToolboxCall, String> {
    let is_empty = |sent: &Json| sent.get("toolbox").is_some_and(|toolbox| toolbox.as_str() == "\"\"");
    let example = r#"{"toolbox": "dev"}"#;
    if Json::parse(arguments).is_ok_and(|sent| is_empty(&sent)) {
        return Err(refusal(tool, "toolbox: Toolbox name cannot be empty", example));
    }
    let (call, changes) = normalized(tool, arguments, example)?;
    Ok(ToolboxCall { toolbox: call.get_text("toolbox").unwrap_or_default(), changes })
}

fn refusal(tool: &str, errors: &str, example: &str) -> String {
    format!("Invalid parameters of {tool}: {errors}\n\nA correct call:\n{example}")
}

/// The arguments as the tool's schema wants them.
fn normalized(name: &str, arguments: &str, example: &str) -> Result<(Json, Vec<Change>), String> {
    static OURS: LazyLock<(Normalizer, HashMap<String, Tool>)> = LazyLock::new(|| {
        let tools = [OPEN_TOOLBOX, CLOSE_TOOLBOX, SEARCH_TOOLS].into_iter().filter_map(|name| {
            let input_schema = definitions::input_schema(name)?;
            let definition =
                ToolDefinition { name: name.to_owned(), input_schema, ..ToolDefinition::default() };
            Some((name.to_owned(), Tool::compile(&definition).ok()?))
        });
        (Normalizer::new(RuleSet::builtin()), tools.collect())
    });
    let sent = if arguments.trim().is_empty() { "{}" } else { arguments };
    let refused = |errors: &str| refusal(name, errors, example);
    let parse = |text: &str| Json::parse(text).map_err(|error| refused(&format!("not JSON: {error}")));
    let (normalizer, tools) = &*OURS;
    let tool = tools.get(name).ok_or_else(|| refused("no such tool"))?;
    match normalizer.normalize(tool, &RawArguments::json(sent)) {
        Outcome::Unchanged => Ok((parse(sent)?, Vec::new())),
        Outcome::Repaired { arguments, changes } => Ok((parse(&arguments)?, changes)),
        Outcome::Refused { problems, .. } => {
            let said: Vec<String> = problems
                .iter()
                .map(|problem| match problem.path.trim_start_matches('/') {
                    "" => problem.message.clone(),
                    path => format!("{}: {}", path.replace('/', "."), problem.message),
                })
                .collect();
            Err(refused(&said.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolbox_is_named_and_common_slips_are_mended() {
        assert_eq!(
            read_open(r#"{"toolbox":"dev"}"#).map(|call| (call.toolbox, call.changes.len())),
            Ok(("dev".to_owned(), 0))
        );
        for slip in
            [r#"{"arguments":{"toolbox":"dev"}}"#, r#""{\"toolbox\":\"dev\"}""#, r#"{"toolBox":"dev"}"#]
        {
            let call = read_close(slip).expect(slip);
            assert_eq!(call.toolbox, "dev", "{slip}");
            assert!(!call.changes.is_empty(), "{slip}");
        }
    }

    #[test]
    fn what_names_no_toolbox_is_refused_with_an_example() {
        for wrong in [
            "",
            "{}",
            r#"{"toolbox":""}"#,
            r#"{"toolbox":["a","b"]}"#,
            r#"{"toolbox":"a","server":"b"}"#,
            "[]",
        ] {
            let error = read_open(wrong).expect_err(wrong);
            assert!(error.starts_with("Invalid parameters of open_toolbox: "), "{error}");
            assert!(error.ends_with("A correct call:\n{\"toolbox\": \"dev\"}"), "{error}");
        }
        assert!(
            read_open(r#"{"toolbox":""}"#)
                .expect_err("empty")
                .contains("toolbox: Toolbox name cannot be empty")
        );
    }

    #[test]
    fn a_search_has_its_limits() {
        let call = read_search(r#"{"query":"read files"}"#).expect("it is right");
        assert_eq!((call.query.as_str(), call.limit, call.toolbox), ("read files", 10, None));
        let call = read_search(r#"{"query":"x","limit":"5","toolbox":"dev"}"#).expect("it is mended");
        assert_eq!((call.limit, call.toolbox.as_deref(), call.changes.len()), (5, Some("dev"), 1));
        for wrong in
            [r#"{"query":""}"#, r#"{"query":"x","limit":0}"#, r#"{"query":"x","limit":51}"#, r#"{"limit":5}"#]
        {
            assert!(read_search(wrong).is_err(), "{wrong}");
        }
    }
}
