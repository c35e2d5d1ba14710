//! The judge against an independent one: odd schemas and values near them are judged by the
//! `jsonschema` crate too, and what both accept keeps its bytes.
//!
//! `PROPTEST_CASES` sets the number of schemas per dialect; each is tried with several values.
//! Deliberate differences are not generated: `nullable`, look-around in patterns, references out of
//! the schema, unknown type names and `format`.

use crate::odd_schemas;
use crate::support;

use std::cell::Cell;

use odd_schemas::{Dialect, near, schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::Value;
use support::tool;
use toolwright_model::Outcome;
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

/// Schemas per dialect when nothing is said.
const SCHEMAS: u32 = 5_000;
/// Values per schema.
const VALUES: usize = 8;

#[test]
fn odd_schemas_of_2020_12_are_judged_as_by_the_oracle() {
    compare(Dialect::Modern);
}

#[test]
fn odd_schemas_of_draft_7_are_judged_as_by_the_oracle() {
    compare(Dialect::Seven);
}

fn compare(dialect: Dialect) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(SCHEMAS);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let (judged, accepted) = (Cell::new(0u32), Cell::new(0u32));
    let strategy = (schema(dialect), vec(any::<u64>(), VALUES));
    let result = TestRunner::new(config).run(&strategy, |(schema, seeds)| {
        let judges = Judges::of(dialect, &schema)?;
        for seed in seeds {
            let value = near(&schema, seed);
            judged.set(judged.get() + 1);
            accepted.set(accepted.get() + u32::from(judges.compare(&value)?));
        }
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, (schema, _))) => panic!("{reason}\nschema: {schema}"),
        Err(abort) => panic!("{abort}"),
    }
    // Neither judge is tested by cases that all go one way.
    let share = f64::from(accepted.get()) / f64::from(judged.get());
    assert!(cases < 1_000 || (0.25..0.75).contains(&share), "{share} of {} are valid", judged.get());
}

/// Both judges of one schema.
struct Judges {
    ours: Tool,
    oracle: jsonschema::Validator,
    normalizer: Normalizer,
}

impl Judges {
    fn of(dialect: Dialect, schema: &Value) -> Result<Judges, TestCaseError> {
        let oracle = match dialect {
            Dialect::Modern => jsonschema::draft202012::new(schema),
            Dialect::Seven => jsonschema::draft7::new(schema),
        };
        let oracle =
            oracle.map_err(|error| TestCaseError::fail(format!("no schema to the oracle: {error}")))?;
        Ok(Judges { ours: tool("probe", &schema.to_string()), oracle, normalizer: Normalizer::default() })
    }

    /// The oracle's word. It panics on some schemas that refer to themselves; those say nothing.
    fn oracle_accepts(&self, value: &Value) -> Result<bool, TestCaseError> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.oracle.is_valid(value)))
            .map_err(|_| TestCaseError::reject("the oracle panics"))
    }

    /// Both on one value; whether they accept it. What is accepted keeps its bytes, and what is
    /// mended is accepted by the oracle.
    fn compare(&self, value: &Value) -> Result<bool, TestCaseError> {
        let valid = self.oracle_accepts(value)?;
        let text = value.to_string();
        prop_assert_eq!(self.ours.accepts(&text), valid, "accepted by us, by the oracle: {}", text);
        match self.normalizer.normalize(&self.ours, &RawArguments::json(&text)) {
            Outcome::Unchanged => prop_assert!(valid, "unchanged, but invalid: {}", text),
            outcome if valid => prop_assert!(false, "valid, but changed: {} {:?}", text, outcome),
            Outcome::Refused { .. } => {}
            Outcome::Repaired { arguments, .. } => {
                let mended: Value = serde_json::from_str(&arguments).expect("mended arguments are JSON");
                prop_assert!(
                    self.oracle_accepts(&mended)?,
                    "mended into what is invalid: {} {}",
                    text,
                    arguments
                );
            }
        }
        Ok(valid)
    }
}
