//! Where the file is looked for.

use std::path::{Path, PathBuf};

use crate::load::near;
use crate::{ConfigError, Environment};

/// The variable that names the file.
pub(crate) const VARIABLE: &str = "WORKBENCH_CONFIG";

/// What it may be called in the folder that the program is started in, the first that is there. A project's
/// `.mcp.json` is not among them: its author chose the programs in it, and clients ask before they start them.
const NAMES: &[&str] = &["toolwright.json", "workbench-config.json"];

/// Where it is in the folder of a user's configurations.
const OF_USER: &str = "toolwright/toolwright.json";

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file.
    pub file: PathBuf,
    /// How it was found.
    pub by: FoundBy,
}

/// How a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// `--config`.
    Flag,
    /// The variable `WORKBENCH_CONFIG`.
    Variable,
    /// It is in the current folder.
    CurrentFolder,
    /// It is among the user's configurations.
    UserFolder,
}

impl FoundBy {
    /// A few words for it.
    pub fn words(self) -> &'static str {
        match self {
            FoundBy::Flag => "named by --config",
            FoundBy::Variable => "named by WORKBENCH_CONFIG",
            FoundBy::CurrentFolder => "found in the current folder",
            FoundBy::UserFolder => "found among your configurations",
        }
    }
}

/// Finds the file: the one that was asked for, the one that `WORKBENCH_CONFIG` names, or the first in the
/// usual places. One that is named and is not there is an error; none in the usual places is no configuration.
pub fn locate(
    explicit: Option<&Path>,
    environment: &Environment<'_>,
) -> Result<Option<Located>, ConfigError> {
    locate_from(Path::new(""), explicit, environment)
}

/// The same, with another folder for the current one.
pub fn locate_from(
    folder: &Path,
    explicit: Option<&Path>,
    environment: &Environment<'_>,
) -> Result<Option<Located>, ConfigError> {
    if let Some(file) = explicit {
        return named(folder.join(file), FoundBy::Flag, "--config").map(Some);
    }
    if let Some(file) = environment(VARIABLE).filter(|file| !file.is_empty()) {
        // Nobody expands it for a program that a client starts.
        let file = under_home(Path::new(&file), environment).unwrap_or_else(|| PathBuf::from(&file));
        return named(folder.join(file), FoundBy::Variable, VARIABLE).map(Some);
    }
    let here = NAMES.iter().map(|name| Located { file: folder.join(name), by: FoundBy::CurrentFolder });
    let of_user =
        user_folder(environment).map(|user| Located { file: user.join(OF_USER), by: FoundBy::UserFolder });
    Ok(here.chain(of_user).find(|located| is_there(&located.file)))
}

/// Every place where a file is looked for, whether one is there or not: the one that was asked for, the one
/// that `WORKBENCH_CONFIG` names, those in the current folder, and the folder among the user's configurations.
pub fn looked_for(explicit: Option<&Path>, environment: &Environment<'_>) -> Vec<PathBuf> {
    let variable = environment(VARIABLE).filter(|file| !file.is_empty()).map(PathBuf::from);
    let variable = variable.map(|file| under_home(&file, environment).unwrap_or(file));
    let of_user = user_folder(environment).map(|user| user.join(OF_USER));
    let of_user = of_user.and_then(|file| file.parent().map(Path::to_owned));
    let here = NAMES.iter().map(PathBuf::from);
    explicit.map(Path::to_owned).into_iter().chain(variable).chain(here).chain(of_user).collect()
}

/// The file among the user's configurations, whether it is there or not.
pub fn file_of_user(environment: &Environment<'_>) -> Option<PathBuf> {
    user_folder(environment).map(|user| user.join(OF_USER))
}

fn named(file: PathBuf, by: FoundBy, who: &'static str) -> Result<Located, ConfigError> {
    if is_there(&file) {
        return Ok(Located { file, by });
    }
    let near = near(&file);
    Err(ConfigError::NotFound { file, asked_by: Some(who), near })
}

/// What cannot be looked at is there as well: reading it says why it cannot be used.
fn is_there(file: &Path) -> bool {
    file.try_exists().unwrap_or(true)
}

/// The folder of a user's configurations.
fn user_folder(environment: &Environment<'_>) -> Option<PathBuf> {
    let set = environment("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    set.or_else(|| home(environment).map(|home| home.join(".config")))
}

/// The home folder.
pub(crate) fn home(environment: &Environment<'_>) -> Option<PathBuf> {
    let of_system = || if cfg!(windows) { environment("USERPROFILE") } else { None };
    environment("HOME").or_else(of_system).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// The path that `~` or `~/…` stands for; nothing for any other, or without a home folder.
pub(crate) fn under_home(path: &Path, environment: &Environment<'_>) -> Option<PathBuf> {
    let rest = path.strip_prefix("~").ok()?;
    let home = home(environment)?;
    Some(if rest.as_os_str().is_empty() { home } else { home.join(rest) })
}
