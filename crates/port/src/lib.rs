//! The one port: who may come in, how much at once, and what each path leads to.
//!
//! A request passes, in this order: the guard (`Host` and `Origin`), the token, the limits, and only then
//! what its path names. Behind the paths of the protocol is an [`Inside`], behind `/api/` an
//! [`Api`], and pages for people are [`Pages`]. Nothing that comes through this port can start a program or change what is configured.
//!
//! Start with [`Web::new`] and [`Web::serve`].

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
