"""Writing a TBL."""

from __future__ import annotations

import gc
import os
import pathlib

import numpy as np
import pytest

import forebay
from conftest import bmp


def test_what_is_written_is_read_back(tmp_path: pathlib.Path) -> None:
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    path = tmp_path / "a.tbl"
    with forebay.TblWriter(path, compression="zstd", metadata={"by": "me"}) as writer:
        writer.add(bmp(9, 4, (1, 2, 3)), name="x/17.bmp", metadata={"cls": 3, "box": [1, 2.5]})
        writer.add(pixels)
        writer.add(memoryview(b"anything"), metadata={"json": {"a": "\u00fc"}})
        assert len(writer) == 3 and writer.payload_bytes >= writer.stored_bytes
        assert not path.exists()
    ds = forebay.open(path)
    assert forebay.check(path) and ds.metadata["by"] == "me"
    assert [s.info[:3] for s in ds] == [("bmp", 9, 4), ("raw_u8", 7, 5), ("unknown", 0, 0)]
    assert (ds[0].name, ds[0].metadata["cls"], ds[0].metadata["box"]) == ("x/17.bmp", 3, [1, 2.5])
    assert (ds[1].image() == pixels).all() and ds[1].metadata is None
    assert (bytes(ds[2].payload), ds[2].metadata["json"]) == (b"anything", {"a": "\u00fc"})


def test_more_samples_than_were_expected(tmp_path: pathlib.Path) -> None:
    for layout in ("guide", "turboloader"):
        path = tmp_path / f"{layout}.tbl"
        with forebay.TblWriter(path, layout=layout) as writer:  # type: ignore[arg-type]
            for i in range(1000):
                writer.add(str(i).encode() * 5, metadata={"i": i})
        ds = forebay.open(path)
        assert forebay.check(path).ok and len(ds) == 1000
        assert all(bytes(ds[i].payload) == str(i).encode() * 5 and ds[i].metadata["i"] == i for i in range(0, 1000, 37))


def test_an_exception_leaves_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with pytest.raises(RuntimeError):
        with forebay.TblWriter(path) as writer:
            writer.add(b"x")
            raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"mine")
    with pytest.raises(forebay.UsageError, match="exists"):
        forebay.TblWriter(path)
    with forebay.TblWriter(path, force=True) as writer:
        assert path.read_bytes() == b"mine"
    assert len(forebay.open(path)) == 0
    with pytest.raises(forebay.UsageError, match="finished"):
        writer.add(b"x")


def test_what_is_no_sample_is_refused(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        with pytest.raises(TypeError):
            writer.add("text")
        with pytest.raises(forebay.UsageError):
            writer.add(np.zeros((3, 4), np.uint8))
        with pytest.raises(ValueError):
            writer.add(b"x", metadata={"a": float("nan")})


def test_pillow_images(tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed here")
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        writer.add(image.new("RGB", (6, 3), (9, 8, 7)))
    ds = forebay.open(tmp_path / "a.tbl")
    assert ds[0].info[:3] == ("png", 6, 3) and (ds[0].image() == [9, 8, 7]).all()


def test_metadata_keeps_every_digit(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        writer.add(b"one", metadata={"big": 2**64 + 1, "least": -(2**63) - 1, "list": [2**100], "x": 0.1})
    metadata = forebay.open(tmp_path / "a.tbl")[0].metadata
    assert (metadata["big"], metadata["least"], metadata["list"], metadata["x"]) == (2**64 + 1, -(2**63) - 1, [2**100], 0.1)


def test_metadata_may_be_numpys_and_a_name_is_said_once(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        writer.add(b"one", name="a", metadata={"cls": np.int64(3), "deep": {"box": np.array([1.5, 2])}, "ok": np.True_})
        writer.add(b"two", name="b", metadata={"name": "b"})
        with pytest.raises(forebay.UsageError, match="called 'c', and 'd' by its metadata"):
            writer.add(b"three", name="c", metadata={"name": "d"})
        with pytest.raises(ValueError):
            writer.add(b"three", metadata={"a": np.float32("nan")})
        with pytest.raises(TypeError, match="Path"):
            writer.add(b"three", metadata={"a": tmp_path})
    ds = forebay.open(tmp_path / "a.tbl")
    assert ds[0].metadata == {"name": "a", "cls": 3, "deep": {"box": [1.5, 2.0]}, "ok": True}
    assert [sample.name for sample in ds] == ["a", "b"]


def test_samples_of_a_document_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(forebay.UsageError, match="samples"):
        forebay.TblWriter(tmp_path / "a.tbl", metadata={"samples": [{"a": 1}], "t": 1})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_leaves_the_file_to_its_parent(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with forebay.TblWriter(path) as writer:
        writer.add(b"one")
        child = os.fork()
        if child == 0:
            wrong = 0
            try:
                writer.add(b"two")
            except forebay.UsageError as e:
                wrong = 0 if "forked" in str(e) else 1
            else:
                wrong = 2
            writer.abandon()
            del writer
            gc.collect()
            os._exit(wrong)
        assert os.waitpid(child, 0)[1] == 0
        writer.add(b"three")
    assert [bytes(sample.payload) for sample in forebay.open(path)] == [b"one", b"three"]
