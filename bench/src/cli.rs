//! The command line.

use crate::error::BenchError;

/// Shown for `--help` and after a usage error.
pub const USAGE: &str = "\
Usage:
  score generate [--seed N] [--per-layer N]
      Write cases as JSON lines.
  score run --toolwright PATH [--seed N] [--per-layer N] [--file CASES.jsonl]... [--misses FILE]
      Send cases to `PATH normalize` and print how many came back right.

  --per-layer N   cases for each number of mutations 0..4, and traps (default 2000)
  --seed N        the same seed gives the same cases (default 1)
  --file FILE     further cases in the format of `generate`; without it, reported.jsonl, traps.jsonl,
                  heldout.jsonl, names.jsonl and mixed.jsonl of bench/corpus are read when they are there
  --misses FILE   write every miss with what was sent, expected and answered
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the usage.
    Help,
    /// Print cases.
    Generate(Amount),
    /// Measure a program.
    Run(RunOptions),
}

/// Which cases to make and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Start of the random numbers.
    pub seed: u64,
    /// Cases per group.
    pub per_layer: usize,
}

impl Default for Amount {
    fn default() -> Self {
        Self { seed: 1, per_layer: 2000 }
    }
}

/// Options of `run`.
#[derive(Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The program to measure.
    pub program: String,
    /// Generated cases.
    pub amount: Amount,
    /// Files with further cases.
    pub files: Vec<String>,
    /// Where to write the misses.
    pub misses: Option<String>,
}

/// Reads the arguments after the program's name.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Command, BenchError> {
    let mut args = args;
    let verb = args.next().ok_or_else(|| BenchError::Usage("a command is missing".to_string()))?;
    if matches!(verb.as_str(), "--help" | "-h" | "help") {
        return Ok(Command::Help);
    }
    let mut amount = Amount::default();
    let mut program = None;
    let mut files = Vec::new();
    let mut misses = None;
    while let Some(flag) = args.next() {
        if matches!(flag.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let value = args.next().ok_or_else(|| BenchError::Usage(format!("{flag} needs a value")))?;
        match flag.as_str() {
            "--seed" => amount.seed = number(&flag, &value)?,
            "--per-layer" => amount.per_layer = number(&flag, &value)?,
            "--toolwright" => program = Some(value),
            "--file" => files.push(value),
            "--misses" => misses = Some(value),
            _ => return Err(BenchError::Usage(format!("unknown option {flag}"))),
        }
    }
    match verb.as_str() {
        "generate" => Ok(Command::Generate(amount)),
        "run" => {
            let program =
                program.ok_or_else(|| BenchError::Usage("run needs --toolwright PATH".to_string()))?;
            Ok(Command::Run(RunOptions { program, amount, files, misses }))
        }
        _ => Err(BenchError::Usage(format!("unknown command {verb}"))),
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, BenchError> {
    value.parse().map_err(|_| BenchError::Usage(format!("{flag} needs a whole number, not {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, BenchError> {
        parse(line.split_whitespace().map(str::to_string))
    }

    #[test]
    fn options_are_read() {
        let command = parsed("run --toolwright tw --seed 7 --file a --file b --misses m").unwrap();
        let amount = Amount { seed: 7, per_layer: 2000 };
        let files = vec!["a".to_string(), "b".to_string()];
        let expected = RunOptions { program: "tw".to_string(), amount, files, misses: Some("m".to_string()) };
        assert_eq!(command, Command::Run(expected));
    }

    #[test]
    fn bad_usage_exits_with_two() {
        for line in ["", "dance", "run", "run --seed", "generate --seed x", "generate --speed 1"] {
            assert_eq!(parsed(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
