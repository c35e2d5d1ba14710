//! What moves on the pages: calls as they end, the playground, decisions about suggestions.

use serde_json::json;

use crate::stage::Stage;

/// Generous: a busy machine has other things to do.
const BOUND: f64 = 2000.0;

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_calls_as_they_end_and_tries_what_is_typed() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("live", json!({})).await;
    assert_eq!((report.seen("rows"), report.seen("keys")), (&json!(10), &json!(29)));
    for name in ["liveRowMedianMs", "liveRowWorstMs", "playgroundMedianMs", "playgroundWorstMs"] {
        assert!(report.figure(name) < BOUND, "{name}: {}", report.figure(name));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suggestion_that_is_accepted_in_a_browser_holds_until_it_is_undone() {
    let Some(stage) = Stage::set().await else { return };
    let report = stage.examine("suggestion", json!({})).await;
    for (name, wanted) in [("before", false), ("accepted", true), ("rules", true), ("undone", false)] {
        assert_eq!(report.seen(name), &json!(wanted), "{name}");
    }
}

/// A short feed; with `TOOLWRIGHT_FEED=full` ten minutes of 500 calls a second.
#[tokio::test(flavor = "multi_thread")]
async fn a_browser_does_not_grow_with_what_it_shows() {
    let is_full = std::env::var_os("TOOLWRIGHT_FEED").is_some_and(|wanted| wanted == "full");
    let Some(stage) = Stage::set().await else { return };
    let (rate, seconds) = if is_full { (500, 600) } else { (100, 10) };
    let report = stage.examine("feed", json!({"rate": rate, "seconds": seconds})).await;
    let grown = report.figure("heapAfterMb") - report.figure("heapBeforeMb");
    assert!(grown < 20.0, "it grew by {grown:.1} MB");
    assert_eq!(report.seen("rows"), &json!(200), "the list is full, and no longer");
}
