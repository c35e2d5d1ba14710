//! Flags that several commands have.

use std::path::PathBuf;

use clap::Args;

use crate::completing;

/// What is written down of calls.
#[derive(Args, Clone, Debug, Default)]
pub struct LedgerFlags {
    /// Write normalizer_stats.json to this folder, every 30 s and at the end
    #[arg(long, value_name = "FOLDER")]
    pub log_dir: Option<PathBuf>,
    /// What becomes of calls when the journal cannot be written [default: allow]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub without_journal: Option<WithoutJournal>,
}

/// What becomes of calls that cannot be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum WithoutJournal {
    /// They are run, and that is said
    Allow,
    /// They are not run
    Block,
}

/// Which servers there are.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigOptions {
    /// The file that names the servers [default: WORKBENCH_CONFIG, toolwright.json here, or your own one]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
}

/// Which rules are in force.
#[derive(Args, Clone, Debug, Default)]
pub struct RuleOptions {
    /// A rules file (JSON array); its rules come before the built-in ones
    #[arg(long = "rules", visible_alias = "normalizer-rules", value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Switch a built-in set on (see `toolwright rules list`)
    #[arg(long, value_name = "SET", add = completing::sets())]
    pub enable: Vec<String>,
    /// Switch a built-in set off
    #[arg(long, value_name = "SET", add = completing::sets())]
    pub disable: Vec<String>,
}

/// Where the files tools work.
#[derive(Args, Clone, Debug, Default)]
pub struct RootOptions {
    /// A folder that the files tools may use; may be given several times [default: the current folder]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub folders: Vec<PathBuf>,
}
