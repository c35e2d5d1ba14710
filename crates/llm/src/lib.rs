//! The APIs of language models: what is asked and answered in one dialect, said in another, with tool calls mended.
//!
//! A pure library: bytes in, bytes out. It knows no socket, no clock and no file. [`form`] is what all dialects are
//! read into and written from: what is known is typed, what is unknown is carried. [`dialects`] has one module per
//! dialect. [`stream`] has what streams are made of, and [`calls`] mends the calls in them by the tools of the
//! request itself. Where client and upstream speak the same dialect, nothing is written anew but what was mended.
//!
//! Start with [`Dialect`], [`form::Request`] and [`form::Event`].

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
