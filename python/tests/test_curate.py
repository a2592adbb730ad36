"""Duplicates, outliers and parts."""

from __future__ import annotations

import pathlib

import pytest

import forebay
from conftest import bmp


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        for i in range(24):
            writer.add(bmp(8 + i % 20, 6, (i % 20, 2, 3)), name=f"{i}.bmp", metadata={"cls": i % 2, "run": i // 6})
    return tmp_path / "a.tbl"


def test_the_same_bytes_are_a_group_and_a_journal_removes_the_others(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = forebay.duplicates(path, exact=True, edits=tmp_path / "j.jsonl")
    assert (found.samples, found.duplicates, found.fault_count) == (24, 4, 0)
    assert [[one.i for one in group.samples] for group in found.groups] == [[0, 20], [1, 21], [2, 22], [3, 23]]
    assert found.groups[0].exact and found.groups[0].samples[1].name == "20.bmp" and not found.groups[0].labels
    assert forebay.apply(path, tmp_path / "j.jsonl", tmp_path / "b.tbl")["samples"] == 20
    # Pictures of one color have nothing to be alike by.
    assert forebay.duplicates(forebay.open(path)).plain == 24
    both = forebay.duplicates([path, tmp_path / "b.tbl"], exact=True)
    assert both.duplicates == 24 and both.groups[0].samples[0].file == str(path)
    assert forebay.duplicates(forebay.open(path)[:20], exact=True).groups == []
    assert forebay.duplicates(path, exact=True, where="cls == 0").duplicates == 2
    with pytest.raises(forebay.UsageError):
        forebay.duplicates(path, distance=16)
    with pytest.raises(forebay.UsageError):
        forebay.duplicates([path, path], edits=tmp_path / "k.jsonl")


def test_outliers_have_reasons(path: pathlib.Path) -> None:
    found = forebay.outliers(path)
    assert found.samples == 24 and set(found.medians) >= {"bytes", "brightness"}
    assert forebay.outliers(path, by=["aspect"]).medians.keys() == {"aspect"}
    with pytest.raises(forebay.UsageError):
        forebay.outliers(path, by=["beauty"])  # type: ignore[list-item]


def test_parts_by_class_and_group(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    parts = {"train": 0.75, "val": 0.25}
    train, val = forebay.divide(path, tmp_path / "parts", parts=parts, by="class", seed=3)
    assert (len(train.numbers), val.classes) == (18, {"0": 3, "1": 3})
    assert sorted(train.numbers + val.numbers) == list(range(24))
    assert len(forebay.open(tmp_path / "parts" / "val.tbl")) == 6 and val.output is not None
    assert forebay.divide(path, parts=parts, by="class", seed=3)[1].numbers == val.numbers
    for part in forebay.divide(path, parts={"a": 0.5, "b": 0.5}, group="run"):
        assert len({i // 6 for i in part.numbers}) == 2 and len(part.numbers) == 12
    with pytest.raises(forebay.UsageError):
        forebay.divide(path, parts={"train": 0.5})
