//! Cancellation reaches the upstream and the calls in flight, and every call still has its result.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolwright_agent::{Silent, Stop};
use toolwright_executor::{ErrorCode, ToolOutput};
use toolwright_testkit::llm_upstream::{Dialect, Ended, Said};

use crate::stage::{ANY, DIALECTS, MODEL, RecordingListener, ask, stage, tool};

/// Longer than any step that does not hang.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_model_that_speaks_is_cancelled() {
    for dialect in DIALECTS {
        let said = Said::text("One two three four five six seven eight nine ten.").sent("hold=4");
        let stage = stage(dialect, vec![said], Vec::new()).await;
        let stop = CancellationToken::new();
        let mut listener = RecordingListener::default();
        let question = ask("Count.").cancelled_by(stop.clone());
        let cancelling = async {
            stage
                .upstream
                .until("it speaks", SOON, |all| all.first().is_some_and(|one| one.written > 0))
                .await;
            stop.cancel();
        };
        let (answer, ()) = tokio::join!(stage.agent.ask(question, &mut listener), cancelling);
        let answer = answer.expect("an answer");
        assert_eq!(answer.stop, Stop::Cancelled);
        stage
            .upstream
            .until("the upstream is left", SOON, |all| all.iter().all(|one| one.ended == Ended::Gone))
            .await;
    }
}

#[tokio::test]
async fn tools_that_run_are_cancelled_and_have_their_results() {
    let (begun, stop) = (Arc::new(Notify::new()), CancellationToken::new());
    let begins = Arc::clone(&begun);
    let tools = vec![
        tool("hangs", ANY, move |_| {
            begins.notify_one();
            std::future::pending()
        }),
        tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) }),
    ];
    let said = vec![Said::calls(&[("a", "{}"), ("hangs", "{}")])];
    let stage = stage(Dialect::Anthropic, said, tools).await;
    let question = ask("Go.").cancelled_by(stop.clone()).in_conversation("c");
    let cancelling = async {
        begun.notified().await;
        stop.cancel();
    };
    let mut silent = Silent;
    let (answer, ()) = tokio::join!(stage.agent.ask(question, &mut silent), cancelling);
    let answer = answer.expect("an answer");
    assert_eq!((answer.stop, answer.calls.len()), (Stop::Cancelled, 2));
    assert!(answer.calls[0].result.is_ok());
    assert_eq!(answer.calls[1].result.as_ref().map_err(|error| error.code).err(), Some(ErrorCode::Cancelled));
    assert_eq!((stage.executor.running(), stage.upstream.exchanges().len()), (0, 1));
    // The next question contains the calls that ran.
    stage.upstream.script(MODEL, vec![Said::text("Yes.")]);
    stage.agent.ask(ask("And?").in_conversation("c"), &mut Silent).await.expect("an answer");
    let exchanges = stage.upstream.exchanges();
    assert!(exchanges[1].asked.body.contains("I was interrupted"));
    crate::history::check(Dialect::Anthropic, &exchanges).expect("a conversation");
}

#[tokio::test]
async fn a_question_that_is_dropped_leaves_nothing_behind() {
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let tools = vec![tool("hangs", ANY, move |_| {
        begins.notify_one();
        std::future::pending()
    })];
    let stage = stage(Dialect::Chat, vec![Said::calls(&[("hangs", "{}")])], tools).await;
    {
        let mut silent = Silent;
        let asked = stage.agent.ask(ask("Go."), &mut silent);
        tokio::select! {
            _ = asked => panic!("it hangs"),
            () = begun.notified() => {}
        }
    }
    assert_eq!(stage.executor.running(), 0);
}

#[tokio::test]
async fn cancelled_question_sends_no_request() {
    let stage = stage(Dialect::Chat, vec![Said::text("Hello.")], Vec::new()).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let answer = stage.agent.ask(ask("Hi.").cancelled_by(stop), &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, stage.upstream.exchanges().len()), (Stop::Cancelled, 0));
}
