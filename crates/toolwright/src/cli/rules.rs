//! Rules: listed, checked, tested, decided about.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::RuleOptions;

/// Options of `rules`.
#[derive(Args, Debug)]
pub struct RulesOptions {
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// The commands of `rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules in force and the built-in sets
    List {
        #[command(flatten)]
        rules: RuleOptions,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a rules file: every mistake with its place and its fix
    Check {
        /// The rules file
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run cases against a rules file: lines of `normalize` with an "expect" beside
    Test {
        /// The rules file
        file: PathBuf,
        /// JSON lines: {"tool", "arguments", "expect": {"outcome", "arguments"?, "rules"?, "codes"?}}
        #[arg(long, value_name = "FILE")]
        cases: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what calls have taught: rules that would mend calls that fail
    Suggest {
        /// Those that were decided, too
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring the rule of a suggestion into force, here and in gateways that run
    Accept(DecisionOptions),
    /// Put a suggestion away until twice as much speaks for it
    Dismiss(DecisionOptions),
    /// Take back what was decided last about a suggestion
    Undo(DecisionOptions),
    /// List everything that was decided, the oldest first
    History {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A decision about a suggestion.
#[derive(Args, Clone, Debug)]
pub struct DecisionOptions {
    /// Its id, or the beginning of it (see `toolwright rules suggest`)
    pub id: String,
    /// Who decides [default: the name of the user]
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
