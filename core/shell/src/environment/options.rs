//! Options within the values of variables: which of them run, load and write nothing.

/// Whose options a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of a Java machine.
    Java,
    /// Of the builds of Java: `mvn`, `ant`.
    JavaBuild,
    /// Of `pytest`.
    Pytest,
    /// Of `less` and `more`.
    Less,
    /// Of sanitizers: `name=value:name=value`.
    Sanitizer,
    /// Of `terraform`.
    Terraform,
    /// Of an Erlang machine.
    Erlang,
    /// Of any other program.
    Other,
}

/// Begins of options of a Java machine.
const JAVA: &[&str] = &[
    "-Xmx",
    "-Xms",
    "-Xmn",
    "-Xss",
    "-XX:+Use",
    "-XX:-Use",
    "-XX:Max",
    "-XX:Min",
    "-XX:InitialRAMPercentage=",
    "-XX:InitialHeapSize=",
    "-XX:MetaspaceSize=",
    "-XX:ReservedCodeCacheSize=",
    "-XX:+TieredCompilation",
    "-XX:TieredStopAtLevel=",
    "-XX:ParallelGCThreads=",
    "-XX:ConcGCThreads=",
    "-XX:ActiveProcessorCount=",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+HeapDumpOnOutOfMemoryError",
    "-XX:-HeapDumpOnOutOfMemoryError",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+CrashOnOutOfMemoryError",
    "-XX:SoftRefLRUPolicyMSPerMB=",
    "-XX:+CMSClassUnloadingEnabled",
    "-Xshare:auto",
    "-Xshare:off",
    "-Dfile.encoding=",
    "-Dsun.jnu.encoding=",
    "-Dstdout.encoding=",
    "-Djava.awt.headless",
    "-Djava.net.preferIPv4Stack",
    "-Djava.security.egd=file:/dev/",
    "-Duser.timezone=",
    "-Duser.language=",
    "-Duser.country=",
    "-Dorg.gradle.daemon",
    "-Dorg.gradle.parallel",
    "-Dorg.gradle.caching",
    "-Dorg.gradle.workers.max=",
    "-Dorg.gradle.configureondemand",
    "-Dorg.gradle.console=",
    "-Dorg.gradle.vfs.watch",
    "-Dorg.gradle.logging.level=",
    "-Dorg.gradle.welcome=",
    "-Dkotlin.incremental",
    "-Dkotlin.compiler.execution.strategy=",
    "-Dspring.profiles.active=",
    "-Dlog4j2.formatMsgNoLookups",
    "-Dlogging.level.",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=",
    "-Dorg.slf4j.simpleLogger.log.",
    "-Dorg.slf4j.simpleLogger.showDateTime",
    "-Dmaven.wagon.",
    "-Dmaven.artifact.threads=",
    "-Dmaven.test.skip",
    "-Dhttp.keepAlive",
    "-Dhttps.protocols=",
    "-Dstyle.color=",
    "-Djansi.",
    "-DskipTests",
    "-DskipITs",
    "-Dsbt.color=",
    "-Dsbt.supershell=",
    "-Dsbt.ci=",
    "-Dsbt.log.noformat",
    "--enable-preview",
    "--add-opens=java.",
    "--add-opens=jdk.",
    "--add-exports=java.",
    "--add-exports=jdk.",
    "--enable-native-access=",
    "--illegal-access=",
];

/// Whole options of a Java machine, and of what builds with one.
const JAVA_WORDS: &[&str] = &[
    "-ea", "-da", "-esa", "-dsa", "-server", "-client", "-Xint", "-Xcomp", "--add-opens",
    "--add-exports",
];
/// Whole options of Maven and Gradle that only choose.
const JAVA_BUILD_WORDS: &[&str] = &[
    "-B", "-q", "-e", "-U", "-o", "-X", "-V", "-v", "-ntp", "-nsu", "-ff", "-fae", "-fn", "-am",
    "-amd", "-T1C", "-T2C", "-T4", "-T2", "-quiet", "-verbose", "--batch-mode", "--quiet",
    "--errors", "--debug", "--offline", "--no-transfer-progress", "--update-snapshots",
    "--fail-fast", "--fail-at-end", "--show-version", "--strict-checksums",
];

/// Beginnings of options of `pytest` that only choose.
const PYTEST: &[&str] = &[
    "-q", "-v", "-x", "-s", "-l", "-r", "-k", "-m", "-n", "-W", "--tb", "--color", "--durations",
    "--durations-min", "--maxfail", "--verbose", "--quiet", "--strict", "--strict-markers",
    "--strict-config", "--no-header", "--no-summary", "--disable-warnings",
    "--disable-pytest-warnings", "--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--sw",
    "--stepwise", "--timeout", "--timeout-method", "--dist", "--numprocesses", "--maxprocesses",
    "--no-cov", "--capture", "--cache-clear", "--reruns", "--reruns-delay", "--exitfirst",
    "--showlocals", "--show-capture", "--verbosity", "--collect-only", "--setup-show", "--runslow",
    "--cov-append", "--cov-branch", "--cov-fail-under", "--full-trace",
    "--exclude-warning-annotations", "--benchmark-skip", "--benchmark-disable", "--randomly-seed",
    "--forked", "--doctest-modules", "--run-slow", "--keep-duplicates",
];

/// Beginnings of options of `less` that only choose how it shows.
const LESS: &[&str] = &[
    "--RAW-CONTROL-CHARS", "--raw-control-chars", "--quit-if-one-screen", "--no-init",
    "--ignore-case", "--IGNORE-CASE", "--chop-long-lines", "--LONG-PROMPT", "--long-prompt",
    "--LINE-NUMBERS", "--line-numbers", "--quit-at-eof", "--QUIT-AT-EOF", "--HILITE-UNREAD",
    "--hilite-unread", "--mouse", "--squeeze-blank-lines", "--silent", "--quiet",
    "--status-column", "--tilde", "--no-histdups", "--use-color", "--incsearch", "--wordwrap",
    "--clear-screen", "--redraw-on-quit", "--quit-on-intr",
];

/// What `clang` and `gcc` let be set of a sanitizer without a path or a program.
const SANITIZER: &[&str] = &[
    "abort_on_error", "alloc_dealloc_mismatch", "allocator_may_return_null", "allow_addr2line",
    "check_initialization_order", "color", "detect_container_overflow", "detect_deadlocks",
    "detect_invalid_pointer_pairs", "detect_leaks", "detect_odr_violation",
    "detect_stack_use_after_return", "disable_coredump", "exitcode", "fast_unwind_on_malloc",
    "fast_unwind_on_fatal", "halt_on_error", "handle_abort", "handle_segv", "handle_sigbus",
    "handle_sigfpe", "handle_sigill", "help", "history_size", "intercept_send",
    "leak_check_at_exit", "malloc_context_size", "max_allocation_size_mb", "max_leaks",
    "new_delete_type_mismatch", "poison_in_dtor", "print_legend", "print_stacktrace",
    "print_stats", "print_summary", "quarantine_size_mb", "replace_str", "report_bugs",
    "report_globals", "report_signal_unsafe", "report_error_type", "second_deadlock_stack",
    "silence_unsigned_overflow", "stack_trace_format", "strict_init_order", "strict_memcmp",
    "strict_string_checks", "strip_path_prefix", "symbolize", "use_sigaltstack", "use_unaligned",
    "verbosity", "verify_asan_link_order",
];

/// Beginnings of options of `terraform` that only choose.
const TERRAFORM: &[&str] = &[
    "-no-color", "-input", "-compact-warnings", "-parallelism", "-lock", "-lock-timeout",
    "-detailed-exitcode", "-refresh", "-json", "-concise",
];

/// Options of many programs that choose how much they print.
const OTHER: &[&str] = &[
    "-q", "-v", "-vv", "-vvv", "--quiet", "--verbose", "--silent", "--no-color", "--color",
    "--no-progress", "--colour", "--style=plain", "--theme=ansi", "--paging=never", "--plain",
];

/// True for options that neither run, load nor write anything.
#[must_use]
pub fn are_harmless(kind: Kind, text: &str) -> bool {
    if text.contains(['$', '`', ';', '|', '&', '<', '>', '\n', '\\']) {
        return false;
    }
    let mut words = text.split_whitespace();
    match kind {
        Kind::Java => words.all(is_of_java),
        Kind::JavaBuild => words.all(|word| {
            JAVA_BUILD_WORDS.contains(&word) || is_of_java(word) || is_number(word) || word == "-T"
        }),
        Kind::Pytest => words.all(is_of_pytest),
        Kind::Less => words.all(is_of_less),
        Kind::Sanitizer => text.split([':', ',', ' ']).all(|part| {
            part.is_empty() || SANITIZER.contains(&part.split('=').next().unwrap_or_default())
        }),
        Kind::Terraform => words.all(|word| begins(TERRAFORM, word)),
        // `+` is of the machine itself, which runs nothing; `-eval` and the like are not.
        Kind::Erlang => words.all(|word| {
            let rest = word.strip_prefix('+').unwrap_or_default();
            ["fnu", "sbwt", "sssdio", "SDio", "A", "P", "Q", "K", "S", "JPperf"]
                .iter()
                .any(|start| rest.starts_with(start))
                || is_number(word)
                || matches!(
                    word,
                    "true"
                        | "none"
                        | "-noshell"
                        | "-noinput"
                        | "-kernel"
                        | "shell_history"
                        | "enabled"
                )
        }),
        Kind::Other => words.all(|word| begins(OTHER, word) || is_of_java(word)),
    }
}

/// True for one of the options, whole or up to its `=`.
fn begins(options: &[&str], word: &str) -> bool {
    options.contains(&word) || options.contains(&word.split('=').next().unwrap_or_default())
}

/// True for a number.
fn is_number(word: &str) -> bool {
    word.chars().all(|char| char.is_ascii_digit() || char == '.')
}

/// True for an option of Java that only sizes and logs.
fn is_of_java(word: &str) -> bool {
    JAVA_WORDS.contains(&word)
        // What `--add-opens` opens.
        || !word.starts_with('-') && word.ends_with("=ALL-UNNAMED")
        || JAVA.iter().any(|start| word.starts_with(start))
}

/// True for a word of `PYTEST_ADDOPTS` that only chooses.
fn is_of_pytest(word: &str) -> bool {
    if !word.starts_with('-') {
        // A number, a mark or a file of the tests.
        return !word.starts_with(['/', '~', '@']) && !word.contains("..");
    }
    begins(PYTEST, word)
        || word.starts_with("-r") && word.chars().skip(1).all(|char| char.is_ascii_alphabetic())
        || word.strip_prefix("-n").is_some_and(|rest| rest == "auto" || is_number(rest))
        || word.chars().skip(1).all(|char| "qvxsl".contains(char))
}

/// True for an option of `less` that only chooses how it shows.
fn is_of_less(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or(word);
    begins(LESS, word)
        || word == "--shift" || word == "--tabs"
        // Of the letters `o` and `O` write a file, `k` reads one, `+` runs what follows.
        || letters.chars().all(|char| char.is_ascii_digit() || "aBcCdeEfFgGiIJKLmMnNqQrRsSuUwWXxzj~.".contains(char))
}
