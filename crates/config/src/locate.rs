//! Search for the configuration file.

use std::path::{Path, PathBuf};

use crate::load::similar_file;
use crate::{ConfigError, Environment};

/// The environment variable with the path of the file.
pub(crate) const VARIABLE: &str = "WORKBENCH_CONFIG";

/// File names in the current folder; the first one that exists is used. A project's `.mcp.json` is not among them: its
/// author chose the programs in it, and clients ask the user before they start them.
const NAMES: &[&str] = &["toolwright.json", "workbench-config.json"];

/// The path in the user's configuration folder.
const USER_FILE: &str = "toolwright/toolwright.json";

/// A configuration file that was found.
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
    /// In the current folder.
    CurrentFolder,
    /// In the user's configuration folder.
    UserFolder,
}

impl FoundBy {
    /// A short description for messages.
    pub fn words(self) -> &'static str {
        match self {
            FoundBy::Flag => "named by --config",
            FoundBy::Variable => "named by WORKBENCH_CONFIG",
            FoundBy::CurrentFolder => "found in the current folder",
            FoundBy::UserFolder => "found in your configuration folder",
        }
    }
}

/// Finds the file: the requested one, the one in `WORKBENCH_CONFIG`, or the first in the default locations. A named
/// file that does not exist is an error; no file in the default locations means no configuration.
pub fn locate(
    explicit: Option<&Path>,
    environment: &Environment<'_>,
) -> Result<Option<Located>, ConfigError> {
    locate_from(Path::new(""), explicit, environment)
}

/// Like [`locate`], with another folder instead of the current one.
pub fn locate_from(
    folder: &Path,
    explicit: Option<&Path>,
    environment: &Environment<'_>,
) -> Result<Option<Located>, ConfigError> {
    if let Some(file) = explicit {
        return check_named_file(folder.join(file), FoundBy::Flag, "--config").map(Some);
    }
    if let Some(file) = environment(VARIABLE).filter(|file| !file.is_empty()) {
        // A client starts the program without a shell, which would expand `~`.
        let file = under_home(Path::new(&file), environment).unwrap_or_else(|| PathBuf::from(&file));
        return check_named_file(folder.join(file), FoundBy::Variable, VARIABLE).map(Some);
    }
    let here = NAMES.iter().map(|name| Located { file: folder.join(name), by: FoundBy::CurrentFolder });
    let of_user =
        user_folder(environment).map(|user| Located { file: user.join(USER_FILE), by: FoundBy::UserFolder });
    Ok(here.chain(of_user).find(|located| is_there(&located.file)))
}

/// All locations of the search, whether a file exists or not: the requested one, the one in `WORKBENCH_CONFIG`, those
/// in the current folder, and the folder in the user's configurations.
pub fn looked_for(explicit: Option<&Path>, environment: &Environment<'_>) -> Vec<PathBuf> {
    let variable = environment(VARIABLE).filter(|file| !file.is_empty()).map(PathBuf::from);
    let variable = variable.map(|file| under_home(&file, environment).unwrap_or(file));
    let of_user = user_folder(environment).map(|user| user.join(USER_FILE));
    let of_user = of_user.and_then(|file| file.parent().map(Path::to_owned));
    let here = NAMES.iter().map(PathBuf::from);
    explicit.map(Path::to_owned).into_iter().chain(variable).chain(here).chain(of_user).collect()
}

/// The file in the user's configuration folder, whether it exists or not.
pub fn file_of_user(environment: &Environment<'_>) -> Option<PathBuf> {
    user_folder(environment).map(|user| user.join(USER_FILE))
}

fn check_named_file(file: PathBuf, by: FoundBy, who: &'static str) -> Result<Located, ConfigError> {
    if is_there(&file) {
        return Ok(Located { file, by });
    }
    let near = similar_file(&file);
    Err(ConfigError::NotFound { file, asked_by: Some(who), near })
}

/// A file that cannot be accessed counts as existing: reading it gives the precise error.
fn is_there(file: &Path) -> bool {
    file.try_exists().unwrap_or(true)
}

/// The user's configuration folder.
fn user_folder(environment: &Environment<'_>) -> Option<PathBuf> {
    let set = environment("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    set.or_else(|| home(environment).map(|home| home.join(".config")))
}

/// The home folder.
pub(crate) fn home(environment: &Environment<'_>) -> Option<PathBuf> {
    let of_system = || if cfg!(windows) { environment("USERPROFILE") } else { None };
    environment("HOME").or_else(of_system).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Expands `~` and `~/…`. `None` for any other path, or without a home folder.
pub(crate) fn under_home(path: &Path, environment: &Environment<'_>) -> Option<PathBuf> {
    let rest = path.strip_prefix("~").ok()?;
    let home = home(environment)?;
    Some(if rest.as_os_str().is_empty() { home } else { home.join(rest) })
}
