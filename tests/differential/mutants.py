"""Proves that the comparison finds errors: plants one after the other, and sees each caught; behind `make mutants`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import differential
from differential.mutations import KUBELET
from differential.mutations import MUTATIONS
from differential.mutations import PACKAGE
from differential.mutations import Mutation
from differential.oracle import KUBELET_ORACLE
from differential.oracle import Oracle
from differential.oracle import OracleError
from differential.oracle import build
from differential.oracle import isolated
from differential.run import PROCESSES
from differential.run import say
from differential.scenarios import scenarios

SCENARIOS = 6000
SEED = 1
BATCH = 250
SECONDS = 600
"""An error that makes the simulation run for so long is caught as well."""

TESTS = str(next(iter(differential.__path__)))


def main() -> int:
    """Plant every error; 0 if all are caught, 1 if one survives, 2 if the real kubelet cannot be asked."""
    mutated = [(mutation, mutation.applied()) for mutation in MUTATIONS]
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder, "answers.jsonl")
        try:
            record(answers)
        except OracleError as error:
            say(str(error))
            return 2
        say("| error planted | file | caught by |\n|---|---|---|")
        survivors = 0
        with ThreadPoolExecutor(PROCESSES) as pool:
            jobs = [pool.submit(caught_by, Path(folder), answers, *each, number) for number, each in enumerate(mutated)]
            for mutation, job in zip(MUTATIONS, jobs, strict=True):
                survivors += not job.result()
                say(f"| {mutation.error} | `{mutation.file}` | {job.result() or '**nothing**'} |")
    say(f"\n{len(MUTATIONS)} errors planted, {survivors} not caught")
    return 1 if survivors else 0


def record(answers: Path) -> None:
    """Ask the real managers once, and keep what they say for all the errors."""
    oracle = Oracle(*isolated(build(KUBELET_ORACLE, say)))
    say(f"asking the real managers about {SCENARIOS:,} scenarios of seed {SEED}")
    with ThreadPoolExecutor(PROCESSES) as pool, answers.open("w", encoding="utf-8") as file:
        for lines in pool.map(lambda first: list(answered(oracle, first)), range(0, SCENARIOS, BATCH)):
            file.writelines(lines)


def answered(oracle: Oracle, first: int) -> Iterator[str]:
    """Yield the questions of a batch with their answers, a line each."""
    questions = [scenario.as_question() for scenario in scenarios(BATCH, SEED, first)]
    for question, answer in zip(questions, oracle.ask(questions), strict=True):
        yield json.dumps([question, answer]) + "\n"


def caught_by(folder: Path, answers: Path, mutation: Mutation, text: str, number: int) -> str:
    """Answer what catches an error that is planted in a copy of the package; "" if nothing does.

    Raises:
        ValueError: the copy does not run, which proves nothing.
    """
    copy = folder / str(number)
    shutil.copytree(PACKAGE, copy / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / PACKAGE.name / KUBELET / mutation.file).write_text(text, "utf-8")
    paths = os.pathsep.join([str(copy), str(Path(TESTS).parent)])
    command = [sys.executable, "-m", "differential.hunt", str(answers)]
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, env=environment, cwd=copy, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"an answer that takes more than {SECONDS} s"
    finally:
        shutil.rmtree(copy)
    if done.returncode:
        msg = f"{mutation.file} does not run with the error ({mutation.error}):\n{done.stderr[-1500:]}"
        raise ValueError(msg)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
