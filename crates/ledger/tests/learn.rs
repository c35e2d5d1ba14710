//! Learning: repeated mistakes of models are learned, planted ones are not.

mod attacks;
mod laws;
mod life;
mod mistakes;
mod noise;
mod replay;
mod reported;
mod shared;
mod stream;
