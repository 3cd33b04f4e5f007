"""Lays out the files of the container image from the packages that the tests themselves run with."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import webhook

ROOT = Path(__file__).resolve().parents[1]
EPOCH = 1_790_000_000


def locked() -> dict[str, str]:
    """Answer name and version of what requirements/runtime.txt locks for this machine."""
    text = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")
    lines = re.findall(r"^([\w.-]+)==([^ ;]+)( ;[^\\]*)?", text, re.MULTILINE)
    return {name: version for name, version, condition in lines if "win32" not in condition}


def make_venv(folder: Path) -> Path:
    """Make what scripts/image_root.sh installs, of the packages that the tests themselves run with."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    library = folder / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    for name in locked():
        installed = distribution(name)
        for file in installed.files or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                target = library / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)
    shutil.copytree(Path(webhook.__file__).parent, library / "webhook", ignore=shutil.ignore_patterns("__pycache__"))
    program = folder / "bin" / "numagate"
    program.write_text(f"#!{folder}/bin/python\nimport sys\nfrom webhook.cli.main import main\nsys.exit(main())\n")
    program.chmod(0o755)
    return folder


def lay_out(root: Path, venv: Path, work: Path) -> Path:
    """Run the script as the image's build does."""
    bill = work / "sbom.cdx.json"
    bill.write_text(json.dumps({"metadata": {"component": {"name": "numagate"}}, "components": []}))
    script = [sys.executable, ROOT / "scripts" / "image_root.py", root, "--venv", venv]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    subprocess.run([*script, "--sbom", bill, "--licence", ROOT / "LICENSE"], check=True, env=environment)
    return root
