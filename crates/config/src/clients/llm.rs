//! LLM clients: environment variables that point a program at Toolwright's LLM endpoint.

use std::path::PathBuf;

use super::data::{Data, Step};
use super::places::Places;

/// A program that can use Toolwright as its LLM provider.
#[derive(Debug)]
pub struct LlmClient {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// The variables: their names, and the path after the gateway's address; `None` for the token.
    variables: &'static [(&'static str, Option<&'static str>)],
    /// Further manual steps.
    pub remark: Option<&'static str>,
    /// Its settings file, if that can contain variables.
    settings: Option<fn(&Places) -> PathBuf>,
}

/// The location of a program's variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmPlace {
    /// The file.
    pub file: PathBuf,
    /// The path in the file.
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

/// All LLM clients.
pub fn llm_clients() -> &'static [LlmClient] {
    LLM_CLIENTS
}

/// The LLM client with this id.
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

    /// The file and path where they can be written.
    pub fn place(&self, places: &Places) -> Option<LlmPlace> {
        let file = self.settings?(places);
        Some(LlmPlace { file, path: vec![Step::key("env")] })
    }

    /// The variables as settings.
    pub fn data(&self, base: &str, token: &str) -> Vec<(Step, Data)> {
        let variables = self.variables(base, token).into_iter();
        variables.map(|(name, value)| (Step::key(name), Data::Text(value))).collect()
    }
}
