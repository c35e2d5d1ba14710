//! What redaction costs: `cargo bench -p toolwright-bench --bench redact`.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use toolwright_redact::{RedactOptions, Redactor};

fn main() {
    let Ok(redactor) = Redactor::new([7; 32], RedactOptions::default()) else { return };
    let known = redactor.with_known((0..20).map(|number| format!("known-secret-{number}-8Jx2")).collect());
    let plain = r#"{"path":"src/main.rs","recursive":true,"limit":20,"q":"fn"}"#;
    let secret = r#"{"path":"src/main.rs","api_key":"hunter2-hunter2","limit":20}"#;
    let code =
        "let total = items.iter().map(|item| item.price * 2).sum();\\n    println!(\\\"{total}\\\");\\n";
    let large = format!(r#"{{"path":"a.rs","content":"{}"}}"#, code.repeat((1 << 20) / code.len()));
    let words = "the quick brown fox jumps over the lazy dog, and nothing happens. ".repeat(16 << 10);
    per_call("60 bytes, nothing in them", 200_000, || redactor.json(black_box(plain)).len());
    per_call("60 bytes, nothing in them, 20 known values", 200_000, || known.json(black_box(plain)).len());
    per_call("60 bytes, one secret", 100_000, || redactor.json(black_box(secret)).len());
    per_call("an error of one line", 100_000, || {
        redactor.text(black_box("no such file: src/main.rs (os error 2)")).len()
    });
    per_call("1 MiB of code in JSON", 10, || known.json(black_box(&large)).len());
    per_call("1 MiB of words", 10, || known.text(black_box(&words)).len());
}

fn per_call(name: &str, calls: u32, mut call: impl FnMut() -> usize) {
    for _ in 0..calls / 10 {
        black_box(call());
    }
    // The best of five: the machine may do something else.
    let round = |_| {
        let begin = Instant::now();
        for _ in 0..calls {
            black_box(call());
        }
        begin.elapsed() / calls
    };
    if let Some(best) = (0..5).map(round).min() {
        println!("{name:45} {best:?}");
    }
}
