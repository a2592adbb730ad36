"""The package's command: what it prints and what it answers with."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from conftest import numbered
from forebay.__main__ import main


def lines(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def tbl(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> str:
    numbered(tmp_path / "a.tar", 7)
    assert main(["convert", str(tmp_path / "a.tar"), str(tmp_path / "a.tbl"), "--verify"]) == 0
    assert lines(capsys)[0]["samples"] == 7
    return str(tmp_path / "a.tbl")


def test_looking(tbl: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", tbl]) == 0
    assert lines(capsys)[0]["format"] == "tbl"
    assert main(["head", tbl, "-n", "2", "--where", "cls > 3"]) == 0
    assert [one["metadata"]["cls"] for one in lines(capsys)] == [4, 5]
    assert main(["stats", tbl, "--label", "cls"]) == 0
    assert lines(capsys)[0]["samples"] == 7
    assert main(["check", tbl, "--decode"]) == 0
    assert lines(capsys)[0]["decoded"] == 7
    assert main(["plan", tbl, "--batch", "2", "--shuffle", "1"]) == 0
    assert lines(capsys)[0]["steps"] == 3


def test_making(tbl: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["split", tbl, "--shards", "2", "-o", str(tmp_path / "s")]) == 0
    assert [one["samples"] for one in lines(capsys)] == [3, 4]
    parts = sorted(str(path) for path in (tmp_path / "s").iterdir())
    assert main(["concat", *parts, "-o", str(tmp_path / "b.tbl")]) == 0
    assert main(["diff", tbl, str(tmp_path / "b.tbl")]) == 0
    assert main(["convert", tbl, str(tmp_path / "c.csv"), "--columns", "name,cls", "--where", "cls < 2"]) == 0
    assert (tmp_path / "c.csv").read_text().splitlines() == ["name,cls", "00000.bmp,0", "00001.bmp,1"]
    assert main(["extract", tbl, "--to", str(tmp_path / "out")]) == 0
    assert main(["convert", tbl, str(tmp_path / "raw.tbl"), "--size", "2x3", "--fit", "stretch"]) == 0
    capsys.readouterr()
    assert main(["head", str(tmp_path / "raw.tbl"), "-n", "1"]) == 0
    assert (lines(capsys)[0]["width"], len(list((tmp_path / "out").iterdir()))) == (2, 14)


def test_labels_and_warehouses(corpus: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = str(corpus / "labels" / "damaged" / "coco_good")
    assert main(["labels", "check", good]) == 0
    assert main(["labels", "stats", good]) == 0
    assert main(["labels", "convert", good, str(tmp_path / "a.json"), "--to", "via"]) == 0
    assert main(["labels", "convert", good]) == 2
    assert main(["labels", "check", str(corpus / "labels" / "damaged" / "coco_truncated")]) == 1
    assert main(["warehouse", "list", str(tmp_path)]) == 0
    assert main(["warehouse", "gc", str(tmp_path), "--dry-run"]) == 0


def test_what_goes_wrong_has_a_code(tbl: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", tbl, "--where", "widht > 3"]) == 2
    assert "[" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path / "nothing.tbl")]) == 2
    data = bytearray(pathlib.Path(tbl).read_bytes())
    data[-30] ^= 255
    (tmp_path / "damaged.tbl").write_bytes(data)
    assert main(["check", tbl, str(tmp_path / "damaged.tbl")]) == 1
    (tmp_path / "x.bin").write_bytes(b"nothing that is known")
    assert main(["inspect", str(tmp_path / "x.bin")]) == 3
    with pytest.raises(SystemExit) as e:
        main(["nope"])
    assert e.value.code == 2


def test_it_runs_as_a_module(tbl: str) -> None:
    done = subprocess.run([sys.executable, "-m", "forebay", "inspect", tbl], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["samples"] == 7
    read, write = __import__("os").pipe()
    __import__("os").close(read)
    ended = subprocess.run([sys.executable, "-m", "forebay", "head", tbl], stdout=write, stderr=subprocess.PIPE)
    assert ended.returncode == 0 and ended.stderr == b""
