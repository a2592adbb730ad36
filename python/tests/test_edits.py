"""Journals of edits."""

from __future__ import annotations

import hashlib
import json
import pathlib
import shutil

import pytest

import forebay
from conftest import bmp


def dataset(folder: pathlib.Path) -> pathlib.Path:
    path = folder / "a.tbl"
    with forebay.TblWriter(path, compression="lz4") as writer:
        for i in range(5):
            writer.add(bmp(4 + i, 3, (i, 2, 3)), name=f"{i}.bmp", metadata={"label": f"c{i}"})
    return path


def test_what_a_journal_says_is_done(tmp_path: pathlib.Path) -> None:
    path, journal = dataset(tmp_path), tmp_path / "edits.jsonl"
    before = path.read_bytes()
    with forebay.Edits(path, journal) as edits:
        assert not edits.dirty
        box = {"class": "boat", "xmin": 0, "ymin": 0, "xmax": 2, "ymax": 2.5}
        edits.set(1, {"label": "boat", "deep.er": [1]}, boxes=[box])
        edits.set(2, unset=["label"])
        edits.remove(0)
        edits.tag(3, "night", "rain")
        edits.tag(3, remove=["rain"])
        edits.review(3, "accepted")
        edits.rename(4, "four.bmp")
        assert edits.add("new.bmp", bmp(2, 2, (9, 9, 9)), {"label": "new"}) == 5
        edits.move(5, before=1)
        edits.remove(4)
        edits.undo()
        assert edits.dirty and len(edits) == 11
        with pytest.raises(forebay.UsageError, match="open for changing"):
            forebay.Edits(path, journal)
    assert forebay.apply(path, journal, dry_run=True)["removed"] == 1
    done = forebay.apply(path, journal, tmp_path / "b.tbl")
    assert (done["samples"], done["changed"], done["removed"], done["added"]) == (5, 4, 1, 1)
    assert path.read_bytes() == before
    ds = forebay.open(tmp_path / "b.tbl")
    assert forebay.check(tmp_path / "b.tbl").ok
    assert [s.name for s in ds] == ["new.bmp", "1.bmp", "2.bmp", "3.bmp", "four.bmp"]
    assert ds[1].metadata["annotations"] == [box] and ds[1].metadata["deep"] == {"er": [1]}
    assert "classes" not in ds.metadata, "the dataset lists none"
    assert "label" not in ds[2].metadata
    assert (ds[3].metadata["tags"], ds[3].metadata["review"]) == (["night"], "accepted")


def test_in_place_and_the_next_time_refused(tmp_path: pathlib.Path) -> None:
    path, journal = dataset(tmp_path), tmp_path / "edits.jsonl"
    with forebay.Edits(path, journal) as edits:
        edits.set(1, {"label": "boat"})
    shutil.copy(path, tmp_path / "copy.tbl")
    forebay.apply(path, journal, in_place=True)
    assert forebay.open(path)[1].metadata["label"] == "boat" and forebay.check(path).ok
    with pytest.raises(forebay.UsageError) as raised:
        forebay.apply(path, journal, in_place=True)
    assert raised.value.code == "edits.other_file"
    # Another name is no other file.
    forebay.apply(tmp_path / "copy.tbl", journal, tmp_path / "c.tbl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert lines[0]["of"]["name"] == "a.tbl" and lines[1]["do"] == "set"


def test_a_journal_has_the_same_bytes_on_every_host(tmp_path: pathlib.Path) -> None:
    folder = pathlib.Path(__file__).parents[2] / "tests" / "fixtures" / "edits"
    for name in ("of.tbl", "edits.jsonl", "edits.jsonl.blobs", "metadata.jsonl"):
        shutil.copy(folder / name, tmp_path / name)
    of = tmp_path / "of.tbl"
    found = {}
    for to in ("tbl", "tar"):
        forebay.apply(of, tmp_path / "edits.jsonl", tmp_path / f"new.{to}")
        found[to] = hashlib.sha256((tmp_path / f"new.{to}").read_bytes()).hexdigest()
    forebay.apply(of, tmp_path / "metadata.jsonl", in_place=True)
    found["in_place"] = hashlib.sha256(of.read_bytes()).hexdigest()
    told = json.loads((folder / "edits.json").read_text())
    assert found == {what: told[what] for what in ("tbl", "tar", "in_place")}
