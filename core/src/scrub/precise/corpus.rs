//! The profile on labelled texts: what it finds, and what it leaves alone.
