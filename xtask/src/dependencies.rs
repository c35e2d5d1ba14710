//! What may come into the dependency graph, by deny.toml: licences, crates that are banned, sources.
//!
//! cargo-deny checks the same and more where it is installed. This check needs nothing but cargo, so it is always run:
//! a rule that is only checked on some machines is broken on the others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;

const STEP: &str = "dependencies: licences, bans, sources";
/// Where crates may come from besides this workspace.
const REGISTRIES: [&str; 2] =
    ["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];

/// What deny.toml says, as far as it is checked here.
#[derive(Debug, Default)]
struct Rules {
    licences: BTreeSet<String>,
    /// Further licences of single crates.
    exceptions: BTreeMap<String, BTreeSet<String>>,
    /// Banned crates, with those that may bring them along all the same.
    banned: BTreeMap<String, BTreeSet<String>>,
    git: BTreeSet<String>,
}

/// Checks every package of the graph; the failure names all that are wrong.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce(STEP);
    let file = workspace.root().join("deny.toml");
    let text = std::fs::read_to_string(&file)
        .map_err(|error| Failure::new(STEP, format!("{}: {error}", file.display())))?;
    let rules = Rules::parse(&text).map_err(|why| Failure::new(STEP, format!("deny.toml: {why}")))?;
    let metadata: Value = serde_json::from_str(&metadata(workspace)?)
        .map_err(|error| Failure::new(STEP, format!("cargo metadata: {error}")))?;
    let mut dependents = BTreeMap::new();
    for package in packages(&metadata).filter(|package| rules.banned.contains_key(name(package))) {
        dependents.insert(shown(package), active_dependents(workspace, package)?);
    }
    match rules.broken(&metadata, &dependents) {
        broken if broken.is_empty() => Ok(()),
        broken => Err(Failure::new(STEP, broken.join("\n"))),
    }
}

/// The packages of all systems; without a network those of this one, whose sources are here.
fn metadata(workspace: &Workspace) -> Result<String, Failure> {
    let all = || workspace.cargo(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    if let Ok(metadata) = all().read(STEP) {
        return Ok(metadata);
    }
    let compiler = Invocation::new("rustc", workspace.root()).arg("-vV").read(STEP)?;
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    note(&format!(
        "packages that only other systems than {host} need were not looked at: they cannot be fetched"
    ));
    all().args(["--offline", "--filter-platform", host]).read(STEP)
}

/// Who brings a package along. `cargo metadata` also lists packages that no active feature needs; `cargo tree` does not.
fn active_dependents(workspace: &Workspace, package: &Value) -> Result<Vec<String>, Failure> {
    let id = format!("{}@{}", name(package), package["version"].as_str().unwrap_or_default());
    let tree = workspace.cargo(["tree", "--locked", "--all-features", "--target", "all", "--workspace"]);
    let tree =
        tree.args(["-e", "normal,build,dev", "--prefix", "none", "--depth", "1", "-i", &id]).read(STEP)?;
    let words = tree.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    Ok(words.map(str::to_owned).collect())
}

impl Rules {
    fn parse(text: &str) -> Result<Rules, String> {
        let document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
        let list = |table: &str, key: &str| document.get(table).and_then(|table| table.get(key));
        let mut rules = Rules {
            licences: texts(list("licenses", "allow")),
            git: texts(list("sources", "allow-git")),
            ..Rules::default()
        };
        for entry in tables(list("licenses", "exceptions")) {
            let name = name_of(entry).ok_or("an exception without a crate")?;
            rules.exceptions.entry(name).or_default().extend(texts(entry.get("allow")));
        }
        for entry in tables(list("bans", "deny")) {
            let name = name_of(entry).ok_or("a ban without a crate")?;
            rules.banned.insert(name, texts(entry.get("wrappers")));
        }
        if rules.licences.is_empty() { Err("it allows no licence".to_owned()) } else { Ok(rules) }
    }

    /// A line for everything that is not allowed. `dependents` are those of each banned package.
    fn broken(&self, metadata: &Value, dependents: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let mut broken = Vec::new();
        for package in packages(metadata) {
            let (name, shown) = (name(package), shown(package));
            let licence = package["license"].as_str().unwrap_or_default();
            if !self.allows(name, licence) {
                let licence = if licence.is_empty() { "none is named" } else { licence };
                broken.push(format!("{shown}: its licence is not allowed by deny.toml: {licence}"));
            }
            match package["source"].as_str() {
                Some(source) if !REGISTRIES.contains(&source) && !self.git.contains(source) => {
                    broken.push(format!("{shown}: its source is not allowed: {source}"));
                }
                Some(_) => {}
                None => {
                    let any = wildcards(package);
                    broken.extend(any.map(|to| format!("{shown}: any version of {to} would do (\"*\")")));
                }
            }
            if let Some(wrappers) = self.banned.get(name) {
                let others = dependents.get(&shown).into_iter().flatten();
                let others = others.filter(|dependent| !wrappers.contains(*dependent));
                broken
                    .extend(others.map(|dependent| format!("{shown} is banned, and {dependent} brings it")));
            }
        }
        broken
    }

    /// Whether an expression of SPDX can be met with licences that are allowed.
    fn allows(&self, name: &str, expression: &str) -> bool {
        // Old manifests write "/" for OR.
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let is_allowed = |licence: &str| {
            self.licences.contains(licence)
                || self.exceptions.get(name).is_some_and(|more| more.contains(licence))
        };
        let mut rest = words.as_slice();
        let is_met = any(&mut rest, &is_allowed);
        is_met && rest.is_empty()
    }
}

/// `A AND B OR C`: OR binds less than AND.
fn any(words: &mut &[&str], is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut is_met = all(words, is_allowed);
    while let Some(("OR", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) {
        *words = rest;
        // Read to its end in any case.
        is_met = all(words, is_allowed) || is_met;
    }
    is_met
}

fn all(words: &mut &[&str], is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut is_met = one(words, is_allowed);
    while let Some(("AND", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) {
        *words = rest;
        is_met = one(words, is_allowed) && is_met;
    }
    is_met
}

fn one(words: &mut &[&str], is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let is_met = any(words, is_allowed);
        let is_closed = words.first() == Some(&")");
        *words = words.get(1..).unwrap_or_default();
        return is_met && is_closed;
    }
    match words {
        ["WITH", exception, rest @ ..] => {
            let licence = format!("{first} WITH {exception}");
            *words = rest;
            is_allowed(&licence)
        }
        _ => is_allowed(first),
    }
}

/// The dependencies of a package of ours that any version is good for.
fn wildcards(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    let any = dependencies.iter().filter(|to| to["req"] == "*" && to["path"].is_null());
    any.filter_map(|to| to["name"].as_str())
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap_or_default()
}

fn shown(package: &Value) -> String {
    format!("{} {}", name(package), package["version"].as_str().unwrap_or_default())
}

fn texts(list: Option<&Item>) -> BTreeSet<String> {
    let values = list.and_then(Item::as_array).into_iter().flatten();
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn tables(list: Option<&Item>) -> impl Iterator<Item = &dyn TableLike> {
    let values = list.and_then(Item::as_array).into_iter().flatten();
    values.filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
}

fn name_of(entry: &dyn TableLike) -> Option<String> {
    entry.get("crate").and_then(Item::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DENY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
        exceptions = [{ crate = "roots", allow = ["CDLA-Permissive-2.0"] }]
        [bans]
        deny = [{ crate = "ring", reason = "x" }, { crate = "old", wrappers = ["wrapper"] }]
        [sources]
        allow-git = []
    "#;

    fn rules() -> Rules {
        Rules::parse(DENY).expect("rules")
    }

    #[test]
    fn a_licence_is_allowed_when_one_can_choose_one_that_is() {
        for (licence, is_allowed) in [
            ("MIT", true),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0 OR MIT", true),
            ("MIT/Apache-2.0", true),
            ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("GPL-3.0", false),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND GPL-3.0", false),
            ("MIT WITH Classpath-exception-2.0", false),
            ("GPL-3.0 AND MIT OR GPL-2.0", false),
            ("(MIT", false),
            ("MIT Apache-2.0", false),
            ("CDLA-Permissive-2.0", false),
            ("", false),
        ] {
            assert_eq!(rules().allows("some", licence), is_allowed, "{licence}");
        }
        assert!(
            rules().allows("roots", "CDLA-Permissive-2.0")
                && !rules().allows("roots2", "CDLA-Permissive-2.0")
        );
    }

    #[test]
    fn what_is_banned_or_comes_from_elsewhere_is_named_with_who_brings_it() {
        let package = |name: &str, source: Value| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source,
                    "dependencies": [] })
        };
        let registry = json!(REGISTRIES[0]);
        let mut own = package("own", Value::Null);
        own["dependencies"] =
            json!([{ "name": "ring", "req": "*", "path": null }, { "name": "x", "req": "*", "path": "/x" }]);
        let metadata = json!({
            "packages": [own, package("ring", registry.clone()), package("old", registry.clone()),
                         package("wrapper", registry), package("far", json!("git+https://example.com/far"))],
        });
        let dependents = BTreeMap::from([
            ("ring 1.0.0".to_owned(), vec!["own".to_owned()]),
            ("old 1.0.0".to_owned(), vec!["wrapper".to_owned()]),
        ]);
        assert_eq!(
            rules().broken(&metadata, &dependents),
            [
                "own 1.0.0: any version of ring would do (\"*\")",
                "ring 1.0.0 is banned, and own brings it",
                "far 1.0.0: its source is not allowed: git+https://example.com/far",
            ]
        );
    }
}
