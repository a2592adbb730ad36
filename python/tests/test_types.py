"""The types: of the package, of the extension module against what it holds, and of a user's program."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import forebay
from conftest import ROOT

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
    numbers: NDArray[np.int64] = batch.labels
names: list[str] = forebay.open_table("a.csv").columns
labels: forebay.labels.LabelSet = forebay.labels.read("a.json", voc_base=1)
corners: NDArray[np.float64] = labels[0].boxes()
built: str = forebay.warehouse.build("a", "b", size=64).manifest
same: bool = forebay.diff("a.tbl", "b.tbl").same
steps: int = forebay.plan(["a.tbl"], world=2).steps
like = forebay.warehouse.Transform((384, 256), max_boxes=8)
live = forebay.Loader("a.tbl", warehouse_transform=like, labels=forebay.Labels.folder())
rows: forebay.Table = forebay.from_arrow(object())
styled = forebay.torch.Dataset("a.tbl", size=224, label="cls")
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


def test_the_examples_are_typed(tmp_path: pathlib.Path) -> None:
    """The one that needs no other package, by mypy; by pyright too, where it is installed."""
    example = tmp_path / "labels_to_training.py"
    shutil.copy(ROOT / "examples" / "python" / example.name, example)
    found = mypy(str(example))
    assert found.returncode == 0, found.stdout + found.stderr


def test_pyright_agrees(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed here")
    for name, text in (("user.py", USER), ("wrong.py", WRONG)):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text(text)
        shutil.copy(ROOT / "examples" / "python" / "labels_to_training.py", folder)
        settings = {"include": ["."], "typeCheckingMode": "strict", "extraPaths": [str(PACKAGE.parent)]}
        (folder / "pyrightconfig.json").write_text(json.dumps({**settings, "pythonVersion": "3.10"}))
        command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
        found = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        try:
            report = json.loads(found.stdout[found.stdout.index("{") :])
        except ValueError:
            pytest.skip(f"pyright could not be run here: {found.stderr[-200:]}")
        errors = [one["message"] for one in report["generalDiagnostics"] if one["severity"] == "error"]
        wanted = [] if name == "user.py" else ["half", "nope"]
        assert len(errors) >= len(wanted) and all(any(word in one for one in errors) for word in wanted), errors
        assert wanted or not errors, errors


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
