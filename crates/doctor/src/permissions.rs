//! Who may read what is secret, and whether it is what it should be.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolwright_port::TokenFolder;

use crate::finding::{Area, Check, Finding, Fix, quoted};
use crate::{Examined, files};

/// How many logins are looked at.
const LOGINS: usize = 200;

pub(crate) fn check(examined: &Examined) -> Check {
    let mut findings = Vec::new();
    let mut looked_at = 0;
    if let Some(state) = examined.state.as_ref().filter(|state| state.is_dir()) {
        looked_at += 1;
        findings.extend(open_folder(state));
        for file in secret_files(state) {
            looked_at += 1;
            findings.extend(open_file(&file));
        }
        findings.extend(damaged(state));
    }
    if let Ok(Some((configuration, _))) = &examined.configuration {
        looked_at += 1;
        let text = std::fs::read_to_string(&configuration.file).unwrap_or_default();
        let holds_secret = configuration.secrets().iter().any(|secret| text.contains(secret.as_str()));
        findings.extend(holds_secret.then(|| open_configuration(&configuration.file)).flatten());
    }
    let said = format!("looked at what may hold secrets: {looked_at}");
    Check::new(Area::Permissions, None, said).with(findings)
}

/// The files of the state folder that nobody else should read.
fn secret_files(state: &Path) -> Vec<PathBuf> {
    let own = ["token", "tokens.json", "seal-key"].map(|name| state.join(name));
    let logins = std::fs::read_dir(state.join("logins")).into_iter().flatten().flatten().take(LOGINS);
    let logins = logins.map(|entry| entry.path()).filter(|path| path.is_file());
    own.into_iter().filter(|path| path.exists()).chain(logins).collect()
}

fn open_folder(folder: &Path) -> Option<Finding> {
    let open = files::open_to_others(folder)?;
    let shown = folder.display().to_string();
    let finding = Finding::warning(
        "state-open",
        "other users of this machine can look into the state folder",
        format!("its mode leaves them {open:03o}; it holds tokens, logins and what was called with what"),
        Fix::Run(format!("chmod 700 {}", quoted(&shown))),
    );
    Some(finding.at(shown))
}

fn open_file(file: &Path) -> Option<Finding> {
    let open = files::open_to_others(file)?;
    let shown = file.display().to_string();
    let finding = Finding::error(
        "secret-open",
        "other users of this machine may read a secret",
        format!("the mode of the file leaves them {open:03o}; who has it can use every tool"),
        Fix::Run(format!("chmod 600 {}", quoted(&shown))),
    );
    Some(finding.at(shown))
}

fn open_configuration(file: &Path) -> Option<Finding> {
    let open = files::open_to_others(file)?;
    let shown = file.display().to_string();
    let finding = Finding::warning(
        "configuration-open",
        "the configuration holds secrets, and other users of this machine may read it",
        format!("its mode leaves them {open:03o}; or write ${{NAME}} in the place of the secrets"),
        Fix::Run(format!("chmod 600 {}", quoted(&shown))),
    );
    Some(finding.at(shown))
}

/// What is of no use any more. The next start says so too, and stops.
fn damaged(state: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let read = |name: &str| std::fs::read_to_string(state.join(name)).ok();
    let mut tell = |name: &str, id, what: &str, why: &str, fix: Fix| {
        findings.push(Finding::error(id, what, why, fix).at(state.join(name).display()));
    };
    let remove = |name: &str| Fix::Run(format!("rm {}", quoted(&state.join(name).display().to_string())));
    if let Some(text) = read("token") {
        let token = text.trim();
        if token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why = "the gateway cannot start; the next start makes a new one once this is gone";
            tell(
                "token",
                "token-damaged",
                "the file of this install's own token holds none",
                why,
                remove("token"),
            );
        }
    }
    if let Some(text) = read("seal-key")
        && URL_SAFE_NO_PAD.decode(text.trim()).map_or(0, |key| key.len()) != 32
    {
        let why = "the gateway cannot start; the next start makes a new one once this is gone";
        tell("seal-key", "seal-key-damaged", "the key that seals sessions is none", why, remove("seal-key"));
    }
    if let Err(error) = TokenFolder::new(state).list() {
        let fix = Fix::put_aside(&state.join("tokens.json"));
        let what = "the file of named tokens cannot be understood";
        tell("tokens.json", "tokens-damaged", what, &error.to_string(), fix);
    }
    findings
}
