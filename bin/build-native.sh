#!/usr/bin/env bash
# Builds the C side (engine, formats, JNI glue) with CMake and Ninja; incremental.
set -euo pipefail
usage() {
  cat <<'U'
usage: bin/build-native.sh [release|sanitize|thread|fuzz]
  release   optimised shared libraries in build/native/release/lib (default)
  sanitize  unit tests under address and undefined-behaviour sanitizers
  thread    tests of what threads share, under the thread sanitizer
  fuzz      libFuzzer targets (clang)
U
}
case "${1:-release}" in
  -h|--help) usage; exit 0 ;;
  release|sanitize|thread|fuzz) preset="${1:-release}" ;;
  *) usage >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/native
exec 9>"build/native/.lock-$preset"
flock 9
[ -f "build/native/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
