//! libFuzzer on the rules file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::rules(data));
