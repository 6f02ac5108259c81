#!/usr/bin/env bash
# Prints what toolkeep costs, each number beside the baseline that it is measured against in the
# same run. `make bench` calls it; docs/benchmarks.md says how to read it. Nothing here can fail
# for being slow.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PYTHON:?}" "${VENV:?}" "${CARGO_TARGET_DIR:?}"
built="$PWD/.build/bench"

# Apart from what the tests use: release builds with the feature `bench`.
build() {
  rm -rf "$built" && mkdir -p "$built"
  cargo bench --quiet -p toolkeep -p toolkeep-scrub -p toolkeep-shell --features toolkeep/docker,toolkeep/postgres --bench call --bench exec --bench policy --bench registry --bench scrub --bench shell --bench store --bench walk --bench writing --no-run
  cargo build --quiet --release -p toolkeep-ffi --features bench
  cp "$CARGO_TARGET_DIR/release/libtoolkeep.so" "$built/"
  cargo build --quiet --release -p toolkeep-node --features bench
  cp "$CARGO_TARGET_DIR/release/libtoolkeep_node.so" "$built/toolkeep.node"
  "$VENV/bin/maturin" build --quiet --release --features bench \
    --manifest-path bindings/python/Cargo.toml --out "$built" >/dev/null 2>&1
  "$PYTHON" -m zipfile -e "$built"/*.whl "$built/python"
  cc -O2 -Iinclude tests/bench/call.c -o "$built/call" -L"$built" -ltoolkeep -lpthread \
    -Wl,-rpath,"$built"
}

in_rust() { cargo bench --quiet -p toolkeep -p toolkeep-scrub -p toolkeep-shell --features toolkeep/docker,toolkeep/postgres --bench "$@"; }
# A bench with headings of its own; in Markdown an empty line ends the table before.
own_tables() { echo && in_rust "$@"; }
in_c() { "$built/call" "$@"; }
in_python() { PYTHONPATH="$built/python" "$PYTHON" tests/bench/call.py "$@"; }
in_node() { NAPI_RS_NATIVE_LIBRARY_PATH="$built/toolkeep.node" node tests/bench/call.cjs "$@"; }

table() {
  echo
  echo "| $1 |"
  echo "$1" | sed -E 's/[^|]+/---:/g; s/^---:/---/; s/.*/|&|/'
}

size() {
  echo "| $1 | $(stat -c %s "$2" | awk '{ printf "%.1f", $1 / 1048576 }') |"
}

# What was measured, and where: figures without it are worth little later.
origin() {
  local commit changed cpu
  commit=$(git rev-parse --short=12 HEAD)
  changed=$(git status --porcelain --untracked-files=no)
  cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
  echo "\`make bench\` of commit $commit${changed:+ with changes}, on $(LC_ALL=C date -u '+%-d %B %Y')," \
    "with $(nproc) cores of ${cpu:-$(uname -m)}, Linux $(uname -r):"
}

echo "Building (release) ..." >&2
build

origin

own_tables call

own_tables policy

own_tables scrub

own_tables shell

table "call of a no-op tool | ns, same bridge with an empty core | ns, toolkeep | ratio"
in_c
in_python
in_node

table "loading | ms, bare interpreter | ms, with toolkeep | difference"
PYTHONPATH="$built/python" NAPI_RS_NATIVE_LIBRARY_PATH="$built/toolkeep.node" \
  "$PYTHON" tests/bench/startup.py "$PWD/bindings/node"

table "resident memory | MiB, bare process | MiB, idle runtime after a call | difference"
in_rust call -- memory
in_c memory
in_python memory
in_node memory

own_tables registry

own_tables writing

own_tables exec

own_tables store
own_tables store -- memory

own_tables walk

table "size (the baseline is nothing) | MiB"
size "wheel" "$built"/*.whl
size "Node addon" "$built/toolkeep.node"
size "libtoolkeep.so" "$built/libtoolkeep.so"
