//! An exchange with a model, as part of a line.

use std::time::Duration;

use toolwright_ledger::Exchange;

/// What was asked for, and of whom: `claude-haiku-4-5 -> openai/gpt-4.1-mini`.
pub fn asked(exchange: &Exchange) -> String {
    let Exchange { model, upstream, upstream_model, .. } = exchange;
    let answered = match upstream_model.is_empty() {
        true => upstream.clone(),
        false => format!("{upstream}/{upstream_model}"),
    };
    match (model.is_empty() || model == upstream_model, answered.is_empty()) {
        (true, _) => answered,
        (false, true) => model.clone(),
        (false, false) => format!("{model} -> {answered}"),
    }
}

/// What came of it: status, tokens, calls and what was mended, first token.
pub fn outcome(exchange: &Exchange) -> String {
    let mut parts = vec![exchange.status.to_string()];
    // What was read, from wherever it came.
    let read = [exchange.input_tokens, exchange.cache_read_tokens, exchange.cache_write_tokens];
    let read = read.iter().any(Option::is_some).then(|| read.iter().flatten().sum::<u64>());
    match (read, exchange.output_tokens) {
        (None, None) => {}
        (read, written) => {
            let count =
                |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
            parts.push(format!("{} in, {} out", count(read), count(written)));
        }
    }
    if exchange.calls > 0 {
        let plural = if exchange.calls == 1 { "" } else { "s" };
        let mut calls = format!("{} call{plural}", exchange.calls);
        for (count, what) in [(exchange.repaired, "mended"), (exchange.refused, "refused")] {
            if count > 0 {
                calls.push_str(&format!(", {count} {what}"));
            }
        }
        parts.push(calls);
    }
    if exchange.history_repaired > 0 {
        parts.push(format!("{} of before mended", exchange.history_repaired));
    }
    if exchange.attempts > 1 {
        parts.push(format!("{} attempts", exchange.attempts));
    }
    if let Some(us) = exchange.first_token_us {
        parts.push(format!("first after {:.1?}", Duration::from_micros(us)));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_told_in_a_few_words() {
        let exchange = Exchange {
            model: "claude-haiku-4-5".into(),
            upstream: "openai".into(),
            upstream_model: "gpt-4.1-mini".into(),
            status: 200,
            input_tokens: Some(900),
            cache_read_tokens: Some(100),
            output_tokens: Some(20),
            first_token_us: Some(250_000),
            calls: 2,
            repaired: 1,
            attempts: 2,
            ..Exchange::default()
        };
        assert_eq!(asked(&exchange), "claude-haiku-4-5 -> openai/gpt-4.1-mini");
        assert_eq!(
            outcome(&exchange),
            "200; 1000 in, 20 out; 2 calls, 1 mended; 2 attempts; first after 250.0ms"
        );
        let same = Exchange {
            model: "m".into(),
            upstream: "local".into(),
            upstream_model: "m".into(),
            ..Exchange::default()
        };
        assert_eq!((asked(&same), outcome(&same)), ("local/m".to_owned(), "0".to_owned()));
    }
}
