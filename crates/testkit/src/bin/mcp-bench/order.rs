//! What is to be measured.

use serde::Deserialize;

/// Everything.
#[derive(Deserialize)]
pub struct Order {
    /// How often everything is done.
    pub rounds: usize,
    /// What is done with each lane in a round.
    pub steps: Vec<Step>,
    /// The lanes, in their order. One that others stand before comes before them.
    pub lanes: Vec<Wanted>,
    /// What is started, asked for its tools once, and left alone.
    pub idle: Vec<Wanted>,
}

/// So many calls by so many clients.
#[derive(Deserialize)]
pub struct Step {
    pub clients: usize,
    /// Of all clients together.
    pub calls: u64,
}

/// One lane.
#[derive(Clone, Deserialize)]
pub struct Wanted {
    pub name: String,
    /// The program and its arguments; `{port}` is a free port, `{upstream}` that of the server over HTTP.
    pub command: Vec<String>,
    /// Files that it needs, with the same placeholders.
    #[serde(default)]
    pub files: Vec<(String, String)>,
    pub announces: Announces,
    /// The path of its endpoint.
    #[serde(default)]
    pub path: String,
    /// The tool that says a text back, as it is called there, and its arguments around `{text}`. Without a
    /// name nothing is called.
    pub tool: String,
    pub arguments: String,
    #[serde(default)]
    pub is_modern: bool,
    /// Others stand before this one.
    #[serde(default)]
    pub is_upstream: bool,
}

/// How it becomes known where it listens.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Announces {
    /// It was told where.
    Nothing,
    /// Its first line is the port.
    Port,
    /// A line of JSON has a `url`.
    Json,
    /// It does not listen: each client has one of its own, over stdio.
    Pipe,
}
