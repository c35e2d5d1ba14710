//! Which tool a flat name stands for that is not in the list as it is.
//!
//! A name that speaks of a server stands for a tool of that server or for none: not for one of another server that
//! looks like it, also when the right one is down, hidden, or not for this client, and whatever is before the name.

use toolwright_jsonrpc::Json;
use toolwright_model::{Change, Code};
use toolwright_normalizer::{NameMatch, NameMiss, NamedTool, has_same_words, match_tool, starts_with_place};
use toolwright_toolbox::StateName;
use toolwright_toolbox::naming::{CLIENT_PREFIX, Identifier};

use crate::members::Member;
use crate::merged::Merged;
use crate::near;

/// Between the parts of a flat name, as clients and models write it.
const SEPARATORS: [&str; 4] = ["__", ".", "/", ":"];

/// A longer name is no form of any flat name, and is not compared.
const MAX_COMPARED_BYTES: usize = 512;

/// What a flat name stands for.
#[derive(Debug)]
pub(crate) enum Resolved {
    /// A tool, called by another form of its name.
    Tool(Identifier, Change),
    /// Several tools: their flat names.
    Ambiguous(Vec<String>),
    /// A tool of a server that cannot be used now, and the message about it.
    Down(String),
    /// No tool that the client may see; the flat names that are nearest, and the servers whose tools are not known.
    Unknown { nearest: Vec<String>, untold: Vec<String> },
}

/// The tools and servers that a name is looked for among.
pub(crate) struct Scope<'s> {
    pub merged: &'s Merged,
    /// The servers that the client may use here.
    pub members: &'s [Member],
    /// All servers, whoever may use them.
    pub configured: &'s [Member],
}

impl Resolved {
    /// Nothing, and nothing near.
    pub fn unknown() -> Resolved {
        Resolved::Unknown { nearest: Vec::new(), untold: Vec::new() }
    }
}

impl Scope<'_> {
    /// The tool that a name stands for which is not the flat name of any.
    pub fn resolve(&self, sent: &str) -> Resolved {
        let places: Vec<&str> = self
            .configured
            .iter()
            .flat_map(|member| [member.server.as_str(), member.toolbox.as_str()])
            .collect();
        if sent.len() > MAX_COMPARED_BYTES {
            return self.unknown(sent);
        }
        let bare = without_client_prefix(sent, &places);
        // The very name of a tool behind the prefix that clients put before all of ours: nothing is guessed.
        if let Some(tool) = self.merged.names.tool_of(bare) {
            return Resolved::Tool(tool.clone(), renamed(Code::ToolNameAffix, sent, bare));
        }
        match self.addressed(bare) {
            Addressed::Nothing => self.unplaced(sent, bare, &places),
            Addressed::Several => self.unknown(sent),
            Addressed::One(member) => match self.members.iter().find(|own| own.is_same(member)) {
                // What a client may not use does not exist for it.
                None => self.unknown(sent),
                Some(member) => match member.trouble() {
                    Some(reason) => Resolved::Down(down(sent, member, &reason)),
                    None => self.in_server(sent, bare, member, &places),
                },
            },
        }
    }

    /// The server that a name begins with. Its whole place counts more than its own name.
    fn addressed(&self, bare: &str) -> Addressed<'_> {
        let sent = parts(bare);
        let begins_with = |place: &[&str]| {
            sent.len() > place.len()
                && place.iter().zip(&sent).all(|(place, sent)| folded(place) == folded(sent))
        };
        let is_exact = |place: &[&str]| place.iter().zip(&sent).all(|(place, sent)| place == sent);
        let mut found: Vec<(u8, &Member)> = Vec::new();
        for member in self.configured {
            let (toolbox, server) = (member.toolbox.as_str(), member.server.as_str());
            let is_default = toolbox == toolwright_config::DEFAULT_TOOLBOX;
            let whole = [toolbox, server];
            let whole: &[&str] = if is_default { &whole[1..] } else { &whole };
            if begins_with(&[toolbox, server]) || begins_with(whole) {
                found.push((if is_exact(whole) { 0 } else { 1 }, member));
            } else if begins_with(&[server]) {
                found.push((2, member));
            }
        }
        let best = found.iter().map(|(rank, _)| *rank).min();
        let mut of_best = found.iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, member)| *member);
        match (of_best.next(), of_best.next()) {
            (None, _) => Addressed::Nothing,
            (Some(member), None) => Addressed::One(member),
            _ => Addressed::Several,
        }
    }

    /// The tool of one server, by its flat name in another form, then by its own name behind its place.
    fn in_server(&self, sent: &str, bare: &str, member: &Member, places: &[&str]) -> Resolved {
        let own = |tool: &Identifier| member.is(tool);
        let by_flat_name = self.find(sent, own, places, |flat, _| flat);
        match by_flat_name {
            Ok((tool, code)) => self.found(sent, tool, code),
            Err(Miss::Ambiguous(_)) => self.unknown(sent),
            Err(_) => match self.find(bare, own, places, |_, tool| &tool.name) {
                Ok((tool, _)) => self.found(sent, tool, Code::ToolNameAffix),
                Err(_) => self.unknown(sent),
            },
        }
    }

    /// The tool of a name that speaks of no server: behind a wrapper, or by its own name when no other can have it.
    fn unplaced(&self, sent: &str, bare: &str, places: &[&str]) -> Resolved {
        if let Ok((tool, code)) = self.find(sent, |_| true, places, |flat, _| flat) {
            return self.found(sent, tool, code);
        }
        if let Some(tool) = self.with_other_separators(bare) {
            let is_own = |place: &&str| [tool.server.as_str(), tool.toolbox.as_str()].contains(place);
            if places.iter().filter(|place| starts_with_place(bare, place)).all(is_own) {
                return self.found(sent, tool, Code::ToolNameAffix);
            }
        }
        match self.find(sent, |_| true, places, |_, tool| &tool.name) {
            Ok((tool, _)) if self.may_be_of_another(tool, places) => self.unknown(sent),
            Ok((tool, _)) => self.found(sent, tool, Code::ToolNameAffix),
            Err(Miss::Ambiguous(tools)) if !tools.iter().any(|tool| self.may_be_of_another(tool, places)) => {
                let flat = tools.iter().filter_map(|tool| self.merged.names.name_of(tool));
                Resolved::Ambiguous(flat.map(str::to_owned).collect())
            }
            Err(_) => self.unknown(sent),
        }
    }

    /// Whether a tool's own name, without its server, may be that of another server's tool: it speaks of a place, or a
    /// server that is away has listed such a tool. The tool's name is what is left of the one sent, whatever was before it.
    fn may_be_of_another(&self, tool: &Identifier, places: &[&str]) -> bool {
        let name = folded(&tool.name);
        let is_own = |place: &str| [tool.server.as_str(), tool.toolbox.as_str()].contains(&place);
        let speaks_of =
            |place: &&str| starts_with_place(&tool.name, place) || !is_own(place) && folded(place) == name;
        let may_have_it = |member: &Member| member.may_have_unlisted(|unlisted| folded(unlisted) == name);
        let spells = |member: &Member| !member.is(tool) && spells_tool_of(&name, member);
        places.iter().any(speaks_of)
            || self.members.iter().any(may_have_it)
            || self.configured.iter().any(spells)
    }

    /// The only tool whose flat name has the same words with other separators: `files_read_file` for `files__read_file`.
    fn with_other_separators(&self, bare: &str) -> Option<&Identifier> {
        let sent = folded(bare);
        let is_written =
            |flat: &&String| flat.len() >= sent.len() && folded(flat) == sent && has_same_words(bare, flat);
        let mut found = self.merged.order.iter().filter(is_written);
        let (only, None) = (found.next()?, found.next()) else { return None };
        self.merged.names.tool_of(only)
    }

    fn find<'t>(
        &'t self,
        sent: &str,
        is_meant: impl Fn(&Identifier) -> bool,
        places: &[&str],
        name: impl Fn(&'t str, &'t Identifier) -> &'t str,
    ) -> Result<(&'t Identifier, Code), Miss<'t>> {
        let tools =
            self.merged.order.iter().filter_map(|flat| Some((flat, self.merged.names.tool_of(flat)?)));
        let (found, named): (Vec<&Identifier>, Vec<NamedTool<'_>>) = tools
            .filter(|(_, tool)| is_meant(tool))
            .map(|(flat, tool)| {
                let named = NamedTool {
                    name: name(flat, tool),
                    server: Some(&tool.server),
                    toolbox: Some(&tool.toolbox),
                    is_destructive: false,
                };
                (tool, named)
            })
            .unzip();
        match match_tool(sent, &named, places) {
            Ok(NameMatch { index, code }) => Ok((found[index], code.unwrap_or(Code::ToolNameAffix))),
            Err(NameMiss::Ambiguous(several)) => {
                Err(Miss::Ambiguous(several.into_iter().map(|index| found[index]).collect()))
            }
            Err(NameMiss::Unknown | NameMiss::TooLong) => Err(Miss::Unknown),
        }
    }

    /// A tool that was found. One that destroys is called by its own name, in whatever case, or not at all.
    fn found(&self, sent: &str, tool: &Identifier, code: Code) -> Resolved {
        let is_destructive = NamedTool::new(&tool.name, None).destroying(self.is_hinted(tool)).destroys();
        match self.merged.names.name_of(tool) {
            Some(flat) if code == Code::ToolNameForm || !is_destructive => {
                Resolved::Tool(tool.clone(), renamed(code, sent, flat))
            }
            _ => self.unknown(sent),
        }
    }

    fn is_hinted(&self, tool: &Identifier) -> bool {
        let member = self.members.iter().find(|member| member.is(tool));
        let offered = member.map(Member::offered);
        let item = offered.as_ref().and_then(|offered| offered.get(&tool.name));
        item.is_some_and(is_hinted)
    }

    fn unknown(&self, sent: &str) -> Resolved {
        let merged = self.merged;
        let tools = merged.order.iter().filter_map(|name| Some((name.as_str(), merged.names.tool_of(name)?)));
        let untold = self
            .members
            .iter()
            .filter_map(|member| Some(format!("'{}' ({})", member.server, member.trouble()?)))
            .collect();
        Resolved::Unknown { nearest: near::nearest(sent, tools), untold }
    }
}

/// Whether a folded name is a server or its toolbox, and right behind it one of the server's tools: `vaultput` is also
/// how `put` of `vault` may be written.
fn spells_tool_of(name: &str, member: &Member) -> bool {
    let (toolbox, server) = (folded(&member.toolbox), folded(&member.server));
    [format!("{toolbox}{server}"), toolbox, server].iter().any(|place| {
        name.strip_prefix(place.as_str()).filter(|rest| !rest.is_empty()).is_some_and(|rest| {
            let is_so = |tool: &str| folded(tool) == rest;
            member.offered().tools.iter().any(|(tool, _)| is_so(tool)) || member.may_have_unlisted(is_so)
        })
    })
}

/// Why a name stands for no tool.
enum Miss<'t> {
    Unknown,
    /// Several tools have it.
    Ambiguous(Vec<&'t Identifier>),
}

/// The servers that a name begins with.
enum Addressed<'m> {
    Nothing,
    One(&'m Member),
    Several,
}

/// Whether a tool's definition says that it destroys.
pub(crate) fn is_hinted(item: &Json) -> bool {
    let hint = item.get("annotations").and_then(|annotations| annotations.get("destructiveHint"));
    hint.is_some_and(|hint| hint == Json::yes())
}

/// The change that a record has of a name which was not the tool's own.
pub(crate) fn renamed(code: Code, sent: &str, name: &str) -> Change {
    tracing::info!(sent, tool = name, %code, "a tool's name was repaired");
    Change {
        code,
        path: String::new(),
        from: Some(Json::text(sent).to_string()),
        to: Some(Json::text(name).to_string()),
        rule: None,
        rule_type: None,
        why: code.title().to_owned(),
    }
}

fn down(sent: &str, member: &Member, reason: &str) -> String {
    let state = member
        .configured_server()
        .map_or(StateName::Ready, |server| server.supervisor.snapshot().state.name());
    format!(
        "\"{sent}\" is a tool of the server '{}' of the toolbox '{}', which cannot be used now (it is {state}): {reason}. \
         Nothing was run, here or on another server. Try again when the server is back.",
        member.server,
        member.toolbox,
        reason = reason.trim_end_matches('.')
    )
}

/// A name without the prefix that clients put before all tools of a gateway, unless a server or toolbox is called so.
fn without_client_prefix<'s>(sent: &'s str, places: &[&str]) -> &'s str {
    let is_place =
        places.iter().any(|place| starts_with_place(CLIENT_PREFIX, place) || folded(place) == "toolwright");
    sent.strip_prefix(CLIENT_PREFIX).filter(|_| !is_place).unwrap_or(sent)
}

fn parts(name: &str) -> Vec<&str> {
    let mut parts = vec![name];
    for separator in SEPARATORS {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    parts
}

fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
