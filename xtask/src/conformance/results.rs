//! What the suite says of its scenarios.

/// One scenario.
#[derive(Debug, PartialEq, Eq)]
struct Scenario {
    name: String,
    has_passed: bool,
    /// Such as `3 passed, 1 failed`.
    checks: String,
    is_required: bool,
}

/// All of one run.
#[derive(Debug)]
pub struct Results {
    scenarios: Vec<Scenario>,
}

impl Results {
    /// Reads what the suite prints: a line for each scenario, and behind them which are not scored.
    pub fn read(text: &str) -> Results {
        let mut scenarios: Vec<Scenario> = Vec::new();
        for line in text.lines().map(str::trim) {
            let (has_passed, rest) = match (line.strip_prefix("✓ "), line.strip_prefix("✗ ")) {
                (Some(rest), _) => (true, rest),
                (_, Some(rest)) => (false, rest),
                _ => continue,
            };
            if let Some((name, checks)) = rest.split_once(": ") {
                let (name, checks) = (name.to_owned(), checks.to_owned());
                scenarios.push(Scenario { name, has_passed, checks, is_required: true });
            } else if let Some((name, _)) = rest.split_once(" (") {
                let named = scenarios.iter_mut().filter(|scenario| scenario.name == name);
                named.for_each(|scenario| scenario.is_required = false);
            }
        }
        Results { scenarios }
    }

    /// How many required scenarios passed.
    pub fn passed(&self) -> usize {
        self.scenarios.iter().filter(|scenario| scenario.is_required && scenario.has_passed).count()
    }

    /// The required ones that did not.
    pub fn failed(&self) -> Vec<&str> {
        let failed = self.scenarios.iter().filter(|scenario| scenario.is_required && !scenario.has_passed);
        failed.map(|scenario| scenario.name.as_str()).collect()
    }

    fn cell(&self, name: &str) -> String {
        match self.scenarios.iter().find(|scenario| scenario.name == name) {
            None => String::new(),
            Some(scenario) => {
                let verdict = if scenario.has_passed { "passed" } else { "FAILED" };
                match scenario.is_required {
                    true => format!("{verdict} ({})", scenario.checks),
                    false => format!("{} (not required)", verdict.to_lowercase()),
                }
            }
        }
    }

    fn total(&self) -> String {
        format!("{} of {} required", self.passed(), self.passed() + self.failed().len())
    }
}

/// One line for each scenario, one column for each revision.
pub fn table(columns: &[(&str, &Results)]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for scenario in columns.iter().flat_map(|(_, results)| &results.scenarios) {
        if !names.contains(&scenario.name.as_str()) {
            names.push(&scenario.name);
        }
    }
    let row = |first: &str, cell: &dyn Fn(&(&str, &Results)) -> String| {
        std::iter::once(first.to_owned()).chain(columns.iter().map(cell)).collect::<Vec<String>>()
    };
    let mut rows = vec![row("scenario", &|(revision, _)| (*revision).to_owned())];
    rows.extend(names.iter().map(|name| row(name, &|(_, results)| results.cell(name))));
    rows.push(row("in all", &|(_, results)| results.total()));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<String>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
Results saved to ✓ somewhere
=== SUITE SUMMARY ===

✓ initialize: 1 passed, 0 failed
✗ auth/dpop: 9 passed, 3 failed
✗ request-metadata: 5 passed, 0 failed, 1 warnings

Total: 15 passed, 3 failed, 1 warnings

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ auth/dpop (extension)
";

    #[test]
    fn what_is_not_scored_counts_neither_way() {
        let results = Results::read(SAID);
        assert_eq!((results.passed(), results.failed()), (1, vec!["request-metadata"]));
    }

    #[test]
    fn the_table_has_a_column_for_each_revision() {
        let (newer, older) = (Results::read(SAID), Results::read("✓ ping: 2 passed, 0 failed\n"));
        assert_eq!(
            table(&[("2025-11-25", &older), ("2026-07-28", &newer)]),
            "\
scenario          2025-11-25                   2026-07-28
ping              passed (2 passed, 0 failed)
initialize                                     passed (1 passed, 0 failed)
auth/dpop                                      failed (not required)
request-metadata                               FAILED (5 passed, 0 failed, 1 warnings)
in all            1 of 1 required              1 of 2 required"
        );
    }
}
