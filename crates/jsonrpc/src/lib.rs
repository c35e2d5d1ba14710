//! JSON that is edited without being rewritten.
//!
//! The crate holds the raw tree on which calls are read, compared and edited level by level: every
//! value that is not touched goes out as the bytes it came in with, so number forms, key order,
//! escapes and white space survive. It knows no schema, no tool and no protocol revision.
//!
//! Start with [`raw::parse`], [`raw::Node`] and [`raw::Number`].

pub mod raw;
