//! The toolboxes behind meta-tools: a model sees a few tools, and opens, finds and uses all others by them.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::time::timeout;
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json, METHOD_NOT_FOUND, Notification};
use toolwright_mcp::Filter;
use toolwright_mcp::front::{About, Asked, Client, Listening, Service, Serving};
use toolwright_model::{Change, Code};
use toolwright_redact::known;
use toolwright_toolbox::meta::{
    self, CLOSE_TOOLBOX, Identifier, Known, LIST_TOOLBOXES, ListedToolbox, OPEN_TOOLBOX, SEARCH_TOOLS,
    ServerError, ToolboxSummary, USE_TOOL, texts,
};

use crate::about;
use crate::calls::{self, Called, Refusal};
use crate::finding::Finder;
use crate::gateway::Hub;
use crate::listening::Pump;
use crate::members::{Kind, Member, make_known};
use crate::opened::OpenSets;
use crate::status;
use crate::visible::Visible;

/// The meta-tools.
pub(crate) struct Toolboxes {
    inner: Arc<Inner>,
}

struct Inner {
    hub: Arc<Hub>,
    open: OpenSets,
    finder: Finder,
}

impl Toolboxes {
    pub fn new(hub: Arc<Hub>) -> Toolboxes {
        Toolboxes { inner: Arc::new(Inner { hub, open: OpenSets::default(), finder: Finder::default() }) }
    }
}

impl Service for Toolboxes {
    fn about<'s>(&'s self, client: &'s Arc<Client>) -> Serving<'s, Result<About, ErrorObject>> {
        Box::pin(async move {
            let visible = self.inner.visible(client);
            let tools = Json::empty_object().with("listChanged", &Json::yes());
            Ok(About {
                server: about::of_us(&self.inner.hub.options.version),
                capabilities: match self.inner.hub.status.get() {
                    Some(_) => {
                        Json::empty_object().with("tools", &tools).with("resources", &Json::empty_object())
                    }
                    None => Json::empty_object().with("tools", &tools),
                },
                instructions: Some(meta::instructions(&self.inner.summaries(&visible))),
                extra: Vec::new(),
            })
        })
    }

    fn request(&self, asked: Asked) -> Serving<'static, Result<Json, ErrorObject>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            match asked.method.as_str() {
                "tools/list" => Ok(Json::empty_object().with("tools", &Json::list(&meta::definitions()))),
                "tools/call" => inner.call(asked).await,
                method => match (method, inner.hub.status.get()) {
                    ("resources/list", Some(_)) => Ok(status::listed()),
                    ("resources/templates/list", Some(_)) => Ok(status::templates()),
                    ("resources/read", Some(source)) => {
                        let uri = asked.params.as_ref().and_then(|params| params.get_text("uri"));
                        status::read(&**source, &asked.client.visitor, uri.as_deref()).await
                    }
                    _ => Err(ErrorObject::new(METHOD_NOT_FOUND, format!("\"{method}\" is not offered here"))),
                },
            }
        })
    }

    fn notified(&self, client: &Arc<Client>, notification: Notification) {
        tracing::debug!(client = %client.visitor.name, method = %notification.method, "not passed on");
    }

    fn listen(&self, _: Arc<Client>, filter: Filter, _: bool) -> Serving<'_, Result<Listening, ErrorObject>> {
        Box::pin(async move {
            let pump = Pump::new();
            let granted = Filter { tools: filter.tools, ..Filter::default() };
            pump.follow(&self.inner.hub.servers, &granted, Vec::new);
            Ok(pump.into_listening(granted))
        })
    }

    fn schema_with_headers(&self, _: &Client, _: &str) -> Option<Json> {
        // No argument of ours is one.
        None
    }

    fn ended(&self, client: &Client) {
        for toolbox in self.inner.open.end(client) {
            self.inner.rest(&toolbox);
        }
    }
}

impl Inner {
    /// What a client may see.
    fn visible(&self, client: &Client) -> Visible {
        let mut members = self.hub.members();
        let configured = members.iter().map(|member| (member.toolbox.clone(), member.server.clone()));
        let configured = configured.collect();
        members.retain(|member| client.visitor.may_use(&member.toolbox));
        Visible { members, configured }
    }

    fn summaries(&self, visible: &Visible) -> Vec<ToolboxSummary> {
        let names = visible.toolboxes().into_iter();
        names
            .map(|name| ToolboxSummary {
                description: self.hub.description(&name),
                servers: visible.of(&name).map(|member| member.server.clone()).collect(),
                tools: visible.count(&name),
                name,
            })
            .collect()
    }

    async fn call(&self, asked: Asked) -> Result<Json, ErrorObject> {
        let params = asked.params.clone().unwrap_or_else(Json::empty_object);
        let Some(name) = params.get_text("name") else {
            return Err(calls::no_text(Some(&params), "name"));
        };
        let arguments = params.get("arguments").filter(|arguments| arguments.as_str() != "null");
        let arguments = arguments.unwrap_or_else(Json::empty_object);
        let visible = self.visible(&asked.client);
        let answer = match name.as_str() {
            LIST_TOOLBOXES => Ok(self.list(&visible, &asked.client)),
            OPEN_TOOLBOX => self.open(&visible, &asked.client, &arguments).await,
            CLOSE_TOOLBOX => self.close(&visible, &asked.client, &arguments),
            SEARCH_TOOLS => self.search(&visible, &arguments).await,
            USE_TOOL => return Ok(self.use_tool(&visible, asked, &arguments).await),
            _ => {
                let nearest = visible.nearest(&name);
                Refusal { hub: &self.hub, toolbox: None, asked: &asked }.unknown(&name, &nearest).await;
                let mut message = format!(
                    "Unknown tool \"{name}\". The tools here are {LIST_TOOLBOXES}, {OPEN_TOOLBOX}, {USE_TOOL}, \
                     {SEARCH_TOOLS} and {CLOSE_TOOLBOX}; all others are called by {USE_TOOL}"
                );
                if !nearest.is_empty() {
                    message.push_str(&format!("; did you mean {}?", nearest.join(" or ")));
                }
                return Err(ErrorObject::new(INVALID_PARAMS, message));
            }
        };
        Ok(match answer {
            Ok(text) => texts::result(&text),
            Err(text) => texts::error(&text),
        })
    }

    fn list(&self, visible: &Visible, client: &Client) -> String {
        let summaries = self.summaries(visible).into_iter();
        let toolboxes: Vec<ListedToolbox> = summaries
            .map(|ToolboxSummary { name, description, servers, tools }| ListedToolbox {
                is_open: self.open.has(client, &name),
                name,
                description,
                servers,
                tools,
            })
            .collect();
        meta::listed(&toolboxes)
    }

    /// Connects to all servers of a toolbox at once. What cannot be reached is told beside what can.
    async fn open(&self, visible: &Visible, client: &Client, arguments: &Json) -> Result<String, String> {
        let call = meta::read_open(arguments.as_str())?;
        note(OPEN_TOOLBOX, &call.changes);
        let toolbox = &call.toolbox;
        let members: Vec<&Member> = visible.of(toolbox).collect();
        if members.is_empty() {
            return Err(texts::toolbox_not_found(toolbox, &visible.toolboxes()));
        }
        let ready = join_all(members.iter().map(|member| self.ready(member))).await;
        let mut tools = Vec::new();
        let mut errors = Vec::new();
        for (member, ready) in members.iter().zip(&ready) {
            match ready {
                Ok(()) => {
                    let offered = member.offered();
                    let of_server = |(_, item): &(String, Json)| (member.server.clone(), item.clone());
                    tools.extend(offered.tools.iter().map(of_server));
                }
                Err(message) => {
                    errors.push(ServerError { server: member.server.clone(), message: message.clone() });
                }
            }
        }
        let connected = members.len() - errors.len();
        if connected == 0 {
            let reasons = errors.iter().map(|error| texts::server_failed(&error.server, &error.message));
            return Err(texts::open_failed(toolbox, &reasons.collect::<Vec<_>>().join("; ")));
        }
        self.open.add(client, toolbox);
        let description = self.hub.description(toolbox);
        Ok(meta::opened(toolbox, description.as_deref(), connected, &tools, &errors))
    }

    /// Waits until the tools of a server are known, for a bounded time. However many wait, it is reached once.
    async fn ready(&self, member: &Member) -> Result<(), String> {
        let Kind::Server(server) = &member.kind else { return Ok(()) };
        let patience = self.hub.options.open_patience;
        let hidden = |text: String| known(&text, &server.secrets).into_owned();
        let listed = async {
            server.supervisor.peer(patience).await.map_err(|error| hidden(error.to_string()))?;
            server.settled().await;
            match member.trouble() {
                None => Ok(()),
                Some(reason) => Err(reason),
            }
        };
        let in_time = timeout(patience, listed).await;
        in_time.unwrap_or_else(|_| Err(format!("it did not tell its tools within {} s", patience.as_secs())))
    }

    fn close(&self, visible: &Visible, client: &Client, arguments: &Json) -> Result<String, String> {
        let call = meta::read_close(arguments.as_str())?;
        note(CLOSE_TOOLBOX, &call.changes);
        let toolbox = &call.toolbox;
        if visible.of(toolbox).next().is_none() {
            return Err(texts::toolbox_not_found(toolbox, &visible.toolboxes()));
        }
        if !self.open.remove(client, toolbox) {
            return Err(texts::not_currently_open(toolbox));
        }
        self.rest(toolbox);
        Ok(meta::closed(toolbox))
    }

    /// Lets the servers of a toolbox rest that nobody has open.
    fn rest(&self, toolbox: &str) {
        if self.open.is_open_anywhere(toolbox) {
            return;
        }
        for member in self.hub.toolbox(toolbox) {
            if let Some(server) = member.configured_server().filter(|server| server.host.is_unused()) {
                server.supervisor.rest();
            }
        }
    }

    async fn search(&self, visible: &Visible, arguments: &Json) -> Result<String, String> {
        let call = meta::read_search(arguments.as_str())?;
        note(SEARCH_TOOLS, &call.changes);
        let members: Vec<Member> = match &call.toolbox {
            None => visible.members.clone(),
            Some(toolbox) => visible.of(toolbox).cloned().collect(),
        };
        if let Some(toolbox) = call.toolbox.as_ref().filter(|_| members.is_empty()) {
            return Err(texts::toolbox_not_found(toolbox, &visible.toolboxes()));
        }
        make_known(&members, self.hub.options.list_patience).await;
        let found = self.finder.find(&members, &call.query, call.limit).await;
        let unknown: Vec<String> = members
            .iter()
            .filter_map(|member| Some(format!("'{}' ({})", member.server, member.trouble()?)))
            .collect();
        let note = (!unknown.is_empty())
            .then(|| format!("The tools of these servers are not known yet: {}", unknown.join(", ")));
        Ok(meta::found(&call.query, &found, note.as_deref()))
    }

    async fn use_tool(&self, visible: &Visible, asked: Asked, arguments: &Json) -> Json {
        match self.prepare(visible, &asked.client, arguments).await {
            Ok((member, tool, arguments, renamed)) => {
                let params = asked.params.clone().unwrap_or_else(Json::empty_object);
                let params = Some(params.with("arguments", &arguments));
                let asked = Asked { params, ..asked };
                let called = calls::call(&self.hub, &member, &tool.name, asked, renamed).await;
                answer(&tool, called)
            }
            Err(text) => {
                // Nobody was asked; that somebody tried is worth to know all the same.
                let caller = calls::caller(None, &asked.client);
                self.hub
                    .executor
                    .came_to_nothing(USE_TOOL, arguments.as_str(), Some(&caller), text.clone())
                    .await;
                texts::error(&text)
            }
        }
    }

    /// The tool that is meant, when it can be called now.
    async fn prepare(
        &self,
        visible: &Visible,
        client: &Client,
        sent: &Json,
    ) -> Result<(Member, Identifier, Json, Vec<Change>), String> {
        let read = || match self.hub.is_strict() {
            true => meta::read_use_tool_strictly(sent.as_str(), visible),
            false => meta::read_use_tool(sent.as_str(), visible, self.hub.accepts_legacy_tool_key()),
        };
        let mut call = read()?;
        let toolbox = call.tool.toolbox.clone();
        let exists = visible.of(&toolbox).next().is_some();
        if !exists && OpenSets::is_stateless(client) {
            return Err(texts::toolbox_not_found(&toolbox, &visible.toolboxes()));
        }
        if !exists {
            return Err(texts::not_open_nor_there(&toolbox, &visible.toolboxes()));
        }
        if !self.open.has(client, &toolbox) {
            return Err(texts::to_be_opened(&toolbox));
        }
        let Some(member) = visible.of(&toolbox).find(|member| member.server == call.tool.server) else {
            return Err(texts::server_not_found(&call.tool.server, &toolbox));
        };
        if member.trouble().is_some() {
            // Its tools are not known: it is reached now, and the call read by what it has.
            self.ready(member).await.map_err(|reason| texts::failed(&call.tool, &reason))?;
            call = read()?;
        }
        if member.offered().get(&call.tool.name).is_none() {
            return Err(texts::tool_not_found(&call.tool.name, &call.tool.server));
        }
        note(USE_TOOL, &call.changes);
        // Whether nothing may stand for no arguments, the tool's own risk decides.
        let said_nothing =
            |change: &Change| change.code == Code::EmptyOptional && change.path == "/arguments";
        if call.arguments.as_str() == "{}" && call.changes.iter().any(said_nothing) {
            call.arguments = Json::parse("null").unwrap_or(call.arguments);
        }
        // The name as it was sent stays in the record.
        let mut renamed = call.changes;
        renamed.retain(|change| matches!(change.code, Code::ToolNameForm | Code::ToolNameAffix));
        Ok((member.clone(), call.tool, call.arguments, renamed))
    }
}

/// What a client gets: the tool's own result as it is, and every error in the words of the contract.
fn answer(tool: &Identifier, called: Called) -> Json {
    let reason = match called {
        Called::Answered(result) => return in_context(tool, result),
        Called::Refused(error) => error.message,
        Called::Failed(error) => calls::words(&error),
        Called::Lost(reason) => reason,
    };
    texts::error(&texts::failed(tool, &reason))
}

/// A result that says that the tool failed, with the tool's place before its first text; any other as it is.
fn in_context(tool: &Identifier, result: Json) -> Json {
    if result.get("isError").is_none_or(|failed| failed.as_str() != "true") {
        return result;
    }
    let mut blocks = result.get("content").and_then(|content| content.items()).unwrap_or_default();
    let is_text = |block: &Json| block.get_text("type").as_deref() == Some("text");
    match blocks.iter_mut().find(|block| is_text(block)) {
        Some(block) => {
            let said = block.get_text("text").unwrap_or_default();
            *block = block.with("text", &Json::text(&texts::failed(tool, &said)));
        }
        None => {
            let said = Json::empty_object().with("type", &Json::text("text"));
            let words = texts::failed(tool, "it gave no reason");
            blocks.insert(0, said.with("text", &Json::text(&words)));
        }
    }
    result.with("content", &Json::list(&blocks))
}

/// Writes down how a call was read.
fn note(tool: &str, changes: &[Change]) {
    for change in changes {
        tracing::info!(tool, code = %change.code, path = %change.path, "a call of a meta-tool was repaired");
    }
}
