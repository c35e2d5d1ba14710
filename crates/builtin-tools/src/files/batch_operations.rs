//! `batch_operations`: several steps on several files, all or none.

mod step;

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright_executor::{ToolFailure, ToolOutput, printable};

use super::super::arguments::{half_character, half_is_none, invalid};
use super::stage::Stage;
use super::tool::{Effect, FileTool, counted, output};
use step::Step;

/// The arguments of `batch_operations`. The two payloads are two names for one thing: clients know either.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatchOperations {
    pipeline_json: Option<String>,
    request_json: Option<String>,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    dry_run: bool,
}

impl FileTool for BatchOperations {
    const NAME: &'static str = "batch_operations";
    const DESCRIPTION: &'static str = "Runs several steps on files in order, all or none: when one fails, nothing \
        is changed. Each step sees what the steps before it did. pipeline_json (or request_json) is the text of \
        {\"steps\": [{\"id\", \"action\", …}]}; action is read, search, write, edit, multi_edit, diff or delete \
        with the parameters of read_file, search_files, write_to_file, edit_file, multi_edit, apply_diff and \
        delete_file, or move or copy with path and to.";
    const INPUT: &'static str = r#"{
  "type": "object",
  "properties": {
    "pipeline_json": {"type": "string", "description": "JSON text: {\"steps\": [{\"id\": \"1\", \"action\": \"edit\", \"path\": \"a.txt\", \"old_text\": \"…\", \"new_text\": \"…\"}, …]}"},
    "request_json": {"type": "string", "description": "The same under another name; send one of the two"},
    "force": {"type": "boolean", "description": "Let every step change read-only files, and let move and copy replace files"},
    "dry_run": {"type": "boolean", "description": "Run all steps in memory, say what would happen and change nothing"}
  },
  "additionalProperties": false
}"#;
    const OUTPUT: Option<&'static str> = Some(
        r#"{
  "type": "object",
  "properties": {
    "steps": {"type": "array", "items": {
      "type": "object",
      "properties": {"id": {"type": "string"}, "action": {"type": "string"}, "text": {"type": "string"}},
      "required": ["id", "action", "text"]
    }},
    "changed": {"type": "array", "items": {"type": "string"}, "description": "The files that differ now"},
    "dry_run": {"type": "boolean"}
  },
  "required": ["steps", "changed", "dry_run"],
  "additionalProperties": false
}"#,
    );
    const EFFECT: Effect = Effect::Destroys;

    fn dry_run(&self) -> bool {
        self.dry_run
    }

    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure> {
        let steps = self.steps(stage.toolbox().limits.max_steps)?;
        let (mut results, mut lines) = (Vec::new(), Vec::new());
        let count = steps.len();
        let max_bytes = stage.toolbox().limits.max_read_bytes;
        let mut room = max_bytes;
        for (index, step) in steps.into_iter().enumerate() {
            stage.stop().check()?;
            let (id, action) = (step.id.clone(), step.action);
            let done = step.run(stage, self.force).map_err(|failure| {
                ToolFailure::tool(format!(
                    "step {} of {count} ({id:?}, {action}) failed, so nothing was changed: {failure}",
                    index + 1
                ))
            })?;
            room = room.checked_sub(done.text.len() as u64).ok_or_else(|| too_much(&id, max_bytes))?;
            lines.push(format!("{id} ({action}): {}", done.text));
            results.push(json!({"id": id, "action": action, "text": done.text}));
        }
        let changed: Vec<&str> = stage.changes().iter().map(|change| change.place.shown.as_str()).collect();
        let summary = match changed.len() {
            0 => "No file changes.".to_owned(),
            _ => {
                let names: Vec<_> = changed.iter().map(|path| printable(path, &[])).collect();
                format!("{}: {}.", stage.say("Changed", "Would change"), names.join(", "))
            }
        };
        lines.push(summary);
        let structured = json!({"steps": results, "changed": changed, "dry_run": stage.is_dry_run()});
        Ok(output(lines.join("\n"), &structured))
    }
}

impl BatchOperations {
    fn steps(&self, max_steps: usize) -> Result<Vec<Step>, ToolFailure> {
        let (name, payload) = self.payload()?;
        let items = match payload {
            Value::Array(items) => items,
            Value::Object(mut object) => match object.remove("steps") {
                Some(Value::Array(items)) if object.is_empty() => items,
                Some(Value::Array(_)) => {
                    let others: Vec<&str> = object.keys().map(String::as_str).collect();
                    return Err(invalid(format!(
                        "{name} holds more than \"steps\": {}. Send force and dry_run beside {name}, not in it",
                        others.join(", ")
                    )));
                }
                _ => return Err(no_steps(name)),
            },
            _ => return Err(no_steps(name)),
        };
        if items.is_empty() {
            return Err(no_steps(name));
        }
        if items.len() > max_steps {
            return Err(invalid(format!(
                "{name} holds {}; at most {max_steps} can be run in one call. Split them",
                counted(items.len(), "step")
            )));
        }
        let mut steps: Vec<Step> = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let step = Step::read(index, item)?;
            if steps.iter().any(|other| other.id == step.id) {
                return Err(invalid(format!("two steps have the id {:?}. Give each its own", step.id)));
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn payload(&self) -> Result<(&'static str, Value), ToolFailure> {
        let read = |name: &'static str, text: &str| -> Result<Value, ToolFailure> {
            serde_json::from_str(text).map_err(|error| match half_character(text) {
                Some(half) => invalid(format!("the text of {name} holds {}", half_is_none(half))),
                None => invalid(format!("{name} is not JSON text: {error}. Send for example {EXAMPLE}")),
            })
        };
        match (&self.pipeline_json, &self.request_json) {
            (Some(text), None) => Ok(("pipeline_json", read("pipeline_json", text)?)),
            (None, Some(text)) => Ok(("request_json", read("request_json", text)?)),
            (Some(one), Some(other)) => {
                let (one, other) = (read("pipeline_json", one)?, read("request_json", other)?);
                if one == other {
                    return Ok(("pipeline_json", one));
                }
                Err(invalid("pipeline_json and request_json hold different steps. Send only one of them"))
            }
            (None, None) => Err(invalid(format!(
                "pipeline_json is missing. Send the steps in it as JSON text: {EXAMPLE}"
            ))),
        }
    }
}

/// A payload as it should be.
const EXAMPLE: &str = r#"{"steps": [{"id": "1", "action": "read", "path": "a.txt"}]}"#;

fn too_much(id: &str, max_bytes: u64) -> ToolFailure {
    ToolFailure::tool(format!(
        "with step {id:?} the results have more than {max_bytes} bytes in all, so nothing was changed. Read less \
         in one call: use start_line and end_line, or count_only"
    ))
}

fn no_steps(name: &str) -> ToolFailure {
    invalid(format!("{name} holds no steps. Send for example {EXAMPLE}"))
}
