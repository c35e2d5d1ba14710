//! What a server's entry says about logging in to it.

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::{Reader, given};
use crate::Login;

impl<'t> Reader<'t, '_> {
    /// The object `oauth`. What a client has there and we do not know is left alone.
    pub(super) fn login(&mut self, members: &'t [Member<'t>]) -> Login {
        let Some(node) = given(members, "oauth") else { return Login::default() };
        let Some(members) = node.as_object() else {
            let message = format!("\"oauth\" is an object, not {}", node.a_type_name());
            self.mistakes.error(&node, message, "write {\"clientId\": \"…\"}, or leave it out");
            return Login::default();
        };
        let mut text = |key: &str| {
            let node = given(members, key)?;
            self.secret_text(&node, &format!("\"{key}\" of \"oauth\""))
        };
        let (client_id, client_secret) = (text("clientId"), text("clientSecret"));
        let client_metadata_url = text("clientMetadataUrl");
        if let (Some(url), Some(node)) = (&client_metadata_url, given(members, "clientMetadataUrl"))
            && !url.starts_with("https://")
        {
            let message = "\"clientMetadataUrl\" is the https address of a document";
            self.mistakes.error(&node, message, "write \"https://…\", or leave it out");
        }
        let scopes = given(members, "scopes").and_then(|node| match node.as_text() {
            // As the protocol writes them.
            Some(_) => self.text(&node, "\"scopes\"").map(|text| words(&text)),
            None => self.texts(&node, "scopes"),
        });
        let callback_port = given(members, "callbackPort").and_then(|node| self.port(&node));
        Login {
            client_id,
            client_secret,
            client_metadata_url,
            scopes: scopes.unwrap_or_default(),
            callback_port,
        }
    }

    fn port(&mut self, node: &Node<'t>) -> Option<u16> {
        let port = match node.kind {
            Kind::Number(text) => text.parse().ok().filter(|port| *port > 0),
            _ => None,
        };
        if port.is_none() {
            self.mistakes.error(node, "\"callbackPort\" is a port: a number from 1 to 65535", "write 8080");
        }
        port
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
