//! Where a broker is and how we show who we are.

use std::path::Path;

use toolwright_config::{BrokerPassword, BrokerSettings};

/// A broker.
#[derive(Clone)]
pub(crate) struct BrokerAddress(pub BrokerSettings);

impl BrokerAddress {
    /// The one inside, at a port of this machine.
    pub fn inside(port: u16) -> BrokerAddress {
        BrokerAddress(BrokerSettings {
            host: "127.0.0.1".to_owned(),
            port,
            is_encrypted: false,
            ca_file: None,
            username: None,
            password: BrokerPassword::None,
        })
    }

    /// The address as it may be shown.
    pub fn shown(&self) -> String {
        self.0.shown()
    }

    /// Whether a file may make a difference.
    pub fn is_kept_in_files(&self) -> bool {
        matches!(self.0.password, BrokerPassword::File(_)) || self.0.ca_file.is_some()
    }

    /// The password now: a file may have got another one.
    pub fn password(&self) -> Result<Option<String>, String> {
        match &self.0.password {
            BrokerPassword::None => Ok(None),
            BrokerPassword::Text(text) => Ok(Some(text.expose().to_owned())),
            BrokerPassword::File(file) => {
                let text = read(file)?;
                Ok(Some(text.lines().next().unwrap_or_default().trim().to_owned()))
            }
        }
    }

    /// The certificates that the broker's may be signed with, where they are ours to say.
    pub fn certificates(&self) -> Result<Option<Vec<u8>>, String> {
        self.0.ca_file.as_deref().map(|file| read(file).map(String::into_bytes)).transpose()
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}
