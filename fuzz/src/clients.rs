//! Reading and changing the files of clients.

use std::path::Path;

use toolwright_config::clients::{
    CLIENTS, Document, Gateway, Merge, Scope, Secret, Secrets, Ways, command_line, dangers, merge, servers,
};
use toolwright_config::parse;

/// A client's file is read or refused with a place. What is taken over loads, once however often it is taken.
/// Toolwright goes in once and out again, and what cannot be changed is left alone.
pub fn clients(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let client = CLIENTS[usize::from(*first) % CLIENTS.len()];
    let text = String::from_utf8_lossy(rest);
    let file = Path::new("/home/ann/settings");
    let document = match Document::parse(&text, client.format, file) {
        Ok(document) => document,
        Err(problem) => {
            assert!(
                !problem.message.is_empty() && !problem.fix.is_empty(),
                "{text:?} is refused without a word"
            );
            return;
        }
    };
    assert_eq!(document.to_text(), text, "reading changes nothing");
    let found = servers(client, &document, file, &Scope::User);
    for found in &found {
        let _ = (command_line(&found.entry, Secrets::Hidden), dangers(&found.entry));
    }
    let ours = Path::new("/home/ann/toolwright.json");
    let into = Merge { text: None, file: ours, toolbox: None };
    let merged = merge(&into, found.clone()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    if let Err(error) = parse(&merged.text, ours, &|_| None) {
        assert!(merged.text.is_empty(), "{:?} does not load: {error}", merged.text);
    }
    let again = Merge { text: Some(&merged.text), ..into };
    let twice = merge(&again, found).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(twice.text, merged.text, "{text:?} is taken over twice");
    let stdio = Gateway::Stdio { command: "toolwright".to_owned(), args: vec!["stdio".to_owned()] };
    let http = Gateway::Http {
        url: "http://127.0.0.1:8484/mcp".to_owned(),
        token: Secret::Token("tw_x".to_owned()),
    };
    for gateway in if client.ways == Ways::Both { vec![stdio, http] } else { vec![stdio] } {
        let mut changed = document.clone();
        let Ok(put) = client.put(&mut changed, "toolwright", &gateway) else {
            assert_eq!(changed.to_text(), text, "what cannot be done leaves no trace");
            continue;
        };
        let once = changed.to_text();
        client.put(&mut changed, "toolwright", &gateway).unwrap_or_else(|error| panic!("{once:?}: {error}"));
        assert_eq!(changed.to_text(), once, "twice is not once");
        if client.take_out(&mut changed, "toolwright", put).is_ok() {
            let path = client.path(changed.root(), "toolwright");
            assert!(changed.root().at(&path).is_none(), "{:?} still has it", changed.to_text());
        }
    }
}
