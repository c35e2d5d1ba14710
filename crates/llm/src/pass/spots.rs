//! Where calls, and what belongs to them, stand in a document: spans of the text as it was sent.

use super::Span;
use super::walk::Walk;
use crate::form::Stop;
use crate::{Dialect, dialects};

/// Something that matters in a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    /// The name of the model, a string.
    Model(Span),
    /// The id of the answer, a string.
    Id(Span),
    /// When it was made: a number, or a string.
    Created(Span),
    /// The counts of tokens, an object; the whole document where they stand at its top.
    Usage(Span),
    /// A piece of text, a string.
    Text {
        /// The choice, or the block.
        part: u64,
        /// The string.
        span: Span,
        /// The block or item that is this text, where it is told as a whole.
        whole: Option<Span>,
    },
    /// A block or item that is a text which was told before.
    TextAgain {
        /// The block.
        part: u64,
        /// All of it.
        whole: Span,
    },
    /// The document says nothing new, but belongs to this block.
    Within {
        /// The block.
        part: u64,
    },
    /// Where the calls of a message would stand: a list without items, or `null`.
    NoCalls {
        /// The choice.
        part: u64,
        /// The value.
        span: Span,
    },
    /// Something else that was said, and that is no call of ours to mend.
    Content {
        /// The choice, or the block.
        part: u64,
        /// Whether it may be what makes the answer end for the sake of tools.
        may_be_call: bool,
    },
    /// Something of a call.
    Call {
        /// Which.
        key: CallKey,
        /// What of it.
        what: What,
    },
    /// Why the answer, or a choice of it, ends.
    Finish {
        /// The choice.
        part: u64,
        /// The word, a string; nothing where the dialect has none that could be wrong.
        span: Option<Span>,
        /// What it means.
        stop: Stop,
    },
    /// The stream has come to its good end.
    Done,
    /// The document is an error.
    Error,
}

/// The number of a call that is written in the older way, next to the list of calls and not in it.
pub(crate) const FUNCTION_CALL: u64 = u64::MAX;

/// By what a document says which call it speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallKey {
    /// The choice; 0 where there are none.
    pub part: u64,
    /// Its number: of the call, the content block or the output item.
    pub index: Option<u64>,
    /// Its id, a string.
    pub id: Option<Span>,
}

/// What of a call stands there.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The call begins: it is none that came before.
    Start,
    /// By what clients know it, where a dialect leaves that to its providers.
    Identity(Identity),
    /// The id that its result will name, a string, where the dialect always has one.
    CallId(Span),
    /// The namespace of the tool, a string. It comes before the name.
    Namespace(Span),
    /// The name, a string.
    Name(Span),
    /// All of the arguments.
    Arguments(Span, Shape),
    /// A piece of the arguments, a string.
    Fragment(Span),
    /// `null` where a call starts whose arguments come in pieces.
    NoArguments(Span),
    /// No more arguments come.
    End,
}

/// By what clients know a call, as it stands there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// The place behind the brace that the call opens with.
    pub inside: usize,
    /// Its number.
    pub index: Option<Span>,
    /// Its id: a string, or `null`.
    pub id: Option<Span>,
    /// Whether it tells of what kind it is.
    pub has_type: bool,
    /// Whether members follow: all that is put before them needs a comma.
    pub has_members: bool,
}

impl Identity {
    /// What puts these members in front of the others.
    pub(super) fn put(&self, members: &[String]) -> Option<(Span, String)> {
        let mut text = members.join(",");
        if self.has_members && !text.is_empty() {
            text.push(',');
        }
        (!text.is_empty()).then_some((self.inside..self.inside, text))
    }
}

/// How arguments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string that holds the text of JSON.
    Text,
    /// A JSON value.
    Object,
}

impl Shape {
    /// The shape that a dialect's clients expect.
    pub fn of(dialect: Dialect) -> Shape {
        if dialects::of(dialect).has_object_arguments() { Shape::Object } else { Shape::Text }
    }
}

/// The spots of a whole answer, in order; none when the body is no JSON.
pub fn spots_in_answer(dialect: Dialect, body: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    kept(dialects::of(dialect).spots_in_answer(body, &mut spots), spots)
}

/// The model of a request and the calls of its history, in order; none when the body is no JSON.
pub fn spots_in_request(dialect: Dialect, body: &str) -> Vec<Spot> {
    let mut spots = Vec::new();
    kept(dialects::of(dialect).spots_in_request(body, &mut spots), spots)
}

/// The spots of the data of one frame of a stream. `event` is the type of the event, where it has one.
pub fn spots_in_frame(dialect: Dialect, event: &str, data: &str, spots: &mut Vec<Spot>) {
    spots.clear();
    if dialects::of(dialect).spots_in_frame(event, data, spots).is_none() {
        spots.clear();
        // Whatever its data are.
        spots.extend((event == "error").then_some(Spot::Error));
    }
}

fn kept(read: Option<()>, spots: Vec<Spot>) -> Vec<Spot> {
    read.map_or_else(Vec::new, |()| spots)
}

/// A call as an object tells it, whatever the order of its members.
#[derive(Debug, Default)]
pub(crate) struct CallObject {
    pub(crate) key: CallKey,
    pub(crate) identity: Option<Identity>,
    pub(crate) call_id: Option<Span>,
    pub(crate) namespace: Option<Span>,
    pub(crate) name: Option<Span>,
    pub(crate) arguments: Option<(Span, Shape)>,
    /// Where `null` stands instead of arguments.
    pub(crate) null: Option<Span>,
    /// Whether the arguments are an empty string or object.
    pub(crate) is_empty: bool,
}

impl CallObject {
    /// Reads the arguments.
    pub(crate) fn arguments(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        let shape = if walk.peek() == Some(b'"') { Shape::Text } else { Shape::Object };
        let mut span = None;
        let start = walk.at();
        walk.present(&mut span)?;
        self.null = Some(start..walk.at()).filter(|_| span.is_none());
        if let Some(span) = span {
            self.is_empty = walk.is_empty(&span);
            self.arguments = Some((span, shape));
        }
        Some(())
    }

    /// Reads the object that has the name and the arguments: `function`.
    pub(crate) fn function(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        walk.object(|walk, key| match key {
            "name" => walk.string(&mut self.name),
            "arguments" => self.arguments(walk),
            _ => walk.skip(),
        })
    }

    /// Tells that the call begins, with what is known of it.
    pub(crate) fn tell_start(self, spots: &mut Vec<Spot>) {
        self.tell([What::Start], [], spots);
    }

    /// Tells the whole call.
    pub(crate) fn tell_whole(mut self, spots: &mut Vec<Spot>) {
        self.take_null();
        self.tell([What::Start], [What::End], spots);
    }

    /// Takes `null` for the arguments: in a whole call it is what the model gave, in pieces it says that none come yet.
    pub(crate) fn take_null(&mut self) {
        self.arguments = self.arguments.take().or(self.null.take().map(|span| (span, Shape::Object)));
    }

    pub(crate) fn tell(
        self,
        before: impl IntoIterator<Item = What>,
        after: impl IntoIterator<Item = What>,
        spots: &mut Vec<Spot>,
    ) {
        let CallObject { key, identity, call_id, namespace, name, arguments, .. } = self;
        let arguments = arguments.map(|(span, shape)| What::Arguments(span, shape));
        let identity = identity.map(What::Identity).into_iter().chain(call_id.map(What::CallId));
        let named = namespace.map(What::Namespace).into_iter().chain(name.map(What::Name));
        let all = before.into_iter().chain(identity).chain(named).chain(arguments).chain(after);
        spots.extend(all.map(|what| Spot::Call { key: key.clone(), what }));
    }
}

/// Tells where a string at the top stands.
pub(crate) fn top(walk: &mut Walk<'_>, spots: &mut Vec<Spot>, spot: fn(Span) -> Spot) -> Option<()> {
    let mut span = None;
    walk.string(&mut span)?;
    spots.extend(span.map(spot));
    Some(())
}
