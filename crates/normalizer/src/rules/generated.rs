//! `{{uuid}}` in the value of a default: an id that is derived from the call.
//!
//! The normalizer has no clock and no randomness. The id is a UUID (version 8, RFC 9562) of the SHA-256 of the
//! tool's name, the arguments before the rule, the position that is filled, and the seed of the caller
//! ([`RawArguments::with_seed`](crate::RawArguments::with_seed)). So one call always gets the same id.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use toolwright_jsonrpc::raw::{Kind, Node};

use super::Site;

/// Placeholder for an id in a default.
pub(super) const UUID: &str = "{{uuid}}";

/// Generates the ids of one rule for one call. The common part is hashed once, whatever the number of ids.
#[derive(Default)]
pub(super) struct GeneratedIds {
    common: Option<Sha256>,
}

impl GeneratedIds {
    /// The default as JSON text, with an id for this position if it has the placeholder.
    pub fn fill<'v>(&mut self, site: &Site<'_, '_, '_>, value: &'v str, place: &str) -> Cow<'v, str> {
        if !value.contains(UUID) {
            return Cow::Borrowed(value);
        }
        let mut hash = self.common.get_or_insert_with(|| common(site)).clone();
        add(&mut hash, place);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        // Version 8 and the variant of RFC 9562.
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
        Cow::Owned(value.replace(UUID, &groups.join("-")))
    }
}

fn common(site: &Site<'_, '_, '_>) -> Sha256 {
    let arguments = Node::built(Kind::Object(site.fitter.arena.alloc_slice_copy(site.members)));
    let mut hash = Sha256::new();
    for part in [site.fitter.context.seed, site.around.tool.name(), &arguments.to_json()] {
        add(&mut hash, part);
    }
    hash
}

/// Adds a part with its length, so that different lists of parts never give the same hash input.
fn add(hash: &mut Sha256, part: &str) {
    hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(part);
}
