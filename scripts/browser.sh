#!/usr/bin/env bash
# Provides the browser that the tests of pages look with: one that is there, or Debian's chromium where this is root.
set -euo pipefail

die() {
  printf 'browser: %s\n' "$*" >&2
  exit 1
}

for program in chromium chromium-browser google-chrome; do
  command -v "$program" >/dev/null && exit 0
done

install="apt-get install -y --no-install-recommends chromium"
command -v apt-get >/dev/null || die "there is no chromium on PATH, and no apt-get to install it with: install a chromium"
[ "$(id -u)" = 0 ] || die "there is no chromium on PATH: as root, run \`$install\`"
echo "Installing Debian's package chromium (about 100 MB to fetch), for the tests that open pages in a browser:"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
$install -q
