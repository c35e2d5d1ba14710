//! Address and credentials of a broker.

use std::path::Path;

use toolwright_config::{BrokerPassword, BrokerSettings};

/// The settings of a broker.
#[derive(Clone)]
pub(crate) struct BrokerAddress(pub BrokerSettings);

impl BrokerAddress {
    /// The built-in broker, at a loopback port.
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

    /// The address without credentials.
    pub fn shown(&self) -> String {
        self.0.shown()
    }

    /// Whether the settings refer to files, which may change.
    pub fn is_kept_in_files(&self) -> bool {
        matches!(self.0.password, BrokerPassword::File(_)) || self.0.ca_file.is_some()
    }

    /// The current password; a password file is read each time.
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

    /// The configured CA certificates, if any.
    pub fn certificates(&self) -> Result<Option<Vec<u8>>, String> {
        self.0.ca_file.as_deref().map(|file| read(file).map(String::into_bytes)).transpose()
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}
