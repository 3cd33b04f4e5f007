#!/usr/bin/env bash
# Provides promtool for the tests of the alert rules: one that is on PATH, or the one of Debian's package prometheus, of
# which nothing else is kept: installed, the package would start a server.
set -euo pipefail

die() {
  printf 'promtool: %s\n' "$*" >&2
  exit 1
}

folder="${XDG_CACHE_HOME:-$HOME/.cache}/numagate/promtool"
command -v promtool >/dev/null && exit 0
[ -x "$folder/promtool" ] && exit 0

hint="install Debian's package prometheus, or put a promtool of version 2.42 or newer on PATH"
command -v apt-get >/dev/null || die "there is no promtool on PATH, and no apt-get to fetch it with: $hint"
echo "Fetching Debian's package prometheus (about 20 MB) for its promtool, which tests the alert rules; kept in $folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if [ "$(id -u)" = 0 ]; then
  apt-get update -q >/dev/null || die "apt-get update failed: $hint"
fi
apt-get download -q prometheus || die "apt-get download prometheus failed: $hint"
dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
mkdir -p "$folder"
install usr/bin/promtool "$folder/promtool.new"
mv "$folder/promtool.new" "$folder/promtool"
"$folder/promtool" --version | head -n 1
