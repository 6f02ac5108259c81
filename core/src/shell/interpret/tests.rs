//! What is found in scripts.
