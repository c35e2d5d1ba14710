//! The resources of several servers: every URI as its server has it, and whose it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_jsonrpc::{ErrorObject, Json};

use super::gather;
use super::members::Member;

/// Between a server's name and a URI that another server has too.
const BETWEEN: char = '+';

/// Whose a resource is, as it was last listed.
#[derive(Default)]
pub(super) struct Resources {
    table: Mutex<Arc<Table>>,
}

#[derive(Default)]
struct Table {
    /// By the URI that clients know: toolbox, server and the server's own URI.
    uris: HashMap<String, (String, String, String)>,
    /// Toolbox, server and template, in order.
    templates: Vec<(String, String, String)>,
    is_listed: bool,
}

impl Resources {
    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, change: impl FnOnce(&Table) -> Table) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        *table = Arc::new(change(&table));
    }

    /// All resources of these servers. Of a URI that several have, the first server's keeps its form.
    pub async fn list(&self, members: &[Member]) -> Result<Json, ErrorObject> {
        let gathered =
            gather::list(members, "resources", "resources/list", "resources").await.into_items()?;
        let mut uris = HashMap::new();
        let mut listed = Vec::new();
        for (member, items) in gathered {
            for item in items {
                let Some(own) = item.get_text("uri") else { continue };
                let entry = (member.toolbox.clone(), member.server.clone(), own.clone());
                if let Entry::Vacant(place) = uris.entry(own.clone()) {
                    place.insert(entry);
                    listed.push(item);
                    continue;
                }
                let mut known = format!("{}{BETWEEN}{own}", member.server);
                if uris.contains_key(&known) {
                    known = format!("{}.{known}", member.toolbox);
                }
                if uris.contains_key(&known) {
                    // The server lists it twice.
                    continue;
                }
                listed.push(item.replaced("uri", &Json::text(&known)));
                uris.insert(known, entry);
            }
        }
        self.put(|table| Table { uris, templates: table.templates.clone(), is_listed: true });
        Ok(Json::empty_object().with("resources", &Json::list(&listed)))
    }

    /// All templates of these servers.
    pub async fn list_templates(&self, members: &[Member]) -> Result<Json, ErrorObject> {
        let gathered =
            gather::list(members, "resources", "resources/templates/list", "resourceTemplates").await;
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
        self.put(|table| Table { uris: table.uris.clone(), templates, is_listed: table.is_listed });
        Ok(Json::empty_object().with("resourceTemplates", &Json::list(&listed)))
    }

    /// Who may have a resource, the likeliest first, with the server's own URI: who listed it, else whose template
    /// it fits, else everybody.
    pub async fn find(&self, members: &[Member], uri: &str) -> Vec<(Member, String)> {
        if let Some(found) = self.listed(members, uri) {
            return vec![found];
        }
        if !self.table().is_listed {
            let (lists, templates) = tokio::join!(self.list(members), self.list_templates(members));
            if let Err(error) = lists.and(templates) {
                tracing::debug!(error = %error.message, "resources are not listed");
            }
            if let Some(found) = self.listed(members, uri) {
                return vec![found];
            }
        }
        for member in members {
            let own = uri.strip_prefix(member.server.as_str()).and_then(|rest| rest.strip_prefix(BETWEEN));
            if let Some(own) = own.filter(|own| own.contains(':')) {
                return vec![(member.clone(), own.to_owned())];
            }
        }
        let fitting = self.fitting(members, uri);
        if !fitting.is_empty() {
            return fitting;
        }
        let servers = members.iter().filter(|member| member.configured_server().is_some());
        servers.map(|member| (member.clone(), uri.to_owned())).collect()
    }

    fn listed(&self, members: &[Member], uri: &str) -> Option<(Member, String)> {
        let table = self.table();
        let (toolbox, server, own) = table.uris.get(uri)?;
        let member = members.iter().find(|member| member.toolbox == *toolbox && member.server == *server)?;
        Some((member.clone(), own.clone()))
    }

    fn fitting(&self, members: &[Member], uri: &str) -> Vec<(Member, String)> {
        let table = self.table();
        let fits = |member: &&Member| {
            table.templates.iter().any(|(toolbox, server, template)| {
                member.toolbox == *toolbox && member.server == *server && is_of(template, uri)
            })
        };
        members.iter().filter(fits).map(|member| (member.clone(), uri.to_owned())).collect()
    }
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
