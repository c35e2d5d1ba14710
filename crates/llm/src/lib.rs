//! The APIs of language models: what is asked and answered in one dialect, said in another, with tool calls mended.
//!
//! A pure library: bytes in, bytes out. It knows no socket, no clock and no file. [`form`] is what all dialects are
//! read into and written from: what is known is typed, what is unknown is carried. [`dialects`] has one module per
//! dialect. [`stream`] has what streams are made of, and [`calls`] mends the calls in them by the tools of the
//! request itself. Where client and upstream speak the same dialect, nothing is written anew but what was mended.
//!
//! Start with [`Dialect`], [`form::Request`] and [`form::Event`].
//!
//! # Files
//!
//! In the order data flows:
//!
//! | where | what |
//! |---|---|
//! | `exchange.rs`, `exchange/` | one request and its answer: `Asked`, `Prepared`, `AnswerStream`, `Report`; `again` asks the upstream once more; `own` is a question of Toolwright, answered in `events` |
//! | `form.rs`, `form/` | what every dialect is read into and written from; `signature` marks thoughts that no provider signed |
//! | `dialects.rs`, `dialects/` | one module per dialect behind one interface (`interface.rs`: `Conversion`, `HttpApi`, `PassThrough`), listed in one table (`dialects::of`). A module has the requests, responses, errors and streams of its dialect, its spots, frames, usage and stop words, its paths, headers, authentication and lists of models, and the quirks of its providers. `history` pairs calls and results; `system`, `offer`, `fields`, `namespace`, `error_shapes`, `time` are what they share |
//! | `fit.rs`, `fit/` | a request made to fit its upstream: names, ids, schemas, choices |
//! | `quirks.rs`, `target.rs`, `models.rs` | what an upstream takes, by the rows of its dialect and by the configuration; which model is asked where |
//! | `calls.rs`, `calls/` | tools compiled once (`cache`), one call validated (`mender`), calls in a stream (`stage`), in a whole answer and in a history (`whole`) |
//! | `pass.rs`, `pass/` | the same dialect on both sides: what a dialect finds in a text (`spots`), edits, streams that hold what is in doubt (`rules`: how the streams of dialects differ) |
//! | `stream.rs`, `stream/` | frames out of bytes, calls in sequence, calls written as text |
//! | `tokens.rs`, `failure.rs`, `notes.rs`, `reply.rs` | how many tokens; what goes wrong; what could not be said; what comes in from outside |

pub mod form;

mod failure;
mod notes;
mod reply;
mod target;

pub mod calls;
pub mod dialects;
pub mod exchange;
pub mod fit;
pub mod models;
pub mod pass;
pub mod quirks;
pub mod stream;
pub mod tokens;

pub use failure::{Failure, FailureKind};
pub use notes::{Note, Notes};
pub use reply::Reply;
pub use toolwright_model::Dialect;

pub use target::{IdRule, ReasoningField, SchemaRule, Target, Thinks};
