//! One step of a batch: which tool it is and its arguments.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwright_executor::{ToolFailure, ToolOutput};

use super::super::super::arguments::{invalid, read_object, spelt_out};
use super::super::apply_diff::ApplyDiff;
use super::super::delete_file::DeleteFile;
use super::super::edit_file::EditFile;
use super::super::multi_edit::MultiEdit;
use super::super::place::Place;
use super::super::read_file::ReadFile;
use super::super::search_files::SearchFiles;
use super::super::stage::{Protected, Stage};
use super::super::tool::{Effect, FileTool, named, output};
use super::super::write_to_file::WriteToFile;

/// Parameters of steps that are true or false.
const FLAGS: [&str; 7] =
    ["force", "replace_all", "permanent", "regex", "case_sensitive", "recursive", "count_only"];

/// A step that was read and not yet run.
pub(super) struct Step {
    pub id: String,
    pub action: &'static str,
    changes: bool,
    run: Run,
    arguments: Map<String, Value>,
}

type Run = fn(Map<String, Value>, &mut Stage<'_>) -> Result<ToolOutput, ToolFailure>;

/// One thing that a step can do.
struct Action {
    short: &'static str,
    /// The name of the tool that does the same alone.
    long: &'static str,
    /// Whether `force` means anything to it.
    changes: bool,
    run: Run,
}

const ACTIONS: [Action; 9] = [
    action::<ReadFile>("read"),
    action::<SearchFiles>("search"),
    action::<WriteToFile>("write"),
    action::<EditFile>("edit"),
    action::<MultiEdit>("multi_edit"),
    action::<ApplyDiff>("diff"),
    action::<DeleteFile>("delete"),
    Action { short: "move", long: "move_file", changes: true, run: relocate::<true> },
    Action { short: "copy", long: "copy_file", changes: true, run: relocate::<false> },
];

const fn action<T: FileTool>(short: &'static str) -> Action {
    Action { short, long: T::NAME, changes: !matches!(T::EFFECT, Effect::Reads), run: perform::<T> }
}

impl Step {
    /// Reads the step at `index`, counted from 0. A step without an id is named after its place.
    pub(super) fn read(index: usize, item: Value) -> Result<Step, ToolFailure> {
        let number = index + 1;
        let Value::Object(mut arguments) = item else {
            return Err(invalid(format!("step {number} is not a JSON object with an \"action\"")));
        };
        let id = match arguments.shift_remove("id") {
            None | Some(Value::Null) => format!("step-{index}"),
            Some(Value::String(id)) if id.is_empty() => format!("step-{index}"),
            Some(Value::String(id)) => id,
            Some(Value::Number(id)) => id.to_string(),
            Some(_) => return Err(invalid(format!("the id of step {number} is not a string"))),
        };
        let Some(Value::String(name)) = arguments.shift_remove("action") else {
            let instead =
                if arguments.contains_key("type") { " but a \"type\": call it \"action\"" } else { "" };
            return Err(invalid(format!(
                "step {number} ({id:?}) has no \"action\"{instead}. It is one of {}",
                names()
            )));
        };
        let Some(known) = ACTIONS.iter().find(|known| name == known.short || name == known.long) else {
            return Err(invalid(format!(
                "step {number} ({id:?}) has the unknown action {name:?}. It is one of {}",
                names()
            )));
        };
        if arguments.contains_key("dry_run") {
            return Err(invalid(format!(
                "step {number} ({id:?}) has a dry_run of its own. Set dry_run beside the steps: it is for all of them"
            )));
        }
        Ok(Step { id, action: known.short, changes: known.changes, run: known.run, arguments })
    }

    /// Runs the step on the stage. `force` is that of the whole batch.
    pub(super) fn run(mut self, stage: &mut Stage<'_>, force: bool) -> Result<ToolOutput, ToolFailure> {
        if force && self.changes {
            self.arguments.insert("force".to_owned(), Value::Bool(true));
        }
        (self.run)(self.arguments, stage)
    }
}

fn names() -> String {
    ACTIONS.map(|action| action.short).join(", ")
}

fn perform<T: FileTool>(
    arguments: Map<String, Value>,
    stage: &mut Stage<'_>,
) -> Result<ToolOutput, ToolFailure> {
    read_arguments::<T>(arguments)?.perform(stage)
}

fn read_arguments<T: serde::de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolFailure> {
    // A dry_run is for the whole batch: a step has none, though its tool does.
    read_object(spelt(arguments)).map_err(|said| invalid(said.replace(", dry_run", "")))
}

/// Flags that are spelt out and edits that are no text yet, as the parameters of the tools are mended too.
fn spelt(mut arguments: Map<String, Value>) -> Map<String, Value> {
    for (name, value) in &mut arguments {
        if FLAGS.contains(&name.as_str()) {
            *value = spelt_out(value).map_or_else(|| value.take(), Value::Bool);
        } else if name == "edits_json" && value.is_array() {
            *value = Value::String(value.to_string());
        }
    }
    arguments
}

/// The arguments of `move` and `copy`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Relocate {
    path: String,
    to: String,
    #[serde(default)]
    force: bool,
}

fn relocate<const MOVES: bool>(
    arguments: Map<String, Value>,
    stage: &mut Stage<'_>,
) -> Result<ToolOutput, ToolFailure> {
    let arguments: Relocate = read_arguments(arguments)?;
    // A link is moved itself; what is copied is the file that it leads to.
    let find = if MOVES { Stage::entry } else { Stage::file };
    let (from, to) = (find(stage, &arguments.path)?, find(stage, &arguments.to)?);
    if from == to {
        return Err(invalid(format!("{:?} is already there: path and to are the same file", from.shown)));
    }
    if MOVES {
        stage.rename(&from, &to, arguments.force)?;
    } else {
        copy(stage, &from, &to, arguments.force)?;
    }
    let (done, would) = if MOVES { ("Moved", "Would move") } else { ("Copied", "Would copy") };
    let text = format!("{} {} to {}.", stage.say(done, would), named(&from), named(&to));
    Ok(output(text, &json!({"path": from.shown, "to": to.shown})))
}

fn copy(stage: &mut Stage<'_>, from: &Place, to: &Place, force: bool) -> Result<(), ToolFailure> {
    let file = stage.read(from)?;
    let found = stage.find(to)?;
    if found.is_some() && !force {
        return Err(ToolFailure::tool(format!(
            "{:?} exists already. Choose another name, or set \"force\": true to replace it",
            to.shown
        )));
    }
    stage.write(to, found.as_ref(), file.bytes.to_vec(), Protected::forced(force))?;
    stage.keep_permissions(to, &file);
    Ok(())
}
