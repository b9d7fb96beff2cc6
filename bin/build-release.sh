#!/usr/bin/env bash
# Builds the jars that go into Flink's lib/ and collects them in build/release.
set -euo pipefail
usage() {
  cat <<'U'
usage: bin/build-release.sh
Builds native libraries and jars (no tests) and leaves in build/release:
  00-streamfusion-loader.jar  streamfusion-core.jar  streamfusion-kafka.jar  streamfusion-json.jar
U
}
case "${1:-}" in -h|--help) usage; exit 0 ;; "") ;; *) usage >&2; exit 2 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version="$(sed -n 's:.*<version>\(.*\)</version>.*:\1:p' pom.xml | head -1)"
echo "build-release: StreamFusion $version"
mvn -q -B package -DskipTests -pl java/streamfusion-loader,java/streamfusion-runtime,java/streamfusion-kafka,java/streamfusion-json -am
mkdir -p build/release
cp "java/streamfusion-loader/target/streamfusion-loader-$version.jar" build/release/00-streamfusion-loader.jar
cp "java/streamfusion-runtime/target/streamfusion-runtime-$version.jar" build/release/streamfusion-core.jar
cp "java/streamfusion-kafka/target/streamfusion-kafka-$version.jar" build/release/streamfusion-kafka.jar
cp "java/streamfusion-json/target/streamfusion-json-$version.jar" build/release/streamfusion-json.jar
ls -l build/release
