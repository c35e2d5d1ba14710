//! Traffic between two who speak the same dialect: the bytes stay, but for the spans that were mended.
//!
//! [`request`] and [`answer`] take whole documents, [`PassStream`] takes streams. All three look for [`Spot`]s, which
//! are spans of the text as it was sent, and replace what stands there only where it has to be. A document without a
//! mistake leaves as it came, and so does one that is no JSON.

mod document;
mod edit;
mod ending;
mod head;
pub(crate) mod marks;
mod mend;
mod rules;
mod spots;
mod stream;
mod text_calls;
pub(crate) mod usage;
mod walk;

pub use document::{PassOptions, PassedAnswer, PassedRequest, answer, request};
pub use edit::edit;
pub use marks::without_marks;
pub use spots::{CallKey, Identity, Shape, Spot, What, spots_in_answer, spots_in_frame, spots_in_request};
pub use stream::{PassReport, PassStream};
pub use walk::Span;

pub(crate) use ending::Said;
pub(crate) use head::Head;
pub(crate) use rules::StreamRules;
pub(crate) use spots::{CallObject, FUNCTION_CALL, top};
pub(crate) use stream::{FoundCall, PassCalls};
pub(crate) use text_calls::TextCall;
pub(crate) use walk::{Walk, decoded};
