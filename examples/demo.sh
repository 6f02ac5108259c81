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
    echo "OPENAI_API_""KEY=sk-""Zk3vQ8xT1mB7nR5pW2cL9dH4jF6gS0aY"
    echo "DATABASE_""URL=postgres"":""//app:s3cr3t-pass@db.internal/app"
    echo "github: ghp_""aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    echo "token = parser.next_token()  # no secret, and left alone"
  } >"$house/$1/deploy.env"
}

# The tags of placeholders come from this key, so they are the same in all four.
TOOLKEEP_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export TOOLKEEP_KEY

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
for planted in Zk3vQ8xT s3cr3t-pass ghp_aB3d; do
  if grep -q "$planted" "$house"/*.txt; then
    echo "demo: a planted credential was shown" >&2
    exit 1
  fi
done
echo "The transcripts of Rust, Python, Node and C are identical: $calls calls, $(sha256sum <"$house/rust.txt" | cut -c1-12)."
