//! The object `oauth` of a server's entry.

use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::{ConfigReader, non_null_value};
use crate::Login;

impl<'t> ConfigReader<'t, '_> {
    /// Reads the object `oauth`. Unknown keys in it belong to clients and are ignored.
    pub(super) fn login(&mut self, members: &'t [Member<'t>]) -> Login {
        let Some(node) = non_null_value(members, "oauth") else { return Login::default() };
        let Some(members) = node.as_object() else {
            let message = format!("\"oauth\" is an object, not {}", node.a_type_name());
            self.collector.error(&node, message, "write {\"clientId\": \"…\"}, or leave it out");
            return Login::default();
        };
        let mut text = |key: &str| {
            let node = non_null_value(members, key)?;
            self.secret_text(&node, &format!("\"{key}\" of \"oauth\""))
        };
        let (client_id, client_secret) = (text("clientId"), text("clientSecret"));
        let client_metadata_url = text("clientMetadataUrl");
        if let (Some(url), Some(node)) = (&client_metadata_url, non_null_value(members, "clientMetadataUrl"))
            && !url.starts_with("https://")
        {
            let message = "\"clientMetadataUrl\" is the https address of a document";
            self.collector.error(&node, message, "write \"https://…\", or leave it out");
        }
        let scopes = non_null_value(members, "scopes").and_then(|node| match node.as_text() {
            // A space-separated list, as in RFC 6749.
            Some(_) => self.text(&node, "\"scopes\"").map(|text| words(&text)),
            None => self.texts(&node, "scopes"),
        });
        let callback_port = non_null_value(members, "callbackPort").and_then(|node| self.port(&node));
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
            self.collector.error(node, "\"callbackPort\" is a port: a number from 1 to 65535", "write 8080");
        }
        port
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
