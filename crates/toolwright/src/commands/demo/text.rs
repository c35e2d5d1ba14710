//! What a demo says when it has begun.

use serde_json::json;
use toolwright_executor::printable;

use super::folder::DemoFolder;
use crate::commands::serve::Started;

/// One line for programs.
pub fn as_json(started: &Started, folder: &DemoFolder) -> String {
    let mut said = started.to_value();
    said["demo"] = json!(true);
    said["stateHome"] = json!(folder.state_home());
    format!("{said}\n")
}

/// For people.
pub fn as_text(started: &Started, folder: &DemoFolder) -> String {
    let at = |path: &str| started.page(path);
    let text = format!(
        "toolwright {} shows a demo on {}\n\nA scripted model calls the built-in tools and makes the mistakes that models make. Look at what becomes of them:\n\nDashboard:     {}  (works once; the token lets you in again)\nToken:         {}\n\n  {}        every call, as it comes\n  {}  what was mended, and by what\n  {}      what was refused, and rules that the model's own corrections suggest\n\nNothing of yours is read or changed: files, journal and token are in a folder of the demo. Other commands look at it with\n  XDG_STATE_HOME={} toolwright audit tail\n\nCtrl-C ends it and removes everything.\n",
        env!("CARGO_PKG_VERSION"),
        started.address,
        started.dashboard(),
        started.token.as_deref().unwrap_or("none is needed"),
        at("/live"),
        at("/normalizer"),
        at("/errors"),
        folder.state_home().display(),
    );
    printable(&text, &['\n', '\\']).into_owned()
}
