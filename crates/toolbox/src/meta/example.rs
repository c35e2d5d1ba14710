//! A call that is right, made of one that was not.
//!
//! Of the sent call only that is shown which is known. Its arguments are shown with the tool that it names in
//! full, and with no other: a model sends what it is shown.

use toolwright_jsonrpc::Json;

use super::flattened::{FIELDS, parameters};
use super::names::{SEPARATORS, all_tools, is_destructive};
use super::pretty::pretty;
use super::reading::{as_object, is_object, is_string};
use super::responses::identifier;
use super::{Identifier, Known, USE_TOOL};

/// How much of the arguments is shown.
const ARGUMENT_BYTES: usize = 2_000;

/// How far a call is searched for an identifier: levels, and items of a list or members of an object.
const DEPTH: usize = 6;
const BREADTH: usize = 20;

/// What may stand around a call.
const WRAPPERS: [&str; 5] = ["use_tool", "params", "parameters", "input", "arguments"];

/// What stands where nothing is known.
const PLACEHOLDERS: [&str; 3] = ["<toolbox>", "<server>", "<tool>"];

/// The call that was meant where that can be seen, otherwise one of the right form.
pub(super) fn corrected(sent: &Json, known: &dyn Known) -> String {
    let mut parts = Parts::default();
    parts.read(sent, DEPTH);
    let (target, arguments) = match parts.whole().filter(|tool| may_exist(tool, known)) {
        Some(tool) => {
            let arguments = parts.arguments(&tool, known);
            (tool, arguments)
        }
        None => (parts.nearest(known), None),
    };
    let arguments = arguments.unwrap_or_else(Json::empty_object);
    let call = Json::empty_object().with("tool", &identifier(&target)).with("arguments", &arguments);
    pretty(&call)
}

/// Whether a tool is known, or can be one of a server whose tools are not.
fn may_exist(tool: &Identifier, known: &dyn Known) -> bool {
    let tools = known.tools(&tool.toolbox, &tool.server);
    match tools.is_empty() {
        true => known.servers(&tool.toolbox).contains(&tool.server),
        false => tools.contains(&tool.name),
    }
}

/// What a call says of its tool, wherever it says it.
#[derive(Default)]
struct Parts {
    /// All that is given for a toolbox, a server and a name: two values for one are no identifier.
    given: [Vec<String>; 3],
    /// All that is given for the arguments.
    arguments: Vec<Json>,
    /// The objects in which it says it.
    objects: Vec<Json>,
}

impl Parts {
    fn read(&mut self, value: &Json, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if is_string(value) {
            let inside = value.to_text().and_then(|text| Json::parse(&text).ok());
            if let Some(inside) = inside.filter(|inside| !is_string(inside)) {
                self.read(&inside, depth);
            }
        } else if let Some(items) = value.items() {
            for item in items.iter().take(BREADTH) {
                self.read(item, depth);
            }
        } else if is_object(value) {
            self.read_object(value, depth);
        }
    }

    fn read_object(&mut self, object: &Json, depth: usize) {
        let members = object.members().unwrap_or_default();
        let values: Vec<(&str, Json)> = members
            .iter()
            .take(BREADTH)
            .filter_map(|member| Some((member.key.as_ref(), Json::parse(member.value).ok()?)))
            .collect();
        let has = |wanted: &[&str]| values.iter().any(|(key, _)| wanted.contains(key));
        let has_place = has(&["toolbox", "server"]);
        let is_wrapper = !has_place && !has(&["tool"]);
        for (key, value) in &values {
            let text = value.to_text().filter(|text| !text.is_empty());
            match (*key, FIELDS.iter().position(|field| field == key)) {
                (_, Some(field)) => {
                    let is_ours = text.as_deref() == Some(USE_TOOL) && is_wrapper;
                    if let Some(text) = text.filter(|_| !is_ours) {
                        self.give(field, text);
                    }
                }
                // The old key stands for the name.
                ("tool", _) if has_place && is_string(value) && as_object(value).is_none() => {
                    if let Some(text) = text {
                        self.give(2, text);
                    }
                }
                ("tool", _) if is_string(value) && as_object(value).is_none() => {
                    self.give_joined(&text.unwrap_or_default());
                }
                ("tool", _) => self.read(value, depth),
                (key, _) if is_wrapper && WRAPPERS.contains(&key) => self.read(value, depth),
                ("arguments", _) => {
                    let value = as_object(value).unwrap_or_else(|| value.clone());
                    if !self.arguments.contains(&value) {
                        self.arguments.push(value);
                    }
                }
                _ => {}
            }
        }
        self.objects.push(object.clone());
    }

    /// A name that was sent in place of an identifier: a tool's, with or without where it is before it.
    fn give_joined(&mut self, text: &str) {
        self.give(2, text.to_owned());
        for between in SEPARATORS {
            let parts: Vec<&str> = text.split(between).filter(|part| !part.is_empty()).collect();
            match parts[..] {
                [server, name] => {
                    self.give(1, server.to_owned());
                    self.give(2, name.to_owned());
                }
                [toolbox, server, name] => {
                    self.give(0, toolbox.to_owned());
                    self.give(1, server.to_owned());
                    self.give(2, name.to_owned());
                }
                _ => {}
            }
        }
    }

    fn give(&mut self, field: usize, text: String) {
        let given = &mut self.given[field];
        if !given.contains(&text) {
            given.push(text);
        }
    }

    /// The tool that is named in full, and no second one beside it.
    fn whole(&self) -> Option<Identifier> {
        let [[toolbox], [server], [name]] = self.given.each_ref().map(Vec::as_slice) else { return None };
        Some(Identifier::new(toolbox, server, name))
    }

    /// The known tool that has most in common with what is given.
    fn nearest(&self, known: &dyn Known) -> Identifier {
        let [no_toolbox, no_server, no_name] = PLACEHOLDERS;
        let mut all = all_tools(known);
        // A tool of a server that was never asked may well be there, where the call says which server or toolbox.
        let is_unseen = |name: &String| !all.iter().any(|tool| tool.name == *name);
        let unseen = match &self.given {
            [toolboxes, servers, names] if !toolboxes.is_empty() || !servers.is_empty() => match &names[..] {
                [name] if is_unseen(name) => name.clone(),
                _ => no_name.to_owned(),
            },
            _ => no_name.to_owned(),
        };
        let is_meant = |given: &[String], name: &String| given.is_empty() || given.contains(name);
        for toolbox in known.toolboxes() {
            for server in known.servers(&toolbox) {
                if known.tools(&toolbox, &server).is_empty() {
                    let is_place = is_meant(&self.given[0], &toolbox) && is_meant(&self.given[1], &server);
                    let name = if is_place { &unseen } else { no_name };
                    all.push(Identifier::new(toolbox.clone(), server, name));
                }
            }
        }
        let in_common = |tool: &Identifier| {
            let fields = [&tool.toolbox, &tool.server, &tool.name];
            fields.into_iter().zip(&self.given).filter(|(field, given)| given.contains(field)).count()
        };
        let most = all.iter().map(in_common).max().unwrap_or_default();
        let best: Vec<&Identifier> = all.iter().filter(|tool| in_common(tool) == most).collect();
        // Nobody is shown how to destroy something who did not ask for it.
        let harmless =
            best.iter().find(|tool| self.given[2].contains(&tool.name) || !is_destructive(&tool.name));
        let found = harmless.or(best.first()).map(|tool| (*tool).clone());
        found.unwrap_or_else(|| Identifier::new(no_toolbox, no_server, no_name))
    }

    /// The arguments that were sent for this tool, wherever they stood; none when they are given twice.
    fn arguments(&self, tool: &Identifier, known: &dyn Known) -> Option<Json> {
        let mut arguments = match &self.arguments[..] {
            [] => Json::empty_object(),
            [only] => as_object(only)?,
            _ => return None,
        };
        let parameters = parameters(tool, known).unwrap_or_default();
        for object in &self.objects {
            for member in object.members().unwrap_or_default().iter().take(BREADTH) {
                let is_ours = ["tool", "arguments"].contains(&member.key.as_ref())
                    || FIELDS.contains(&member.key.as_ref());
                let is_parameter = parameters.iter().any(|name| *name == member.key);
                if !is_ours && is_parameter && arguments.get(&member.key).is_none() {
                    arguments = arguments.with(&member.key, &Json::parse(member.value).ok()?);
                }
            }
        }
        (arguments.as_str().len() <= ARGUMENT_BYTES).then_some(arguments)
    }
}
