//! The resources of several servers: every URI as its server has it, and whose it is.

use std::collections::{HashMap, HashSet};

use toolwright_backend::owner::{Owner, PerClient};
use toolwright_jsonrpc::{ErrorObject, Json};
use toolwright_mcp::front::Client;

use crate::gather;
use crate::members::Member;

/// Between a server's name and a URI that another server has too.
const BETWEEN: char = '+';

/// The scheme of the gateway's own resources, such as its status. No server has one of these.
const OWN_SCHEME: &str = "toolwright:";

/// The server of each resource, as each client last listed them: what one client lists never changes what another
/// one reads.
#[derive(Default)]
pub(crate) struct Resources {
    tables: PerClient<Table>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Table {
    /// By the URI that the client knows.
    uris: HashMap<String, Place>,
    /// Toolbox, server and template, in order.
    templates: Vec<(String, String, String)>,
    is_listed: bool,
}

/// A resource at its server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    toolbox: String,
    server: String,
    /// The server's own URI.
    own: String,
}

impl Place {
    fn is_at(&self, member: &Member) -> bool {
        self.toolbox == member.toolbox && self.server == member.server
    }
}

impl Resources {
    /// A session has ended.
    pub fn end(&self, client: &Client) {
        self.tables.end(client);
    }

    /// All resources of these servers. Of a URI that several have, the first server's keeps its form. A URI that a
    /// client knows stays with its server: also when that one is away now, no other takes it. Nor does a server take what
    /// is read as a URI of another one of all that are `configured`, whether this client may use that one or not.
    pub async fn list(
        &self,
        members: &[Member],
        configured: &[Member],
        client: &Client,
    ) -> Result<Json, ErrorObject> {
        let gathered =
            gather::list(members, client, "resources", "resources/list", "resources").await.into_items()?;
        let mut listed = Vec::new();
        self.tables.change(&Owner::of(client), |before| {
            let empty = Table::default();
            let before = before.unwrap_or(&empty);
            let (uris, items) = assigned(&before.uris, members, configured, &gathered);
            listed = items;
            Table { uris, templates: before.templates.clone(), is_listed: true }
        });
        Ok(Json::empty_object().with("resources", &Json::list(&listed)))
    }

    /// All templates of these servers.
    pub async fn list_templates(&self, members: &[Member], client: &Client) -> Result<Json, ErrorObject> {
        let gathered =
            gather::list(members, client, "resources", "resources/templates/list", "resourceTemplates").await;
        let gathered = gathered.into_items()?;
        let mut templates = Vec::new();
        let mut listed = Vec::new();
        for (member, items) in gathered {
            for item in items {
                if let Some(template) = item.get_text("uriTemplate") {
                    templates.push((member.toolbox.clone(), member.server.clone(), template));
                }
                listed.push(item);
            }
        }
        self.tables
            .change(&Owner::of(client), |before| Table { templates, ..before.cloned().unwrap_or_default() });
        Ok(Json::empty_object().with("resourceTemplates", &Json::list(&listed)))
    }

    /// Who may have a resource, the likeliest first, with the server's own URI: who listed it, else whose template
    /// it fits, else everybody. A URI that names a configured server is of that one, or of nobody.
    pub async fn find(
        &self,
        members: &[Member],
        configured: &[Member],
        client: &Client,
        uri: &str,
    ) -> Vec<(Member, String)> {
        let mut table = self.tables.get(&Owner::of(client)).unwrap_or_default();
        if let Some(found) = table.listed(members, uri) {
            return vec![found];
        }
        if !table.is_listed {
            let (lists, templates) =
                tokio::join!(self.list(members, configured, client), self.list_templates(members, client));
            if let Err(error) = lists.and(templates) {
                tracing::debug!(error = %error.message, "resources are not listed");
            }
            table = self.tables.get(&Owner::of(client)).unwrap_or_default();
            if let Some(found) = table.listed(members, uri) {
                return vec![found];
            }
        }
        let named = |member: &Member| Some((member.clone(), own_uri(member, uri)?.to_owned()));
        if let Some(found) = members.iter().find_map(named) {
            return vec![found];
        }
        if uri.starts_with(OWN_SCHEME) || configured.iter().any(|member| own_uri(member, uri).is_some()) {
            return Vec::new();
        }
        let fitting = table.fitting(members, uri);
        if !fitting.is_empty() {
            return fitting;
        }
        let servers = members.iter().filter(|member| member.configured_server().is_some());
        servers.map(|member| (member.clone(), uri.to_owned())).collect()
    }
}

impl Table {
    fn listed(&self, members: &[Member], uri: &str) -> Option<(Member, String)> {
        let place = self.uris.get(uri)?;
        let member = members.iter().find(|member| place.is_at(member))?;
        Some((member.clone(), place.own.clone()))
    }

    fn fitting(&self, members: &[Member], uri: &str) -> Vec<(Member, String)> {
        let fits = |member: &&Member| {
            self.templates.iter().any(|(toolbox, server, template)| {
                member.toolbox == *toolbox && member.server == *server && is_of(template, uri)
            })
        };
        members.iter().filter(fits).map(|member| (member.clone(), uri.to_owned())).collect()
    }
}

/// What is left of a URI that begins with the name of this server.
fn own_uri<'u>(server: &Member, uri: &'u str) -> Option<&'u str> {
    let behind = |text: &'u str| text.strip_prefix(server.server.as_str())?.strip_prefix(BETWEEN);
    let in_toolbox = || behind(uri.strip_prefix(server.toolbox.as_str())?.strip_prefix('.')?);
    behind(uri).or_else(in_toolbox).filter(|own| own.contains(':'))
}

/// The URIs that a client knows from now on, and the resources under these URIs.
fn assigned(
    before: &HashMap<String, Place>,
    members: &[Member],
    configured: &[Member],
    gathered: &[(Member, Vec<Json>)],
) -> (HashMap<String, Place>, Vec<Json>) {
    // A server may list what reads as a URI of another one, or of the gateway.
    let is_of_another = |place: &Place| {
        place.own.starts_with(OWN_SCHEME)
            || configured.iter().any(|other| !place.is_at(other) && own_uri(other, &place.own).is_some())
    };
    let is_kept = |(uri, place): &(&String, &Place)| **uri != place.own || !is_of_another(place);
    let before: Vec<(&String, &Place)> = before.iter().filter(is_kept).collect();
    let known: HashMap<&Place, &str> = before.iter().map(|(uri, place)| (*place, uri.as_str())).collect();
    let is_away = |place: &Place| {
        members.iter().any(|member| place.is_at(member))
            && !gathered.iter().any(|(member, _)| place.is_at(member))
    };
    let place_of = |member: &Member, own: &str| Place {
        toolbox: member.toolbox.clone(),
        server: member.server.clone(),
        own: own.to_owned(),
    };
    let mut uris: HashMap<String, Place> = before
        .iter()
        .filter(|(_, place)| is_away(place))
        .map(|(uri, place)| ((*uri).clone(), (*place).clone()))
        .collect();
    // What is listed again stays under its URI, before anything new takes one.
    let mut stays = HashSet::new();
    for (member, items) in gathered {
        for own in items.iter().filter_map(|item| item.get_text("uri")) {
            let place = place_of(member, &own);
            if let Some(uri) = known.get(&place) {
                uris.insert((*uri).to_owned(), place.clone());
                stays.insert(place);
            }
        }
    }
    let mut listed = Vec::new();
    let mut seen = HashSet::new();
    for (member, items) in gathered {
        for item in items {
            let Some(own) = item.get_text("uri") else { continue };
            let place = place_of(member, &own);
            if !seen.insert(place.clone()) {
                // The server lists it twice.
                continue;
            }
            let uri = match known.get(&place).filter(|_| stays.contains(&place)) {
                Some(uri) => (*uri).to_owned(),
                None => {
                    let qualified = format!("{}{BETWEEN}{own}", member.server);
                    let full = format!("{}.{qualified}", member.toolbox);
                    let as_it_is = (!is_of_another(&place)).then(|| own.clone());
                    let mut forms = as_it_is.into_iter().chain([qualified, full]);
                    let Some(uri) = forms.find(|uri| !uris.contains_key(uri)) else { continue };
                    uris.insert(uri.clone(), place);
                    uri
                }
            };
            listed.push(if uri == own { item.clone() } else { item.replaced("uri", &Json::text(&uri)) });
        }
    }
    (uris, listed)
}

/// Whether a URI can come of a template, or is the template itself: its fixed parts stand in it, in their order.
fn is_of(template: &str, uri: &str) -> bool {
    if template == uri {
        return true;
    }
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((fixed, behind)) = rest.split_once('{') {
        parts.push(fixed);
        let Some((_, behind)) = behind.split_once('}') else { return false };
        rest = behind;
    }
    let last = rest;
    let [first, middle @ ..] = &parts[..] else { return false };
    let Some(mut left) = uri.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_fits_what_can_come_of_it() {
        for (template, uri) in [
            ("memo://notes/{title}", "memo://notes/a"),
            ("memo://notes/{title}", "memo://notes/{title}"),
            ("file:///{+path}", "file:///a/b"),
            ("x://{a}/m/{b}.txt", "x://1/m/2.txt"),
        ] {
            assert!(is_of(template, uri), "{template} {uri}");
        }
        for (template, uri) in [
            ("memo://notes/{title}", "memo://other/a"),
            ("x://{a}/m/{b}.txt", "x://1/m/2.md"),
            ("memo://fixed", "memo://other"),
            ("memo://{broken", "memo://a"),
        ] {
            assert!(!is_of(template, uri), "{template} {uri}");
        }
    }
}
