"""Shards, differences, files, plans: what takes or makes several files."""

from __future__ import annotations

import pathlib

import pytest

import forebay
from conftest import numbered, write_tar


@pytest.fixture
def tbl(tmp_path: pathlib.Path) -> pathlib.Path:
    numbered(tmp_path / "train.tar", 23)
    forebay.convert(tmp_path / "train.tar", tmp_path / "train.tbl")
    return tmp_path / "train.tbl"


def test_shards_joined_again_are_the_same(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    told: list[tuple[int, int]] = []
    shards = forebay.split(tbl, tmp_path / "shards", 4, progress=lambda done, total: told.append((done, total)))
    assert [one.samples for one in shards] == [5, 6, 6, 6] and told[-1] == (23, 23)
    names = sorted(path.name for path in (tmp_path / "shards").iterdir())
    assert names == [f"train-{k:05}-of-00004.tbl" for k in range(4)]
    made = forebay.concat(sorted((tmp_path / "shards").iterdir()), tmp_path / "again.tbl")
    assert made.samples == 23
    same = forebay.diff(tbl, tmp_path / "again.tbl")
    assert same.same and not same and str(same) == "the same 23 samples"
    with pytest.raises(forebay.UsageError):
        forebay.split(tbl, tmp_path / "more", 0)
    # More shards than samples: some of them are empty.
    assert [one.samples for one in forebay.split(tbl, tmp_path / "many", 30)].count(0) == 7
    tars = forebay.split(tmp_path / "train.tar", tmp_path / "tars", 2)
    assert [pathlib.Path(one.output).suffix for one in tars] == [".tar"] * 2


def test_what_differs_is_named(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    forebay.convert(forebay.open(tbl)[3:], tmp_path / "some.tbl")
    found = forebay.diff(tbl, tmp_path / "some.tbl")
    assert found and (found.equal, len(found.only_in_a), found.only_in_b) == (20, 3, [])
    assert found.only_in_a[0] == {"i": 0, "name": "00000.bmp"}
    write_tar(tmp_path / "other.tar", {"00000.bmp": b"BM not the same", "00000.cls": b"7"})
    changed = forebay.diff(tbl, tmp_path / "other.tar").changed
    assert [(one["a"], one["b"], one["what"]) for one in changed] == [(0, 0, ["payload", "metadata"])]
    assert "only in the first" in str(found)


def test_samples_become_files_again(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = forebay.extract(tbl, tmp_path / "out", where="cls < 2")
    assert (done.samples, done.files, done.renamed) == (2, 4, 0)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "00000.bmp",
        "00000.cls",
        "00001.bmp",
        "00001.cls",
    ]
    assert (tmp_path / "out" / "00001.cls").read_bytes() == b"1"
    forebay.open(tbl)[[7, 9]].extract(tmp_path / "two")
    assert len(list((tmp_path / "two").glob("*.bmp"))) == 2
    assert forebay.extract(tbl, tmp_path / "three", where="cls > 3", indices=[1, 5]).samples == 1
    for wrong in ([True, False], [1.5]):
        with pytest.raises(forebay.UsageError, match="indices are the numbers of samples"):
            forebay.extract(tbl, tmp_path / "four", indices=wrong)  # type: ignore[arg-type]


def test_a_selection_is_converted(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    some = forebay.open(tbl).where("cls >= 10")[[4, 0]]
    assert forebay.convert(some, tmp_path / "two.tbl").samples == 2
    assert [sample.metadata["cls"] for sample in forebay.open(tmp_path / "two.tbl")] == [14, 10]
    assert forebay.convert(forebay.open(tbl), tmp_path / "few.tbl", where="cls < 4").samples == 4
    assert forebay.convert(some, tmp_path / "one.tbl", where="cls > 10").samples == 1
    with pytest.raises(forebay.UsageError):
        forebay.convert(some, tmp_path / "some.csv")


def test_a_plan_is_what_the_loader_does(tbl: pathlib.Path) -> None:
    plan = forebay.plan(tbl, world=2, batch=4, shuffle=42)
    assert (plan.samples, plan.steps, plan.left_out) == (23, 2, 7)
    assert [(one.rank, one.batches, one.samples, one.padded) for one in plan.ranks] == [(0, 2, 8, 0), (1, 2, 8, 0)]
    assert all(one.bytes > 0 for one in plan.ranks)
    mine = forebay.plan(tbl, world=2, batch=4, shuffle=42, rank=1).batches
    loader = forebay.Loader(tbl, batch=4, size=4, shuffle=42, rank=1, world=2)
    assert [one.indices for one in mine] == [batch.indices.tolist() for batch in loader]
    assert len(forebay.plan(tbl, batch=4, rank=0, steps=(1, 3)).batches) == 2
    assert forebay.plan(tbl, where="cls < 5", batch=5).steps == 1
    with pytest.raises(forebay.UsageError):
        forebay.plan(tbl, world=2, rank=2)
    with pytest.raises(forebay.UsageError):
        forebay.plan(tbl, blocks=(4, 2))
    assert "<table" in plan._repr_html_()


def test_stats_of_samples_and_tables(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert forebay.stats(tbl)["samples"] == 23
    assert forebay.stats(tbl, where="cls < 5")["samples"] == 5
    path = tmp_path / "people.csv"
    path.write_text("name,age\nann,31\nbob,27\ncy,\n")
    found = forebay.stats(path)
    assert found["rows"] == 3
    age = found["columns"][1]
    assert (age["name"], age["count"], age["nulls"], age["min"], age["max"]) == ("age", 2, 1, 27, 31)
    assert forebay.open(path).where("age > 30").stats()["rows"] == 1
    with pytest.raises(forebay.UsageError):
        forebay.stats(path, label="age")
