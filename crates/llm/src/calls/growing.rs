//! A call whose arguments come in pieces.

use toolwright_model::Finish;
use toolwright_normalizer::{Growing, continuation};

use super::{CallReport, Delivery, Mender, Named};

/// Arguments that are being written, and what of them has left.
#[derive(Debug)]
pub struct GrowingCall {
    mender: Mender,
    named: Named,
    arguments: Written,
    /// So many bytes have left.
    left: usize,
}

#[derive(Debug)]
enum Written {
    /// Followed by the schema of its tool.
    Followed(Box<Growing>),
    /// Held back until the end.
    Held(String),
}

/// What follows when the arguments have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// What is to be written behind what has left; nothing where the call was cut off.
    pub text: Option<String>,
    /// What was found and done.
    pub report: CallReport,
}

impl GrowingCall {
    pub(super) fn new(mender: Mender, named: Named) -> GrowingCall {
        let arguments = match mender.tool(&named) {
            Some(tool) => {
                Written::Followed(Box::new(Growing::new(mender.normalizer().clone(), tool.clone())))
            }
            None => Written::Held(String::new()),
        };
        GrowingCall { mender, named, arguments, left: 0 }
    }

    /// The name that the client is told.
    pub fn name(&self) -> &str {
        self.named.name()
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: &str) {
        match &mut self.arguments {
            Written::Followed(growing) => growing.push(piece),
            Written::Held(text) => text.push_str(piece),
        }
    }

    /// What was written so far.
    pub fn text(&self) -> &str {
        match &self.arguments {
            Written::Followed(growing) => growing.text(),
            Written::Held(text) => text,
        }
    }

    /// How many bytes may leave before the call is decided.
    pub fn safe(&self) -> usize {
        match &self.arguments {
            Written::Followed(growing) => growing.safe(),
            Written::Held(_) => 0,
        }
    }

    /// What may leave now and has not left; from now on it has.
    pub fn take_safe(&mut self) -> Option<String> {
        let safe = self.safe();
        let piece = self.text().get(self.left..safe).filter(|piece| !piece.is_empty())?.to_owned();
        self.left = safe;
        Some(piece)
    }

    /// Whether something has left.
    pub fn has_left(&self) -> bool {
        self.left > 0
    }

    /// Decides the call when its arguments have ended.
    pub fn finish(self, finish: Finish) -> Rest {
        let text = self.text();
        let mended = self.mender.arguments(&self.named, text, finish);
        let mut report = mended.report;
        let rest = match mended.delivery {
            Delivery::CutOff => None,
            Delivery::AsSent => Some(text[self.left..].to_owned()),
            Delivery::Instead(arguments) if self.left == 0 => Some(arguments),
            Delivery::Instead(arguments) => {
                let rest = continuation(&text[..self.left], &arguments);
                if rest.is_none() {
                    report.is_too_late = true;
                    report.instead = None;
                }
                let rest = rest.or_else(|| self.mender.marked_rest(&text[..self.left], text));
                // Who reads whole JSON does not execute what is none, and says so.
                Some(rest.unwrap_or_else(|| text[self.left..].to_owned()))
            }
        };
        Rest { text: rest, report }
    }
}
