#!/usr/bin/env bash
# Java 17 or newer must be there: Spark 4 runs on nothing older. One clear line, exit 2.
set -u
line="install it with: apt-get install -y --no-install-recommends openjdk-17-jre-headless"
java_bin="${JAVA_HOME:+$JAVA_HOME/bin/}java"
if ! command -v "$java_bin" >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "holdfast: Java is missing, installing openjdk-17-jre-headless" >&2
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless; } \
      >/dev/null 2>&1 && exit 0
  fi
  echo "holdfast: Java 17 or newer is missing; $line" >&2
  exit 2
fi
version=$("$java_bin" -version 2>&1 | sed -nE 's/.*version "([0-9]+)(\.([0-9]+))?.*/\1 \3/p' | head -n 1)
major=${version%% *}
[ "$major" = 1 ] && major=${version##* }
if [ "${major:-0}" -lt 17 ]; then
  echo "holdfast: Java 17 or newer is needed, $java_bin is Java ${major:-of unknown version}; $line" >&2
  exit 2
fi
