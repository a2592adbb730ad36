"""Errors: the same codes, kinds and places as everywhere."""

from __future__ import annotations

import pathlib
import pickle
import re
from typing import Any

import pytest

import forebay
from conftest import ROOT, numbered


def raised(path: pathlib.Path) -> forebay.Error:
    with pytest.raises(forebay.Error) as e:
        for sample in forebay.open(path):
            sample.payload
    return e.value


def test_a_damaged_file_says_where(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = bytearray((corpus / "tbl" / "one_jpeg_raw.tbl").read_bytes())
    data[500] ^= 0xFF
    path = tmp_path / "broken.tbl"
    path.write_bytes(data)
    e = raised(path)
    assert isinstance(e, forebay.DamagedError) and isinstance(e, ValueError)
    assert (e.code, e.kind, e.sample, e.file) == ("tbl.payload_crc", "damaged", 0, str(path))
    assert str(e).endswith("[tbl.payload_crc]")
    assert e.row is None


def test_hostile_files_are_refused_with_known_codes(corpus: pathlib.Path) -> None:
    known = set(re.findall(r"`([a-z_]+(?:\.[a-z_0-9]+)*)`", (ROOT / "docs" / "errors.md").read_text()))
    seen = set()
    for path in sorted((corpus / "tbl" / "hostile").glob("*.tbl")):
        try:
            report = forebay.check(path)
        except forebay.UnsupportedError as e:
            seen.add(e.code)
            continue
        seen.update(fault.code for fault in report.faults)
        assert report.ok == (report.fault_count == 0)
    assert len(seen) > 5
    assert seen <= known


def test_what_is_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as e:
        forebay.open(tmp_path / "nothing.tbl")
    assert isinstance(e.value, forebay.IoError)
    assert (e.value.code, e.value.kind, e.value.errno) == ("io", "io", 2)
    with pytest.raises(FileNotFoundError):
        forebay.Loader(tmp_path / "nothing.tbl")


def test_errors_pickle(tmp_path: pathlib.Path, corpus: pathlib.Path) -> None:
    errors = []
    for call in (lambda: forebay.open(tmp_path / "no"), lambda: forebay.open(corpus / "tbl" / "n254.tbl").where("x(")):
        with pytest.raises(forebay.Error) as e:
            call()
        errors.append(e.value)
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (str(again), again.code, again.place) == (str(error), error.code, error.place)


def test_a_wrong_argument_is_named_by_an_error_of_forebay(tmp_path: pathlib.Path) -> None:
    path = numbered(tmp_path / "a.tar", 4)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"labels": [1]}, "labels"),
        ({"paths": None}, "path"),
        ({"paths": [1]}, "path"),
        ({"normalize": [0.5, 0.5, 0.5]}, "normalize"),
        ({"normalize": 3}, "normalize"),
        ({"io": object()}, "io"),
        ({"augment": forebay.HorizontalFlip(p="often")}, "horizontal_flip"),
        ({"augment": forebay.RandAugment(num_ops="many")}, "rand_augment"),
        ({"where": 'name == "none"'}, "filter"),
    ]
    for options, said in wrong:
        with pytest.raises(forebay.UsageError, match=said):
            forebay.Loader(**{"paths": path, "batch": 2, "size": 4, **options})


def test_labels_that_no_sample_has_are_named(tmp_path: pathlib.Path) -> None:
    path = numbered(tmp_path / "a.tar", 4)
    wrong: list[dict[str, Any]] = [{"labels": "clss"}, {"balanced": "clss"}]
    for options in wrong:
        with pytest.raises(forebay.Error, match="no sample has the field clss.*did you mean cls") as e:
            forebay.Loader(path, batch=2, size=4, **options)
        assert e.value.code == "loader.label"
    with pytest.raises(forebay.Error, match="have no folder"):
        forebay.Loader(path, batch=2, size=4, labels=forebay.Labels.folder())


def test_the_kinds_are_pythons_too() -> None:
    assert issubclass(forebay.OutOfRangeError, IndexError)
    assert issubclass(forebay.UsageError, ValueError)
    assert issubclass(forebay.FileMissingError, FileNotFoundError)
    assert issubclass(forebay.LimitError, MemoryError)
    assert issubclass(forebay.UnsupportedError, NotImplementedError)
