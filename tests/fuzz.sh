#!/usr/bin/env bash
# Fuzzes the check of shell commands from what earlier fuzzing kept, each target for
# TOOLKEEP_FUZZ_SECONDS (600). `make soak` calls it. It needs a C++ compiler and any toolchain of
# Rust: what cargo-fuzz switches on beside the sanitizers of a nightly one is switched on here.
# An input that panics, runs longer than ten seconds or takes more than 2 GiB fails it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${TOOLKEEP_FUZZ_SECONDS:-600}"
work="$PWD/.build/fuzz"
target="$(rustc -vV | sed -n 's/^host: //p')"

if ! command -v c++ >/dev/null 2>&1; then
  echo "fuzz: skipped, there is no C++ compiler to build libFuzzer with" >&2
  exit 0
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

for name in shell_parse shell_judge; do
  mkdir -p "$work/corpus/$name"
  "$work/target/$target/release/$name" "$work/corpus/$name" "$work/start" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -verbosity=0 \
    -artifact_prefix="$work/found/$name-"
  echo "fuzz: $name found nothing in $seconds s" >&2
done
