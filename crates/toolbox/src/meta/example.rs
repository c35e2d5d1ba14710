//! A call that is right, made of one that was not.

use toolwright_jsonrpc::Json;

use super::flattened::parameters;
use super::pretty::pretty;
use super::reading::{as_object, is_object};
use super::responses::identifier;
use super::{Identifier, Known};

/// How much of the arguments is shown.
const ARGUMENT_BYTES: usize = 2_000;

/// The call that was probably meant, as far as it can be seen.
pub(super) fn corrected(sent: &Json, known: &dyn Known) -> String {
    let tool = sent.get("tool").as_ref().and_then(as_object).unwrap_or_else(Json::empty_object);
    let given = |keys: &[&str]| {
        let in_either = [&tool, sent];
        in_either
            .into_iter()
            .flat_map(|object| keys.iter().filter_map(|key| object.get_text(key)))
            .find(|text| !text.is_empty())
    };
    let toolbox = given(&["toolbox"]).or_else(|| known.toolboxes().into_iter().next());
    let toolbox = toolbox.unwrap_or_else(|| "dev".to_owned());
    let server = given(&["server"]).or_else(|| known.servers(&toolbox).into_iter().next());
    let server = server.unwrap_or_else(|| "filesystem".to_owned());
    // The old key stands for the name.
    let name = given(&["name", "tool"]).or_else(|| known.tools(&toolbox, &server).into_iter().next());
    let name = name.unwrap_or_else(|| "read_file".to_owned());
    let target = Identifier { toolbox, server, name };
    let mut call = Json::empty_object().with("tool", &identifier(&target));
    if let Some(arguments) = arguments(sent, &tool, &target, known) {
        call = call.with("arguments", &arguments);
    }
    pretty(&call)
}

/// The arguments that were sent, wherever they stood.
fn arguments(sent: &Json, tool: &Json, target: &Identifier, known: &dyn Known) -> Option<Json> {
    let given = sent.get("arguments").or_else(|| tool.get("arguments"));
    let mut arguments = given.as_ref().and_then(as_object).unwrap_or_else(Json::empty_object);
    let parameters = parameters(target, known);
    let may_be = |key: &str| parameters.as_ref().is_none_or(|known| known.iter().any(|name| name == key));
    for object in [tool, sent] {
        let members = object.members().unwrap_or_default();
        for member in members.iter().take(20) {
            let is_ours = ["tool", "arguments", "toolbox", "server", "name"].contains(&member.key.as_ref());
            if !is_ours && may_be(&member.key) && arguments.get(&member.key).is_none() {
                arguments = arguments.with(&member.key, &Json::parse(member.value).ok()?);
            }
        }
    }
    let is_shown = arguments.as_str().len() <= ARGUMENT_BYTES && is_object(&arguments);
    (is_shown && arguments != Json::empty_object()).then_some(arguments)
}
