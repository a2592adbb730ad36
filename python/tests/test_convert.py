"""Converting and checking."""

from __future__ import annotations

import _thread
import json
import pathlib
import subprocess
import sys
import threading
import time

import pytest

import forebay
from conftest import bmp, numbered, write_tar


def test_there_and_back(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    told: list[tuple[int, int]] = []
    source = corpus / "tar" / "wds.tar"
    made = forebay.convert(source, tmp_path / "a.tbl", compression="lz4", verify=True, progress=lambda *at: told.append(at))
    before, after = forebay.open(source), forebay.open(tmp_path / "a.tbl")
    assert made.samples == len(before) == len(after) == told[-1][0]
    assert [bytes(s.payload) for s in before] == [bytes(s.payload) for s in after]
    assert [s.metadata for s in before] == [s.metadata for s in after]
    forebay.convert(tmp_path / "a.tbl", tmp_path / "b.tar")
    assert [bytes(s.payload) for s in forebay.open(tmp_path / "b.tar")] == [bytes(s.payload) for s in before]


def test_an_output_that_exists_stays(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    output = tmp_path / "a.tbl"
    output.write_bytes(b"mine")
    with pytest.raises(forebay.UsageError) as e:
        forebay.convert(corpus / "tar" / "wds.tar", output)
    assert e.value.options == ("force",)
    assert output.read_bytes() == b"mine"
    forebay.convert(corpus / "tar" / "wds.tar", output, force=True)
    assert forebay.check(output)


def test_options_reach_the_writer(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source = corpus / "tar" / "wds.tar"
    made = forebay.convert(source, tmp_path / "a.tbl", metadata={"by": "me", "n": 3}, where="cls >= 0")
    assert forebay.open(tmp_path / "a.tbl").metadata["by"] == "me"
    assert made.details["ratio"] > 0
    forebay.convert(source, tmp_path / "raw.tbl", size=(8, 6), fit="letterbox")
    raw = forebay.open(tmp_path / "raw.tbl")
    assert {s.info[:3] for s in raw} == {("raw_u8", 8, 6)}
    assert raw[0].image().shape == (6, 8, 3)
    with pytest.raises(forebay.UsageError, match="compression"):
        forebay.convert(source, tmp_path / "b.tbl", compression="brotli")
    with pytest.raises(forebay.UsageError, match="columns"):
        forebay.convert(source, tmp_path / "b.tbl", columns=["a"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tbl", "raw.tbl"]


def test_tables(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.csv").write_text("name,age\nann,31\nbob,27\n")
    made = forebay.convert(tmp_path / "a.csv", tmp_path / "a.jsonl", where="age > 30", columns=["name"])
    assert (made.samples, (tmp_path / "a.jsonl").read_text()) == (1, '{"name":"ann"}\n')
    samples = forebay.convert(corpus / "tar" / "wds.tar", tmp_path / "samples.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    assert len(rows) == samples.samples == 15
    report = forebay.check(tmp_path / "a.csv")
    assert report.ok and report.samples == 2


def test_check_finds_every_fault(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert forebay.check(corpus / "tbl" / "jpeg20_lz4.tbl", decode=True).decoded == 20
    data = bytearray((corpus / "tbl" / "n254.tbl").read_bytes())
    ds = forebay.open(corpus / "tbl" / "n254.tbl")
    for i in (3, 200):
        data[ds[i].info.offset] ^= 1
    path = tmp_path / "a.tbl"
    path.write_bytes(data)
    report = forebay.check(path)
    assert not report and [fault.sample for fault in report.faults] == [3, 200]
    assert all(fault.code in ("tbl.payload", "tbl.payload_crc") for fault in report.faults)
    assert "DAMAGED, 2 faults" in str(report)


def test_an_interrupted_conversion_leaves_nothing(tmp_path: pathlib.Path) -> None:
    source = numbered(tmp_path / "a.tar", 6000)
    heard = threading.Event()

    def interrupt(done: int, total: int) -> None:
        if not heard.is_set():
            heard.set()
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        # Pixels of a size that takes its time.
        forebay.convert(source, tmp_path / "b.tbl", size=512, workers=1, progress=interrupt)
    until = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) > 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


def test_work_that_outlives_an_interrupt_leaves_nothing_at_the_end(tmp_path: pathlib.Path) -> None:
    """Until large images are decoded nobody hears that the work was stopped."""
    source = write_tar(tmp_path / "a.tar", {f"{i:03}.bmp": bmp(1200, 1200, (i, 1, 2)) for i in range(24)})
    code = f"""
import signal, threading, forebay
threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    forebay.convert({str(source)!r}, {str(tmp_path / "out" / "b.tbl")!r}, size=2048, workers=1)
except KeyboardInterrupt:
    print("interrupted")
"""
    (tmp_path / "out").mkdir()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted\n", (done.stdout, done.stderr)
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_progress_function_raises_comes_through(tmp_path: pathlib.Path) -> None:
    source = numbered(tmp_path / "a.tar", 3000)

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        forebay.convert(source, tmp_path / "b.tbl", size=256, workers=1, progress=fail)
    assert not (tmp_path / "b.tbl").exists()


def test_a_selection_of_nothing_is_refused_as_a_filter_is(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        writer.add(b"one", metadata={"cls": 1})
    for inputs, options in ((tmp_path / "a.tbl", {"where": "cls == 9"}), (forebay.open(tmp_path / "a.tbl").where("cls == 9"), {})):
        with pytest.raises(forebay.UsageError) as e:
            forebay.convert(inputs, tmp_path / "b.tbl", **options)
        assert e.value.code == "convert.empty" and e.value.options == ("allow_empty",)
        assert not (tmp_path / "b.tbl").exists()
    none = forebay.open(tmp_path / "a.tbl").where("cls == 9")
    assert forebay.convert(none, tmp_path / "b.tbl", allow_empty=True).samples == 0
