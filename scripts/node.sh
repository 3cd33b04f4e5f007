#!/usr/bin/env bash
# Provides what the test node is made of beside our builds: QEMU, a kernel, busybox and what builds runc, all of Debian.
# The packages are unpacked into the user's cache and not installed: no root is needed, and nothing of the machine changes.
# Prints the folder that they are in.
set -euo pipefail

die() {
  printf 'node: %s\n' "$*" >&2
  exit 1
}

# Another list of packages is another folder.
folder="${XDG_CACHE_HOME:-$HOME/.cache}/numagate/node/debian-$(sha256sum "$0" | cut -c1-12)"
[ -e "$folder/complete" ] && { echo "$folder"; exit 0; }

command -v apt-get >/dev/null || die "there is no apt-get: the test node is made of Debian's packages, run this on Debian"
if ! command -v gcc >/dev/null; then
  install="apt-get install -y --no-install-recommends gcc libc6-dev"
  [ "$(id -u)" = 0 ] || die "there is no gcc, which runc is built with: as root, run \`$install\`"
  echo "Installing Debian's packages gcc and libc6-dev (about 60 MB to fetch), which runc is built with" >&2
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive $install -q >&2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if [ "$(id -u)" = 0 ]; then
  apt-get update -q >/dev/null || die "apt-get update failed"
fi
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
[ -n "$kernel" ] || die "apt knows no linux-image-cloud-amd64"
# Of programs that may be there already: what they need beside that.
missing=$(apt-get install -s --no-install-recommends qemu-system-x86 e2fsprogs | sed -n 's/^Inst \([^ ]*\) (.*/\1/p')
echo "Fetching Debian's packages of the test node (about 90 MB), unpacked into $folder and not installed:" >&2
# shellcheck disable=SC2086 # one word a package
set -- "$kernel" busybox-static libseccomp-dev $missing
printf '%s ' "$@" | fold -s -w 110 | sed 's/^/  /' >&2
echo >&2
apt-get download -q "$@" >/dev/null || die "apt-get download failed"
mkdir -p "$folder"
for package in *.deb; do
  dpkg-deb --extract "$package" "$folder"
done
touch "$folder/complete"
echo "$folder"
