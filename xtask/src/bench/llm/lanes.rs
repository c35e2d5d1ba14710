//! Who stands between: nobody, we, and the other proxies, with how each is had and started.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::lane::python_environment;
use super::STEP;
use crate::invocation::Invocation;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

/// What all of them do.
const COMMON_WAY: &str = "Anthropic → Chat";

/// The upstream by itself, and we before it.
pub(super) fn ours(programs: &Path, folder: &Path) -> Vec<Value> {
    let direct = |name: &str, client: &str| json!({"name": format!("direct, {name}"), "client": client});
    let toolwright = |way: &str, client: &str, kind: &str, address: &str| {
        let upstream = json!({"kind": kind, "url": address, "apiKey": "k"});
        let configuration = json!({"llm": {"upstreams": {"up": upstream}, "models": {"*": "up/*"}}});
        let words = ["serve", "--rate", "0", "--port", "0", "--json", "--config", "toolwright.json"];
        let program = shown(&programs.join("toolwright"));
        let command: Vec<String> = [program].into_iter().chain(words.map(str::to_owned)).collect();
        json!({
            "name": format!("toolwright, {way}"),
            "command": command,
            "folder": shown(&folder.join(format!("toolwright-{client}-{kind}"))),
            "files": [["toolwright.json", configuration.to_string()]],
            "is_announced": true,
            "client": client,
        })
    };
    let (chat, anthropic) = ("http://127.0.0.1:{upstream}/v1", "http://127.0.0.1:{upstream}");
    vec![
        direct("Chat", "chat"),
        direct("Anthropic", "anthropic"),
        toolwright(COMMON_WAY, "anthropic", "openai", chat),
        toolwright("Chat → Chat", "chat", "openai", chat),
        toolwright("Anthropic → Anthropic", "anthropic", "anthropic", anthropic),
    ]
}

/// Another proxy, with the version that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    AnthropicProxy,
    LiteLlm,
}

impl Peer {
    pub(super) const ALL: [Self; 2] = [Self::AnthropicProxy, Self::LiteLlm];

    fn name(self) -> &'static str {
        match self {
            Self::AnthropicProxy => "anthropic-proxy",
            Self::LiteLlm => "litellm",
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::AnthropicProxy => "1.2.0",
            Self::LiteLlm => "1.106.2",
        }
    }

    pub(super) fn title(self) -> String {
        format!("{} {}", self.name(), self.version())
    }

    /// Installs it where it is missing; the program.
    pub(super) fn set_up(self, workspace: &Workspace) -> Result<PathBuf, Failure> {
        let folder = workspace.target().join("peers").join(self.name());
        match self {
            Self::AnthropicProxy => {
                let program = folder.join("bin").join(self.name());
                if !program.exists() {
                    note(&format!("building {} (cargo, under the target folder)", self.title()));
                    let words = ["install", self.name(), "--locked", "--quiet", "--version", self.version()];
                    // Its own folder: what it is built of is not what we are built of.
                    let target = folder.join("build");
                    let install = workspace.cargo(words).arg("--root").arg(&folder);
                    install.env("CARGO_TARGET_DIR", target).run(STEP)?;
                }
                Ok(program)
            }
            Self::LiteLlm => {
                let python = python_environment(workspace, &folder, STEP)?;
                let program = python.with_file_name(self.name());
                if !program.exists() {
                    note(&format!("installing {} (pip, under the target folder)", self.title()));
                    let wanted = format!("litellm[proxy]=={}", self.version());
                    let pip = Invocation::new(&python, workspace.root());
                    pip.args(["-m", "pip", "install", "--quiet", &wanted]).run(STEP)?;
                }
                Ok(program)
            }
        }
    }

    /// It before the same upstream, with as little besides as it can be told.
    pub(super) fn lane(self, program: &Path, folder: &Path) -> Value {
        let lane = json!({
            "name": format!("{}, {COMMON_WAY}", self.title()),
            "folder": shown(&folder.join(self.name())),
            "client": "anthropic",
        });
        match self {
            Self::AnthropicProxy => with(
                lane,
                json!({
                    "command": [shown(program)],
                    "variables": [
                        ["PORT", "{port}"],
                        ["ANTHROPIC_PROXY_BIND", "127.0.0.1"],
                        ["UPSTREAM_BASE_URL", "http://127.0.0.1:{upstream}"],
                        ["UPSTREAM_API_KEY", "k"],
                        ["RUST_LOG", "error"],
                    ],
                }),
            ),
            Self::LiteLlm => with(
                lane,
                json!({
                    "command": [shown(program), "--config", "litellm.yaml", "--host", "127.0.0.1", "--port", "{port}",
                        "--num_workers", "1", "--telemetry", "False"],
                    "files": [["litellm.yaml", LITELLM]],
                    "variables": [
                        ["LITELLM_LOCAL_MODEL_COST_MAP", "True"],
                        ["LITELLM_LOG", "ERROR"],
                        // Without a key it does not start; we want one too.
                        ["LITELLM_MASTER_KEY", "{token}"],
                        // Otherwise the upstream is asked in the dialect of Responses.
                        ["LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES", "True"],
                    ],
                }),
            ),
        }
    }
}

/// Every model at the upstream, and nothing that it does on the side.
const LITELLM: &str = "\
model_list:
  - model_name: \"*\"
    litellm_params:
      model: \"openai/*\"
      api_base: \"http://127.0.0.1:{upstream}/v1\"
      api_key: k
litellm_settings:
  telemetry: false
  num_retries: 0
  drop_params: true
general_settings:
  disable_spend_logs: true
";

/// The lane with these members besides.
fn with(mut lane: Value, more: Value) -> Value {
    if let (Some(lane), Value::Object(more)) = (lane.as_object_mut(), more) {
        lane.extend(more);
    }
    lane
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
