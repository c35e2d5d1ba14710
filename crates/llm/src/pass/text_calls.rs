//! Calls that a model wrote as text, written as its dialect writes calls.

use toolwright_jsonrpc::raw::{self, quote};

use super::mend::{self, CallReport, Delivery, Finish, Mender};
use crate::stream::calls_of;
use crate::{Dialect, dialects};

/// A call that was a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextCall {
    pub(crate) id: String,
    /// As JSON, with its namespace where it has one.
    pub(crate) name: String,
    /// A JSON object.
    pub(crate) arguments: String,
}

/// The calls that a whole text is, mended; none when it is anything else.
pub(super) fn find(
    dialect: Dialect,
    text: &str,
    tools: &[String],
    id_seed: &str,
    mender: &Mender,
    reports: &mut Vec<CallReport>,
) -> Vec<TextCall> {
    let found = calls_of(text, tools).unwrap_or_default();
    let mut calls = Vec::with_capacity(found.len());
    for (number, (name, sent)) in found.into_iter().enumerate() {
        let named = mender.name(&name);
        let name = mend::new_name(dialect, &named, None, &name).unwrap_or_else(|| quote(&name));
        let mended = mender.arguments(&named, &sent, Finish::Stop);
        reports.push(mended.report);
        let arguments = match mended.delivery {
            Delivery::Instead(text) => text,
            Delivery::AsSent | Delivery::CutOff => sent,
        };
        if raw::check(&arguments).is_err() {
            return Vec::new();
        }
        let start = dialects::of(dialect).call_id_prefix();
        // In streams no line may end inside of a value.
        let arguments = arguments.replace(['\n', '\r'], " ");
        calls.push(TextCall { id: quote(&format!("{start}_{id_seed}_{number}")), name, arguments });
    }
    calls
}

/// The calls as a whole answer has them: items of a list, without its brackets.
pub(super) fn items(dialect: Dialect, calls: &[TextCall]) -> String {
    let module = dialects::of(dialect);
    let items: Vec<String> = calls.iter().map(|call| module.write_text_call(call)).collect();
    items.join(",")
}
