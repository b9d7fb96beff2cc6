#!/usr/bin/env bash
# Installs StreamFusion into a Flink distribution, or removes it.
set -euo pipefail
usage() {
  cat <<'U'
usage: bin/install-flink.sh [--uninstall] [--only-core] FLINK_HOME
Copies 00-streamfusion-loader.jar and streamfusion-core.jar into FLINK_HOME/lib, and streamfusion-kafka.jar and
streamfusion-json.jar where Flink's connector and format jars are there. Restart Flink afterwards.
  --only-core  loader and core alone
  --uninstall  removes all StreamFusion jars from FLINK_HOME/lib
U
}
uninstall=false
only_core=false
home=""
for argument in "$@"; do
  case "$argument" in
    -h|--help) usage; exit 0 ;;
    --uninstall) uninstall=true ;;
    --only-core) only_core=true ;;
    -*) echo "install-flink: unknown option $argument" >&2; usage >&2; exit 2 ;;
    *) home="$argument" ;;
  esac
done
[ -n "$home" ] || { usage >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
lib="$home/lib"
[ -d "$lib" ] || { echo "install-flink: $lib does not exist; is '$home' a Flink home?" >&2; exit 1; }
jars="00-streamfusion-loader.jar streamfusion-core.jar streamfusion-kafka.jar streamfusion-json.jar"

if $uninstall; then
  for jar in $jars; do rm -f "$lib/$jar"; done
  echo "StreamFusion is removed from $lib. Restart Flink."
  exit 0
fi

dist="$(find "$lib" -maxdepth 1 -name 'flink-dist-*.jar' | head -1)"
version="$(basename "${dist:-none}" .jar | sed 's/^flink-dist-//')"
case "$version" in
  2.2.0|2.2.1) ;;
  none) echo "install-flink: no flink-dist jar in $lib; is '$home' a Flink home?" >&2; exit 1 ;;
  *) echo "install-flink: this is Flink $version; StreamFusion supports 2.2.0 and 2.2.1" >&2; exit 1 ;;
esac
has() { compgen -G "$lib/$1-[0-9]*.jar" >/dev/null; }
if ! has flink-table-planner-loader; then
  echo "install-flink: $lib has no flink-table-planner-loader jar. StreamFusion installs beside the planner loader; move it back" >&2
  echo "from opt/ and move flink-table-planner_2.12 away." >&2
  exit 1
fi
[ -f "$root/build/release/00-streamfusion-loader.jar" ] || "$root/bin/build-release.sh"

install() {
  cp "$root/build/release/$1" "$lib/.$1.tmp"
  mv -f "$lib/.$1.tmp" "$lib/$1" # atomically: a running Flink keeps the file it has open
  echo "installed $1"
}
install 00-streamfusion-loader.jar
install streamfusion-core.jar
if ! $only_core; then
  if has flink-json || has flink-sql-json; then
    install streamfusion-json.jar
  else
    echo "skipped streamfusion-json.jar: no flink-json in lib/"
  fi
  if has flink-connector-kafka || has flink-sql-connector-kafka; then
    install streamfusion-kafka.jar
  else
    echo "skipped streamfusion-kafka.jar: no Kafka connector in lib/ (run this again after adding one)"
  fi
fi
echo "StreamFusion is installed for Flink $version. Restart Flink; EXPLAIN then shows native nodes."
