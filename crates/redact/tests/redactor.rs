//! What [`toolwright_redact::Redactor`] hides, what it leaves, and which laws it keeps.

#[path = "redactor/amplification.rs"]
mod amplification;
#[path = "redactor/behaviour.rs"]
mod behaviour;
#[path = "redactor/corpus.rs"]
mod corpus;
#[path = "redactor/harmless.rs"]
mod harmless;
#[path = "redactor/hostile.rs"]
mod hostile;
#[path = "redactor/laws.rs"]
mod laws;
#[path = "redactor/planted.rs"]
mod planted;
#[path = "redactor/random.rs"]
mod random;

use toolwright_redact::{RedactOptions, Redactor};

/// One with a salt and nothing else.
fn redactor() -> Redactor {
    Redactor::new([42; 32], RedactOptions::default()).expect("the defaults are right")
}
