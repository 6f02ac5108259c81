#!/usr/bin/env bash
# Fuzzes the check of shell commands from what earlier fuzzing kept, both targets for
# TOOLKEEP_FUZZ_SECONDS (600). `make soak` calls it. It needs a C++ compiler and any toolchain of
# Rust: what cargo-fuzz switches on beside the sanitizers of a nightly one is switched on here.
# An input that panics, runs longer than ten seconds or takes more than 2 GiB fails it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${TOOLKEEP_FUZZ_SECONDS:-600}"
work="$PWD/.build/fuzz"
target="$(rustc -vV | sed -n 's/^host: //p')"

if ! command -v c++ >/dev/null 2>&1; then
  echo "fuzz: there is no C++ compiler to build libFuzzer with; install one (Debian: g++)" >&2
  exit 1
fi

mkdir -p "$work/start" "$work/found"
python3 - "$work/start" <<'PYTHON'
import gzip, hashlib, json, pathlib, sys
for line in gzip.open("fuzz/corpus/shell.jsonl.gz", "rt", encoding="utf-8"):
    text = json.loads(line).encode()
    (pathlib.Path(sys.argv[1]) / hashlib.sha1(text).hexdigest()).write_bytes(text)
PYTHON

passes=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks=yes)
echo "Building the fuzz targets ..." >&2
RUSTFLAGS="--cfg fuzzing ${passes[*]}" CARGO_TARGET_DIR="$work/target" \
  cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$target"

# Both at once: each takes one core.
fuzz() {
  mkdir -p "$work/corpus/$1"
  "$work/target/$target/release/$1" "$work/corpus/$1" "$work/start" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$work/found/$1-" 2>"$work/$1.log" || {
    tail -n 40 "$work/$1.log" >&2
    echo "fuzz: $1 failed; the input lies in $work/found" >&2
    return 1
  }
  runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$1.log")"
  echo "fuzz: $1 found nothing in $seconds s and $runs runs" >&2
}
fuzz shell_parse & parse=$!
fuzz shell_judge & judge=$!
trap 'pkill -P "$parse"; pkill -P "$judge"' INT TERM
failed=0
wait "$parse" || failed=1
wait "$judge" || failed=1
exit "$failed"
