#!/bin/sh
# Makes the root folder of the container image: image_root.sh ROOT [VENV], with the python3 of PATH (or $PYTHON), on Debian.
# VENV is where the packages lie, here and in the image. ROOT gets its bill of materials; the tool that writes it stays out.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$1
venv=${2:-/opt/numagate}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "image: installing the packages locked in requirements/runtime.txt into $venv"
# Without pip inside: the environment is filled from outside, and only with wheels whose hashes are locked.
"$python" -m venv --clear --without-pip "$venv"
"$python" -m pip --disable-pip-version-check --python "$venv/bin/python" install --quiet \
  --no-cache-dir --no-deps --only-binary :all: --require-hashes --requirement "$here/requirements/runtime.txt"
# The package is pure Python and has no build step: copied, it needs no build tool that would have to be trusted too.
cp -r "$here/webhook" "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
printf '%s\n' "#!$venv/bin/python" 'import sys' 'from webhook.cli.main import main' 'sys.exit(main())' > "$venv/bin/numagate"
chmod 0755 "$venv/bin/numagate"

echo "image: writing the bill of materials (the tool is locked in requirements/sbom.txt, and stays outside)"
"$python" -m venv "$work/sbom"
"$work/sbom/bin/python" -m pip --disable-pip-version-check install --quiet \
  --no-cache-dir --only-binary :all: --require-hashes --requirement "$here/requirements/sbom.txt"
"$work/sbom/bin/cyclonedx-py" environment "$venv/bin/python" --pyproject "$here/pyproject.toml" \
  --output-reproducible --spec-version 1.6 --output-file "$work/sbom.cdx.json"

echo "image: laying out $root"
"$python" "$here/scripts/image_root.py" "$root" --venv "$venv" --sbom "$work/sbom.cdx.json" --licence "$here/LICENSE"
