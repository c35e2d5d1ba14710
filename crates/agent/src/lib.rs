//! Questions to a model that may use tools: the clients of models, and the loop that runs their calls with
//! the executor.
//!
//! An [`Agent`] sends requests to a model through a [`ModelClient`] ([`DialectClient`]), runs every call
//! with the [`ToolExecutor`](toolwright_executor::ToolExecutor), returns the results and repeats this until
//! the model answers or a limit is reached. Every call has exactly one result, in the order of the calls. A
//! [`Guard`] decides about each call by the arguments that would run; calls that need a confirmation are
//! held ([`Held`]) until [`Agent::go_on`] passes the user's decision.
//!
//! This crate knows no terminal, no broker and no file. The proxy
//! ([`LlmFront`](toolwright_proxy::LlmFront)) reaches, routes and records models; the executor repairs and
//! runs calls.
//!
//! Start with [`Agent::ask`], [`Question`] and [`Answer`].
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use toolwright_agent::{Agent, AgentSettings, AskError, Front, Listener, Question};
//! use toolwright_proxy::LlmFront;
//! use toolwright_executor::ToolExecutor;
//!
//! struct Speaker(String);
//!
//! impl Listener for Speaker {
//!     fn text(&mut self, piece: &str) {
//!         self.0.push_str(piece); // pieces are joined as they are
//!     }
//! }
//!
//! async fn answer(models: Arc<LlmFront>, executor: Arc<ToolExecutor>) -> Result<String, AskError> {
//!     let settings = AgentSettings { model: Some("qwen3:8b".into()), ..AgentSettings::default() };
//!     let agent = Agent::new(models, executor, settings);
//!     let question = Question::new(Front::Voice, "Turn on switch one.").in_conversation("kitchen");
//!     let answer = agent.ask(question, &mut Speaker(String::new())).await?;
//!     for call in &answer.calls {
//!         println!("{} {} -> {}", call.name, call.sent, call.arguments.as_deref().unwrap_or("not run"));
//!     }
//!     Ok(answer.text)
//! }
//! ```
//!
//! # Files
//!
//! In the order data flows:
//!
//! | where | what |
//! |---|---|
//! | `question.rs`, `settings.rs`, `offer.rs`, `prompts.rs` | the question, its limits (every number), its
//! tools and its instructions |
//! | `client.rs` | `ModelClient` and `DialectClient`: the upstream's dialect adds what its models need
//! (`Conversion::prepare_conversation`); the rest is `crates/proxy/src/own.rs` |
//! | `agent.rs`, `agent/run.rs` | the two entry points (`ask`, `go_on`); one question from round to round |
//! | `agent/round.rs`, `agent/approval.rs` | the calls of a round, concurrent, with results in order; the
//! guard as the executor calls it |
//! | `guard.rs`, `listener.rs` | approval of calls; progress of an answer |
//! | `memory.rs`, `repeats.rs` | recent turns of conversations; repeated failures |
//! | `answer.rs`, `error.rs` | the answer, and the errors with sentences for people |

#![forbid(unsafe_code)]

mod question;
mod settings;

pub mod client;
mod guard;
mod listener;
mod offer;

mod agent;
mod answer;
mod error;
mod memory;
mod prompts;
mod repeats;

pub use agent::Agent;
pub use answer::{Answer, Called, Decision, Held, HeldCall, Stop, Tokens};
pub use client::{DialectClient, ModelClient};
pub use error::{AskError, AskErrorKind};
pub use guard::{AllowAll, Guard, Proposed, Verdict};
pub use listener::{Listener, Silent};
pub use memory::{Clock, SystemClock};
pub use offer::Offer;
pub use question::{Front, Question};
pub use settings::{AgentSettings, Limits, MemorySettings};
