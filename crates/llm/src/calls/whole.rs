//! Calls in whole answers, and in the history that clients send back.

use toolwright_jsonrpc::Json;
use toolwright_model::Finish;

use super::stop::{Calls, finish_of, settled};
use super::{CallReport, Delivery, Mended, Mender, as_text};
use crate::form::{Arguments, Block, Call, Request, Response, Role, Text};

/// Mends the calls of a whole answer, as a stream's are, and settles why it ended. A call that was cut off is taken
/// out of it.
pub fn mend_response(mender: &Mender, response: &mut Response) -> Vec<CallReport> {
    let mut reports = Vec::new();
    let mut calls = Calls::default();
    let last = response.blocks.len().saturating_sub(1);
    let end = finish_of(response.stop.as_ref());
    let mut index = 0;
    response.blocks.retain_mut(|block| {
        let is_last = index == last;
        index += 1;
        let Block::Call(call) = block else { return true };
        if !mender.allows_calls() {
            let text = as_text(&call.name, call.arguments.as_str());
            *block = Block::Text(Text { text, extra: Vec::new() });
            return true;
        }
        let (is_told, report) = mend(mender, call, if is_last { end } else { Finish::Stop });
        calls.delivered += usize::from(is_told);
        calls.is_cut |= !is_told;
        reports.push(report);
        is_told
    });
    response.stop = Some(settled(response.stop.take(), calls));
    reports
}

/// Mends the calls that a client sends back, so that a strict upstream takes them. Calls of tools that the request does
/// not bring keep their names, and are changed only by rules that name the tool. Reports the calls that were changed.
pub fn mend_history(mender: &Mender, request: &mut Request) -> Vec<CallReport> {
    let assistants = request.messages.iter_mut().filter(|message| message.role == Role::Assistant);
    let blocks = assistants.flat_map(|message| &mut message.blocks);
    let mut reports = Vec::new();
    for block in blocks {
        if let Block::Call(call) = block {
            let named = mender.name(&call.name);
            let mended = mender.history_arguments(&named, sent_of(call));
            let (_, report) = deliver(named.name(), mended, call);
            reports.extend(Some(report).filter(CallReport::is_changed));
        }
    }
    reports
}

/// Mends one call. Says whether anything of it is told.
fn mend(mender: &Mender, call: &mut Call, finish: Finish) -> (bool, CallReport) {
    let named = mender.name(&call.name);
    let mended = mender.arguments(&named, sent_of(call), finish);
    deliver(named.name(), mended, call)
}

/// The arguments as they were sent.
fn sent_of(call: &Call) -> &str {
    match &call.arguments {
        Arguments::Object(json) => json.as_str(),
        Arguments::Text(text) => text,
    }
}

/// Writes what became of a call into it. Says whether anything of it is told.
fn deliver(name: &str, mended: Mended, call: &mut Call) -> (bool, CallReport) {
    if call.name != name {
        call.name = name.to_owned();
    }
    if let Delivery::Instead(arguments) = &mended.delivery {
        call.arguments = match Json::parse(arguments) {
            Ok(json) => Arguments::Object(json),
            Err(_) => Arguments::Text(arguments.clone()),
        };
    }
    (mended.delivery != Delivery::CutOff, mended.report)
}
