//! A request: instructions, the conversation so far, and the tools that may be called.

use toolwright_jsonrpc::Json;

use crate::Dialect;

/// Members of an object that are carried and not understood, in their order.
pub type Members = Vec<(String, Json)>;

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The dialect that it was read from: `extra` and `server_tools` are its own.
    pub dialect: Option<Dialect>,
    /// The model, as the client calls it.
    pub model: String,
    /// The instructions before the conversation.
    pub system: Vec<Text>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// Tools that the client runs.
    pub tools: Vec<Tool>,
    /// Tools that the provider runs itself, as they were sent.
    pub server_tools: Vec<Json>,
    /// Whether tools may or must be called.
    pub choice: Option<ToolChoice>,
    /// Whether several may be called at once; the upstream decides when absent.
    pub parallel_calls: Option<bool>,
    /// The most tokens of the answer.
    pub max_tokens: Option<u64>,
    /// As it was written: a number.
    pub temperature: Option<Json>,
    /// As it was written: a number.
    pub top_p: Option<Json>,
    /// As it was written: a number.
    pub top_k: Option<Json>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Whether the answer is to come in pieces.
    pub is_stream: bool,
    /// Chat: whether the client wants a last chunk with usage.
    pub wants_usage: bool,
    /// Who asks, as the client calls its user.
    pub user: Option<String>,
    /// How much is to be thought.
    pub reasoning: Option<Reasoning>,
    /// The form of the answer.
    pub format: Option<Format>,
    /// Everything else at the top of the request.
    pub extra: Members,
}

/// Who says a message. Results of tools are said by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions between messages.
    System,
    /// The client.
    User,
    /// The model.
    Assistant,
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// Everything else of the message.
    pub extra: Members,
}

/// A text with what stands beside it (`cache_control`, `citations`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// What stands beside it.
    pub extra: Members,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Words.
    Text(Text),
    /// An image, a document or sound.
    Media(Media),
    /// What the model thought.
    Thinking(Thinking),
    /// A call of a tool.
    Call(Call),
    /// What a tool answered.
    Result(ToolResult),
    /// Words by which the model refuses.
    Refusal(String),
    /// Something that only this dialect knows, as it stood.
    Other {
        /// The dialect that it is of.
        dialect: Dialect,
        /// The block, whole.
        raw: Json,
    },
}

/// What the model thought. Providers check signatures: nothing of it is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thinking {
    /// The words; empty where only a signature is told.
    pub text: String,
    /// The provider's signature, or its encrypted form of the thoughts.
    pub signature: Option<String>,
    /// The whole block as the provider gave it, where the dialect is the same on the way back.
    pub raw: Option<(Dialect, Json)>,
    /// Whether there are no words but encrypted data (in `signature`).
    pub is_redacted: bool,
}

/// An image, a document or sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// Where it is.
    pub source: MediaSource,
    /// The name of the file, where there is one.
    pub name: Option<String>,
    /// What stands beside it (`detail`, `cache_control`, `title`, `citations`).
    pub extra: Members,
}

/// Kinds of media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A PDF or a text.
    Document,
    /// Sound.
    Audio,
}

/// Where media are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaSource {
    /// In the request.
    Base64 {
        /// `image/png`
        media_type: String,
        /// The data, in base64 as it was sent.
        data: String,
    },
    /// At an address.
    Url(String),
    /// With the provider, by an id that only it knows.
    File {
        /// The dialect of the provider.
        dialect: Dialect,
        /// The id.
        id: String,
    },
    /// A document that is plain text.
    Text(String),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its id; Ollama's clients give none.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
    /// What stands beside it (`cache_control`, `thought_signature`, ids of other kinds).
    pub extra: Members,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// A JSON object, as it was written.
    Object(Json),
    /// What a model wrote that is no JSON object.
    Text(String),
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call that it answers; Ollama's clients give none.
    pub call_id: Option<String>,
    /// The tool, where the dialect says it.
    pub name: Option<String>,
    /// The answer: texts, media, others.
    pub blocks: Vec<Block>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What stands beside it (`cache_control`).
    pub extra: Members,
}

/// A tool that the client runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The schema of its arguments, as it was sent.
    pub schema: Option<Json>,
    /// Whether the provider is to hold the model to the schema.
    pub strict: Option<bool>,
    /// What stands beside it (`cache_control`, `input_examples`).
    pub extra: Members,
}

/// Whether tools may or must be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// As the model likes.
    Auto,
    /// None.
    None,
    /// One at least.
    Required,
    /// This one.
    Tool(String),
    /// Only some of them (Chat and Responses: `allowed_tools`).
    Allowed {
        /// Whether one of them must be called.
        is_required: bool,
        /// Their names.
        names: Vec<String>,
    },
}

/// How much is to be thought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// Off, when `Some(false)`.
    pub is_on: Option<bool>,
    /// How hard.
    pub effort: Option<Effort>,
    /// The most tokens of it.
    pub budget: Option<u64>,
    /// Whether summaries of it are wanted, as the dialect says it.
    pub summary: Option<String>,
    /// What the dialect said, whole, for the same dialect.
    pub raw: Option<(Dialect, Json)>,
}

/// How hard is thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Not at all.
    None,
    /// The least.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More.
    XHigh,
    /// As much as there is.
    Max,
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Some JSON object.
    Json,
    /// JSON of this schema.
    Schema {
        /// Its name, where one was given.
        name: Option<String>,
        /// The schema, as it was sent.
        schema: Json,
        /// Whether the provider is to hold the model to it.
        strict: Option<bool>,
    },
}
