//! The queue of transcripts and its scheduling.

use std::collections::{HashSet, VecDeque};

use crate::transcript::{Ear, Transcript};

/// A transcript and the receiver of its answer.
pub(super) struct Job {
    pub transcript: Transcript,
    pub ear: Box<dyn Ear>,
}

/// The waiting transcripts, oldest first, and the conversations in flight.
#[derive(Default)]
pub(super) struct TranscriptQueue {
    waiting: VecDeque<Job>,
    busy: HashSet<String>,
}

impl TranscriptQueue {
    /// Adds a job; returns the oldest if the queue is full.
    pub fn push(&mut self, job: Job, most: usize) -> Option<Job> {
        self.waiting.push_back(job);
        if self.waiting.len() > most.max(1) { self.waiting.pop_front() } else { None }
    }

    /// Takes the next job: the oldest sentence of the conversation that spoke last. Marks the conversation
    /// as busy.
    pub fn next(&mut self, most: usize) -> Option<Job> {
        if self.busy.len() >= most.max(1) {
            return None;
        }
        let newest =
            self.waiting.iter().rev().find(|job| !self.busy.contains(&job.transcript.conversation))?;
        let conversation = newest.transcript.conversation.clone();
        let first = self.waiting.iter().position(|job| job.transcript.conversation == conversation)?;
        let job = self.waiting.remove(first)?;
        self.busy.insert(conversation);
        Some(job)
    }

    /// Marks a conversation as idle.
    pub fn done(&mut self, conversation: &str) {
        self.busy.remove(conversation);
    }

    /// Removes all waiting jobs.
    pub fn clear(&mut self) -> VecDeque<Job> {
        std::mem::take(&mut self.waiting)
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub fn running(&self) -> usize {
        self.busy.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Answer, Delivery};

    struct Deaf;

    impl Ear for Deaf {
        fn answer(self: Box<Self>, _: Answer) -> Delivery {
            Delivery::Lost
        }
    }

    fn job(text: &str, conversation: &str) -> Job {
        Job { transcript: Transcript::new(text, conversation), ear: Box::new(Deaf) }
    }

    fn text(job: Option<Job>) -> Option<String> {
        job.map(|job| job.transcript.text)
    }

    #[test]
    fn the_newest_conversation_is_next_and_keeps_its_order() {
        let mut queue = TranscriptQueue::default();
        for (said, room) in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("c1", "c"), ("b2", "b")] {
            assert!(queue.push(job(said, room), 10).is_none());
        }
        assert_eq!(text(queue.next(2)).as_deref(), Some("b1"));
        assert_eq!(text(queue.next(2)).as_deref(), Some("c1"));
        assert_eq!(text(queue.next(2)), None, "two at once");
        queue.done("c");
        assert_eq!(text(queue.next(2)).as_deref(), Some("a1"), "b is still busy");
        queue.done("b");
        assert_eq!(text(queue.next(2)).as_deref(), Some("b2"));
        queue.done("a");
        assert_eq!(text(queue.next(2)).as_deref(), Some("a2"));
        assert_eq!((queue.waiting(), queue.running()), (0, 2));
    }

    #[test]
    fn when_too_many_wait_the_oldest_is_given_back() {
        let mut queue = TranscriptQueue::default();
        assert!(queue.push(job("1", "a"), 2).is_none());
        assert!(queue.push(job("2", "b"), 2).is_none());
        assert_eq!(text(queue.push(job("3", "c"), 2)).as_deref(), Some("1"));
        assert_eq!(queue.clear().len(), 2);
    }
}
