//! Mends the calls of a stream of events, and holds back what is in doubt.

/// Stands between a stream's sequencer and its encoder.
#[derive(Debug)]
pub struct CallStage {}
