//! What an answer needs besides what the upstream says.

use std::sync::Arc;

use crate::form::Request;

/// What the client is to see of us in an answer. Time and chance come in from outside.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The request that is answered, as the client sent it.
    pub request: Arc<Request>,
    /// Random letters and digits, 24 of them: ids that nobody gave are made of it.
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
    /// About how many tokens the input has, for who must be told before the upstream does.
    pub estimated_input: u64,
}
