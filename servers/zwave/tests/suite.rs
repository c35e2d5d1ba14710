//! The program itself, without a house; with one it is tested in `crates/testkit/tests/house`.

mod program;
