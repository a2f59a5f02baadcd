#!/usr/bin/env bash
# Runs the Java harness; builds it first when there is no build or the sources are newer.
# Usage and environment variables: README.md beside this file.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="${MQSTORE_JAVA_BUILD:-$here/../../target/java}"

missing() {
  echo "mqstore java harness: $1" >&2
  exit 3
}

sources_stamp() {
  (cd "$here" && find pom.xml src -type f | LC_ALL=C sort | xargs cksum | cksum)
}

is_current() {
  [ -f "$out/stamp" ] && [ "$(cat "$out/stamp")" = "$(sources_stamp)" ]
}

build() {
  command -v mvn >/dev/null || missing "'mvn' (Maven 3) is not installed, and it is needed once to build; nothing was run"
  rm -f "$out/stamp"
  # Maven's own words are only of interest when it fails.
  if ! mvn -q -B -f "$here/pom.xml" -Dmqstore.build="$out" package >"$out/build.log" 2>&1; then
    tail -n 40 "$out/build.log" >&2
    echo "mqstore java harness: the build failed (log: $out/build.log)" >&2
    exit 5
  fi
  sources_stamp >"$out/stamp"
}

command -v java >/dev/null || missing "'java' (a JDK, version 11 or later) is not installed; nothing was run"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
if ! is_current; then
  # Several tests may start at the same time: only one of them builds.
  (
    if command -v flock >/dev/null; then flock 9; fi
    is_current || build
  ) 9>"$out/lock"
fi
if [ "${1:-}" = build ]; then exit 0; fi

export LC_ALL=C.UTF-8
# The store unmaps files through sun.nio.ch, java.nio and jdk.internal.ref: without the opens no file is ever deleted.
# It names index files after the local time, hence UTC.
exec java \
  --add-exports java.base/sun.nio.ch=ALL-UNNAMED \
  --add-exports java.base/jdk.internal.ref=ALL-UNNAMED \
  --add-opens java.base/sun.nio.ch=ALL-UNNAMED \
  --add-opens java.base/java.nio=ALL-UNNAMED \
  --add-opens java.base/jdk.internal.ref=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED \
  -Duser.timezone=UTC -Dfile.encoding=UTF-8 \
  ${MQSTORE_JAVA_OPTS:--Xms512m -Xmx2g -XX:+UseG1GC -XX:MaxDirectMemorySize=8g} \
  -cp "$out/harness.jar:$out/lib/*" mqstore.harness.Main "$@"
