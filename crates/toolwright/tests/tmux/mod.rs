//! A terminal that a test can look at and press keys in: a session of tmux with a server of its own.

#![cfg(unix)]

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::gateway::Home;

/// How long something may take to be on the screen. Generous: machines are busy.
const PATIENCE: Duration = Duration::from_secs(40);
/// What the shell says when it waits for a line.
const PROMPT: &str = "ready> ";

/// A shell on a terminal.
pub struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// A shell in the home, on a terminal of so many columns and rows, with the program on its path.
    pub fn start(home: &Home, (columns, rows): (u16, u16)) -> Tmux {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = folder.path().join("shell");
        std::fs::write(&shell, format!("PS1='{PROMPT}'\n")).expect("written");
        let tmux = Tmux { folder };
        let program = home.command(&[]);
        let path =
            std::path::Path::new(program.get_program()).parent().expect("a folder").display().to_string();
        let mut start = tmux.command();
        for (key, value) in program.get_envs() {
            match value {
                Some(value) => start.env(key, value),
                None => start.env_remove(key),
            };
        }
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let started = start
            .current_dir(home.work())
            .env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap_or_default()))
            .env("ENV", &shell)
            .env("TERM", "xterm-256color")
            .args(["-f", "/dev/null", "new-session", "-d", "-s", "page", "-x", &columns, "-y", &rows, "sh"])
            .output()
            .expect("tmux is installed (cargo xtask test does that)");
        assert!(started.status.success(), "{started:?}");
        tmux.until_prompt();
        tmux
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.told(&["capture-pane", "-p", "-t", "page"])
    }

    /// The same with the codes of colours and the like.
    pub fn screen_with_codes(&self) -> String {
        self.told(&["capture-pane", "-p", "-e", "-t", "page"])
    }

    /// Writes a line and sends it.
    pub fn line(&self, text: &str) {
        self.write(text);
        self.press(&["Enter"]);
    }

    /// Writes letters.
    pub fn write(&self, text: &str) {
        self.told(&["send-keys", "-t", "page", "-l", text]);
    }

    /// Presses keys by their names in tmux.
    pub fn press(&self, keys: &[&str]) {
        self.told(&[&["send-keys", "-t", "page"], keys].concat());
    }

    /// Makes the terminal larger or smaller.
    pub fn resize(&self, (columns, rows): (u16, u16)) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.told(&["resize-window", "-t", "page", "-x", &columns, "-y", &rows]);
    }

    /// Whether a program has the second screen, which pages are drawn on.
    pub fn is_second_screen(&self) -> bool {
        self.told(&["display-message", "-p", "-t", "page", "#{alternate_on}"]).trim() == "1"
    }

    /// Waits until the screen is so, and gives it.
    #[track_caller]
    pub fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let late = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < late, "{what} did not come to be:\n{screen}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until the screen shows this.
    #[track_caller]
    pub fn until_shown(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until the shell waits for a line.
    #[track_caller]
    pub fn until_prompt(&self) {
        let is_last =
            |screen: &str| screen.trim_end().lines().last().is_some_and(|line| line == PROMPT.trim_end());
        self.until("the shell is ready", is_last);
    }

    /// The terminal is as a shell wants it: what is written is shown, lines are sent by Enter, the cursor is there.
    #[track_caller]
    pub fn is_given_back(&self) {
        self.until_prompt();
        self.line("stty -a | tr ' ;' '\\n\\n' | grep -cxE 'echo|icanon|isig|opost'; echo done-$((40 + 2))");
        let screen = self.until_shown("done-42");
        assert!(!self.is_second_screen(), "{screen}");
        let count = screen.lines().skip_while(|line| !line.contains("stty -a")).find(|line| *line == "4");
        assert!(count.is_some(), "the line that was written is shown, and all modes are on:\n{screen}");
        assert_eq!(
            self.told(&["display-message", "-p", "-t", "page", "#{cursor_flag}"]).trim(),
            "1",
            "a cursor"
        );
    }

    fn told(&self, arguments: &[&str]) -> String {
        let Output { stdout, stderr, status } = self.command().args(arguments).output().expect("tmux");
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).expect("UTF-8")
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.env("TMUX_TMPDIR", self.folder.path()).env("LC_ALL", "C.UTF-8").env_remove("TMUX");
        command.args(["-u", "-L", "toolwright"]);
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}
