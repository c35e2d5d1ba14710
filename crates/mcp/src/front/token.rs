//! What stands in the sealed texts: the token of a session, the state of a parked call.

use std::time::Duration;

use toolwright_base::unix_seconds;
use toolwright_jsonrpc::Json;

use super::client::{Client, SessionId, Visitor};
use crate::Era;

/// More of what a client says of itself than this does not travel with it: headers have their bounds.
const CARRIED_BYTES: usize = 2048;

/// The token of a session: everything that another replica must know to go on with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionToken {
    pub id: SessionId,
    /// Seconds since 1970.
    pub issued: u64,
    pub endpoint: String,
    pub visitor: String,
    pub revision: String,
    pub capabilities: Json,
    pub info: Option<Json>,
}

/// The beginning of a token.
pub(super) struct Head<'b> {
    pub id: SessionId,
    pub issued: u64,
    pub endpoint: &'b [u8],
    pub visitor: &'b [u8],
}

/// The state of a parked call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallState {
    pub id: u128,
    /// Seconds since 1970.
    pub issued: u64,
    pub endpoint: String,
    pub visitor: String,
    pub method: String,
    /// Of what the call is about and its arguments.
    pub digest: Vec<u8>,
}

/// Whether something of this time is older than it may be. What comes from the future is not.
pub(super) fn is_older(issued: u64, age: Duration) -> bool {
    unix_seconds().saturating_sub(issued) > age.as_secs()
}

impl SessionToken {
    pub fn of(client: &Client, id: SessionId, endpoint: &str) -> SessionToken {
        SessionToken {
            id,
            issued: unix_seconds(),
            endpoint: endpoint.to_owned(),
            visitor: client.visitor.name.to_string(),
            revision: client.revision.clone(),
            capabilities: carried_capabilities(&client.capabilities),
            info: client.info.as_ref().map(carried_info),
        }
    }

    /// The client as another process knows it again.
    pub fn to_client(&self, visitor: Visitor) -> Client {
        Client {
            visitor,
            era: Era::Legacy,
            revision: self.revision.clone(),
            info: self.info.clone(),
            capabilities: self.capabilities.clone(),
            session: Some(self.id),
            is_resumed: true,
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = start(self.id.0, self.issued);
        let info = self.info.as_ref().map_or("", Json::as_str);
        let fields = [&self.endpoint, &self.visitor, &self.revision, self.capabilities.as_str(), info];
        for field in fields {
            push(&mut out, field.as_bytes());
        }
        out
    }

    /// What must be looked at for every request.
    pub fn head(bytes: &[u8]) -> Option<Head<'_>> {
        let mut rest = Rest(bytes);
        Some(Head {
            id: SessionId(rest.number()?),
            issued: rest.seconds()?,
            endpoint: rest.field()?,
            visitor: rest.field()?,
        })
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<SessionToken> {
        let mut rest = Rest(bytes);
        Some(SessionToken {
            id: SessionId(rest.number()?),
            issued: rest.seconds()?,
            endpoint: rest.text()?,
            visitor: rest.text()?,
            revision: rest.text()?,
            capabilities: Json::parse(&rest.text()?).ok()?,
            info: match rest.text()?.as_str() {
                "" => None,
                info => Some(Json::parse(info).ok()?),
            },
        })
    }
}

impl CallState {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = start(self.id, self.issued);
        for field in [self.endpoint.as_bytes(), self.visitor.as_bytes(), self.method.as_bytes(), &self.digest]
        {
            push(&mut out, field);
        }
        out
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<CallState> {
        let mut rest = Rest(bytes);
        Some(CallState {
            id: rest.number()?,
            issued: rest.seconds()?,
            endpoint: rest.text()?,
            visitor: rest.text()?,
            method: rest.text()?,
            digest: rest.field()?.to_vec(),
        })
    }
}

/// The capabilities, or only their names when they are large.
fn carried_capabilities(capabilities: &Json) -> Json {
    if capabilities.as_str().len() <= CARRIED_BYTES {
        return capabilities.clone();
    }
    let members = capabilities.members().unwrap_or_default();
    let known = ["sampling", "elicitation", "roots"];
    let declared = known.iter().filter(|kind| members.iter().any(|member| member.key == **kind));
    declared.fold(Json::empty_object(), |all, kind| all.with(kind, &Json::empty_object()))
}

/// The name and version alone when there is much more.
fn carried_info(info: &Json) -> Json {
    if info.as_str().len() <= CARRIED_BYTES {
        return info.clone();
    }
    let named = |key: &str| info.get_text(key).filter(|text| text.len() <= 256).unwrap_or_default();
    ["name", "version"].iter().fold(Json::empty_object(), |all, key| all.with(key, &Json::text(&named(key))))
}

fn start(id: u128, issued: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(&id.to_le_bytes());
    out.extend_from_slice(&issued.to_le_bytes());
    out
}

fn push(out: &mut Vec<u8>, field: &[u8]) {
    out.extend_from_slice(&(field.len() as u32).to_le_bytes());
    out.extend_from_slice(field);
}

struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u128> {
        self.take().map(u128::from_le_bytes)
    }

    fn seconds(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn field(&mut self) -> Option<&'b [u8]> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (field, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.field()?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(capabilities: &str, info: Option<&str>) -> Client {
        Client {
            visitor: Visitor::everywhere("desk"),
            era: Era::Legacy,
            revision: "2025-06-18".into(),
            info: info.map(|info| Json::parse(info).unwrap()),
            capabilities: Json::parse(capabilities).unwrap(),
            session: None,
            is_resumed: false,
        }
    }

    #[test]
    fn a_token_carries_all_of_it() {
        for info in [None, Some(r#"{"name":"ä","version":"1"}"#)] {
            let token = SessionToken::of(&client(r#"{"roots":{}}"#, info), SessionId(7), "/mcp");
            assert_eq!(SessionToken::from_bytes(&token.to_bytes()), Some(token));
        }
        let state = CallState {
            id: u128::MAX,
            issued: 5,
            endpoint: "/mcp".into(),
            visitor: String::new(),
            method: "tools/call".into(),
            digest: vec![0, 255],
        };
        assert_eq!(CallState::from_bytes(&state.to_bytes()), Some(state.clone()));
        let bytes = state.to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(CallState::from_bytes(&bytes[..end]), None);
        }
    }

    #[test]
    fn a_talkative_client_does_not_make_the_token_long() {
        let much = "x".repeat(5000);
        let capabilities = format!(r#"{{"roots":{{"a":"{much}"}},"experimental":{{"b":1}}}}"#);
        let info = format!(r#"{{"name":"n","version":"1","icon":"{much}"}}"#);
        let token = SessionToken::of(&client(&capabilities, Some(&info)), SessionId(1), "/mcp");
        assert_eq!(token.capabilities.as_str(), r#"{"roots":{}}"#);
        assert_eq!(token.info.unwrap().as_str(), r#"{"name":"n","version":"1"}"#);
    }
}
