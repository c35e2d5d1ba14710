//! What providers and models of Ollama take otherwise. A row is a fact with its reason; a row that is not sure is not here.

use crate::quirks::Quirk;
use crate::quirks::shared::{NO_INLINE_SYSTEM, NO_NEIGHBOURS};

/// Later rows win.
pub(super) const QUIRKS: &[Quirk] = &[NO_INLINE_SYSTEM, NO_NEIGHBOURS];
