//! A call of a tool: the first line is the tool's schema, everything after it the argument text.

use std::sync::LazyLock;

use toolwright_model::{Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

use crate::is_strict_json;

/// Made once: reading the built-in rules takes longer than most calls.
static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

/// Any call of any tool gets an outcome that keeps its promises.
pub fn schema_arguments(data: &[u8]) {
    let input = String::from_utf8_lossy(data);
    let Some((schema, arguments)) = input.split_once('\n') else { return };
    let definition = ToolDefinition {
        name: "save_note".to_owned(),
        input_schema: schema.to_owned(),
        ..ToolDefinition::default()
    };
    let Ok(tool) = Tool::compile(&definition) else { return };
    for finish in [Finish::Unknown, Finish::Stop] {
        check(&tool, arguments, &RawArguments::text(arguments, finish));
    }
    if is_strict_json(arguments) {
        check(&tool, arguments, &RawArguments::json(arguments));
    }
}

fn check(tool: &Tool, text: &str, arguments: &RawArguments<'_>) {
    match NORMALIZER.normalize(tool, arguments) {
        Outcome::Unchanged => {
            assert!(is_strict_json(text), "{text:?} is not JSON and goes on unchanged");
            assert!(tool.accepts(text), "{text:?} is not valid and goes on unchanged");
        }
        Outcome::Repaired { arguments, changes } => {
            assert!(!changes.is_empty(), "{text:?} became {arguments:?} and no change is reported");
            assert!(is_strict_json(&arguments), "{text:?} became {arguments:?}, which is not JSON");
            assert!(tool.accepts(&arguments), "{text:?} became {arguments:?}, which is not valid");
            let again = NORMALIZER.normalize(tool, &RawArguments::json(&arguments));
            assert_eq!(
                again,
                Outcome::Unchanged,
                "{text:?} became {arguments:?}, which is not accepted as it is"
            );
        }
        Outcome::Refused { problems, .. } => {
            assert!(!problems.is_empty(), "{text:?} is refused and no problem is reported");
        }
    }
}
