//! T1: a string that contains the declared number, boolean or null, and a digit for a boolean.
//!
//! # What it does
//! `"42"` becomes `42` if an integer is declared, `"false"` becomes `false`, `"null"` becomes
//! `null`. A bare `1` or `0` is a boolean if nothing else is accepted. The digits stay as written, so integers beyond 2^53 stay exact.
//!
//! # What it refuses
//! Expressions (`5*2800`), units (`10px`), thousands separators (`1,000`, `1.000`), hexadecimal, leading
//! zeros, fractions for integers, and every word that is not clearly one of the two booleans. Destructive
//! flags, and all flags of a destructive tool, accept `true` and `false` only. For a destructive or writing
//! tool, no word becomes the null of a parameter that narrows or guards.

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Node, Number, is_json_number};
use toolwright_model::Code;

use super::problems::whole_numbers_around;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath, problem};
use crate::costs;
use crate::names::is_destructive_flag;
use crate::schema::{Goal, Types};

const BOOLEAN_WORD: &str = "the word for a boolean";
const DIGITS: &str = "the digits of a number";

impl<'a> Fitter<'_, 'a> {
    pub(super) fn string_to_scalar(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Vec<Attempt<'a>> {
        let Some(text) = value.as_text() else { return Vec::new() };
        let text = text.trim();
        let types = goal.types(self.validator.schema());
        let mut found = Vec::new();
        let mut propose = |node: Node<'a>, cost: u32, why: &str| {
            found.push(Ok(Fit::edited(Code::StringToScalar, path, value, node, cost, why)));
        };
        if types.overlaps(Types::NULL)
            && matches!(text, "null" | "None" | "NULL" | "Null" | "nil" | "undefined")
            && !self.is_guarded(path)
        {
            propose(Node::built(Kind::Null), costs::VALUE_FORM, "the word for null");
        }
        if types.overlaps(Types::BOOLEAN)
            && let Some((boolean, cost)) = boolean(text, || self.is_strict_flag(slot))
        {
            propose(Node::built(Kind::Bool(boolean)), cost, BOOLEAN_WORD);
        }
        if types.overlaps(Types::NUMBER) {
            match number(text) {
                Some(number) if is_grouped(&number) && !types.accept(&Node::built(Kind::Number("0.5"))) => {
                    let message = format!("\"{text}\" may be a thousand times that; send the digits alone");
                    found.push(Err(vec![problem(Code::LossyNumber, path, message)]));
                }
                Some(number) if types.accept(&Node::built(Kind::Number(&number))) => {
                    let node = Node::built(Kind::Number(self.arena.alloc_str(&number)));
                    propose(node, costs::VALUE_FORM, DIGITS);
                }
                Some(number) => {
                    let message = format!(
                        "\"{text}\" is not a whole number; an integer is expected{}",
                        whole_numbers_around(&number)
                    );
                    found.push(Err(vec![problem(Code::LossyNumber, path, message)]));
                }
                None if looks_like_expression(text) => {
                    let message = format!("\"{text}\" is an expression; send the number it stands for");
                    found.push(Err(vec![problem(Code::Expression, path, message)]));
                }
                None => {}
            }
        }
        found
    }

    /// `1` and `0` if only a boolean is accepted.
    pub(super) fn number_to_boolean(
        &self,
        goal: &Goal,
        number: &str,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let is_flag = goal.types(self.validator.schema()) == Types::BOOLEAN && !slot.in_list;
        if !is_flag || self.is_strict_flag(slot) {
            return None;
        }
        let node = match number {
            "1" => Node::built(Kind::Bool(true)),
            "0" => Node::built(Kind::Bool(false)),
            _ => return None,
        };
        let cost = costs::VALUE_FORM + costs::MARGIN;
        Some(Ok(Fit::edited(Code::StringToScalar, path, value, node, cost, "the digit for a boolean")))
    }

    /// Whether only `true` and `false` are accepted.
    fn is_strict_flag(&self, slot: ParameterSlot<'_>) -> bool {
        self.context.has_strict_flags || is_destructive_flag(slot.name)
    }
}

/// The number or boolean in a text, with the reason, if nothing but one of them is declared and no other
/// reading is within the margin.
pub(crate) fn plain_scalar<'a>(
    value: &Node<'a>,
    types: Types,
    arena: &'a Bump,
) -> Option<(Node<'a>, &'static str)> {
    let text = value.as_text()?;
    let text = text.trim();
    if types == Types::BOOLEAN {
        let is_true = text.eq_ignore_ascii_case("true");
        let is_word = is_true || text.eq_ignore_ascii_case("false");
        return is_word.then(|| (Node::built(Kind::Bool(is_true)), BOOLEAN_WORD));
    }
    if types != Types::INTEGER && types != Types::NUMBER {
        return None;
    }
    let digits = number(text).filter(|digits| !is_grouped(digits))?;
    let node = Node::built(Kind::Number(arena.alloc_str(&digits)));
    types.accept(&node).then_some((node, DIGITS))
}

fn boolean(text: &str, is_strict: impl Fn() -> bool) -> Option<(bool, u32)> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "true" => Some((true, costs::VALUE_FORM)),
        "false" => Some((false, costs::VALUE_FORM)),
        _ if is_strict() => None,
        "yes" | "on" => Some((true, costs::VALUE_FORM + 2)),
        "no" | "off" => Some((false, costs::VALUE_FORM + 2)),
        "1" => Some((true, costs::VALUE_FORM + costs::MARGIN)),
        "0" => Some((false, costs::VALUE_FORM + costs::MARGIN)),
        _ => None,
    }
}

/// The JSON number in a text, if the text is nothing else.
fn number(text: &str) -> Option<String> {
    // `+2` may be an increment; `+13.4` is a coordinate with its sign.
    let text = text
        .strip_prefix('+')
        .filter(|rest| !rest.starts_with(['+', '-']) && rest.contains('.'))
        .unwrap_or(text);
    let completed = match text.strip_prefix('-').unwrap_or(text).strip_prefix('.') {
        Some(fraction) if !fraction.is_empty() => text.replacen('.', "0.", 1),
        _ => text.to_owned(),
    };
    (is_json_number(&completed) && Number::parse(&completed).is_some()).then_some(completed)
}

/// `1.000` is a thousand in half of the world.
fn is_grouped(number: &str) -> bool {
    let mut groups = number.trim_start_matches('-').split('.');
    let is_lead = |group: &str| (1..=3).contains(&group.len()) && group != "0";
    groups.next().is_some_and(is_lead) && groups.next().is_some_and(|group| group.len() == 3)
}

fn looks_like_expression(text: &str) -> bool {
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let operator =
        text.starts_with('+') || text.chars().skip(1).any(|char| matches!(char, '*' | '+' | '/' | '(' | '^'));
    digit && operator
}

#[cfg(test)]
mod tests {
    use super::{boolean, number};

    #[test]
    fn only_plain_numbers_are_numbers() {
        for (text, expected) in [
            ("42", Some("42")),
            ("+5", None),
            ("+13.4", Some("13.4")),
            (".5", Some("0.5")),
            ("1e3", Some("1e3")),
            ("10.0", Some("10.0")),
            ("12345678901234567890123", Some("12345678901234567890123")),
            ("5*2800", None),
            ("1,000", None),
            ("0x10", None),
            ("007", None),
            ("10px", None),
            ("NaN", None),
            ("", None),
            ("+-5", None),
            ("5.", None),
        ] {
            assert_eq!(number(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn destructive_flags_accept_true_and_false_only() {
        assert!(boolean("yes", || false).is_some());
        assert!(boolean("yes", || true).is_none());
        assert!(boolean("TRUE", || true).is_some());
        assert!(boolean("maybe", || false).is_none());
    }
}
