//! What a process has used of the processors, to the nanosecond.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// The time of each thread so far.
#[derive(Default)]
pub struct Used(HashMap<String, u64>);

impl Used {
    /// By this process until now. The ticks of `stat` are too coarse for short steps.
    pub fn by(pid: u32) -> Used {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let times = tasks.filter_map(|task| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            let time = text.split(' ').next()?.parse().ok()?;
            Some((task.file_name().to_string_lossy().into_owned(), time))
        });
        Used(times.collect())
    }

    /// What was used since `earlier`. Threads that ended in between are left out: there is next to none.
    pub fn since(&self, earlier: &Used) -> Duration {
        let used = self
            .0
            .iter()
            .map(|(thread, time)| time.saturating_sub(earlier.0.get(thread).copied().unwrap_or(0)));
        Duration::from_nanos(used.sum())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn time_of_every_thread_is_counted() {
        let own = std::process::id();
        let before = Used::by(own);
        let worker = std::thread::spawn(move || {
            let begin = Instant::now();
            while Used::by(own).since(&Used::default()) < Duration::from_millis(30) {
                assert!(begin.elapsed() < Duration::from_secs(30));
            }
            Used::by(own)
        });
        let after = worker.join().expect("it ends");
        assert!(after.since(&before) > Duration::ZERO);
    }
}
