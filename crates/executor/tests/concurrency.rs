//! Calls on many threads while tools come and go.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use support::*;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use toolwright_executor::observer::{Finished, Started};
use toolwright_executor::{Call, CallObserver, ErrorCode, Limits, ToolExecutor, ToolOutput};

#[derive(Default)]
struct Count {
    started: AtomicUsize,
    finished: AtomicUsize,
}

impl CallObserver for Count {
    fn started(&self, _: &Started<'_>) {
        self.started.fetch_add(1, Ordering::SeqCst);
    }

    fn finished(&self, _: &Finished<'_>) {
        self.finished.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_call_ends_while_tools_come_and_go() {
    const CALLERS: usize = 64;
    const CALLS: usize = 50;
    let alive = Alive::default();
    let tool = || {
        let alive = alive.clone();
        function(move |arguments: String| {
            let guard = alive.guard();
            async move {
                let _guard = guard;
                if arguments.contains("wait") {
                    sleep(Duration::from_millis(1)).await;
                }
                Ok(ToolOutput::text(arguments))
            }
        })
    };
    let registry = registry([]);
    let count = Arc::new(Count::default());
    let limits = Limits { calls_per_tool: 40, timeout: Duration::from_secs(60), ..Limits::default() };
    let executor = ToolExecutor::new(Arc::clone(&registry)).with_limits(limits).with_observer(count.clone());
    let executor = Arc::new(executor);

    let done = Arc::new(AtomicBool::new(false));
    let (stop, writer_tool, writer_registry) = (Arc::clone(&done), tool(), Arc::clone(&registry));
    let writer = tokio::task::spawn_blocking(move || {
        while !stop.load(Ordering::SeqCst) {
            let definition = of_server("demo", "work", ANY_OBJECT);
            writer_registry.register(definition, Arc::clone(&writer_tool)).expect("in order");
            std::thread::yield_now();
            writer_registry.remove_server("demo");
        }
    });
    let callers = (0..CALLERS).map(|caller| {
        let executor = Arc::clone(&executor);
        tokio::spawn(async move {
            for number in 0..CALLS {
                let sent = if number % 2 == 0 { r#"{"wait":1}"# } else { "{}" };
                let token = CancellationToken::new();
                let call = executor.execute(Call::new("work", sent).cancelled_by(token.clone()));
                if caller % 4 == 0 {
                    token.cancel();
                }
                match call.await.result {
                    Ok(output) => assert_eq!(output.text, sent),
                    Err(error) => assert!(
                        matches!(error.code, ErrorCode::UnknownTool | ErrorCode::Busy | ErrorCode::Cancelled),
                        "{error:?}"
                    ),
                }
                tokio::task::yield_now().await;
            }
        })
    });
    for ended in join_all(callers).await {
        ended.expect("no caller panics");
    }
    done.store(true, Ordering::SeqCst);
    writer.await.expect("the writer ends");
    assert_eq!((alive.count(), executor.running()), (0, 0));
    let counted = (count.started.load(Ordering::SeqCst), count.finished.load(Ordering::SeqCst));
    assert_eq!(counted, (CALLERS * CALLS, CALLERS * CALLS));
}
