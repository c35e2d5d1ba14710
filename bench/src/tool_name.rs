//! Calls that name their tool in another form and leave it to the program to find it among several.

use crate::corpus::{Corpus, Tool};
use crate::keys::{self, Spelling};
use crate::rng::Rng;

/// Kinds of mistakes in the name of a tool.
pub const KINDS: [&str; 2] = ["name:form", "name:affix"];

/// How many other tools are offered beside the right one.
const OTHERS: usize = 6;

/// A name as it was called, and the tools it was called among.
#[derive(Debug)]
pub struct Called<'a> {
    /// What the model wrote.
    pub name: String,
    /// What it could choose from, in the order they are offered.
    pub tools: Vec<&'a Tool>,
}

/// The tool under another form of its name, or under its name with what clients put around it.
pub fn misnamed<'a>(corpus: &'a Corpus, tool: &'a Tool, kind: &str, rng: &mut Rng) -> Option<Called<'a>> {
    let name = match kind {
        "name:form" => rng.pick(&Spelling::ALL)?.of(&tool.name),
        // A tool that destroys is called by its own name.
        "name:affix" if !tool.is_destructive() => {
            let plain = &tool.name;
            let forms = [
                format!("mcp__server__{plain}"),
                format!("functions.{plain}"),
                format!("default_api.{plain}"),
                format!("{plain}_tool"),
                format!("tool:{plain}"),
            ];
            rng.pick(&forms)?.clone()
        }
        _ => return None,
    };
    let tools = offer(corpus, tool, rng)?;
    let normal = keys::normal(&name);
    let meant = |other: &&&Tool| normal.contains(&keys::normal(&other.name));
    (name != tool.name && tools.iter().filter(meant).count() == 1).then_some(Called { name, tools })
}

/// The name with a slip: near to this tool, but a name is no place to guess.
pub fn misspelt<'a>(corpus: &'a Corpus, tool: &'a Tool, rng: &mut Rng) -> Option<Called<'a>> {
    let mut letters: Vec<char> = tool.name.chars().collect();
    let at = 1 + rng.below(letters.len().saturating_sub(2));
    letters.remove(at);
    let name: String = letters.into_iter().collect();
    let normal = keys::normal(&name);
    let tools = offer(corpus, tool, rng)?;
    let clear = tools.iter().all(|other| {
        let other = keys::normal(&other.name);
        !other.contains(&normal) && !normal.contains(&other)
    });
    clear.then_some(Called { name, tools })
}

fn offer<'a>(corpus: &'a Corpus, tool: &'a Tool, rng: &mut Rng) -> Option<Vec<&'a Tool>> {
    let mut tools: Vec<&Tool> = Vec::new();
    while tools.len() < OTHERS {
        let other = rng.pick(&corpus.tools)?;
        if other.name != tool.name && tools.iter().all(|known| known.name != other.name) {
            tools.push(other);
        }
    }
    tools.insert(rng.below(OTHERS + 1), tool);
    Some(tools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_tool_is_offered_and_not_under_the_name_called() {
        let corpus = Corpus::load().unwrap();
        let mut rng = Rng::for_case(1, "names", 0);
        for tool in &corpus.tools {
            for kind in KINDS {
                let Some(called) = misnamed(&corpus, tool, kind, &mut rng) else { continue };
                assert!(called.tools.iter().any(|other| other.name == tool.name));
                assert!(called.tools.iter().all(|other| other.name != called.name));
            }
        }
    }
}
