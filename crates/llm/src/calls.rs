//! Calls of tools, mended by the tools that the request itself brings.

mod stage;

pub use stage::CallStage;
