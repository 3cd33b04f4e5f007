#!/usr/bin/env bash
# Makes the virtual environment named by the first argument, with numagate (editable) and its development tools.
# PYTHON names the interpreter; without it the first python3 that is new enough is taken.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${1:-.venv}
minimum="3, 11"

die() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

new_enough() {
  "$1" -c "import sys; sys.exit(sys.version_info < ($minimum))" 2>/dev/null
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if command -v "$candidate" >/dev/null && new_enough "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  candidate=${PYTHON:-python3}
  if command -v "$candidate" >/dev/null; then
    die "$candidate is $("$candidate" --version 2>&1), numagate needs Python >= ${minimum/, /.}:" \
      "install one and name it, for instance: make setup PYTHON=python3.12"
  fi
  die "$candidate not found, numagate needs Python >= ${minimum/, /.}: install it, or name one: make setup PYTHON=/path/to/python3"
}

make_venv() {
  local python version
  python=$(find_python)
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  # Debian and Ubuntu ship python3 without ensurepip, and venv then fails only half-way.
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    die "$python cannot make a virtual environment, its ensurepip is missing:" \
      "on Debian and Ubuntu run \`apt-get install python$version-venv\`, then \`make setup\` again"
  echo "Making $venv with $("$python" --version 2>&1) ($python)"
  "$python" -m venv --clear "$venv"
}

if ! { [ -x "$venv/bin/python" ] && new_enough "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }; then
  make_venv
fi

echo "Installing numagate (editable) and the packages locked in requirements/dev.txt:"
sed -n 's/^\([A-Za-z0-9._-]*==[^ ;]*\).*/\1/p' requirements/dev.txt | paste -sd ' ' - | fold -s -w 110 | sed 's/^/  /'
pip=("$venv/bin/python" -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install --require-hashes --requirement requirements/dev.txt
"${pip[@]}" install --no-deps --no-build-isolation --editable .
echo "Done: $venv/bin/numagate"
