//! What is to be measured.

use serde::Deserialize;

/// Everything.
#[derive(Deserialize)]
pub struct Order {
    /// How often everything is done.
    pub rounds: usize,
    /// What is done with each lane in a round.
    pub steps: Vec<Step>,
    /// The lanes, in their order.
    pub lanes: Vec<Wanted>,
}

/// So many requests of one kind by so many clients.
#[derive(Clone, Deserialize)]
pub struct Step {
    pub kind: Kind,
    pub clients: usize,
    /// Of all clients together.
    pub requests: u64,
    /// Pieces of an answer, where it comes in pieces.
    #[serde(default)]
    pub chunks: u64,
}

/// What is asked, and how it is answered.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A few hundred bytes, answered whole.
    Small,
    /// 150 KB with 40 tools, answered whole with a call.
    Large,
    /// A text in pieces, as fast as they are taken.
    Stream,
    /// The arguments of a call in pieces, as fast as they are taken.
    Call,
    /// A text in pieces, one in a millisecond.
    Paced,
}

impl Kind {
    /// The word in the model's name.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Small => "small",
            Kind::Large => "large",
            Kind::Stream => "stream",
            Kind::Call => "call",
            Kind::Paced => "paced",
        }
    }

    /// Whether the answer comes in pieces; figures are then those of one piece.
    pub fn is_stream(self) -> bool {
        !matches!(self, Kind::Small | Kind::Large)
    }
}

impl Step {
    /// The model that is asked for: it says how to answer.
    pub fn model(&self) -> String {
        match self.kind.is_stream() {
            true => format!("bench-{}-{}", self.kind.word(), self.chunks),
            false => format!("bench-{}", self.kind.word()),
        }
    }

    /// For people.
    pub fn name(&self) -> String {
        let clients =
            if self.clients == 1 { "1 client".to_owned() } else { format!("{} clients", self.clients) };
        match self.kind {
            Kind::Small => format!("small request, {clients}"),
            Kind::Large => format!("150 KB and 40 tools, {clients}"),
            Kind::Stream => format!("text in {} chunks, {clients}", self.chunks),
            Kind::Call => format!("a call in {} chunks, {clients}", self.chunks),
            Kind::Paced => format!("a chunk in a millisecond, {clients}"),
        }
    }
}

/// One lane.
#[derive(Clone, Deserialize)]
pub struct Wanted {
    pub name: String,
    /// The program and its arguments; `{port}` is a free port, `{upstream}` that of the upstream, `{token}` the
    /// key that its clients have. Without one the upstream itself is asked.
    #[serde(default)]
    pub command: Vec<String>,
    /// Where it runs and keeps what it keeps; made anew.
    #[serde(default)]
    pub folder: String,
    /// Variables of its environment, with the same placeholders.
    #[serde(default)]
    pub variables: Vec<(String, String)>,
    /// Files in its folder that it needs, with the same placeholders.
    #[serde(default)]
    pub files: Vec<(String, String)>,
    /// Whether a line of JSON on its stdout has its `url` and `token`; otherwise it was told where to listen.
    #[serde(default)]
    pub is_announced: bool,
    /// What clients speak.
    pub client: Dialect,
}

/// A dialect.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI Chat Completions.
    Chat,
    /// Anthropic Messages.
    Anthropic,
}

impl Dialect {
    /// Where it is spoken.
    pub fn path(self) -> &'static str {
        match self {
            Dialect::Chat => "/v1/chat/completions",
            Dialect::Anthropic => "/v1/messages",
        }
    }
}
