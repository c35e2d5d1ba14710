//! A toolbox with one server: its client sees the server as it is. Calls of tools go through the executor, and
//! filters take tools away; everything else passes on untouched.

use std::sync::{Arc, Mutex};

use toolwright_backend::forward_context::ForwardContext;
use toolwright_backend::owner::Owner;
use toolwright_backend::server_tool::PATIENCE;
use toolwright_backend::tasks::no_task;
use toolwright_backend::{Server, result};
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, Json, Notification};
use toolwright_mcp::front::{About, Asked, Client, Listening, Service, Serving};
use toolwright_mcp::{Era, Filter, RequestError};
use toolwright_model::Change;
use toolwright_normalizer::{NameMiss, NamedTool, match_tool};

use crate::about;
use crate::calls::{self, Refusal};
use crate::forward;
use crate::gateway::Hub;
use crate::listening::{Ear, Pump};
use crate::members::{Member, make_known, reach};
use crate::resolve;

/// The id of a task that no server has: ids are made to be unique.
const UNKNOWN_TASK: &str = "no-such-task-of-this-client";

/// One server, seen through us.
pub(crate) struct Transparent {
    hub: Arc<Hub>,
    toolbox: String,
    /// What the server last said of itself.
    said: Mutex<Option<About>>,
}

impl Transparent {
    pub fn new(hub: Arc<Hub>, toolbox: &str) -> Transparent {
        Transparent { hub, toolbox: toolbox.to_owned(), said: Mutex::default() }
    }

    /// The server, for a client that may use it.
    fn member(&self, client: &Client) -> Result<Member, ErrorObject> {
        let members = self.hub.toolbox(&self.toolbox);
        let member = members.into_iter().next().filter(|_| client.visitor.may_use(&self.toolbox));
        member.ok_or_else(|| {
            ErrorObject::new(INVALID_PARAMS, format!("there is no toolbox '{}'", self.toolbox))
        })
    }
}

impl Service for Transparent {
    fn about<'s>(&'s self, client: &'s Arc<Client>) -> Serving<'s, Result<About, ErrorObject>> {
        Box::pin(async move {
            let member = self.member(client)?;
            let Some(server) = member.configured_server() else {
                return Ok(about::of_absent(&member.server));
            };
            let found = reach(server, client.era, PATIENCE).await;
            let mut said = self.said.lock().ignore_poison();
            match found {
                Ok(peer) => {
                    let about = about::of_peer(&peer, &server.own_name);
                    *said = Some(about.clone());
                    Ok(about)
                }
                // What it lists and answers will say why.
                Err(_) => Ok(said.clone().unwrap_or_else(|| about::of_absent(&server.own_name))),
            }
        })
    }

    fn request(&self, asked: Asked) -> Serving<'static, Result<Json, ErrorObject>> {
        let (hub, member) = (Arc::clone(&self.hub), self.member(&asked.client));
        Box::pin(async move {
            let member = member?;
            match asked.method.as_str() {
                "tools/call" => call(&hub, &member, asked).await,
                "tools/list" => list(&hub, &member, asked).await,
                method if method.starts_with("tasks/") => task(&hub, &member, asked).await,
                _ => forward::pass_on(&hub, &member, asked).await,
            }
        })
    }

    fn notified(&self, client: &Arc<Client>, notification: Notification) {
        let Ok(member) = self.member(client) else { return };
        let Some(server) = member.configured_server().cloned() else { return };
        // It would ask for the roots of whoever calls it then.
        let is_doubtful = notification.method == "notifications/roots/list_changed"
            && !server.host.is_alone(&client.visitor.name);
        // A server that is not there has nothing to be told.
        if is_doubtful || !server.supervisor.tools().is_current {
            return;
        }
        let era = client.era;
        tokio::spawn(async move {
            if let Ok(peer) = reach(&server, era, PATIENCE).await
                && let Err(error) = peer.notify(&notification.method, notification.params).await
            {
                tracing::debug!(server = %server.name, %error, "a notification was not passed on");
            }
        });
    }

    fn listen(
        &self,
        client: Arc<Client>,
        filter: Filter,
        logs: bool,
    ) -> Serving<'_, Result<Listening, ErrorObject>> {
        Box::pin(async move {
            let member = self.member(&client)?;
            let pump = Pump::new();
            let uris = filter.uris.iter().map(|uri| (uri.clone(), uri.clone())).collect();
            let is_strict = client.era == Era::Legacy;
            let ear = Ear {
                filter: filter.clone(),
                uris,
                logs,
                owner: Owner::of(&client),
                era: client.era,
                is_strict,
                is_transparent: true,
            };
            if let Some(server) = member.configured_server() {
                pump.hear(server, ear.clone()).await?;
            }
            let (hub, toolbox) = (Arc::clone(&self.hub), self.toolbox.clone());
            pump.follow(&self.hub.servers, &filter, move || {
                let servers = hub.toolbox(&toolbox).into_iter().filter_map(Member::into_server);
                servers.map(|server| (server, ear.clone())).collect()
            });
            Ok(pump.into_listening(filter))
        })
    }

    fn schema_with_headers(&self, client: &Client, tool: &str) -> Option<Json> {
        let member = self.member(client).ok()?;
        self.hub.schema_with_headers(&member, tool)
    }

    fn ended(&self, _: &Client) {}
}

/// A request about tasks: a client has those that it created itself.
async fn task(hub: &Hub, member: &Member, asked: Asked) -> Result<Json, ErrorObject> {
    let owner = Owner::of(&asked.client);
    let params = asked.params.clone().unwrap_or_else(Json::empty_object);
    if let Some(id) = params.get_text("taskId") {
        if member.has_task(&owner, &id) {
            return forward::pass_on(hub, member, asked).await;
        }
        // What the server says of a task that it does not have: it may not know the method, or want a capability.
        let params = Some(params.with("taskId", &Json::text(UNKNOWN_TASK)));
        let refused = forward::pass_on(hub, member, Asked { params, ..asked }).await;
        return Err(match refused {
            Err(error) if error.number() != Some(INVALID_PARAMS) => error,
            _ => no_task(&id),
        });
    }
    if asked.method != "tasks/list" {
        return Err(calls::no_text(asked.params.as_ref(), "taskId"));
    }
    let list = forward::pass_on(hub, member, asked).await?;
    Ok(match member.configured_server() {
        Some(server) => server.host.tasks.own_tasks(&owner, list),
        None => list,
    })
}

/// The server's own list, without what filters take away. A server that is away has the tools it had.
async fn list(hub: &Hub, member: &Member, asked: Asked) -> Result<Json, ErrorObject> {
    let Some(server) = member.configured_server() else {
        return Ok(Json::empty_object().with("tools", &Json::list(member.tools().items.iter())));
    };
    if server.hides_some() {
        // Only the gateway's own list is checked. Before it is there, every tool would be hidden.
        make_known(std::slice::from_ref(member), hub.options.list_patience).await;
    }
    let cursor = asked.params.as_ref().and_then(|params| params.get("cursor"));
    let known = |error: ErrorObject| {
        let listed = server.supervisor.tools();
        if listed.items.is_empty() || cursor.is_some() {
            return Err(error);
        }
        Ok(Json::empty_object().with("tools", &Json::list(listed.items.iter())))
    };
    let peer = match reach(server, asked.client.era, PATIENCE).await {
        Ok(peer) => peer,
        Err(error) => return known(error).map(|list| filtered(server, list)),
    };
    let Asked { params, log_level, back, .. } = asked;
    let context = ForwardContext::new(params.clone(), log_level, back);
    let params = params.unwrap_or_else(Json::empty_object);
    let answer = forward::send(server, &peer, &context, ("tools/list", params), hub.limit(server)).await;
    let list = match answer {
        Ok(list) => list,
        Err(RequestError::Server(error)) => return Err(error),
        Err(error) => {
            let error = ErrorObject::new(INTERNAL_ERROR, forward::in_words(server, &error));
            return known(error).map(|list| filtered(server, list));
        }
    };
    Ok(filtered(server, list))
}

/// A list without the tools that filters take away; the same text when there are none.
fn filtered(server: &Server, list: Json) -> Json {
    let Some(items) = list.get("tools").and_then(|tools| tools.items()) else { return list };
    // In this order: a list that comes between the two hides what it changes.
    let is_offered = |item: &Json| {
        !server.hides_sent(item) && item.get_text("name").is_none_or(|name| server.allows(&name))
    };
    if items.iter().all(is_offered) {
        return list;
    }
    list.with("tools", &Json::list(items.iter().filter(|item| is_offered(item))))
}

/// Calls the tool that is meant: by its name, or by one that can stand for one tool of this server only.
async fn call(hub: &Hub, member: &Member, asked: Asked) -> Result<Json, ErrorObject> {
    let Some(sent) = asked.params.as_ref().and_then(|params| params.get_text("name")) else {
        return Err(calls::no_text(asked.params.as_ref(), "name"));
    };
    if hub.executor.registry().get(&format!("{}/{sent}", member.registry_name())).is_none() {
        // Only what a server lists can be judged, and one that rests before its first use has listed nothing yet.
        make_known(std::slice::from_ref(member), hub.options.list_patience).await;
    }
    match meant(hub, member, &sent) {
        Meant::Tool(tool, renamed) => calls::call(hub, member, &tool, asked, renamed).await.into_answer(),
        Meant::Several(text) => {
            refusal(hub, member, &asked).not_understood(&sent, &text).await;
            Ok(result::failed(&text))
        }
        Meant::KeptBack => {
            refusal(hub, member, &asked).unknown(&sent, &[]).await;
            let message = format!("Unknown tool \"{sent}\": the configuration does not offer it");
            Err(ErrorObject::new(INVALID_PARAMS, message))
        }
    }
}

/// What a name means to a server.
enum Meant {
    /// One of its tools, or a name that it may know all the same.
    Tool(String, Vec<Change>),
    /// One of several, in words.
    Several(String),
    /// A tool that the configuration does not offer.
    KeptBack,
}

fn refusal<'r>(hub: &'r Hub, member: &'r Member, asked: &'r Asked) -> Refusal<'r> {
    Refusal { hub, toolbox: Some(&member.toolbox), asked }
}

/// The tool of this server that a name means.
fn meant(hub: &Hub, member: &Member, sent: &str) -> Meant {
    let registered = format!("{}/{sent}", member.registry_name());
    if hub.executor.registry().get(&registered).is_some() {
        return Meant::Tool(sent.to_owned(), Vec::new());
    }
    let offered = member.offered();
    let names: Vec<NamedTool<'_>> = offered
        .tools
        .iter()
        .map(|tool| NamedTool {
            name: &tool.0,
            server: Some(&member.server),
            toolbox: Some(&member.toolbox),
            is_destructive: resolve::is_hinted(&tool.1),
        })
        .collect();
    let others = hub.members();
    let places: Vec<&str> =
        others.iter().flat_map(|other| [other.server.as_str(), other.toolbox.as_str()]).collect();
    match match_tool(sent, &names, &places) {
        Ok(found) => {
            let tool = names[found.index].name;
            let renamed = found.code.map(|code| resolve::renamed(code, sent, tool));
            Meant::Tool(tool.to_owned(), renamed.into_iter().collect())
        }
        Err(NameMiss::Ambiguous(several)) => {
            let candidates: Vec<&str> = several.into_iter().map(|index| names[index].name).collect();
            Meant::Several(format!("\"{sent}\" could be {}; send the one you mean", candidates.join(" or ")))
        }
        Err(_) if !member.allows(sent) => Meant::KeptBack,
        // The server may know it all the same, and says so if not.
        Err(_) => Meant::Tool(sent.to_owned(), Vec::new()),
    }
}
