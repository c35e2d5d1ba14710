//! Lines of a report for people, beside what the tests decide.

/// Says a figure where `--no-capture` shows it.
pub fn say(figure: &str, value: impl std::fmt::Display) {
    eprintln!("figure: {figure}: {value}");
}

/// The value below which this share of them lies.
pub fn share<T: Copy + Ord>(values: &mut [T], share: f64) -> T {
    values.sort_unstable();
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let at = ((values.len() as f64 - 1.0) * share) as usize;
    values[at]
}
