//! Makes a request fit what an upstream takes: names, ids, schemas and choices of tools.
//!
//! What is changed here is changed for the upstream alone. [`Names`] gives names back in answers; calls are judged by
//! the schemas as the client sent them.

mod choice;
mod ids;
mod names;
mod sampling;
mod schema;
mod schema_gemini;
mod schema_level;
mod schema_object;
mod schema_ollama;
mod schema_tree;
mod thinking;
mod turns;

pub use names::Names;

use sha2::{Digest, Sha256};

use crate::form::Request;
use crate::{Failure, Notes, Target};

/// Changes a request so that the target takes it, and tells what a client would miss. What it gives back turns the
/// names in answers into those that the client knows.
pub fn fit(request: &mut Request, target: &Target, notes: &mut Notes) -> Result<Names, Failure> {
    choice::fit_choice(request, notes)?;
    choice::check_count(request, target)?;
    turns::fit_turns(request, target, notes);
    thinking::fit_thinking(request, target, notes);
    sampling::fit_sampling(request, target, notes);
    let names = names::rename(request, target);
    ids::fit_ids(request, target.ids);
    schema::fit_schemas(request, target, notes);
    Ok(names)
}

/// The hash of a text as 64 hexadecimal digits. Another salt gives another hash; 0 is none.
fn hash(text: &str, salt: u32) -> String {
    let mut hasher = Sha256::new();
    hasher.update(text.as_bytes());
    if salt > 0 {
        hasher.update([0]);
        hasher.update(salt.to_be_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The letters and digits that names and ids may have everywhere.
fn is_word_char(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// A name for messages: not longer than people read.
fn shown(name: &str) -> String {
    const SHOWN_CHARS: usize = 80;
    match name.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
