//! The validator against an independent one: odd schemas and values near them are also validated by the
//! `jsonschema` crate, and calls that both accept keep their bytes.
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

/// Default number of schemas per dialect.
const SCHEMAS: u32 = 5_000;
/// Values per schema.
const VALUES: usize = 8;

#[test]
fn odd_2020_12_schemas_agree_with_the_oracle() {
    compare(Dialect::Modern);
}

#[test]
fn odd_draft_7_schemas_agree_with_the_oracle() {
    compare(Dialect::Seven);
}

fn compare(dialect: Dialect) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(SCHEMAS);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let (validated, accepted) = (Cell::new(0u32), Cell::new(0u32));
    let strategy = (schema(dialect), vec(any::<u64>(), VALUES));
    let result = TestRunner::new(config).run(&strategy, |(schema, seeds)| {
        let validators = Validators::of(dialect, &schema)?;
        for seed in seeds {
            let value = near(&schema, seed);
            validated.set(validated.get() + 1);
            accepted.set(accepted.get() + u32::from(validators.compare(&value)?));
        }
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, (schema, _))) => panic!("{reason}\nschema: {schema}"),
        Err(abort) => panic!("{abort}"),
    }
    // Cases with the same result would not test either validator.
    let share = f64::from(accepted.get()) / f64::from(validated.get());
    assert!(cases < 1_000 || (0.25..0.75).contains(&share), "{share} of {} are valid", validated.get());
}

/// Both validators of one schema.
struct Validators {
    ours: Tool,
    oracle: jsonschema::Validator,
    normalizer: Normalizer,
}

impl Validators {
    fn of(dialect: Dialect, schema: &Value) -> Result<Validators, TestCaseError> {
        let oracle = match dialect {
            Dialect::Modern => jsonschema::draft202012::new(schema),
            Dialect::Seven => jsonschema::draft7::new(schema),
        };
        let oracle =
            oracle.map_err(|error| TestCaseError::fail(format!("no schema to the oracle: {error}")))?;
        Ok(Validators { ours: tool("probe", &schema.to_string()), oracle, normalizer: Normalizer::default() })
    }

    /// The result of the oracle. It panics on some schemas that refer to themselves; those are skipped.
    fn oracle_accepts(&self, value: &Value) -> Result<bool, TestCaseError> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.oracle.is_valid(value)))
            .map_err(|_| TestCaseError::reject("the oracle panics"))
    }

    /// Compares both on one value; returns whether they accept it. An accepted value keeps its bytes, and the
    /// oracle accepts a repaired one.
    fn compare(&self, value: &Value) -> Result<bool, TestCaseError> {
        let valid = self.oracle_accepts(value)?;
        let text = value.to_string();
        prop_assert_eq!(self.ours.accepts(&text), valid, "accepted by us, by the oracle: {}", text);
        match self.normalizer.normalize(&self.ours, &RawArguments::json(&text)) {
            Outcome::Unchanged => prop_assert!(valid, "unchanged, but invalid: {}", text),
            outcome if valid => prop_assert!(false, "valid, but changed: {} {:?}", text, outcome),
            Outcome::Refused { .. } => {}
            Outcome::Repaired { arguments, .. } => {
                let repaired_text: Value =
                    serde_json::from_str(&arguments).expect("mended arguments are JSON");
                prop_assert!(
                    self.oracle_accepts(&repaired_text)?,
                    "mended into what is invalid: {} {}",
                    text,
                    arguments
                );
            }
        }
        Ok(valid)
    }
}
