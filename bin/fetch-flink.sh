#!/usr/bin/env bash
# Assembles a complete Flink distribution from the Python packages, for tests and for trying things out.
set -euo pipefail
usage() {
  cat <<'U'
usage: bin/fetch-flink.sh [VERSION] [TARGET]
  VERSION  Flink version (default 2.2.1); must be published as apache-flink and apache-flink-libraries
  TARGET   directory to create (default build/flink/flink-VERSION); left alone when complete already
Prints the Flink home on its last line. Downloads are kept in build/flink/downloads.
U
}
case "${1:-}" in -h|--help) usage; exit 0 ;; esac
version="${1:-2.2.1}"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
target="${2:-$root/build/flink/flink-$version}"
downloads="$root/build/flink/downloads"

if [ -f "$target/.complete" ]; then
  echo "$target"
  exit 0
fi
command -v python3 >/dev/null || { echo "fetch-flink: python3 with pip is needed (Debian: apt-get install python3-pip)" >&2; exit 1; }
mkdir -p "$downloads"
work="$(mktemp -d "$root/build/flink/assemble.XXXXXX")"
trap 'rm -rf "$work"' EXIT

libraries="$downloads/apache_flink_libraries-$version.tar.gz"
if [ ! -f "$libraries" ]; then
  echo "fetch-flink: downloading the libraries of Flink $version (about 300 MB)" >&2
  # The source archive is wanted as it is; pip only reads its metadata.
  python3 -m pip download -q --no-deps --no-binary :all: -d "$work" "apache-flink-libraries==$version" >&2
  mv "$work/$(basename "$libraries")" "$libraries"
fi
wheel="$(find "$downloads" -name "apache_flink-$version-*.whl" | head -1)"
if [ -z "$wheel" ]; then
  echo "fetch-flink: downloading the scripts of Flink $version" >&2
  # Any platform's wheel carries the same scripts and configuration.
  python3 -m pip download -q --no-deps --only-binary :all: --python-version 3.11 --platform manylinux2014_x86_64 \
    -d "$downloads" "apache-flink==$version" >&2
  wheel="$(find "$downloads" -name "apache_flink-$version-*.whl" | head -1)"
fi

home="$work/home"
mkdir -p "$home/log"
tar -xzf "$libraries" -C "$work"
for part in lib opt plugins; do
  mv "$work/apache_flink_libraries-$version/deps/$part" "$home/$part"
done
python3 - "$wheel" "$home" <<'P'
import os, sys, zipfile
wheel, home = sys.argv[1:]
with zipfile.ZipFile(wheel) as z:
    for name in z.namelist():
        if name.startswith(("pyflink/bin/", "pyflink/conf/")) and not name.endswith("/"):
            target = os.path.join(home, os.path.relpath(name, "pyflink"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as f:
                f.write(z.read(name))
            if name.startswith("pyflink/bin/"):
                os.chmod(target, 0o755)
P
# config.sh looks for this helper among the scripts.
if [ -f "$work/apache_flink_libraries-$version/deps/bin/bash-java-utils.jar" ]; then
  cp "$work/apache_flink_libraries-$version/deps/bin/bash-java-utils.jar" "$home/bin/"
fi
# The Python packages leave out the SQL gateway, which the SQL client embeds. Maven Central has it for the line's first
# version only; its interfaces are the same within the line.
if ! compgen -G "$home/opt/flink-sql-gateway-*.jar" >/dev/null; then
  gateway="org.apache.flink:flink-sql-gateway:${version%.*}.0"
  echo "fetch-flink: adding $gateway" >&2
  (cd "$root" && mvn -q -B -N org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$gateway" -DoutputDirectory="$home/opt" -Dtransitive=false) >&2
fi
touch "$home/.complete"
mkdir -p "$(dirname "$target")"
rm -rf "$target"
mv "$home" "$target"
echo "$target"
