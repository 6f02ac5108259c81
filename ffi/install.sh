#!/bin/sh
# Builds libtoolkeep and installs it: ffi/install.sh PREFIX [PROFILE]
#
# PROFILE is a Cargo profile; the default is release. Below PREFIX it writes
# include/toolkeep.{h,hpp}, lib/libtoolkeep.{so,a}, lib/pkgconfig/toolkeep.pc and
# lib/cmake/toolkeep/toolkeepConfig.cmake.
set -eu

prefix=${1:?usage: ffi/install.sh PREFIX [PROFILE]}
profile=${2:-release}
ffi=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$ffi")
case $profile in
dev) folder=debug ;;
*) folder=$profile ;;
esac

cd "$root"
cargo build --locked --package toolkeep-ffi --profile "$profile"
target=${CARGO_TARGET_DIR:-target}
version=$(cargo pkgid --package toolkeep-ffi | sed 's/.*[#@]//')

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/toolkeep"
prefix=$(cd "$prefix" && pwd)
install -m 644 include/toolkeep.h include/toolkeep.hpp "$prefix/include/"
install -m 755 "$target/$folder/libtoolkeep.so" "$prefix/lib/"
install -m 644 "$target/$folder/libtoolkeep.a" "$prefix/lib/"
fill() {
  sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" "$1"
}
fill ffi/pkgconfig/toolkeep.pc.in >"$prefix/lib/pkgconfig/toolkeep.pc"
fill ffi/cmake/toolkeepConfig.cmake.in >"$prefix/lib/cmake/toolkeep/toolkeepConfig.cmake"
echo "toolkeep $version is installed in $prefix"
