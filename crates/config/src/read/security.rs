//! The sections `security` and `notify`.

use toolwright_jsonrpc::raw::Member;

use super::checks::check_address;
use super::{ConfigReader, non_null_value};
use crate::settings::{NotifySettings, SecretText, SecuritySettings, Suspicion};

pub(super) const SECURITY_KEYS: &[&str] = &["changedTools", "hiddenInstructions"];
pub(super) const NOTIFY_KEYS: &[&str] = &["webhook"];

impl<'t> ConfigReader<'t, '_> {
    pub fn security(&mut self, members: &'t [Member<'t>]) -> SecuritySettings {
        let known = [Suspicion::Flag, Suspicion::Hide].map(|suspicion| (suspicion.word(), suspicion));
        let mut read = |key| {
            non_null_value(members, key).and_then(|node| self.word(&node, key, &known)).unwrap_or_default()
        };
        SecuritySettings {
            changed_tools: read("changedTools"),
            hidden_instructions: read("hiddenInstructions"),
        }
    }

    pub fn notify(&mut self, members: &'t [Member<'t>]) -> NotifySettings {
        let webhook = non_null_value(members, "webhook").and_then(|node| {
            let text = self.secret_text(&node, "\"webhook\"")?;
            let text = text.trim();
            if check_address(text).is_err() {
                self.collector.error(
                    &node,
                    "\"webhook\" is not an address",
                    "write one that begins with https:// (or http:// on this machine), or leave it out",
                );
                return None;
            }
            // Everyone who has the address can post: it is secret as a whole.
            self.secrets.insert(text.to_owned());
            Some(SecretText::new(text))
        });
        NotifySettings { webhook }
    }
}
