//! What the executor adds to a call: a tool that does nothing, called directly and through it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use toolwright_executor::{Call, ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
use toolwright_model::ToolDefinition;

use crate::stopwatch::{Timing, nanoseconds, percentile};

/// How many tasks call at once, row by row.
const CALLERS: [usize; 2] = [1, 64];
/// How many calls of a row are made before it is measured, and how many are measured.
const WARM_UP_CALLS: usize = 20_000;
const CALLS: usize = 400_000;
/// After so many calls a caller lets the others run.
const TURN: usize = 50;
/// How many rounds; the quietest counts.
const ROUNDS: usize = 3;

const NAME: &str = "set_level";
const ARGUMENTS: &str = r#"{"deviceName":"Switch One","level":50}"#;
const SCHEMA: &str = r#"{"type":"object","properties":{"deviceName":{"type":"string"},"level":{"type":"integer"}},
    "required":["deviceName"],"additionalProperties":false}"#;

/// A tool that does nothing.
struct Nothing;

impl ToolFunction for Nothing {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { Ok(ToolOutput::text(arguments)) })
    }
}

/// How the tool is called.
#[derive(Clone)]
enum Way {
    Directly(Arc<dyn ToolFunction>),
    Through(Arc<ToolExecutor>),
}

impl Way {
    async fn call(&self) -> usize {
        match self {
            Way::Directly(function) => {
                let answer = Arc::clone(function).call(ARGUMENTS.to_owned()).await;
                answer.map_or(0, |output| output.text.len())
            }
            Way::Through(executor) => {
                let outcome = executor.execute(Call::new(NAME, ARGUMENTS)).await;
                outcome.result.map_or(0, |output| output.text.len())
            }
        }
    }
}

/// Measures every row and reports them as JSON.
pub fn measure() -> Result<Value, String> {
    let function: Arc<dyn ToolFunction> = Arc::new(Nothing);
    let registry = Arc::new(ToolRegistry::new());
    let definition = ToolDefinition {
        name: NAME.to_owned(),
        server: Some("bench".to_owned()),
        description: "Does nothing.".to_owned(),
        input_schema: SCHEMA.to_owned(),
        ..ToolDefinition::default()
    };
    registry.register(definition, Arc::clone(&function)).map_err(|error| error.to_string())?;
    let ways = [Way::Directly(function), Way::Through(Arc::new(ToolExecutor::new(registry)))];
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .map_err(|error| format!("the runtime: {error}"))?;
    let clock = clock_cost();
    let mut rows = Vec::new();
    for callers in CALLERS {
        let mut best: [Option<Timing>; 2] = [None, None];
        for _ in 0..ROUNDS {
            for (way, best) in ways.iter().zip(&mut best) {
                let timing = runtime.block_on(time(way, callers, clock))?;
                if best.as_ref().is_none_or(|best| timing.p50_ns < best.p50_ns) {
                    *best = Some(timing);
                }
            }
        }
        let [Some(direct), Some(through)] = best else { return Err("nothing was measured".to_owned()) };
        let shown = |timing: &Timing| json!({"p50_ns": timing.p50_ns, "p99_ns": timing.p99_ns});
        rows.push(json!({"callers": callers, "direct": shown(&direct), "executor": shown(&through)}));
    }
    Ok(json!({"rows": rows}))
}

/// Each caller is a task; each call is timed from its making to its answer.
async fn time(way: &Way, callers: usize, clock: Duration) -> Result<Timing, String> {
    let tasks = (0..callers).map(|_| {
        let way = way.clone();
        tokio::spawn(async move {
            let mut samples = Vec::with_capacity(CALLS / callers);
            for number in 0..(WARM_UP_CALLS + CALLS) / callers {
                let begun = Instant::now();
                black_box(way.call().await);
                let taken = begun.elapsed().saturating_sub(clock);
                if number >= WARM_UP_CALLS / callers {
                    samples.push(nanoseconds(taken));
                }
                if number % TURN == 0 {
                    tokio::task::yield_now().await;
                }
            }
            samples
        })
    });
    let mut samples = Vec::with_capacity(CALLS);
    for done in join_all(tasks).await {
        samples.extend(done.map_err(|error| error.to_string())?);
    }
    samples.sort_unstable();
    Ok(Timing { p50_ns: percentile(&samples, 50), p99_ns: percentile(&samples, 99) })
}

/// What reading the clock costs: it is taken off every sample.
fn clock_cost() -> Duration {
    let mut samples: Vec<Duration> = (0..WARM_UP_CALLS).map(|_| Instant::now().elapsed()).collect();
    samples.sort_unstable();
    samples[samples.len() / 2]
}
