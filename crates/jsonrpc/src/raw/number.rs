//! Exact decimal numbers, compared without converting them to floats.

use std::cmp::Ordering;
use std::fmt;

/// Number of zeros that are written out before an exponent is used.
const PLAIN_ZEROS: i64 = 18;

/// A number as sign, significant digits and exponent: `-12.50` is `-125 × 10^-1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    /// Digits without leading or trailing zeros; empty for zero.
    digits: Vec<u8>,
    /// Power of ten of the last digit.
    exponent: i64,
}

impl Number {
    /// Parses JSON number text; `None` if it is not a JSON number or its exponent does not fit an `i64`.
    pub fn parse(text: &str) -> Option<Number> {
        if !super::is_json_number(text) {
            return None;
        }
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = match rest.find(['e', 'E']) {
            Some(found) => (&rest[..found], rest[found + 1..].parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64);
        let mut digits: Vec<u8> =
            mantissa.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
        let mut exponent = power.checked_sub(fraction)?;
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        while digits.last() == Some(&0) {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        if digits.is_empty() {
            return Some(Number { negative: false, digits, exponent: 0 });
        }
        Some(Number { negative, digits, exponent })
    }

    /// Appends the canonical form, which is the same for equal numbers.
    pub(super) fn write_form(&self, out: &mut String) {
        out.push(if self.negative { '-' } else { '+' });
        out.extend(self.digits.iter().map(|digit| (b'0' + digit) as char));
        out.push_str(&format!("e{}", self.exponent));
    }

    /// Whether it is a whole number (`10.0` and `1e3` are).
    pub fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Whether it is a whole multiple of `step`; `None` if the numbers are too large to compute it.
    pub fn is_multiple_of(&self, step: &Number) -> Option<bool> {
        if self.digits.is_empty() {
            return Some(true);
        }
        if step.digits.is_empty() {
            return Some(false);
        }
        let base = self.exponent.min(step.exponent);
        Some(self.scaled(base)? % step.scaled(base)? == 0)
    }

    /// The absolute value in units of `10^base`.
    fn scaled(&self, base: i64) -> Option<u128> {
        let zeros = u32::try_from(self.exponent - base).ok()?;
        let mut value: u128 = 0;
        for digit in &self.digits {
            value = value.checked_mul(10)?.checked_add(u128::from(*digit))?;
        }
        value.checked_mul(10u128.checked_pow(zeros)?)
    }

    /// Position of the first digit: the power of ten just above the number.
    fn magnitude(&self) -> i64 {
        self.exponent.saturating_add(self.digits.len() as i64)
    }

    fn compare_absolute(&self, other: &Number) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => {
                self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits.cmp(&other.digits))
            }
        }
    }
}

/// Plain digits, or an exponent where many zeros would be needed.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.digits.iter().map(|digit| (b'0' + digit) as char).collect();
        let sign = if self.negative { "-" } else { "" };
        let point = self.magnitude();
        match self.exponent {
            _ if digits.is_empty() => f.write_str("0"),
            zeros @ 0..=PLAIN_ZEROS => write!(f, "{sign}{digits}{:0<width$}", "", width = zeros as usize),
            _ if point > 0 && self.exponent < 0 => {
                let (whole, fraction) = digits.split_at(point as usize);
                write!(f, "{sign}{whole}.{fraction}")
            }
            _ if (-PLAIN_ZEROS..=0).contains(&point) => {
                write!(f, "{sign}0.{:0<width$}{digits}", "", width = point.unsigned_abs() as usize)
            }
            exponent => write!(f, "{sign}{digits}e{exponent}"),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_absolute(other),
            (true, true) => other.compare_absolute(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn forms_of_one_value_are_equal() {
        for form in ["10", "10.0", "1e1", "100E-1", "1.00e+1"] {
            assert_eq!(number(form), number("10"), "{form}");
        }
        assert_eq!(number("-0"), number("0.0"));
    }

    #[test]
    fn numbers_are_shown_in_plain_digits() {
        for (text, shown) in [
            ("100", "100"),
            ("-12.50", "-12.5"),
            ("0.001", "0.001"),
            ("1e-2", "0.01"),
            ("-0", "0"),
            ("1e40", "1e40"),
            ("2.5e-30", "25e-31"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(number(text).to_string(), shown);
            assert_eq!(number(shown), number(text));
        }
    }

    #[test]
    fn integers_beyond_2_53_stay_distinct() {
        assert!(number("9007199254740993") > number("9007199254740992"));
        assert!(number("12345678901234567890123") != number("12345678901234567890124"));
    }

    #[test]
    fn integers_are_recognized_by_value() {
        assert!(number("10.0").is_integer() && number("1e3").is_integer() && number("0").is_integer());
        assert!(!number("3.7").is_integer() && !number("1e-1").is_integer());
    }

    #[test]
    fn multiples_are_exact() {
        assert_eq!(number("0.3").is_multiple_of(&number("0.1")), Some(true));
        assert_eq!(number("7").is_multiple_of(&number("2")), Some(false));
        assert_eq!(number("1e300").is_multiple_of(&number("7")), None);
    }

    proptest! {
        #[test]
        fn orders_like_floats(a in -1e12f64..1e12, b in -1e12f64..1e12) {
            let (x, y) = (number(&format!("{a:?}")), number(&format!("{b:?}")));
            prop_assert_eq!(x.cmp(&y), a.partial_cmp(&b).unwrap());
        }
    }
}
