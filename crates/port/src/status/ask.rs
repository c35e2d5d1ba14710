//! Asking a gateway that runs, over HTTP.

use std::time::Duration;

use super::Status;

/// Why a gateway did not tell.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// Nobody listens.
    #[error("nothing listens at {0}")]
    NobodyThere(String),
    /// A gateway that does not take the token.
    #[error("the gateway does not take the token of this install")]
    NotLetIn,
    /// Somebody who is no gateway, or one of another version.
    #[error("what listens at {0} does not answer as a gateway of this version does")]
    NotUnderstood(String),
}

/// Asks the gateway at an address such as `http://127.0.0.1:8484`, with the token of its install.
///
/// # Errors
/// When nobody is there, does not let us in, or is no gateway.
pub async fn ask(address: &str, token: &str, patience: Duration) -> Result<Status, AskError> {
    let not_understood = || AskError::NotUnderstood(address.to_owned());
    // What the environment says of proxies is not meant for this machine.
    let client = reqwest::Client::builder().no_proxy().timeout(patience).build();
    let client = client.map_err(|_| not_understood())?;
    let url = format!("{}/api/status", address.trim_end_matches('/'));
    let answer =
        client.get(url).bearer_auth(token).send().await.map_err(|error| match error.is_connect() {
            true => AskError::NobodyThere(address.to_owned()),
            false => not_understood(),
        })?;
    match answer.status().as_u16() {
        // Others refuse too; only a gateway says that it is ready.
        401 | 403 => match is_gateway(&client, address).await {
            true => Err(AskError::NotLetIn),
            false => Err(not_understood()),
        },
        200 => {
            let text = answer.text().await.map_err(|_| not_understood())?;
            serde_json::from_str(&text).map_err(|_| not_understood())
        }
        _ => Err(not_understood()),
    }
}

async fn is_gateway(client: &reqwest::Client, address: &str) -> bool {
    let url = format!("{}/readyz", address.trim_end_matches('/'));
    let Ok(answer) = client.get(url).send().await else { return false };
    let Ok(text) = answer.text().await else { return false };
    let said: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    said.is_some_and(|said| said.get("requestsInFlight").is_some())
}
