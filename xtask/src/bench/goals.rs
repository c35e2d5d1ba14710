//! Whether the figures are what the project promises itself.

use super::column::Column;
use super::inputs::{Kind, Row, Size};
use super::judge::Verdict;
use super::lane::Lane;
use super::order::Timing;
use super::table::{duration, ours};

/// Half of the small valid calls take at most this.
const VALID_P50_NS: f64 = 1_000.0;

/// All but one of a hundred repaired calls of ordinary size take at most this.
const REPAIRED_P99_NS: f64 = 15_000.0;

/// Renders each goal with the figure that decides it.
pub fn render(rows: &[Row], columns: &[Column]) -> String {
    let mut text = String::new();
    let Some(ours) = ours(columns) else { return text };
    for (row, (timing, _)) in rows.iter().zip(&ours.rows) {
        let goal = match (row.kind, row.size) {
            (Kind::Valid, Size::Small) => Some(("p50", timing.p50(), VALID_P50_NS)),
            (Kind::Valid, _) | (_, Size::Large) => None,
            _ => Some(("p99", timing.p99(), REPAIRED_P99_NS)),
        };
        if let Some((percentile, measured, goal)) = goal {
            let word = if measured <= goal { "met" } else { "missed" };
            let (goal, measured) = (duration(goal), duration(measured));
            text.push_str(&format!("goal {word}: {percentile} ≤ {goal} for {}: {measured}\n", name(row)));
        }
    }
    let not_right = wrong_rows(rows, &ours.rows);
    match not_right.as_slice() {
        [] => text.push_str("goal met: every row right\n"),
        _ => text.push_str(&format!("goal missed: not right on {}\n", not_right.join(", "))),
    }
    let (right, not_right): (Vec<_>, Vec<_>) =
        quicker_peers(rows, columns).into_iter().partition(|peer| peer.verdict == Verdict::Right);
    match right.as_slice() {
        [] => text.push_str("goal met: never slower than a peer that is right\n"),
        _ => text.push_str(&format!("goal missed: slower than a peer that is right on {}\n", list(&right))),
    }
    if !not_right.is_empty() {
        text.push_str(&format!("quicker, but not right: {}\n", list(&not_right)));
    }
    text
}

fn wrong_rows(rows: &[Row], cells: &[(Timing, Verdict)]) -> Vec<String> {
    let wrong = rows.iter().zip(cells).filter(|(_, (_, verdict))| *verdict != Verdict::Right);
    wrong.map(|(row, _)| name(row)).collect()
}

fn name(row: &Row) -> String {
    format!("{} {}", row.kind.label(), row.size.label())
}

/// A row on which half of a peer's calls take less time than half of ours.
#[derive(Debug)]
struct Quicker {
    row: String,
    peer: &'static str,
    verdict: Verdict,
}

fn list(peers: &[Quicker]) -> String {
    let words = peers.iter().map(|quicker| format!("{} ({})", quicker.row, quicker.peer));
    words.collect::<Vec<_>>().join(", ")
}

fn quicker_peers(rows: &[Row], columns: &[Column]) -> Vec<Quicker> {
    let Some(ours) = ours(columns) else { return Vec::new() };
    let mut quicker = Vec::new();
    for column in columns.iter().filter(|column| column.lane != Lane::Ours) {
        let Ok(cells) = &column.cells else { continue };
        for ((row, (peer, verdict)), (own, _)) in rows.iter().zip(&cells.rows).zip(&ours.rows) {
            if peer.p50() < own.p50() {
                quicker.push(Quicker { row: name(row), peer: column.lane.name(), verdict: *verdict });
            }
        }
    }
    quicker
}

#[cfg(test)]
mod tests {
    use super::super::inputs;
    use super::*;

    fn column(lane: Lane, p50: f64, verdict: Verdict, count: usize) -> Column {
        let timing = Timing::Measured { p50, p99: p50 * 2.0 };
        Column::measured(lane, vec![(timing, verdict); count])
    }

    fn rendered(ours: (f64, Verdict), peer: (f64, Verdict)) -> String {
        let rows = inputs::rows();
        let column = |lane, (p50, verdict)| column(lane, p50, verdict, rows.len());
        render(&rows, &[column(Lane::Ours, ours), column(Lane::Ajv, peer)])
    }

    #[test]
    fn goals_are_met_or_missed_by_name() {
        let text = rendered((900.0, Verdict::Right), (9000.0, Verdict::Right));
        assert!(text.contains("goal met: p50 ≤ 1.00 µs for valid 60 B: 900 ns"), "{text}");
        assert!(text.contains("goal met: every row right"), "{text}");
        assert!(text.contains("goal met: never slower than a peer that is right"), "{text}");
        assert!(!text.contains("missed"), "{text}");

        let text = rendered((9000.0, Verdict::Wrong), (900.0, Verdict::Right));
        assert!(text.contains("goal missed: p50 ≤ 1.00 µs for valid 60 B: 9.00 µs"), "{text}");
        assert!(text.contains("goal missed: not right on valid 60 B, "), "{text}");
        assert!(
            text.contains("goal missed: slower than a peer that is right on valid 60 B (ajv), "),
            "{text}"
        );
    }

    #[test]
    fn a_peer_that_refuses_is_named_apart() {
        let text = rendered((9000.0, Verdict::Right), (900.0, Verdict::Refuses));
        assert!(text.contains("goal met: never slower than a peer that is right"), "{text}");
        assert!(text.contains("quicker, but not right: valid 60 B (ajv), "), "{text}");
    }
}
