"""The Dockerfile agrees with what the manifests expect of the image; no engine is needed to see that."""

import re
from pathlib import Path

import pytest

from webhook.manifests.pods import PROBE_PORT
from webhook.manifests.pods import SERVING_PORT
from webhook.manifests.pods import USER

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def instructions() -> list[str]:
    """Answer the instructions of the Dockerfile, one string each, without comments."""
    text = (REPOSITORY / "Dockerfile").read_text()
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [" ".join(line.split()) for line in lines.replace("\\\n", " ").splitlines() if line.strip()]


def test_the_user_is_the_one_of_the_pods_and_a_number(instructions: list[str]) -> None:
    assert instructions.count(f"USER {USER}:{USER}") == 1


def test_the_ports_are_those_of_the_pods(instructions: list[str]) -> None:
    assert f"EXPOSE {SERVING_PORT} {PROBE_PORT}" in instructions


def test_the_program_is_the_entry_point(instructions: list[str]) -> None:
    assert 'ENTRYPOINT ["numagate"]' in instructions


def test_only_wheels_with_locked_hashes_are_installed() -> None:
    script = (REPOSITORY / "scripts" / "image_root.sh").read_text().replace("\\\n", " ")
    installs = [line for line in script.splitlines() if " install " in line]

    assert len(installs) == 2
    assert all("--require-hashes --requirement" in line and "--only-binary :all:" in line for line in installs)


def test_the_last_stage_starts_from_nothing_and_only_takes_what_was_laid_out(instructions: list[str]) -> None:
    last = instructions.index("FROM scratch")

    assert [line for line in instructions[last:] if line.startswith(("COPY", "RUN", "ADD"))] == [
        "COPY --from=build /image /"
    ]


def test_the_base_is_pinned_by_digest(instructions: list[str]) -> None:
    assert [line for line in instructions if line.startswith("FROM ")] == ["FROM ${PYTHON} AS build", "FROM scratch"]
    assert re.fullmatch(r"ARG PYTHON=python:[\d.]+-slim-\w+@sha256:[0-9a-f]{64}", instructions[0])


def test_what_is_copied_is_let_through_to_the_engine(instructions: list[str]) -> None:
    let_through = {
        line.removeprefix("!")
        for line in (REPOSITORY / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = [line.split()[1:-1] for line in instructions if line.startswith("COPY ") and "--from" not in line]

    assert {name for names in copied for name in names} == {Path(name).parts[0] for name in let_through}


@pytest.mark.parametrize("lock", sorted(REPOSITORY.glob("requirements/*.txt")), ids=lambda path: path.stem)
def test_every_locked_dependency_has_a_hash(lock: Path) -> None:
    text = lock.read_text().replace("\\\n", " ")
    requirements = [line for line in text.splitlines() if "==" in line]

    assert [line for line in requirements if "--hash=sha256:" not in line] == []
