//! Several servers as one: every tool under a flat name, and everything else of them side by side.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use toolwright_backend::owner::Owner;
use toolwright_backend::server_tool::PATIENCE;
use toolwright_backend::tasks::no_task;
use toolwright_backend::{Server, result};
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, Json, METHOD_NOT_FOUND, Notification};
use toolwright_mcp::front::{About, Asked, Client, Listening, Service, Serving};
use toolwright_mcp::{Era, Filter};
use toolwright_toolbox::naming::Style;

use crate::calls::{self, Refusal, no_text};
use crate::gateway::Hub;
use crate::listening::{Ear, Pump};
use crate::members::{Member, make_known, make_one_known, reach};
use crate::merged::Lists;
use crate::prompts::Prompts;
use crate::resolve::{Resolved, Scope};
use crate::resources::Resources;
use crate::{about, forward, gather};

/// How long a greeting waits for what servers say of themselves: the list after it waits for their tools.
const GREETING: Duration = Duration::from_secs(2);

/// The servers of one toolbox, or of all.
pub(crate) struct Flat {
    inner: Arc<Inner>,
}

struct Inner {
    hub: Arc<Hub>,
    /// The toolbox; all of them when absent.
    toolbox: Option<String>,
    lists: Lists,
    prompts: Prompts,
    resources: Resources,
}

impl Flat {
    pub fn new(hub: Arc<Hub>, toolbox: Option<String>) -> Flat {
        let style = if toolbox.is_some() { Style::one_toolbox() } else { Style::all() };
        let inner = Inner {
            hub,
            toolbox,
            lists: Lists::new(style),
            prompts: Prompts::new(style),
            resources: Resources::default(),
        };
        Flat { inner: Arc::new(inner) }
    }
}

impl Service for Flat {
    fn about<'s>(&'s self, client: &'s Arc<Client>) -> Serving<'s, Result<About, ErrorObject>> {
        Box::pin(async move {
            let members = self.inner.members(client)?;
            make_known(&members, GREETING.min(self.inner.hub.options.list_patience)).await;
            let server = about::of_us(&self.inner.hub.options.version);
            Ok(about::of_many(server, &members, client.era).await)
        })
    }

    fn request(&self, asked: Asked) -> Serving<'static, Result<Json, ErrorObject>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.answer(asked).await })
    }

    fn notified(&self, client: &Arc<Client>, notification: Notification) {
        // What a client says of itself is of no use to servers that it does not know of.
        tracing::debug!(client = %client.visitor.name, method = %notification.method, "not passed on");
    }

    fn listen(
        &self,
        client: Arc<Client>,
        filter: Filter,
        logs: bool,
    ) -> Serving<'_, Result<Listening, ErrorObject>> {
        Box::pin(async move {
            let inner = &self.inner;
            let members = inner.members(&client)?;
            let mut uris: Vec<(Member, (String, String))> = Vec::new();
            for uri in &filter.uris {
                let found = inner
                    .resources
                    .find(&members, &inner.hub.members(), &client, uri)
                    .await
                    .into_iter()
                    .next();
                let (member, own) = found.ok_or_else(|| no_resource(uri))?;
                uris.push((member, (own, uri.clone())));
            }
            let pump = Pump::new();
            let ears = {
                let (inner, filter) = (Arc::clone(inner), filter.clone());
                move || -> Vec<(Server, Ear)> {
                    let members = inner.members(&client).unwrap_or_default().into_iter();
                    let ear_of = |member: Member| {
                        let own = uris.iter().filter(|(owner, _)| owner.is_same(&member));
                        let own = own.map(|(_, uri)| uri.clone()).collect();
                        let is_strict = client.era == Era::Legacy;
                        let filter = filter.clone();
                        let ear = Ear {
                            filter,
                            uris: own,
                            logs,
                            owner: Owner::of(&client),
                            era: client.era,
                            is_strict,
                            is_transparent: false,
                        };
                        Some((member.into_server()?, ear))
                    };
                    members.filter_map(ear_of).collect()
                }
            };
            for (server, ear) in ears() {
                pump.hear(&server, ear).await?;
            }
            pump.follow(&inner.hub.servers, &filter, ears);
            Ok(pump.into_listening(filter))
        })
    }

    fn schema_with_headers(&self, client: &Client, tool: &str) -> Option<Json> {
        let members = self.inner.members(client).ok()?;
        let identifier = self.inner.lists.tool_of(&members, tool)?;
        let member = members.iter().find(|member| member.is(&identifier))?;
        self.inner.hub.schema_with_headers(member, &identifier.name)
    }

    fn ended(&self, client: &Client) {
        self.inner.prompts.end(client);
        self.inner.resources.end(client);
    }
}

fn no_resource(uri: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("no server has the resource \"{uri}\""))
}

impl Inner {
    /// The servers, for a client that may use their toolboxes.
    fn members(&self, client: &Client) -> Result<Vec<Member>, ErrorObject> {
        let members = match &self.toolbox {
            None => self.hub.members(),
            Some(toolbox) => self.hub.toolbox(toolbox),
        };
        let mut members = members;
        members.retain(|member| client.visitor.may_use(&member.toolbox));
        match &self.toolbox {
            Some(toolbox) if members.is_empty() => {
                Err(ErrorObject::new(INVALID_PARAMS, format!("there is no toolbox '{toolbox}'")))
            }
            _ => Ok(members),
        }
    }

    async fn answer(&self, asked: Asked) -> Result<Json, ErrorObject> {
        let members = self.members(&asked.client)?;
        let owner = Owner::of(&asked.client);
        let text = |key: &str| asked.params.as_ref().and_then(|params| params.get_text(key));
        match asked.method.as_str() {
            "tools/list" => self.list(&members, text("cursor").as_deref()).await,
            "tools/call" => self.call(&members, asked).await,
            "prompts/list" => {
                self.make_known(&members).await;
                self.prompts.list(&members, &asked.client).await
            }
            "prompts/get" => {
                let name = text("name").ok_or_else(|| no_text(asked.params.as_ref(), "name"))?;
                let (member, own) = self.prompts.find(&members, &asked.client, &name).await?;
                let asked = with_param(asked, "name", &Json::text(&own));
                forward::pass_on(&self.hub, &member, asked).await
            }
            "resources/list" => {
                self.make_known(&members).await;
                self.resources.list(&members, &self.hub.members(), &asked.client).await
            }
            "resources/templates/list" => {
                self.make_known(&members).await;
                self.resources.list_templates(&members, &asked.client).await
            }
            "resources/read" => self.read(&members, asked).await,
            "completion/complete" => self.complete(&members, asked).await,
            "tasks/list" => {
                let listed = gather::list(&members, &asked.client, "tasks", "tasks/list", "tasks")
                    .await
                    .into_items()?;
                let items = listed.into_iter().flat_map(|(member, items)| {
                    let own =
                        |task: &Json| task.get_text("taskId").is_some_and(|id| member.has_task(&owner, &id));
                    items.into_iter().filter(own).collect::<Vec<Json>>()
                });
                Ok(Json::empty_object().with("tasks", &Json::list(&items.collect::<Vec<Json>>())))
            }
            method if method.starts_with("tasks/") => {
                let id = text("taskId").ok_or_else(|| no_text(asked.params.as_ref(), "taskId"))?;
                let member = members.iter().find(|member| member.has_task(&owner, &id));
                let member = member.ok_or_else(|| no_task(&id))?;
                forward::pass_on(&self.hub, member, asked).await
            }
            method => Err(ErrorObject::new(METHOD_NOT_FOUND, format!("\"{method}\" is not offered here"))),
        }
    }

    async fn make_known(&self, members: &[Member]) {
        let patience = self.hub.options.list_patience;
        make_known(members, patience).await;
        make_one_known(members, 3 * patience).await;
    }

    async fn list(&self, members: &[Member], cursor: Option<&str>) -> Result<Json, ErrorObject> {
        self.make_known(members).await;
        let merged = self.lists.of(members);
        if merged.order.is_empty() {
            // An empty list would say that there are no tools.
            let reasons: Vec<String> = members
                .iter()
                .filter_map(|member| Some(format!("'{}': {}", member.server, member.trouble()?)))
                .collect();
            if !reasons.is_empty() {
                let message = format!("no server can tell its tools. {}", reasons.join("; "));
                return Err(ErrorObject::new(INTERNAL_ERROR, message));
            }
        }
        merged.page(cursor)
    }

    async fn call(&self, members: &[Member], asked: Asked) -> Result<Json, ErrorObject> {
        let Some(sent) = asked.params.as_ref().and_then(|params| params.get_text("name")) else {
            return Err(no_text(asked.params.as_ref(), "name"));
        };
        let mut tool = self.lists.tool_of(members, &sent);
        if tool.is_none() {
            // It may be of a server that was never asked.
            self.make_known(members).await;
            tool = self.lists.tool_of(members, &sent);
        }
        let (tool, renamed) = match tool {
            Some(tool) => (tool, Vec::new()),
            None => {
                let merged = self.lists.of(members);
                let configured = self.hub.members();
                let scope = Scope { merged: &merged, members, configured: &configured };
                match scope.resolve(&sent) {
                    Resolved::Tool(tool, change) => (tool, vec![change]),
                    resolved => return self.not_found(&sent, resolved, &asked).await,
                }
            }
        };
        let Some(member) = members.iter().find(|member| member.is(&tool)) else {
            return self.not_found(&sent, Resolved::unknown(), &asked).await;
        };
        calls::call(&self.hub, member, &tool.name, asked, renamed).await.into_answer()
    }

    /// Records a call that came to no tool, and says why.
    async fn not_found(&self, sent: &str, resolved: Resolved, asked: &Asked) -> Result<Json, ErrorObject> {
        let refusal = Refusal { hub: &self.hub, toolbox: self.toolbox.as_deref(), asked };
        match resolved {
            Resolved::Down(message) => {
                refusal.unavailable(sent, &message).await;
                Ok(result::failed(&message))
            }
            Resolved::Ambiguous(candidates) => {
                let message =
                    format!("\"{sent}\" could be {}; send the one you mean", candidates.join(" or "));
                refusal.not_understood(sent, &message).await;
                Ok(result::failed(&message))
            }
            Resolved::Tool(..) => Err(unknown(sent, &[], &[])),
            Resolved::Unknown { nearest, untold } => {
                refusal.unknown(sent, &nearest).await;
                Err(unknown(sent, &nearest, &untold))
            }
        }
    }

    /// Reads a resource from the server that has it; where nobody listed it, each is asked.
    async fn read(&self, members: &[Member], asked: Asked) -> Result<Json, ErrorObject> {
        let uri = asked.params.as_ref().and_then(|params| params.get_text("uri"));
        let uri = uri.ok_or_else(|| missing("uri"))?;
        let mut candidates = self.resources.find(members, &self.hub.members(), &asked.client, &uri).await;
        if let [(member, own)] = &candidates[..] {
            return forward::pass_on(&self.hub, member, with_param(asked, "uri", &Json::text(own))).await;
        }
        // Nobody is started, and nobody waited for, only because it might have it.
        candidates.retain(|(member, _)| member.configured_server().is_some_and(gather::is_there));
        let Asked { client, method, params, log_level, trace, back } = asked;
        let answers = join_all(candidates.iter().map(|(member, own)| {
            let params = params.as_ref().map(|params| params.with("uri", &Json::text(own)));
            let asked = Asked {
                client: Arc::clone(&client),
                method: method.clone(),
                params,
                log_level: log_level.clone(),
                trace: trace.clone(),
                back: back.clone(),
            };
            async move {
                let server = member.configured_server()?;
                let peer = reach(server, asked.client.era, PATIENCE).await.ok()?;
                if !gather::announces(&peer, "resources") {
                    return None;
                }
                Some(forward::pass_on(&self.hub, member, asked).await)
            }
        }))
        .await;
        let mut refused = None;
        for answer in answers.into_iter().flatten() {
            match answer {
                Ok(read) => return Ok(read),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| no_resource(&uri)))
    }

    async fn complete(&self, members: &[Member], asked: Asked) -> Result<Json, ErrorObject> {
        let reference = asked.params.as_ref().and_then(|params| params.get("ref"));
        let reference = reference.ok_or_else(|| missing("ref"))?;
        if let Some(name) = reference.get_text("name") {
            let (member, own) = self.prompts.find(members, &asked.client, &name).await?;
            let reference = reference.with("name", &Json::text(&own));
            return forward::pass_on(&self.hub, &member, with_param(asked, "ref", &reference)).await;
        }
        let uri = reference.get_text("uri").ok_or_else(|| missing("ref.uri"))?;
        let found =
            self.resources.find(members, &self.hub.members(), &asked.client, &uri).await.into_iter().next();
        let (member, own) = found.ok_or_else(|| no_resource(&uri))?;
        let reference = reference.with("uri", &Json::text(&own));
        forward::pass_on(&self.hub, &member, with_param(asked, "ref", &reference)).await
    }
}

fn missing(key: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("\"{key}\" is missing"))
}

fn with_param(asked: Asked, key: &str, value: &Json) -> Asked {
    let params = asked.params.clone().unwrap_or_else(Json::empty_object).with(key, value);
    Asked { params: Some(params), ..asked }
}

/// How much of a name is repeated in a message.
const SHOWN_CHARS: usize = 200;

fn unknown(sent: &str, nearest: &[String], untold: &[String]) -> ErrorObject {
    let shown: String = sent.chars().take(SHOWN_CHARS).collect();
    let mut message = format!("Unknown tool \"{shown}\"");
    if !nearest.is_empty() {
        message.push_str(&format!("; did you mean {}?", nearest.join(" or ")));
    }
    if !untold.is_empty() {
        message.push_str(&format!("; the tools of these servers are not known now: {}", untold.join(", ")));
    }
    ErrorObject::new(INVALID_PARAMS, message)
}
