"""tests/fixtures/tbf_reader.py, written from docs/formats/tbf.md alone, reads what Forebay and others write in layout D."""

from __future__ import annotations

import datetime
import json
import pathlib
import sys
from typing import Any

import pytest

import forebay
from conftest import CORPUS, ROOT

sys.path.insert(0, str(ROOT / "tests" / "fixtures"))
import tbf_reader  # noqa: E402

ROWS = 5000
DAY = datetime.date(1970, 1, 1)


def rows() -> dict[str, list[Any]]:
    """Columns of every type that text gives, small and large, some with missing values."""
    return {
        "flag": [i % 3 == 0 for i in range(ROWS)],
        "small": [i % 200 - 5 for i in range(ROWS)],
        "rising": [10**12 + i * 7 for i in range(ROWS)],
        "uneven": [2**40 + i if i % 50 == 0 else i % 100 for i in range(ROWS)],
        "wide": [(-1) ** i * (i * 10**14) for i in range(ROWS)],
        "huge": [2**64 - 1 - i for i in range(ROWS)],
        "half": [i / 4 for i in range(ROWS)],
        "share": [i / 7 for i in range(ROWS)],
        "city": [["Oslo", "Bergen", "Tromsø"][i % 3] for i in range(ROWS)],
        "name": [f"name {i * 7919 % 100_003}" for i in range(ROWS)],
        "lacking": [None if i % 5 == 0 else i for i in range(ROWS)],
        "nobody": [None if i % 4 == 0 else f"n{i % 300}" for i in range(ROWS)],
        "day": [(DAY + datetime.timedelta(days=i)).isoformat() for i in range(ROWS)],
        "at": [f"2024-02-29T00:00:{i % 60:02}.{i % 1000:03}" for i in range(ROWS)],
    }


def written(folder: pathlib.Path) -> tuple[bytes, dict[str, list[Any]]]:
    """A TBF of these rows, and its columns as the reader should give them."""
    columns = rows()
    lines = (json.dumps(dict(zip(columns, row))) for row in zip(*columns.values()))
    (folder / "rows.jsonl").write_text("\n".join(lines) + "\n")
    forebay.convert(folder / "rows.jsonl", folder / "rows.tbf")
    columns["day"] = list(range(ROWS))
    start = datetime.datetime(2024, 2, 29) - datetime.datetime(1970, 1, 1)
    micro = start // datetime.timedelta(microseconds=1)
    columns["at"] = [micro + i % 60 * 1_000_000 + i % 1000 * 1000 for i in range(ROWS)]
    return (folder / "rows.tbf").read_bytes(), columns


def test_the_reader_finds_what_forebay_wrote(tmp_path: pathlib.Path) -> None:
    data, columns = written(tmp_path)
    assert tbf_reader.read(data) == columns
    _, body = tbf_reader.footer(data) or (0, {})
    stored = {chunk["encoding"] for group in body["groups"] for chunk in group["columns"]}
    assert {"bool", "f32", "f64", "varint", "dictionary", "inline"} <= stored, stored


def test_a_table_without_rows_has_its_columns(tmp_path: pathlib.Path) -> None:
    (tmp_path / "few.csv").write_text("id,name\n1,Ada\n")
    forebay.convert(tmp_path / "few.csv", tmp_path / "none.tbf", where="id > 1", allow_empty=True)
    assert tbf_reader.read((tmp_path / "none.tbf").read_bytes()) == {"id": [], "name": []}


def test_the_reader_finds_what_the_peer_s_document_prints() -> None:
    for name in ("d_spec_example", "d_spec_empty"):
        twin = json.loads((CORPUS / "tbf" / f"{name}.json").read_text())
        found = tbf_reader.read((CORPUS / "tbf" / f"{name}.tbf").read_bytes())
        assert list(found.values()) == [column["values"] for column in twin["columns"]]


def test_every_cut_and_flipped_bit_is_found(tmp_path: pathlib.Path) -> None:
    (tmp_path / "few.csv").write_text("id,name\n1,Ada\n2,\n3,Bob\n")
    forebay.convert(tmp_path / "few.csv", tmp_path / "few.tbf")
    data = (tmp_path / "few.tbf").read_bytes()
    assert tbf_reader.read(data) == {"id": [1, 2, 3], "name": ["Ada", None, "Bob"]}
    for wrong in [data[:n] for n in range(len(data))] + [
        data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] for i in range(len(data)) for bit in range(8)
    ]:
        with pytest.raises((ValueError, IndexError, KeyError)):
            tbf_reader.read(wrong)
