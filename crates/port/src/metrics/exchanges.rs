//! Exchanges with models on the page.

use std::collections::BTreeMap;

use toolwright_proxy::{TIMES, UpstreamNumbers};
use toolwright_telemetry::names::prometheus;

use super::text::Page;

/// Writes what came of exchanges, by upstream.
pub(super) fn on(page: &mut Page, upstreams: &BTreeMap<String, UpstreamNumbers>) {
    page.family(prometheus::EXCHANGES, "counter", "Exchanges with models by upstream and outcome.");
    for (upstream, numbers) in upstreams {
        for (outcome, count) in &numbers.outcomes {
            page.sample(prometheus::EXCHANGES, &[("upstream", upstream), ("outcome", outcome)], count);
        }
    }
    page.family(prometheus::EXCHANGE_TOKENS, "counter", "Tokens of exchanges by upstream and kind.");
    for (upstream, numbers) in upstreams {
        for (kind, count) in [
            ("input", numbers.input_tokens),
            ("cache_read", numbers.cache_read_tokens),
            ("cache_write", numbers.cache_write_tokens),
            ("output", numbers.output_tokens),
            ("reasoning", numbers.reasoning_tokens),
        ] {
            page.sample(prometheus::EXCHANGE_TOKENS, &[("upstream", upstream), ("kind", kind)], count);
        }
    }
    type Count = fn(&UpstreamNumbers) -> u64;
    let calls: [(&str, &str, Count); 3] = [
        (prometheus::EXCHANGE_CALLS, "Tool calls in answers of models.", |numbers| numbers.calls),
        (prometheus::EXCHANGE_CALLS_REPAIRED, "Those that were mended.", |numbers| numbers.repaired),
        (prometheus::EXCHANGE_CALLS_REFUSED, "Those that could not be mended.", |numbers| numbers.refused),
    ];
    for (name, help, count) in calls {
        page.family(name, "counter", help);
        for (upstream, numbers) in upstreams {
            page.sample(name, &[("upstream", upstream)], count(numbers));
        }
    }
    let name = prometheus::EXCHANGE_DURATION;
    page.family(name, "histogram", "The time of exchanges with models.");
    for (upstream, numbers) in upstreams {
        let mut below = 0;
        for (bound, count) in TIMES.iter().zip(numbers.times) {
            below += count;
            let labels = [("upstream", upstream.as_str()), ("le", &bound.to_string())];
            page.sample(&format!("{name}_bucket"), &labels, below);
        }
        let (upstream, count) = (("upstream", upstream.as_str()), numbers.count());
        page.sample(&format!("{name}_bucket"), &[upstream, ("le", "+Inf")], count);
        page.sample(&format!("{name}_sum"), &[upstream], numbers.micros as f64 / 1e6);
        page.sample(&format!("{name}_count"), &[upstream], count);
    }
}
