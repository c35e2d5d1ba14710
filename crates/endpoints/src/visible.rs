//! The toolboxes as one client may see them: what it may not use does not exist.

use toolwright_backend::definition;
use toolwright_model::ToolDefinition;
use toolwright_normalizer::Tool;
use toolwright_toolbox::meta::{Identifier, Known};

use crate::members::Member;
use crate::near;

/// The servers that one client may use.
pub(crate) struct Visible {
    pub members: Vec<Member>,
    /// Every configured server with its toolbox, also those that this client may not use.
    pub configured: Vec<(String, String)>,
}

impl Visible {
    /// The servers of one toolbox.
    pub fn of<'v>(&'v self, toolbox: &str) -> impl Iterator<Item = &'v Member> {
        let toolbox = toolbox.to_owned();
        self.members.iter().filter(move |member| member.toolbox == toolbox)
    }

    /// The tools that are most like a name, each as toolbox, server and name.
    pub fn nearest(&self, sent: &str) -> Vec<String> {
        let mut tools: Vec<(String, Identifier)> = Vec::new();
        for Member { toolbox, server, .. } in &self.members {
            let names = self.tools(toolbox, server).into_iter();
            tools.extend(names.map(|name| {
                (
                    format!("{toolbox}/{server}/{name}"),
                    Identifier::new(toolbox.as_str(), server.as_str(), name),
                )
            }));
        }
        near::nearest(sent, tools.iter().map(|(shown, tool)| (shown.as_str(), tool)))
    }

    /// How many tools a toolbox has, when all of its servers have told theirs.
    pub fn count(&self, toolbox: &str) -> Option<usize> {
        let mut count = 0;
        for member in self.of(toolbox) {
            let listed = member.tools();
            if !listed.is_current && listed.items.is_empty() {
                return None;
            }
            count += member.offered().tools.len();
        }
        Some(count)
    }
}

impl Known for Visible {
    fn toolboxes(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for member in &self.members {
            if !names.contains(&member.toolbox) {
                names.push(member.toolbox.clone());
            }
        }
        names
    }

    fn servers(&self, toolbox: &str) -> Vec<String> {
        self.of(toolbox).map(|member| member.server.clone()).collect()
    }

    fn tools(&self, toolbox: &str, server: &str) -> Vec<String> {
        let member = self.of(toolbox).find(|member| member.server == server);
        let offered = member.map(Member::offered);
        offered.map(|all| all.tools.iter().map(|(name, _)| name.clone()).collect()).unwrap_or_default()
    }

    fn configured(&self) -> Vec<(String, String)> {
        self.configured.clone()
    }

    fn is_destructive(&self, tool: &Identifier) -> bool {
        let listed = self.members.iter().find(|member| member.is(tool)).and_then(|member| {
            let item = member.offered().get(&tool.name)?.clone();
            definition::of(&tool.server, &item)
        });
        let definition =
            listed.unwrap_or_else(|| ToolDefinition { name: tool.name.clone(), ..Default::default() });
        Tool::compile(&definition).map_or(true, |tool| tool.is_destructive())
    }

    fn input_schema(&self, tool: &Identifier) -> Option<String> {
        let member = self.members.iter().find(|member| member.is(tool))?;
        let schema = member.offered().get(&tool.name)?.get("inputSchema")?;
        Some(schema.as_str().to_owned())
    }
}
