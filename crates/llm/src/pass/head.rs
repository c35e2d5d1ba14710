//! What frames that the upstream did not send have to repeat.

/// What the upstream's frames say about the answer, as JSON. Frames that Toolwright adds say the same.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub id: Option<String>,
    pub created: Option<String>,
    pub model: Option<String>,
}
