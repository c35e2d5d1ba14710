//! libFuzzer on messages among other lines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::lines(data));
