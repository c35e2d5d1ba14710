//! How the pages look, to eyes, to other senses, and to a browser that runs no scripts.

use serde_json::json;

use crate::stage::Stage;

/// Generous: a busy machine has other things to do.
const BOUND: f64 = 2000.0;

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_every_page_in_both_themes_at_every_width() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("pages", json!({})).await;
    let pages = report.seen("pages").as_array().map_or(0, Vec::len);
    assert!(pages >= 10, "{pages} pages");
    let colours = report.seen("colours");
    assert_ne!(colours[0], colours[1], "the themes differ");
    assert!(report.figure("firstPaintMedianMs") < BOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_finds_nothing_on_any_page_that_keeps_somebody_out() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("access", json!({})).await;
    let checks = report.seen("checks").as_u64().unwrap_or(0);
    assert!(checks > 500, "{checks} checks were passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_without_scripts_shows_every_page() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("plain", json!({})).await;
    for (page, words) in [
        ("/", "send_note"),
        ("/live", "see the last calls"),
        ("/calls", "mended"),
        ("call", "file_path"),
        ("/normalizer", "lose_note"),
        ("/errors", "is gone"),
        ("/servers", "broken"),
        ("/models", "s1"),
    ] {
        let text = report.seen("words")[page].as_str().unwrap_or_default().to_lowercase();
        assert!(text.contains(words), "{page}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_needs_keys_only() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("keyboard", json!({})).await;
    let controls = report.seen("controls").as_u64().unwrap_or(0);
    assert!(controls > 100, "{controls} controls");
    eprintln!("pages that share a letter: {}", report.seen("sharedLetters"));
}
