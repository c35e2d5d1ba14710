//! Signatures for thoughts that nobody signed.

/// What such a signature is. Clients want one beside every thought; no provider makes this one.
const SYNTHETIC: &str = "toolwright-unsigned";

/// A signature for a thought of a model that signs none.
pub fn synthetic() -> String {
    SYNTHETIC.to_owned()
}

/// Whether a signature is one of ours, which no upstream may see.
pub fn is_synthetic(signature: &str) -> bool {
    signature == SYNTHETIC
}
