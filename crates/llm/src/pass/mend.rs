//! What passing needs of the mender of calls.

use toolwright_jsonrpc::raw;
use toolwright_normalizer::continuation;

use crate::calls::GrowingCall;
pub(super) use crate::calls::{CallReport, Delivery, Mender, Named};
use crate::dialects::namespace::{self, NAMESPACE};
use crate::{Dialect, dialects};
pub(super) use toolwright_model::Finish;

/// What to write instead of the name that was sent, as JSON. A tool of a namespace needs both names: where there was
/// none, the namespace goes with the name.
pub(super) fn new_name(
    dialect: Dialect,
    named: &Named,
    namespace: Option<&str>,
    sent: &str,
) -> Option<String> {
    let name = named.name();
    let is_own = dialects::of(dialect).has_namespaces() && named.is_known();
    let within = namespace::split(name).filter(|_| is_own);
    match (namespace, within) {
        (Some(_), Some((_, tool))) => Some(raw::quote(tool)).filter(|_| tool != sent),
        (None, Some((namespace, tool))) => {
            Some(format!("{},\"{NAMESPACE}\":{}", raw::quote(tool), raw::quote(namespace)))
        }
        (Some(_), None) => None,
        (None, None) => Some(raw::quote(name)).filter(|_| name != sent),
    }
}

/// Arguments that come in pieces.
#[derive(Debug)]
pub(super) struct Growing(GrowingCall);

impl Growing {
    pub fn new(mender: &Mender, named: &Named) -> Growing {
        Growing(mender.growing(named))
    }

    /// Takes a piece, and tells how many bytes of all pieces are in no doubt.
    pub fn push(&mut self, piece: &str) -> usize {
        self.0.push(piece);
        self.0.safe()
    }
}

/// Decides about arguments of which so much has left and so much was in no doubt. What is delivered instead begins with
/// what has left.
pub(super) fn decide(
    mender: &Mender,
    named: &Named,
    sent: &str,
    left: usize,
    safe: usize,
    finish: Finish,
) -> (Delivery, CallReport) {
    let mended = mender.arguments(named, sent, finish);
    let mut report = mended.report;
    let (Delivery::Instead(text), Some(begun)) = (&mended.delivery, sent.get(..left)) else {
        return (mended.delivery, report);
    };
    if begun.is_empty() {
        return (mended.delivery, report);
    }
    match continuation(begun, text) {
        Some(rest) => (Delivery::Instead([begun, &rest].concat()), report),
        None => {
            report.is_too_late = true;
            report.instead = None;
            // What has left may end anywhere; what is in no doubt ends where the object can be closed.
            let begun = sent.get(..safe.max(left)).unwrap_or(begun);
            let marked = mender.marked_rest(begun, sent).map(|rest| [begun, &rest].concat());
            (marked.map_or(Delivery::AsSent, Delivery::Instead), report)
        }
    }
}
