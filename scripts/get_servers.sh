#!/usr/bin/env bash
# Real databases for the tests. Root on Debian gets what is missing; elsewhere those tests are skipped, and say why.
set -u
missing=()
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || missing+=(postgresql)
# Programs alone: the package mariadb-server would start a server of its own.
for program in mariadb-install-db my_print_defaults; do
  command -v "$program" >/dev/null 2>&1 || { missing+=(mariadb-server-core mariadb-client-core); break; }
done
[ ${#missing[@]} = 0 ] && exit 0
line="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "holdfast: for the tests of sinks, installing ${missing[*]}" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive $line; } >/dev/null 2>&1 && exit 0
fi
echo "holdfast: tests of sinks on servers that are missing will be skipped; get them with: $line" >&2
