//! Reads a call of `use_tool`: as the contract has it, or mended into that where it can mean nothing else.

use std::sync::LazyLock;

use toolwright_jsonrpc::Json;
use toolwright_model::{Change, Code, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool};

use super::reading::{Reading, is_string};
use super::{Identifier, Known, USE_TOOL, contract, definitions, envelope, example, flattened, names, texts};

/// A call of `use_tool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseTool {
    /// The tool that is meant. Whether it exists is not said.
    pub tool: Identifier,
    /// Its arguments: an object, as it was sent.
    pub arguments: Json,
    /// What was changed to read the call so.
    pub changes: Vec<Change>,
}

/// The rule that lets the old key pass.
const LEGACY_RULE: &str = "acceptLegacyToolKey";

/// Reads the arguments of a `use_tool` call. With `accept_legacy_key` the identifier's old key `tool` counts
/// as `name`. The error is the whole text for the model, with a call that is right.
pub fn read_use_tool(arguments: &str, known: &dyn Known, accept_legacy_key: bool) -> Result<UseTool, String> {
    let sent = match arguments.trim() {
        "" => Json::empty_object(),
        text => Json::parse(text)
            .map_err(|error| refusal(&[format!("not JSON: {error}")], &Json::empty_object(), known))?,
    };
    let mut reading = Reading::of(sent.clone());
    let (tool, arguments) = match contract::check(&sent) {
        Ok(call) => call,
        Err(errors) => {
            mend(&mut reading, known, accept_legacy_key);
            contract::check(&reading.value).map_err(|_| refusal(&errors, &reading.value, known))?
        }
    };
    let Some((meant, code)) = names::known_form(&tool, known) else {
        return Ok(UseTool { tool, arguments, changes: reading.changes });
    };
    let (from, to) = (Json::text(&tool.name), Json::text(&meant.name));
    reading.note(
        code,
        "/tool/name",
        Some(&from),
        Some(&to),
        "the only tool of the server that is written so",
    );
    Ok(UseTool { tool: meant, arguments, changes: reading.changes })
}

/// Reads the arguments of a `use_tool` call to the letter of its contract: nothing is filled in, moved or renamed.
/// The error is the whole text for the model, with a call that is right.
pub fn read_use_tool_strictly(arguments: &str, known: &dyn Known) -> Result<UseTool, String> {
    let refused = |errors: &[String], sent: &Json| Err(refusal(errors, sent, known));
    let sent = match Json::parse(arguments.trim()) {
        Ok(sent) => sent,
        Err(error) => return refused(&[format!("not JSON: {error}")], &Json::empty_object()),
    };
    match contract::check(&sent) {
        Ok((tool, arguments)) => Ok(UseTool { tool, arguments, changes: Vec::new() }),
        Err(errors) => refused(&errors, &sent),
    }
}

fn mend(reading: &mut Reading, known: &dyn Known, accept_legacy_key: bool) {
    envelope::open(reading);
    flattened::leave_out_blanks(reading);
    flattened::open_strings(reading);
    flattened::gather_identifier(reading);
    names::read_string(reading, known);
    let has_legacy_key = reading.object("tool").is_some_and(|tool| tool.get("tool").is_some());
    if has_legacy_key {
        if !accept_legacy_key {
            return;
        }
        rename_legacy_key(reading);
    }
    flattened::gather_arguments(reading, known);
    names::complete(reading, known);
    if contract::check(&reading.value).is_err() {
        normalize(reading);
    }
}

/// N3: the key `tool` of an identifier, which was its name once.
fn rename_legacy_key(reading: &mut Reading) {
    let Some(tool) = reading.object("tool").filter(|tool| tool.get("name").is_none()) else { return };
    let Some(name) = tool.get("tool").filter(is_string) else { return };
    let renamed = tool.without("tool").with("name", &name);
    reading.value = reading.value.with("tool", &renamed);
    reading.note(Code::AliasByRule, "/tool/tool", Some(&name), Some(&name), "the old key of the tool's name");
    if let Some(change) = reading.changes.last_mut() {
        change.rule = Some(LEGACY_RULE.to_owned());
    }
}

/// What the normalizer may mend: levels are looked after here, and a number is no name.
const OTHERS: &[Code] = &[
    Code::LenientSyntax,
    Code::KeyForm,
    Code::KeyTypo,
    Code::AliasByRule,
    Code::AliasBySchema,
    Code::StringToContainer,
    Code::EmptyOptional,
];

/// What is left is for the normalizer, as for every other tool: keys in another form, values as strings.
fn normalize(reading: &mut Reading) {
    static OURS: LazyLock<Option<(Normalizer, Tool)>> = LazyLock::new(|| {
        let definition = ToolDefinition {
            name: USE_TOOL.to_owned(),
            input_schema: definitions::input_schema(USE_TOOL)?,
            ..ToolDefinition::default()
        };
        Some((Normalizer::new(RuleSet::builtin()), Tool::compile(&definition).ok()?))
    });
    let Some((normalizer, tool)) = &*OURS else { return };
    let sent = reading.value.clone();
    let outcome = normalizer.normalize(tool, &RawArguments::json(sent.as_str()));
    if let Outcome::Repaired { arguments, changes } = outcome
        && changes.iter().all(|change| OTHERS.contains(&change.code))
        && let Ok(value) = Json::parse(&arguments)
    {
        reading.value = value;
        reading.changes.extend(changes);
    }
}

fn refusal(errors: &[String], nearest: &Json, known: &dyn Known) -> String {
    let example = example::corrected(nearest, known);
    format!("{}{}\n\nA correct call:\n{example}", texts::INVALID, errors.join("; "))
}
