//! Folders of client configuration files on the three operating systems.

use std::path::PathBuf;

use crate::Environment;
use crate::locate::home;

/// The operating systems that clients run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and other systems with the XDG base directories.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// The folders of one user.
#[derive(Clone, Debug)]
pub struct Places {
    /// The system.
    pub system: System,
    /// The home folder.
    pub home: PathBuf,
    /// The folder for settings according to the XDG base directory specification.
    pub config: PathBuf,
    /// The folder for settings of desktop programs.
    pub app_data: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
}

impl System {
    /// The system that this program was built for.
    pub fn here() -> System {
        if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::MacOs
        } else {
            System::Linux
        }
    }
}

impl Places {
    /// Reads the folders from an environment; `None` without a home folder.
    pub fn new(system: System, environment: &Environment<'_>) -> Option<Places> {
        let folder = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = home(environment).or_else(|| folder("USERPROFILE"))?;
        let config = match system {
            System::Linux => folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            System::MacOs | System::Windows => home.join(".config"),
        };
        let app_data = match system {
            System::Linux => config.clone(),
            System::MacOs => home.join("Library/Application Support"),
            System::Windows => folder("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming")),
        };
        let (claude, codex) = (folder("CLAUDE_CONFIG_DIR"), folder("CODEX_HOME"));
        Some(Places { system, home, config, app_data, claude, codex })
    }
}
