//! What the files tools have in common: a definition, arguments, a stage, and a commit at the end.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolwright_base::IgnorePoison;
use toolwright_executor::registry::FILES_SERVER;
use toolwright_executor::{CallControl, ToolFailure, ToolFunction, ToolOutput, printable};
use toolwright_model::{Annotations, Origin, ToolDefinition};

use super::super::BuiltinTool;
use super::super::arguments::parse;
use super::place::Place;
use super::run::{Stop, blocking};
use super::stage::{Mode, Stage};
use super::{Toolbox, commit};

/// One of the files tools; the type itself is its arguments.
pub(super) trait FileTool: DeserializeOwned + Send + 'static {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    /// The JSON Schema of the arguments.
    const INPUT: &'static str;
    /// The JSON Schema of the structured result.
    const OUTPUT: Option<&'static str>;
    const EFFECT: Effect;

    /// Whether the caller only wants to know what would happen.
    fn dry_run(&self) -> bool {
        false
    }

    /// Does the work on the stage; nothing is written before it has succeeded.
    fn perform(self, stage: &mut Stage<'_>) -> Result<ToolOutput, ToolFailure>;
}

/// What a tool does to the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Changes nothing.
    Reads,
    /// Changes only text that the call itself quotes, and fails when it is not there: a wrong call does no
    /// harm, a right one can be reversed.
    Edits,
    /// May take away what the call does not name.
    Destroys,
}

/// The line of a tool in the table of built-in tools.
pub(super) fn entry<T: FileTool>(toolbox: &Arc<Toolbox>) -> BuiltinTool {
    BuiltinTool {
        definition: ToolDefinition {
            name: T::NAME.to_owned(),
            server: Some(FILES_SERVER.to_owned()),
            origin: Origin::Server,
            description: T::DESCRIPTION.to_owned(),
            input_schema: T::INPUT.to_owned(),
            output_schema: T::OUTPUT.map(str::to_owned),
            annotations: Annotations {
                destructive: T::EFFECT == Effect::Destroys,
                harmless: T::EFFECT == Effect::Reads,
            },
            ..ToolDefinition::default()
        },
        function: Arc::new(Function::<T> { toolbox: Arc::clone(toolbox), tool: PhantomData }),
    }
}

/// A result with the same as JSON beside the text.
pub(super) fn output(text: String, structured: &Value) -> ToolOutput {
    ToolOutput::structured(text, structured.to_string())
}

/// A place in a line of text: its name may hold anything.
pub(super) fn named(place: &Place) -> Cow<'_, str> {
    printable(&place.shown, &[])
}

/// "1 line", "2 lines".
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

struct Function<T> {
    toolbox: Arc<Toolbox>,
    tool: PhantomData<fn() -> T>,
}

impl<T: FileTool> ToolFunction for Function<T> {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        self.call_with(arguments, CallControl::default())
    }

    fn call_with(
        self: Arc<Self>,
        arguments: String,
        control: CallControl,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        let toolbox = Arc::clone(&self.toolbox);
        async move {
            let tool: T = parse(T::NAME, &arguments)?;
            blocking(control, move |stop| run(&toolbox, tool, stop)).await
        }
        .boxed()
    }
}

fn run<T: FileTool>(toolbox: &Toolbox, tool: T, stop: &Stop) -> Result<ToolOutput, ToolFailure> {
    // Two calls that read, change and write the same file must not run at once: one change would be lost.
    let _one_at_a_time = match T::EFFECT {
        Effect::Edits | Effect::Destroys => Some(toolbox.writing.lock().ignore_poison()),
        Effect::Reads => None,
    };
    stop.check()?;
    if T::EFFECT != Effect::Reads {
        toolbox.tell_later(commit::recover(&toolbox.roots)?);
    }
    let mode = if tool.dry_run() { Mode::DryRun } else { Mode::Write };
    let mut stage = Stage::new(toolbox, stop, mode);
    let mut output = tool.perform(&mut stage)?;
    if mode == Mode::Write {
        commit::commit(&toolbox.roots, stage.changes(), stop)?;
    }
    // What is read is given back exactly, so calls that read tell nothing else.
    if T::EFFECT != Effect::Reads {
        for line in toolbox.told_once() {
            output.text.push('\n');
            output.text.push_str(&printable(&line, &[]));
        }
    }
    Ok(output)
}
