//! What the module of a dialect provides. Everything outside of `dialects/` asks a dialect through these traits.
//!
//! Methods with a body are what most dialects do; a module overrides those in which it differs.

use crate::form::{Request, Response, Stop, Usage};
use crate::models::ModelEntry;
use crate::pass::marks::Edits;
use crate::pass::{CallKey, FoundCall, Head, PassCalls, Said, Spot, StreamRules, TextCall, What};
use crate::quirks::Quirk;
use crate::stream::{Decode, Encode, Frame, Frames};
use crate::{Failure, Notes, Reply, Target, Thinks};

use super::error_shapes;

/// A dialect: one implementation per module, listed in [`of`](super::of).
pub trait DialectModule: Conversion + HttpApi + PassThrough + Sync {}

impl<T: Conversion + HttpApi + PassThrough + Sync> DialectModule for T {}

/// Requests, responses, errors and streams, between the dialect and the form.
pub trait Conversion {
    /// Reads a client's request.
    fn read_request(&self, body: &str) -> Result<Request, Failure>;

    /// Writes a request for an upstream.
    fn write_request(&self, request: &Request, target: &Target, notes: &mut Notes)
    -> Result<String, Failure>;

    /// Refuses what only upstreams of this dialect can do. It is asked when a request goes to another dialect.
    fn refuse_elsewhere(&self, _request: &Request) -> Result<(), Failure> {
        Ok(())
    }

    /// Reads an upstream's whole response.
    fn read_response(&self, body: &str) -> Result<Response, Failure>;

    /// Writes a whole response for a client.
    fn write_response(&self, response: &Response, reply: &Reply) -> String;

    /// Reads an upstream's error; also one of another dialect, or no JSON.
    fn read_error(&self, status: u16, body: &str) -> Failure {
        error_shapes::read(status, body)
    }

    /// Writes an error for a client.
    fn write_error(&self, failure: &Failure, request_id: &str) -> String;

    /// Whether an upstream's error says that the model does not take the parameter that asks it to think. Never where
    /// errors name neither a parameter nor a code: then the table of quirks has to know the models.
    fn refuses_thinking(&self, _failure: &Failure) -> bool {
        false
    }

    /// Splits an upstream's stream into frames: server-sent events, or lines.
    fn frames(&self) -> Frames {
        Frames::sse()
    }

    /// Reads an upstream's stream.
    fn decoder(&self, id_seed: &str) -> Box<dyn Decode>;

    /// Writes a client's stream.
    fn encoder(&self, reply: Reply) -> Box<dyn Encode>;

    /// Whether a request that does not say so asks for a stream.
    fn streams_by_default(&self) -> bool {
        false
    }

    /// The member of a request that has the conversation.
    fn conversation_member(&self) -> &'static str {
        "messages"
    }

    /// The member that every response has: what lacks it is no response of this dialect.
    fn response_member(&self) -> &'static str;

    /// Whether arguments of calls are JSON values; else they are strings that hold JSON.
    fn has_object_arguments(&self) -> bool {
        false
    }

    /// Whether calls have a namespace next to the name of their tool.
    fn has_namespaces(&self) -> bool {
        false
    }

    /// Changes a target to what the dialect's documentation says, where that is not the common case.
    fn describe(&self, _target: &mut Target) {}

    /// What providers and models take otherwise. Later rows win.
    fn quirks(&self) -> &'static [Quirk];

    /// Adds what helps a conversation of several rounds that Toolwright itself has with a model. `answer_tokens` is the
    /// room for the answer.
    fn prepare_conversation(&self, _request: &mut Request, _answer_tokens: u64) {}
}

/// Paths, headers, authentication and the lists of models.
pub trait HttpApi {
    /// The path that requests go to.
    fn path(&self) -> &'static str;

    /// The paths that clients are told of, in order.
    fn routes(&self) -> &'static [&'static str];

    /// What a client finds at a path; nothing where clients of this dialect do not ask for the path.
    fn endpoint<'p>(&self, path: &'p str) -> Option<Endpoint<'p>>;

    /// The path of an upstream whose address has the path `base`, without a slash at its end. Users give the address of
    /// a server with or without its version.
    fn upstream_path(&self, base: &str, path: &str) -> String {
        match base.strip_suffix("/v1") {
            Some(before) => format!("{}{path}", before.trim_end_matches("/v1")),
            None if base.is_empty() => path.to_owned(),
            // Servers that follow OpenAI have versions of their own: `/api/paas/v4`, `/openai`.
            None => format!("{base}{}", path.strip_prefix("/v1").unwrap_or(path)),
        }
    }

    /// The content type of a stream.
    fn stream_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }

    /// Whether every response can be read as a stream, whatever its content type says.
    fn always_streams(&self) -> bool {
        false
    }

    /// The header that has the key of an upstream, and what stands before the key in it.
    fn authentication(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    /// The variable that usually has the key of the dialect's provider; nothing where no key is needed.
    fn key_variable(&self) -> Option<&'static str>;

    /// Headers that every request to an upstream has, unless the client sent its own.
    fn version_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Headers that clients send to their provider and by which no provider chooses a model.
    fn client_headers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The header that tells clients of this dialect from others at a path that several dialects have.
    fn distinguishing_header(&self) -> Option<&'static str> {
        None
    }

    /// The header of a response that has its id.
    fn request_id_header(&self) -> &'static str {
        "x-request-id"
    }

    /// The path of an upstream's list of models.
    fn models_path(&self) -> &'static str {
        "/v1/models"
    }

    /// Writes the list of models for a client.
    fn write_models(&self, models: &[ModelEntry]) -> String;

    /// Writes one model for a client.
    fn write_model(&self, model: &ModelEntry) -> String;

    /// The page with everything about one model, where the dialect has one.
    fn model_page(&self) -> Option<&'static ModelPage> {
        None
    }

    /// The path that counts the tokens of a request, where the dialect has one.
    fn token_count(&self) -> Option<&'static TokenCount> {
        None
    }

    /// The program that usually answers on this machine, where there is one.
    fn local_server(&self) -> Option<&'static LocalServer> {
        None
    }
}

/// Traffic between a client and an upstream that both speak the dialect: where calls are in its bytes, and the frames that
/// Toolwright adds to a stream.
pub trait PassThrough {
    /// Finds the model of a request and the calls of its history, in order; nothing when the body is no JSON.
    fn spots_in_request(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()>;

    /// Finds what matters in a whole response, in order; nothing when the body is no JSON.
    fn spots_in_answer(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()>;

    /// The same in the data of one frame of a stream. `event` is the type of the event, where it has one.
    fn spots_in_frame(&self, event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()>;

    /// How its streams tell calls and texts.
    fn stream_rules(&self) -> StreamRules;

    /// Which call of a stream a frame speaks of.
    fn find_call(&self, calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall;

    /// Reads the counts of tokens in the object that a [`Spot::Usage`] names.
    fn read_usage(&self, object: &str) -> Usage;

    /// The stop word that has to replace the upstream's, where what was sent contradicts it. Nothing where the dialect has
    /// no word for it: its clients look at what came.
    fn correct_stop_word(&self, _stop: &Stop, _said: &Said) -> Option<&'static str> {
        None
    }

    /// What takes thoughts that another provider signed out of a request.
    fn edits_of_marks(&self, _body: &str, _target: &Target) -> Option<Edits> {
        None
    }

    /// The type of an event that its data have and its head lacks, where clients need it in the head.
    fn missing_event(&self, _frame: &Frame<'_>) -> Option<String> {
        None
    }

    /// Writes an error inside a stream.
    fn write_error_frame(&self, head: &Head, failure: &Failure) -> String;

    /// Writes a sign of life; empty where there is none yet.
    fn write_ping_frame(&self, _head: &Head) -> String {
        ": ping\n\n".to_owned()
    }

    /// Writes a piece of a call's arguments, where clients put pieces together.
    fn write_fragment_frame(&self, _head: &Head, _choice: u64, _index: u64, _text: &str) -> Option<String> {
        None
    }

    /// What the ids of calls begin with.
    fn call_id_prefix(&self) -> &'static str {
        "call"
    }

    /// What takes the place of a text that was a call, in a message that has calls next to its text.
    fn empty_text(&self) -> &'static str {
        "null"
    }

    /// Writes a call that was a text, as an item of a whole response.
    fn write_text_call(&self, call: &TextCall) -> String;

    /// Writes the frames of such calls in a stream. `first` is the number of the block or item that the first one is, and
    /// `sequence` the number of the first event.
    fn write_text_call_frames(&self, head: &Head, calls: &[TextCall], first: u64, sequence: u64) -> String;
}

/// What a client finds at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint<'p> {
    /// A model is asked.
    Ask,
    /// The tokens of a request are counted: [`HttpApi::token_count`].
    CountTokens,
    /// The list of models.
    Models,
    /// One model, by its name as it stands in the path: percent-encoded.
    Model(&'p str),
    /// The page of a model that the body names: [`HttpApi::model_page`].
    ModelPage,
    /// What the API says of itself.
    About(String),
    /// What clients report of themselves. Nothing of it is stored.
    ClientReport,
    /// Something that the provider has and Toolwright has not.
    Missing,
}

/// A page with everything about one model.
pub struct ModelPage {
    /// Its path.
    pub path: &'static str,
    /// Writes the request for a model's page.
    pub write_request: fn(model: &str) -> String,
    /// The model that a request for a page names; empty where it names none.
    pub read_request: fn(body: &[u8]) -> String,
    /// Writes the page for a client.
    pub write: fn(model: &ModelEntry) -> String,
    /// Whether an upstream's page says that the model thinks; nothing where it does not say.
    pub read_thinks: fn(page: &str) -> Option<Thinks>,
}

/// The path that counts the tokens of a request.
pub struct TokenCount {
    /// The path.
    pub path: &'static str,
    /// Writes the count for a client.
    pub write: fn(tokens: u64) -> String,
}

/// A program that answers for models on the user's machine.
pub struct LocalServer {
    /// Its name.
    pub name: &'static str,
    /// The command that starts it.
    pub command: &'static str,
}
