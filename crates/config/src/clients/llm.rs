//! The other side of a client: which model it asks, and through whom.

use std::path::PathBuf;

use super::data::{Data, Step};
use super::places::Places;

/// How a program is pointed at the models behind Toolwright.
#[derive(Debug)]
pub struct LlmClient {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The variables: their names, and what follows the gateway's address in them; none for the token.
    variables: &'static [(&'static str, Option<&'static str>)],
    /// What else has to be done.
    pub remark: Option<&'static str>,
    /// Its settings, where they can hold variables.
    settings: Option<fn(&Places) -> PathBuf>,
}

/// Where variables of a program are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmPlace {
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub path: Vec<Step>,
}

const LLM_CLIENTS: &[LlmClient] = &[
    LlmClient {
        id: "claude-code",
        title: "Claude Code",
        variables: &[("ANTHROPIC_BASE_URL", Some("")), ("ANTHROPIC_AUTH_TOKEN", None)],
        remark: None,
        settings: Some(|places| match &places.claude {
            Some(folder) => folder.join("settings.json"),
            None => places.home.join(".claude/settings.json"),
        }),
    },
    LlmClient {
        id: "anthropic",
        title: "the Anthropic SDK",
        variables: &[("ANTHROPIC_BASE_URL", Some("")), ("ANTHROPIC_AUTH_TOKEN", None)],
        remark: None,
        settings: None,
    },
    LlmClient {
        id: "openai",
        title: "the OpenAI SDK",
        variables: &[("OPENAI_BASE_URL", Some("/v1")), ("OPENAI_API_KEY", None)],
        remark: None,
        settings: None,
    },
    LlmClient {
        id: "ollama",
        title: "the clients of Ollama",
        variables: &[("OLLAMA_HOST", Some(""))],
        remark: Some("they send the token as a header: see docs/llm.md"),
        settings: None,
    },
];

/// All of them.
pub fn llm_clients() -> &'static [LlmClient] {
    LLM_CLIENTS
}

/// The one of this name.
pub fn llm_client(id: &str) -> Option<&'static LlmClient> {
    LLM_CLIENTS.iter().find(|client| client.id == id)
}

impl LlmClient {
    /// The variables with their values.
    pub fn variables(&self, base: &str, token: &str) -> Vec<(&'static str, String)> {
        let base = base.trim_end_matches('/');
        let value = |behind: &Option<&str>| behind.map_or(token.to_owned(), |path| format!("{base}{path}"));
        self.variables.iter().map(|(name, behind)| (*name, value(behind))).collect()
    }

    /// Where they can be written.
    pub fn place(&self, places: &Places) -> Option<LlmPlace> {
        let file = self.settings?(places);
        Some(LlmPlace { file, path: vec![Step::key("env")] })
    }

    /// The variables, as settings hold them.
    pub fn data(&self, base: &str, token: &str) -> Vec<(Step, Data)> {
        let variables = self.variables(base, token).into_iter();
        variables.map(|(name, value)| (Step::key(name), Data::Text(value))).collect()
    }
}
