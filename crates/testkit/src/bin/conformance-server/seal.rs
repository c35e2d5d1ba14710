//! A state that goes through the client's hands and comes back as it went, or is refused.

use std::hash::{BuildHasher, RandomState};

use rmcp::ErrorData;

/// A key of this process.
#[derive(Clone, Default)]
pub struct Seal(RandomState);

impl Seal {
    /// The state with its seal.
    pub fn close(&self, state: &str) -> String {
        format!("{state}.{:016x}", self.0.hash_one(state))
    }

    /// The state again.
    pub fn open(&self, sealed: &str) -> Result<String, ErrorData> {
        let broken = || ErrorData::invalid_params("the requestState is not one of this server", None);
        let (state, _) = sealed.rsplit_once('.').ok_or_else(broken)?;
        if self.close(state) == sealed { Ok(state.to_owned()) } else { Err(broken()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_only_with_its_own_seal() {
        let seal = Seal::default();
        let sealed = seal.close("step.1");
        assert_eq!(seal.open(&sealed).expect("sealed here"), "step.1");
        assert!(seal.open(&format!("{sealed}-TAMPERED")).is_err());
        assert!(seal.open("step.1").is_err());
        assert!(Seal::default().open(&sealed).is_err());
    }
}
