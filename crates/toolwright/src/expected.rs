//! What a value on the command line should have been: the typed error of value parsers.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What to write instead, in the imperative. It is shown as the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Expected(pub String);

impl Expected {
    /// A value that should have been this.
    pub fn new(fix: impl Into<String>) -> Expected {
        Expected(fix.into())
    }
}

/// Reads a whole number of this range.
pub fn number_from<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, Expected> + Clone
where
    T: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| Expected(format!("write a number from {} to {}", range.start(), range.end())))
    }
}

/// Reads a whole number that is at least this.
pub fn number_at_least(least: u32) -> impl Fn(&str) -> Result<u32, Expected> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| *number >= least);
        number.ok_or_else(|| Expected(format!("write a whole number of at least {least}")))
    }
}
