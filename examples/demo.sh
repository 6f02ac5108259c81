#!/usr/bin/env bash
# One agent session in Rust, Python, Node and C: the same calls on copies of this repository. Prints
# the transcript and compares all four to the byte. `--quiet` prints the comparison only.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
libraries="${CARGO_TARGET_DIR:-$here/target}/debug"
python="${PYTHON:-python3}"

house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT

# A workspace: this repository's own files, and one with credentials that look real. They are put
# together here so that no scanner takes this script for a leak.
workspace() {
  mkdir "$house/$1"
  git ls-files -z | xargs -0 cp --parents -t "$house/$1"
  {
    echo "# deployment"
    echo "REGION=eu-central-1"
    echo "OPENAI_API_""KEY=sk-""abcdefghijklmnopqrstuvwxyz123456"
    echo "DATABASE_""URL=postgres"":""//app:s3cr3t-pass@db.internal/app"
    echo "github: ghp_""$(printf 'x%.0s' {1..36})"
  } >"$house/$1/deploy.env"
}

run() { # language, program…
  workspace "$1"
  local language=$1
  shift
  "$@" "$house/$language" "$here/examples/session.txt" >"$house/$language.txt"
}

cc -std=c99 -Wall -Wextra -Iinclude examples/c/session.c -L"$libraries" -ltoolkeep \
  -Wl,-rpath,"$libraries" -o "$house/session-c"
run rust "$libraries/session"
run python "$python" examples/python/session.py
run node node examples/node/session.mjs
run c "$house/session-c"

[ "${1:-}" = "--quiet" ] || cat "$house/rust.txt"

calls=$(grep -c '^call ' "$house/rust.txt")
expected=$(grep -cv '^#' examples/session.txt)
if [ "$calls" -ne "$expected" ]; then
  echo "demo: $calls of $expected calls were made" >&2
  exit 1
fi
for language in python node c; do
  if ! diff -u "$house/rust.txt" "$house/$language.txt"; then
    echo "demo: the transcripts of rust and $language differ" >&2
    exit 1
  fi
done
for planted in sk-abcdef s3cr3t-pass ghp_xxx; do
  if grep -q "$planted" "$house"/*.txt; then
    echo "demo: a planted credential was shown" >&2
    exit 1
  fi
done
echo "The transcripts of Rust, Python, Node and C are identical: $calls calls, $(sha256sum <"$house/rust.txt" | cut -c1-12)."
