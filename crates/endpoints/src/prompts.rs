//! The prompts of several servers under flat names.

use toolwright_backend::owner::{Owner, PerClient};
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};
use toolwright_mcp::front::Client;
use toolwright_toolbox::naming::{FlatNames, Identifier, Style};

use crate::gather;
use crate::members::Member;

/// The prompt of each name, as each client last listed them.
pub(crate) struct Prompts {
    style: Style,
    names: PerClient<FlatNames>,
}

impl Prompts {
    pub fn new(style: Style) -> Prompts {
        Prompts { style, names: PerClient::default() }
    }

    /// A session has ended.
    pub fn end(&self, client: &Client) {
        self.names.end(client);
    }

    /// All prompts of these servers.
    pub async fn list(&self, members: &[Member], client: &Client) -> Result<Json, ErrorObject> {
        let gathered =
            gather::list(members, client, "prompts", "prompts/list", "prompts").await.into_items()?;
        let mut prompts = Vec::new();
        for (member, items) in &gathered {
            for item in items {
                if let Some(name) = item.get_text("name") {
                    prompts.push((Identifier::new(&member.toolbox, &member.server, name), item));
                }
            }
        }
        let names = FlatNames::build(prompts.iter().map(|(identifier, _)| identifier.clone()), self.style);
        let items: Vec<Json> = prompts
            .iter()
            .filter_map(|(identifier, item)| {
                Some(item.replaced("name", &Json::text(names.name_of(identifier)?)))
            })
            .collect();
        self.names.change(&Owner::of(client), |_| names);
        Ok(Json::empty_object().with("prompts", &Json::list(&items)))
    }

    /// Whose prompt a name is, and what its server calls it.
    pub async fn find(
        &self,
        members: &[Member],
        client: &Client,
        name: &str,
    ) -> Result<(Member, String), ErrorObject> {
        if let Some(found) = self.known(members, client, name) {
            return Ok(found);
        }
        self.list(members, client).await?;
        self.known(members, client, name).ok_or_else(|| {
            ErrorObject::new(
                INVALID_PARAMS,
                format!("Unknown prompt \"{name}\"; prompts/list tells them all"),
            )
        })
    }

    fn known(&self, members: &[Member], client: &Client, name: &str) -> Option<(Member, String)> {
        let names = self.names.get(&Owner::of(client))?;
        let identifier = names.tool_of(name)?;
        let member = members.iter().find(|member| member.is(identifier))?;
        Some((member.clone(), identifier.name.clone()))
    }
}
