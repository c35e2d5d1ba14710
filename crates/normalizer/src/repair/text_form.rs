//! T5: a number where a string is declared.
//!
//! # What it does
//! `777` becomes `"777"`: the digits exactly as they were written, so nothing is lost.
//!
//! # What it refuses
//! Numbers in exponent form, whose text is hardly ever intended.

use toolwright_jsonrpc::raw::Node;
use toolwright_model::Code;

use super::{Attempt, Fit, Fitter, ValuePath};
use crate::costs;
use crate::schema::{Goal, Types};

impl<'a> Fitter<'_, 'a> {
    pub(super) fn number_to_text(
        &self,
        goal: &Goal,
        number: &str,
        value: &Node<'a>,
        path: &ValuePath<'_>,
    ) -> Option<Attempt<'a>> {
        let schema = self.validator.schema();
        if !goal.types(schema).overlaps(Types::STRING) || number.contains(['e', 'E']) || number == "-0" {
            return None;
        }
        if goal.has_options(schema) {
            return None;
        }
        let node = self.text_node(number);
        Some(Ok(Fit::edited(
            Code::NumberToString,
            path,
            value,
            node,
            costs::VALUE_TEXT,
            "the digits as text",
        )))
    }
}
