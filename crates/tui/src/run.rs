//! The event loop: keys and news into the state, the state onto the screen, commands to the gateway.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep_until};

use crate::Clean;
use crate::screen::Screen;
use crate::source::{ConfirmedDecision, Find, watch};
use crate::state::{News, PageKey, PageState, UserCommand};
use crate::view::{Look, draw};

/// Queue size for news; when it is full, the gateway is read more slowly.
const NEWS: usize = 256;
/// Queue size for keys.
const KEYS: usize = 256;
/// Queue size for decisions.
const DECISIONS: usize = 16;
/// The minimum interval between two frames for news. Keys are handled at once.
const FRAME: Duration = Duration::from_millis(40);
/// The interval of the clock.
const TICK: Duration = Duration::from_secs(1);
/// The poll interval of the key thread, after which it checks for shutdown.
const LOOK: Duration = Duration::from_millis(100);

/// Why the page ended without the user closing it.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The terminal cannot be used.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    /// The task that reads the gateway has stopped.
    #[error("what reads the gateway has broken")]
    Broken,
}

/// The options of the page.
pub struct Wanted {
    /// Finds the gateway.
    pub find: Find,
    /// The user who decides about suggestions.
    pub by: String,
    /// Appearance.
    pub look: Look,
}

/// Shows the page until the user closes it (`None`) or `end` completes (its output).
///
/// # Errors
/// When the terminal cannot be used. The terminal is restored in any case.
pub async fn run<E>(wanted: Wanted, end: impl Future<Output = E>) -> Result<Option<E>, RunError> {
    let screen = Screen::open()?;
    let (news_to, news) = mpsc::channel(NEWS);
    let (decisions, decided) = mpsc::channel(DECISIONS);
    let watching = tokio::spawn(watch(wanted.find, wanted.by, news_to, decided));
    let page = PageLoop {
        screen,
        state: PageState::new(),
        look: wanted.look,
        news,
        keys: KeyReader::listen(),
        decisions,
        watching,
    };
    page.until(end).await
}

struct PageLoop {
    screen: Screen,
    state: PageState,
    look: Look,
    news: mpsc::Receiver<News>,
    keys: KeyReader,
    decisions: mpsc::Sender<ConfirmedDecision>,
    watching: JoinHandle<()>,
}

impl Drop for PageLoop {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl PageLoop {
    async fn until<E>(mut self, end: impl Future<Output = E>) -> Result<Option<E>, RunError> {
        tokio::pin!(end);
        let mut clock = interval(TICK);
        self.state.resize(ratatui::crossterm::terminal::size()?.1);
        loop {
            self.state.tick(Timestamp::now());
            let (state, look) = (&self.state, &self.look);
            let drawn = self.screen.draw(|frame| draw(frame, state, look))?;
            self.state.bound_scroll(drawn.most_scroll);
            let earliest = Instant::now() + FRAME;
            tokio::select! {
                biased;
                ended = &mut end => return Ok(Some(ended)),
                key = self.keys.events.recv() => {
                    let Some(key) = key else { return Err(io::Error::from(io::ErrorKind::BrokenPipe).into()) };
                    if self.take_keys(key?)? == LoopState::Now {
                        return Ok(None);
                    }
                }
                news = self.news.recv() => {
                    // The task sends news until it is aborted.
                    let Some(news) = news else { return Err(RunError::Broken) };
                    self.state.take(news);
                    self.gather_until(earliest).await;
                }
                _ = clock.tick() => {}
            }
        }
    }

    /// Takes further news before the next frame, but never delays a key.
    async fn gather_until(&mut self, earliest: Instant) {
        let pause = sleep_until(earliest);
        tokio::pin!(pause);
        while self.keys.events.is_empty() {
            tokio::select! {
                biased;
                () = &mut pause => return,
                news = self.news.recv() => match news {
                    Some(news) => self.state.take(news),
                    None => return,
                },
            }
        }
    }

    /// Handles a key and those queued behind it.
    fn take_keys(&mut self, first: Event) -> Result<LoopState, RunError> {
        let mut next = Some(first);
        while let Some(events) = next {
            match events {
                Event::Key(key) => {
                    if let Some(wish) = read(key).and_then(|key| self.state.press(key))
                        && self.carry_out(wish) == LoopState::Now
                    {
                        return Ok(LoopState::Now);
                    }
                }
                Event::Resize(_, rows) => {
                    self.state.resize(rows);
                    self.screen.redraw()?;
                }
                _ => {}
            }
            next = self.keys.events.try_recv().ok().transpose()?;
        }
        Ok(LoopState::NotYet)
    }

    fn carry_out(&mut self, wish: UserCommand) -> LoopState {
        match wish {
            UserCommand::Leave => return LoopState::Now,
            UserCommand::Decide { id, decision } => {
                if self.decisions.try_send(ConfirmedDecision { id, decision }).is_err() {
                    let message = Clean::new("too much waits to be decided: nothing was done");
                    self.state.take(News::Decided(message));
                }
            }
        }
        LoopState::NotYet
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopState {
    Now,
    NotYet,
}

/// A thread that reads keys: reading a terminal blocks.
struct KeyReader {
    events: mpsc::Receiver<io::Result<Event>>,
    is_over: Arc<AtomicBool>,
}

impl KeyReader {
    fn listen() -> KeyReader {
        let (send, events) = mpsc::channel(KEYS);
        let is_over = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&is_over);
        std::thread::spawn(move || {
            while !is_stopped.load(Ordering::Relaxed) {
                let event = match event::poll(LOOK) {
                    Ok(false) => continue,
                    Ok(true) => event::read(),
                    Err(error) => Err(error),
                };
                let is_broken = event.is_err();
                if send.blocking_send(event).is_err() || is_broken {
                    return;
                }
            }
        });
        KeyReader { events, is_over }
    }
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Maps the supported keys.
fn read(key: KeyEvent) -> Option<PageKey> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'C') if is_control => PageKey::Interrupt,
        KeyCode::Char('h') if is_control => PageKey::Backspace,
        KeyCode::Char(_) if is_control || key.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(char) => PageKey::Char(char),
        KeyCode::Enter => PageKey::Enter,
        KeyCode::Esc => PageKey::Esc,
        KeyCode::Tab => PageKey::Tab,
        KeyCode::BackTab => PageKey::BackTab,
        KeyCode::Backspace | KeyCode::Delete => PageKey::Backspace,
        KeyCode::Up => PageKey::Up,
        KeyCode::Down => PageKey::Down,
        KeyCode::Left => PageKey::Left,
        KeyCode::Right => PageKey::Right,
        KeyCode::PageUp => PageKey::PageUp,
        KeyCode::PageDown => PageKey::PageDown,
        KeyCode::Home => PageKey::Home,
        KeyCode::End => PageKey::End,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Option<PageKey> {
        read(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn control_c_leaves_and_other_controls_write_nothing() {
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(PageKey::Interrupt));
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::CONTROL), None, "no yes by accident");
        assert_eq!(pressed(KeyCode::Char('y'), KeyModifiers::ALT), None);
        assert_eq!(pressed(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(PageKey::Char('G')));
    }

    #[test]
    fn a_key_that_is_let_go_is_no_key() {
        let up = KeyEvent::new_with_kind(KeyCode::Char('y'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(read(up), None);
    }
}
