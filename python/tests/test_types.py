"""The types: of the package, of the extension module against what it holds, and of a user's program."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import forebay

PACKAGE = pathlib.Path(forebay.__file__).parent
USER = """
import numpy as np
from numpy.typing import NDArray
import forebay

ds: forebay.Dataset = forebay.open_samples("a.tbl")
image: NDArray[np.uint8] = ds[0].image()
some: forebay.Dataset = ds[3:5].where("width > 3")
report: forebay.Report = ds.check()
codes: list[str] = [fault.code for fault in report.faults]
loader = forebay.Loader("a.tbl", batch=4, size=(8, 6), augment=forebay.RandomResizedCrop() | forebay.HorizontalFlip())
for batch in loader:
    labels: NDArray[np.int64] = batch.labels
names: list[str] = forebay.open_table("a.csv").columns
try:
    ds[3].payload
except forebay.DamagedError as e:
    where: int | None = e.sample
"""
WRONG = USER + "\nforebay.Loader('a.tbl', tail='half')\nds.nope\n"


def mypy(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The package is there twice while it is tested, and what is asked for is the one that is imported.
    env = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(PACKAGE.parent.parent / "mypy"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=PACKAGE.parent)


def test_the_package_is_typed() -> None:
    found = mypy("-p", "forebay")
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_users_program_is_typed(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(USER)
    found = mypy(str(program))
    assert found.returncode == 0, found.stdout + found.stderr
    program.write_text(WRONG)
    found = mypy(str(program))
    assert found.stdout.count("error:") == 2, found.stdout


def test_the_stub_is_what_the_module_holds() -> None:
    env = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "mypy.stubtest", "forebay._forebay"]
    found = subprocess.run(command, capture_output=True, text=True, env=env, cwd=PACKAGE.parent)
    assert found.returncode == 0, found.stdout + found.stderr


def test_everything_public_is_exported_and_explained() -> None:
    for name in forebay.__all__:
        found = getattr(forebay, name)
        if name != "__version__":
            assert found.__doc__, name
