//! What is learned from calls: evidence, suggestions, and rules with their provenance.
