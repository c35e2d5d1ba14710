//! libFuzzer on the lenient reading of text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::text(data));
