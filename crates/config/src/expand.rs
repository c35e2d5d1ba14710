//! Expansion of `${VAR}` and `${VAR:-default}` in a text.
//!
//! A name consists of capitals, digits and `_`, and does not start with a digit. A variable that is set, even to an
//! empty text, takes precedence over the default; a default ends at the first `}`. `$$` stands for `$`. An invalid
//! reference is an error, never text: `${lower}`, `${1ST}`, `${VAR:default}`, `${}`, `${VAR`. `${env:name}`, as some
//! clients write it, is `${name}`. Values are not expanded again.

use crate::Environment;

/// The longest expanded text: no operating system accepts a longer argument or variable.
const MAX_EXPANDED_BYTES: usize = 128 << 10;

/// Variables whose values are not secret: programs print them all the time.
const NON_SECRET_VARIABLES: &[&str] = &[
    "APPDATA",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "HOSTNAME",
    "LANG",
    "LANGUAGE",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PWD",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// An expanded text and its sources.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ExpandedText {
    /// The text.
    pub text: String,
    /// Variables in it that may be secret, with their values.
    pub from_environment: Vec<(String, String)>,
    /// Parts of it that the user probably did not intend.
    pub warnings: Vec<ExpansionError>,
}

/// An error in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExpansionError {
    /// The byte offset in the text.
    pub at: usize,
    /// The description.
    pub message: String,
    /// The fix.
    pub fix: String,
}

/// Expands the references in a text.
pub(crate) fn expand(text: &str, environment: &Environment<'_>) -> Result<ExpandedText, ExpansionError> {
    let mut expanded = ExpandedText::default();
    let mut at = 0;
    while let Some(dollar) = text[at..].find('$').map(|found| at + found) {
        expanded.text.push_str(&text[at..dollar]);
        let rest = &text[dollar + 1..];
        at = dollar + 1;
        if let Some(reference) = rest.strip_prefix('{') {
            let length = reference_length(reference).map_err(|error| error.offset_by(dollar))?;
            resolve(&reference[..length], environment, &mut expanded)
                .map_err(|error| error.offset_by(dollar))?;
            at += length + 2;
        } else if let Some(behind) = rest.strip_prefix('$') {
            if !behind.starts_with('{') {
                expanded.warnings.push(ExpansionError {
                    at: dollar,
                    message: "`$$` stands for one `$`".to_owned(),
                    fix: "write a single `$` for one (only `${` needs `$$`), `$$$$` for two".to_owned(),
                });
            }
            expanded.text.push('$');
            at += 1;
        } else {
            let name = &rest[..name_length(rest)];
            // A text that is only a name is meant as a variable, whether it is set or not.
            let is_intended = text.len() == name.len() + 1 || environment(name).is_some();
            if !name.is_empty() && is_intended {
                // The message does not quote the name: it may be a password.
                let message = "a name after `$` without braces is text, not the variable".to_owned();
                let fix = "put the name into braces: `${…}`".to_owned();
                expanded.warnings.push(ExpansionError { at: dollar, message, fix });
            }
            expanded.text.push('$');
        }
        if expanded.text.len() > MAX_EXPANDED_BYTES {
            return Err(too_long(dollar));
        }
    }
    expanded.text.push_str(&text[at..]);
    if expanded.text.len() > MAX_EXPANDED_BYTES { Err(too_long(0)) } else { Ok(expanded) }
}

/// The length of a reference, without its closing brace.
fn reference_length(reference: &str) -> Result<usize, ExpansionError> {
    reference.find('}').ok_or_else(|| ExpansionError {
        at: 0,
        message: "`${` is not closed".to_owned(),
        fix: "close it with `}`, or write `$${` for the text itself".to_owned(),
    })
}

/// Appends the value of a reference.
fn resolve(
    reference: &str,
    environment: &Environment<'_>,
    to: &mut ExpandedText,
) -> Result<(), ExpansionError> {
    let (name, default) = match reference.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (reference, None),
    };
    let of_client = name.strip_prefix("env:").filter(|name| is_any_name(name));
    let name = match of_client {
        Some(name) => name,
        None if !name.is_empty() && name_length(name) == name.len() => name,
        None => return Err(wrong_reference(reference)),
    };
    if default.is_some_and(|default| default.contains("${")) {
        return Err(ExpansionError {
            at: 0,
            message: "a default cannot hold another `${…}`: the first `}` ends it".to_owned(),
            fix: format!("give ${{{name}}} a plain default, or set {name}"),
        });
    }
    match environment(name) {
        Some(value) => {
            let value = value.into_string().map_err(|_| ExpansionError {
                at: 0,
                message: format!("the value of the environment variable {name} is not UTF-8"),
                fix: format!("set {name} to text"),
            })?;
            to.text.push_str(&value);
            if !NON_SECRET_VARIABLES.contains(&name) && !name.starts_with("XDG_") && !name.starts_with("LC_")
            {
                to.from_environment.push((name.to_owned(), value));
            }
            Ok(())
        }
        None => default.map(|default| to.text.push_str(default)).ok_or_else(|| ExpansionError {
            at: 0,
            message: format!("the environment variable {name} is not set"),
            fix: format!(
                "set it before the start (export {name}=value), or give a default: ${{{name}:-value}}"
            ),
        }),
    }
}

/// The error of an invalid reference.
fn wrong_reference(reference: &str) -> ExpansionError {
    let escape = "`$${` for the text itself";
    let shown: String = reference.chars().take(40).collect();
    let (message, fix) = if reference.is_empty() {
        ("`${}` names no variable".to_owned(), format!("write ${{NAME}}, or {escape}"))
    } else if let Some(input) = reference.strip_prefix("input:") {
        let name = upper(input.split(':').next().unwrap_or(input));
        (
            "an input of an editor: Toolwright cannot ask for it".to_owned(),
            format!("name an environment variable: ${{{name}}}"),
        )
    } else if let Some(folder) = editor_folder(reference) {
        (format!("`${{{shown}}}` is known to an editor only"), format!("write {folder}"))
    } else if let Some((name, default)) = reference.split_once(':').filter(|(name, _)| is_any_name(name)) {
        let default: String = default.trim_start_matches(['=', '?', '+']).chars().take(40).collect();
        let message = format!("`:` alone does not separate {name} from a default");
        (message, format!("write ${{{}:-{default}}}", upper(name)))
    } else if is_any_name(reference) {
        let name = upper(reference);
        let message = format!("`${{{shown}}}`: names of variables are in capitals here");
        (message, format!("write ${{{name}}} and set {name}, or {escape}"))
    } else {
        let message =
            format!("`{shown}` is not a valid variable name: use capitals, digits and _, no digit first");
        (message, format!("write ${{NAME}} or ${{NAME:-default}}, or {escape}"))
    };
    ExpansionError { at: 0, message, fix }
}

/// The replacement for an editor's folder variable.
fn editor_folder(reference: &str) -> Option<&'static str> {
    match reference {
        "userHome" => Some("${HOME}"),
        "workspaceFolder" | "workspaceRoot" | "cwd" | "projectDir" => {
            Some("the folder's path; a relative \"cwd\" begins at the folder of this file")
        }
        "pathSeparator" | "/" => Some("the separator itself"),
        _ => reference.starts_with("workspaceFolder").then_some("the folder's path"),
    }
}

fn too_long(at: usize) -> ExpansionError {
    ExpansionError {
        at,
        message: format!("the text is longer than {} KiB", MAX_EXPANDED_BYTES >> 10),
        fix: "put it into a file, and name the file".to_owned(),
    }
}

/// The length of a name at the start of a text: capitals, digits and `_`, no digit first.
fn name_length(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// Whether this is a valid name of an environment variable, in any case.
fn is_any_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn upper(name: &str) -> String {
    name.chars()
        .map(|char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' })
        .take(40)
        .collect()
}

impl ExpansionError {
    fn offset_by(self, at: usize) -> ExpansionError {
        ExpansionError { at: at + self.at, ..self }
    }
}
