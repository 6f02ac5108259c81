#!/usr/bin/env bash
# Finds what the tests need. As root on Debian it installs what is missing; elsewhere it names the
# one command to run, and fails.
set -eu

missing=()
need() { # command, Debian package
  command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}
need cc gcc
need c++ g++
need make make
need pkg-config pkg-config
need cmake cmake
need valgrind valgrind
need git git
need python3 python3
need node nodejs
need npm npm
need ps procps
need ip iproute2
need rg ripgrep
need dig bind9-dnsutils
# Of the builds that run confined.
need go golang-go
need javac default-jdk-headless
# Debian keeps the server's programs out of the path.
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || need postgres postgresql
need dockerd docker.io
# The client came to be a package of its own.
need docker "$(apt-cache show docker-cli >/dev/null 2>&1 && echo docker-cli || echo docker.io)"
[ -x /bin/busybox ] && /bin/busybox --list >/dev/null 2>&1 || need busybox busybox-static
python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)

if ! command -v cargo >/dev/null 2>&1; then
  echo "deps: Rust is missing; install the toolchain that Cargo.toml names (rust-version)" >&2
  exit 1
fi
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "deps: installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "deps: missing ${missing[*]}; run: sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
