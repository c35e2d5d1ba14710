//! The one port: who may come in, how much at once, and what each path leads to.
//!
//! A request passes, in this order: the guard (`Host` and `Origin`), the token, the limits, and only then
//! what its path names. Behind the paths of the protocol is an [`Inside`], behind `/api/` an
//! [`Api`], and pages for people are [`Pages`]. Nothing that comes through this port can start a program or change what is configured.
//!
//! Start with [`Web::new`] and [`Web::serve`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `listener.rs`, `serve.rs`, `connection.rs`, `paced.rs` | the socket, graceful shutdown, connections with read and write timeouts |
//! | `handle.rs`, `route.rs`, `guard.rs`, `host.rs`, `body.rs` | one request: Host and Origin, where its path leads, its body |
//! | `keys.rs`, `tokens.rs`, `tokens/`, `sessions.rs`, `spent.rs` | authentication: bearer tokens, dashboard sessions, login links |
//! | `admission.rs`, `limits.rs`, `refusal.rs` | rate and concurrency limits, and the responses of refusals |
//! | `inside.rs`, `served.rs`, `llm.rs`, `pages.rs` | what is behind each path: MCP endpoints, the LLM proxy, the dashboard |
//! | `api.rs`, `api/` | `/api/*`, one file per subject |
//! | `metrics.rs`, `metrics/`, `status.rs`, `status/`, `control.rs` | Prometheus metrics; the status of the gateway; the socket for other processes of the same user |

mod admission;
mod api;
mod body;
mod connection;
pub mod control;
mod dropped;
mod guard;
mod handle;
mod host;
mod inside;
mod keys;
mod limits;
mod listener;
mod llm;
mod metrics;
mod paced;
mod pages;
mod refusal;
mod route;
mod serve;
mod served;
mod sessions;
mod spent;
pub mod status;
mod tokens;

pub use api::{API_ROUTES, Api, LimitNow, builtin_rules_by_server};
pub use guard::{Allowed, GuardError};
pub use inside::{Counts, Inside, InsideBody, Reply};
pub use keys::Keys;
pub use limits::{Rate, WebLimits};
pub use listener::{Bound, ListenError, Reach, bind};
pub use metrics::{CallCounter, Metrics};
pub use pages::{PageAsked, PageReply, Pages};
pub use serve::{Stop, Web, WebOptions};
pub use served::Served;
pub use sessions::{Session, Sessions};
pub use tokens::{NewToken, TokenEntry, TokenError, TokenFolder};
