//! Learning: what models repeat is learned, what others plant is not.

mod attacks;
mod laws;
mod life;
mod mistakes;
mod noise;
mod replay;
mod reported;
mod shared;
mod stream;
