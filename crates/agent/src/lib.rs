//! Questions to a model that may use tools: the clients of models, and the one loop that hands their calls to the
//! executor.
//!
//! An [`Agent`] asks a model through a [`ModelClient`] ([`DialectClient`]), hands
//! every call to the [`ToolExecutor`](toolwright_executor::ToolExecutor), gives the results back and asks again, until the
//! model answers or a limit is reached. Every call has exactly one result, in the order of the calls. A [`Guard`] says of
//! each call, by the arguments that would be run, whether it may be; what needs a person's word is held ([`Held`]) until
//! [`Agent::go_on`] tells what the person said.
//!
//! This crate knows no terminal, no broker and no file. How models are reached, routed and written down is the
//! proxy's ([`LlmFront`](toolwright_proxy::LlmFront)); how calls are repaired and run is the executor's.
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
//! | `question.rs`, `settings.rs`, `offer.rs`, `prompts.rs` | what is asked, within which limits (every number), with which tools and instructions |
//! | `client.rs` | `ModelClient` and `DialectClient`: the upstream's dialect adds what its models need (`Conversion::prepare_conversation`); the rest is `crates/proxy/src/own.rs` |
//! | `agent.rs`, `agent/run.rs` | the two ways in (`ask`, `go_on`); one question from round to round to its end |
//! | `agent/round.rs`, `agent/judge.rs` | the calls of a round, run at the same time, answered in order; the guard as the executor asks it |
//! | `guard.rs`, `listener.rs` | who says whether a call may be run; who hears the answer while it is made |
//! | `memory.rs`, `repeats.rs` | turns that are remembered whole, for a while; the same call with the same error |
//! | `answer.rs`, `error.rs` | what comes of it, and the sentences for people when nothing does |

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
