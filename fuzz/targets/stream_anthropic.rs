//! libFuzzer on streams of Anthropic Messages.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::stream_anthropic(data));
