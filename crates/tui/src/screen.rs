//! Terminal mode: alternate screen and raw mode, always restored.

use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};

/// Whether the terminal is in page mode. A process has one terminal.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// A terminal in page mode. Dropping it restores the terminal.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Enters page mode. A panic in any thread restores the terminal before its message is printed.
    pub fn open() -> io::Result<Screen> {
        let previous_hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            restore();
            previous_hook(panic);
        }));
        IS_OPEN.store(true, Ordering::SeqCst);
        let opened = enable_raw_mode()
            .and_then(|()| execute!(stdout(), EnterAlternateScreen, Hide))
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match opened {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Draws the changes.
    pub fn draw<T>(&mut self, draw: impl FnOnce(&mut Frame<'_>) -> T) -> io::Result<T> {
        let mut drawn = None;
        self.terminal.draw(|frame| drawn = Some(draw(frame)))?;
        drawn.ok_or_else(|| io::Error::other("nothing was drawn"))
    }

    /// Forces a full redraw: the terminal content is unknown.
    pub fn redraw(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Every step is attempted, even if an earlier one fails.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    /// Runs a tmux command on a server that belongs to this test.
    fn tmux(folder: &std::path::Path, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .env("TMUX_TMPDIR", folder)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX")
            .env("RUST_BACKTRACE", "0")
            .args(["-u", "-f", "/dev/null", "-L", "panic"])
            .args(arguments)
            .output()
            .expect("tmux is installed (cargo xtask test does that)");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    #[ignore = "it is run in a terminal by the test below"]
    fn a_page_that_panics() {
        let mut screen = Screen::open().expect("a terminal");
        screen
            .draw(|frame| frame.buffer_mut().set_string(0, 0, "a page", ratatui::style::Style::new()))
            .expect("drawn");
        let elsewhere = std::thread::spawn(|| panic!("it broke"));
        assert!(elsewhere.join().is_err());
    }

    #[test]
    fn panic_restores_the_terminal_and_is_printed() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = std::env::current_exe().expect("this program");
        let line = format!(
            "{} --exact screen::tests::a_page_that_panics --ignored --nocapture; stty -a; echo over; exec cat",
            program.display()
        );
        tmux(folder.path(), &["new-session", "-d", "-s", "page", "-x", "120", "-y", "50", "sh", "-c", &line]);
        let late = Instant::now() + Duration::from_secs(40);
        let screen = loop {
            let screen = tmux(folder.path(), &["capture-pane", "-p", "-t", "page"]);
            if screen.lines().any(|line| line == "over") || Instant::now() > late {
                break screen;
            }
            std::thread::sleep(Duration::from_millis(30));
        };
        let alternate = tmux(folder.path(), &["display-message", "-p", "-t", "page", "#{alternate_on}"]);
        tmux(folder.path(), &["kill-server"]);
        assert!(screen.contains("it broke") && !screen.contains("a page\n"), "{screen}");
        let modes: Vec<&str> = screen.split([' ', '\n', ';']).collect();
        assert!(modes.contains(&"icanon") && modes.contains(&"echo"), "{screen}");
        assert_eq!(alternate.trim(), "0", "{screen}");
    }
}
