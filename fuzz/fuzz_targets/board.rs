//! Runs `queens_fuzz::board` on whatever the fuzzer makes up.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| queens_fuzz::board(data));
