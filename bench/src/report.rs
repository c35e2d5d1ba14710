//! The table for people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::case::Verdict;
use crate::tally::{Grade, Judged};

/// How the cases of one row went.
#[derive(Debug, Default, Clone, Copy)]
struct Row {
    cases: usize,
    right: usize,
    refused: usize,
}

impl Row {
    fn add(&mut self, grade: Grade) {
        self.cases += 1;
        self.right += usize::from(grade == Grade::Right);
        self.refused += usize::from(grade == Grade::Refused);
    }

    fn percent(self, part: usize) -> f64 {
        if self.cases == 0 { 0.0 } else { part as f64 * 100.0 / self.cases as f64 }
    }

    fn wrong(self) -> usize {
        self.cases - self.right - self.refused
    }
}

/// All tables as text.
pub fn text(judged: &[Judged<'_>], elapsed: Duration) -> String {
    let mut out = String::new();
    let of = |verdict: Verdict| judged.iter().filter(move |one| one.case.verdict == verdict);
    let by_group = |one: &Judged<'_>| vec![one.case.group.clone()];
    let by_layer = |one: &Judged<'_>| one.case.layers.clone();
    let by_first = |one: &Judged<'_>| one.case.layers.first().cloned().into_iter().collect();

    let repairs = ["exact %", "refused %", "wrong %"];
    let valid = ["kept %", "refused %", "changed %"];
    let traps = ["refused %", "accepted %"];
    table(&mut out, "repairs", &repairs, rows(of(Verdict::Repair), by_group));
    table(&mut out, "valid calls", &valid, rows(of(Verdict::Unchanged), by_group));
    table(&mut out, "traps", &traps, rows(of(Verdict::Refuse), by_group));
    let alone = of(Verdict::Repair).filter(|one| one.case.layers.len() == 1);
    table(&mut out, "repairs by kind, alone", &repairs, rows(alone, by_layer));
    let combined = of(Verdict::Repair).filter(|one| one.case.layers.len() > 1);
    table(&mut out, "repairs by kind, combined", &repairs, rows(combined, by_layer));
    table(&mut out, "valid calls by kind", &valid, rows(of(Verdict::Unchanged), by_layer));
    table(&mut out, "traps by kind", &traps, rows(of(Verdict::Refuse), by_first));
    let each = elapsed.as_micros() as f64 / judged.len().max(1) as f64;
    let _ = writeln!(
        out,
        "{} cases in {:.2} s, {each:.1} µs each with pipes",
        judged.len(),
        elapsed.as_secs_f64()
    );
    out
}

fn rows<'a>(
    judged: impl Iterator<Item = &'a Judged<'a>>,
    names: impl Fn(&Judged<'_>) -> Vec<String>,
) -> BTreeMap<String, Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for one in judged {
        let mut names = names(one);
        names.sort();
        names.dedup();
        for name in names {
            rows.entry(name).or_default().add(one.grade);
        }
    }
    rows
}

/// Three columns are right, refused and wrong; two are right and wrong, where a refusal is right.
fn table(out: &mut String, title: &str, columns: &[&str], rows: BTreeMap<String, Row>) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(out, "{title:<40} {:>7}", "cases");
    for column in columns {
        let _ = write!(out, " {column:>10}");
    }
    out.push('\n');
    for (name, row) in rows {
        let _ = write!(out, "  {name:<38} {:>7}", row.cases);
        let parts = if columns.len() == 2 {
            vec![row.right, row.wrong()]
        } else {
            vec![row.right, row.refused, row.wrong()]
        };
        for part in parts {
            let _ = write!(out, " {:>10.2}", row.percent(part));
        }
        out.push('\n');
    }
    out.push('\n');
}
