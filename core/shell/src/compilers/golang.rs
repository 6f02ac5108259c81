//! Flags that `go` passes to the compiler and the linker: `-gcflags`, `-ldflags`.

use super::{are_harmless_flags, is_compiler_command};

/// Options of the compiler and the assembler that name no file.
const COMPILES: &[&str] = &[
    "N", "l", "m", "S", "e", "d", "B", "C", "c", "K", "E", "L", "W", "w", "std", "live", "race",
    "msan", "asan", "dwarf", "shared", "spectre", "smallframes", "trimpath", "lang", "wb", "D",
    "dynlink", "debug", "v",
];

/// Options of the linker without a value.
const LINKS: &[&str] = &[
    "s", "w", "v", "a", "c", "d", "f", "g", "n", "h", "race", "msan", "asan", "aslr",
    "compressdwarf", "checklinkname", "linkshared", "bindnow", "dumpdep", "debugtramp",
];

/// Options of the linker with one that names no program, and no file that it writes.
const LINKS_WITH: &[&str] = &[
    "X", "H", "I", "L", "B", "E", "R", "T", "r", "k", "linkmode", "buildid", "buildmode", "libgcc",
];

/// True for an option of `GOFLAGS`.
pub(super) fn is_harmless(word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    match name.trim_start_matches('-') {
        "toolexec" | "exec" | "overlay" | "vettool" | "o" | "pkgdir" => false,
        "modfile" | "C" => !value.starts_with(['/', '~']) && !value.contains(".."),
        "ldflags" => are_harmless_ldflags(value),
        "gcflags" | "asmflags" => are_harmless_gcflags(value),
        "gccgoflags" => are_harmless_flags(value),
        _ => true,
    }
}

/// True for `-ldflags` by which nothing is run but a linker.
#[must_use]
pub fn are_harmless_ldflags(text: &str) -> bool {
    let words = words(text);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix('-') else { return false };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if LINKS.contains(&name) {
            continue;
        }
        let Some(value) = attached.or_else(|| words.next().map(String::as_str)) else {
            return false;
        };
        let value = value.trim_matches(['\'', '"']);
        let is_harmless = match name {
            "extldflags" => are_harmless_flags(value),
            "extld" => is_compiler_command(value),
            _ => LINKS_WITH.contains(&name),
        };
        if !is_harmless {
            return false;
        }
    }
    true
}

/// True for `-gcflags` and `-asmflags` by which no file is written.
#[must_use]
pub fn are_harmless_gcflags(text: &str) -> bool {
    words(text).iter().all(|word| {
        let name = word.split('=').next().unwrap_or_default().trim_start_matches('-');
        word.starts_with('-') && COMPILES.contains(&name)
    })
}

/// Words as `go` parts them: one may begin with a quote, and a pattern of packages stands before all.
fn words(text: &str) -> Vec<String> {
    let mut rest = text.trim();
    if !rest.starts_with(['-', '\'', '"'])
        && let Some((_, flags)) = rest.split_once('=')
    {
        rest = flags.trim();
    }
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => rest[1..].split_once(first).unwrap_or((&rest[1..], "")),
            _ => {
                // A quote behind `=` is one for whoever reads the value.
                let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let quote = rest[..blank].find(['\'', '"']).filter(|at| rest[..*at].ends_with('='));
                let end = quote.map_or(blank, |at| {
                    let (mark, inner) = rest[at..].split_at(1);
                    inner.find(mark).map_or(rest.len(), |end| at + end + 2)
                });
                rest.split_at(end)
            }
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_for_the_linker_that_run_or_write_are_distinguished_from_others() {
        for flags in [
            "-s -w",
            "-X main.version=1.2 -X 'main.date=a b'",
            "-linkmode external -extldflags \"-static -lm\"",
            "-extldflags=-static",
            "all=-s",
            "",
        ] {
            assert!(are_harmless_ldflags(flags), "{flags}");
        }
        for flags in [
            "-extld=./x", "-linkmode=external -extld=sh", "-extldflags '-Wl,-plugin,./x.so'",
            "-cpuprofile=/home/user/x", "-o /home/user/x", "all=-extld=./x", "'-extld=./x'",
        ] {
            assert!(!are_harmless_ldflags(flags), "{flags}");
        }
        assert!(are_harmless_gcflags("all=-N -l"));
        assert!(!are_harmless_gcflags("-cpuprofile=/home/user/x"));
    }
}
