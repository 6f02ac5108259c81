//! Keywords of all languages that the reader skips, and what some of them mean for it.

/// Keywords that say nothing of what is done. They are skipped.
pub(super) const SKIPPED_WORDS: &[&str] = &[
    "return", "yield", "await", "new", "not", "if", "elif", "elsif", "else", "while", "try",
    "except", "finally", "class", "async", "const", "let", "var", "my", "our", "local", "static",
    "public", "do", "end", "then", "unless", "until", "begin", "rescue", "ensure", "throw",
    "raise", "typeof", "void", "with", "repeat", "catch", "switch", "case", "when", "assert",
    "export", "default", "global", "nonlocal", "del", "delete", "die", "BEGIN", "END", "pass",
];

/// Those of them that are plain names in Python.
pub(super) const PLAIN_NAMES_IN_PYTHON: &[&str] = &[
    "new", "const", "let", "var", "my", "our", "local", "static", "public", "do", "end", "then",
    "repeat", "export", "default", "begin", "void",
];

/// Those of them behind which something may be skipped or done again.
pub(super) const BRANCHING_WORDS: &[&str] = &[
    "if", "elif", "elsif", "else", "while", "try", "except", "unless", "until", "rescue", "switch",
    "case", "when", "catch", "repeat", "class", "do",
];

/// Those of them that declare a name.
pub(super) const DECLARING_WORDS: &[&str] = &["const", "let", "var", "my", "our", "local"];
