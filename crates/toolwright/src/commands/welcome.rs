//! Without a command: what this is, one call mended before your eyes, and the next steps.

use std::process::ExitCode;

use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

use super::print;
use crate::report::Report;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"recursive":{"type":"boolean"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#;
const SENT: &str = r#"{"arguments": {"file_path": "src", "recursive": "true", "limit": "20"}}"#;

pub fn run() -> Result<ExitCode, Report> {
    let definition = ToolDefinition {
        name: "list_files".into(),
        input_schema: SCHEMA.into(),
        ..ToolDefinition::default()
    };
    let tool = Tool::compile(&definition).map_err(|error| Report::usage(error.to_string(), "report this"))?;
    let outcome = Normalizer::default().normalize(&tool, &RawArguments::json(SENT));
    let mut lines = vec![
        format!("toolwright {}: every tool call, made to fit.", env!("CARGO_PKG_VERSION")),
        String::new(),
        "A model called list_files(path, recursive, limit) like this:".to_owned(),
        format!("  {SENT}"),
    ];
    if let Outcome::Repaired { arguments, changes } = outcome {
        lines.push("The tool gets:".to_owned());
        lines.push(format!("  {arguments}"));
        lines.push("because:".to_owned());
        for change in changes {
            let (from, to) =
                (change.from.unwrap_or_default(), change.to.unwrap_or_else(|| "nothing".to_owned()));
            lines.push(format!(
                "  {:<3} {:<14} {from} → {to}  ({})",
                change.code.as_str(),
                change.path,
                change.why
            ));
        }
    }
    lines.extend(
        [
            "",
            "Next:",
            "  toolwright normalize < calls.jsonl     mend calls, one JSON line each",
            "  toolwright tools                       the tools there are to call",
            "  toolwright call get_current_datetime   call one",
            "  toolwright explain N4                  what a code means",
            "  toolwright rules list                  the rules in force",
            "  toolwright --help                      everything else",
            "",
            "The gateway (`toolwright serve`) is not in this version yet; see CHANGELOG.md.",
        ]
        .map(str::to_owned),
    );
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
