//! What passing needs of the mender of calls.

// STAND-IN until the mender is merged.

/// Stand-in.
#[derive(Debug, Default)]
pub struct Mender;

/// Stand-in.
#[derive(Clone, Debug)]
pub struct Named {
    pub deliver: String,
}

pub use toolwright_model::Finish;

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    AsSent,
    Instead(String),
    CutOff,
}

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReport {
    pub name: String,
}

impl Mender {
    fn name(&self, sent: &str) -> Named {
        Named { deliver: sent.to_lowercase() }
    }

    fn arguments(&self, named: &Named, sent: &str, finish: Finish) -> (Delivery, Option<CallReport>) {
        let new = sent.replace('\'', "\"").replace("file_path", "path");
        let new = if new.is_empty() { "{}".to_owned() } else { new };
        let delivery = match toolwright_jsonrpc::raw::check(&new) {
            Ok(()) if new == sent => Delivery::AsSent,
            Ok(()) => Delivery::Instead(new),
            Err(_) if finish == Finish::Length => Delivery::CutOff,
            Err(_) if toolwright_jsonrpc::raw::check(&format!("{new}}}")).is_ok() => {
                Delivery::Instead(format!("{new}}}"))
            }
            Err(_) => Delivery::AsSent,
        };
        let report = CallReport { name: named.deliver.clone() };
        let report = matches!(delivery, Delivery::Instead(_)).then_some(report);
        (delivery, report)
    }
}

/// The name of a tool, as it is to be delivered.
pub(super) fn name(mender: &Mender, sent: &str) -> Named {
    mender.name(sent)
}

/// The name to write instead of the one that was sent.
pub(super) fn new_name<'n>(named: &'n Named, sent: &str) -> Option<&'n str> {
    (named.deliver != sent).then_some(named.deliver.as_str())
}

/// What becomes of arguments that are there as a whole.
pub(super) fn whole(
    mender: &Mender,
    named: &Named,
    sent: &str,
    finish: Finish,
) -> (Delivery, Option<CallReport>) {
    mender.arguments(named, sent, finish)
}

/// Arguments that come in pieces.
#[derive(Debug)]
pub(super) struct Growing {
    named: Named,
    sent: String,
}

impl Growing {
    pub fn new(_mender: &Mender, named: &Named) -> Growing {
        Growing { named: named.clone(), sent: String::new() }
    }

    /// Takes a piece, and tells how many bytes of all pieces are in no doubt.
    pub fn push(&mut self, piece: &str) -> usize {
        self.sent.push_str(piece);
        let doubt = self.sent.find('\'').into_iter().chain(self.sent.find("\"fi")).min();
        doubt.unwrap_or(self.sent.len())
    }

    /// What becomes of all of it. What was in no doubt is the start of what is delivered instead.
    pub fn end(self, mender: &Mender, _left: usize, finish: Finish) -> (Delivery, Option<CallReport>) {
        mender.arguments(&self.named, &self.sent, finish)
    }
}
