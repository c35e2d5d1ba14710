//! Conversion of variables in clients' entries to Toolwright's `${NAME}`.

/// A client's syntax for variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// It has no variables.
    None,
    /// `${NAME}` and `${NAME:-default}`.
    Braces,
    /// `${env:NAME}`, `${input:id}`, `${userHome}`, `${workspaceFolder}`.
    Editor,
    /// `$NAME` and `${NAME}`.
    Dollar,
    /// `{env:NAME}` and `{file:path}`.
    Curly,
    /// `${{ secrets.NAME }}`.
    Secrets,
}

/// A converted text, with notes for the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TranslatedText {
    pub text: String,
    pub notes: Vec<String>,
}

impl Variables {
    /// The reference to an environment variable, if the client supports variables.
    pub fn reference(self, name: &str) -> Option<String> {
        match self {
            Variables::None => None,
            Variables::Braces => Some(format!("${{{name}}}")),
            Variables::Editor => Some(format!("${{env:{name}}}")),
            Variables::Dollar => Some(format!("${name}")),
            Variables::Curly => Some(format!("{{env:{name}}}")),
            Variables::Secrets => Some(format!("${{{{ secrets.{name} }}}}")),
        }
    }

    /// Converts a text of the client. `folder` is the project's, if there is one.
    pub(super) fn translate(self, text: &str, folder: Option<&str>) -> TranslatedText {
        match self {
            Variables::None => escaped(text),
            Variables::Braces => braces(text, None),
            Variables::Editor => braces(text, folder),
            Variables::Dollar => dollar(text),
            Variables::Curly => curly(text),
            Variables::Secrets => secrets(text),
        }
    }
}

/// Escapes `${`: the client does not expand it, so Toolwright must not.
fn escaped(text: &str) -> TranslatedText {
    if !text.contains("${") {
        return TranslatedText { text: text.to_owned(), notes: Vec::new() };
    }
    let note = "the client does not expand ${…}, so it is escaped here as $${…}";
    TranslatedText { text: text.replace("${", "$${"), notes: vec![note.to_owned()] }
}

fn braces(text: &str, folder: Option<&str>) -> TranslatedText {
    let mut out = TranslatedText::default();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.text.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else {
            // Never closed: the client takes it as text, so it is escaped.
            out.text.push_str("$${");
            rest = &rest[at + 2..];
            continue;
        };
        let inside = &rest[at + 2..at + end];
        rest = &rest[at + end + 1..];
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, it)| (name, Some(it)));
        if let (Some(folder), "workspaceFolder" | "workspaceRoot") = (folder, name) {
            out.text.push_str(&folder.replace("${", "$${"));
        } else if name == "userHome" {
            out.text.push_str("${HOME}");
        } else if is_name(name)
            && name != name.to_ascii_uppercase()
            && name.len() == inside.len()
            && !is_editor_variable(name)
        {
            // Toolwright's names are in capitals; `env:` allows any case.
            out.text.push_str(&format!("${{env:{name}}}"));
        } else {
            if let Some(input) = name.strip_prefix("input:") {
                out.notes.push(format!(
                    "${{input:{input}}} is an input that the client asks for; Toolwright cannot ask: write ${{{}}} and set it",
                    upper(input)
                ));
            } else if !is_name(name) && !name.starts_with("env:") || is_editor_variable(name) {
                out.notes.push(format!("${{{inside}}} is a variable of the client only: write its value"));
            }
            let default = default.map_or(String::new(), |default| format!(":-{default}"));
            out.text.push_str(&format!("${{{name}{default}}}"));
        }
    }
    out.text.push_str(rest);
    out
}

fn is_editor_variable(name: &str) -> bool {
    ["workspaceFolder", "workspaceRoot", "cwd", "pathSeparator", "projectDir", "workspaceFolderBasename"]
        .contains(&name)
}

fn dollar(text: &str) -> TranslatedText {
    let mut out = TranslatedText::default();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.text.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let in_braces = behind.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        if let Some((name, further)) = in_braces.filter(|(name, _)| is_name(name)) {
            out.text.push_str(&reference(name));
            rest = further;
            continue;
        }
        let length = behind.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        let name = &behind[..length.unwrap_or(behind.len())];
        if is_name(name) {
            out.text.push_str(&reference(name));
            rest = &behind[name.len()..];
        } else {
            // A single dollar sign; before a brace it would start a reference.
            out.text.push_str(if behind.starts_with('{') { "$$" } else { "$" });
            rest = behind;
        }
    }
    out.text.push_str(rest);
    out
}

fn curly(text: &str) -> TranslatedText {
    let mut out = TranslatedText::default();
    let mut rest = text;
    while let Some(at) = rest.find("{env:").into_iter().chain(rest.find("{file:")).min() {
        out.text.push_str(&rest[..at].replace("${", "$${"));
        let Some(end) = rest[at..].find('}') else { break };
        let inside = &rest[at + 1..at + end];
        match inside.strip_prefix("env:").filter(|name| is_name(name)) {
            Some(name) => out.text.push_str(&reference(name)),
            None => {
                out.notes.push(format!(
                    "{{{inside}}} is not read here: put its contents into a variable, and write ${{NAME}}"
                ));
                out.text.push_str(&rest[at..=at + end]);
            }
        }
        rest = &rest[at + end + 1..];
    }
    out.text.push_str(&rest.replace("${", "$${"));
    out
}

fn secrets(text: &str) -> TranslatedText {
    let mut out = TranslatedText::default();
    let mut rest = text;
    while let Some(at) = rest.find("${{") {
        out.text.push_str(&rest[..at].replace("${", "$${"));
        let Some(end) = rest[at..].find("}}") else { break };
        let inside = rest[at + 3..at + end].trim();
        match inside.strip_prefix("secrets.").filter(|name| is_name(name)) {
            Some(name) => {
                out.notes
                    .push(format!("the secret {name} of the client is the variable {name} here: set it"));
                out.text.push_str(&reference(name));
            }
            None => {
                out.notes
                    .push(format!("${{{{ {inside} }}}} is a variable of the client only: write its value"));
                out.text.push_str(&format!("$${{{{ {inside} }}}}"));
            }
        }
        rest = &rest[at + end + 2..];
    }
    out.text.push_str(&rest.replace("${", "$${"));
    out
}

fn reference(name: &str) -> String {
    if name == name.to_ascii_uppercase() { format!("${{{name}}}") } else { format!("${{env:{name}}}") }
}

/// Whether this is a valid name of an environment variable.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn upper(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .take(40)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(variables: Variables, text: &str) -> String {
        variables.translate(text, Some("/home/ann/project")).text
    }

    #[test]
    fn client_variables_become_toolwright_variables() {
        for (variables, text, expected) in [
            (Variables::None, "a ${B} $C", "a $${B} $C"),
            (Variables::Braces, "${A}:${B:-c}", "${A}:${B:-c}"),
            (Variables::Braces, "${lower}", "${env:lower}"),
            (Variables::Editor, "${env:Key}/${userHome}", "${env:Key}/${HOME}"),
            (Variables::Editor, "${workspaceFolder}/x", "/home/ann/project/x"),
            (Variables::Editor, "${input:api-key}", "${input:api-key}"),
            (Variables::Editor, "${open", "$${open"),
            (Variables::Dollar, "$A-${B} $ ${ $1", "${A}-${B} $ $${ $1"),
            (Variables::Dollar, "$lower", "${env:lower}"),
            (Variables::Curly, "{env:A}{file:x} ${B}", "${A}{file:x} $${B}"),
            (Variables::Secrets, "${{ secrets.A }} ${B}", "${A} $${B}"),
        ] {
            assert_eq!(convert(variables, text), expected, "{variables:?}");
        }
    }

    #[test]
    fn client_only_variables_get_a_note() {
        let input = Variables::Editor.translate("Bearer ${input:api-key}", None);
        assert!(input.notes[0].contains("${API_KEY}"), "{input:?}");
        assert_eq!(Variables::Editor.translate("${workspaceFolder}", None).notes.len(), 1);
        assert_eq!(Variables::Curly.translate("{file:~/key}", None).notes.len(), 1);
        assert_eq!(Variables::Braces.translate("${A} ${env:B}", None).notes.len(), 0);
    }
}
