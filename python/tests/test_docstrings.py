"""The examples in docstrings, each in a folder of its own with the files that they name."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil

import numpy
import pytest

import forebay
from test_pages import folder

#: What is imported only where its own library is.
APART = {"forebay._lent", "forebay.ray", "forebay.torch", "forebay.widget", "forebay.__main__"}


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found: dict[str, doctest.DocTest] = {}
    names = [one.name for one in pkgutil.walk_packages(forebay.__path__, "forebay.")]
    for name in ["forebay", *names]:
        if any(name == apart or name.startswith(f"{apart}.") for apart in APART):
            continue
        module = importlib.import_module(name)
        for one in finder.find(module, name, module=module, globs={"forebay": forebay, "numpy": numpy}):
            if one.examples:
                found[one.name] = one
    return list(found.values())


EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_does_what_it_says(
    example: doctest.DocTest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path)
    forebay.convert(tmp_path / "train.tar", tmp_path / "train.tbl")
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=said.append)
    assert not said, "".join(said)


def test_what_users_meet_first_has_examples() -> None:
    named = {example.name.rpartition(".")[2] for example in EXAMPLES}
    first = {"open", "Dataset", "where", "image", "convert", "check", "Table", "TblWriter", "Loader", "state_dict"}
    assert not first - named
