"""Datasets of samples: against the corpus, whose twins say what is in each file."""

from __future__ import annotations

import hashlib
import io
import json
import pathlib
import pickle
import threading

import numpy as np
import pytest

import forebay
from conftest import bmp, write_tar

GOOD = ["jpeg20_lz4", "every_format_raw", "lz4_shapes", "meta_json_raw", "n257", "raw_u8_h40_w64", "one_jpeg_raw"]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("io_kind", ["read", "map"])
def test_a_tbl_is_what_its_twin_says(corpus: pathlib.Path, name: str, io_kind: str) -> None:
    twin = json.loads((corpus / "tbl" / f"{name}.json").read_text())
    ds = forebay.open(corpus / "tbl" / f"{name}.tbl", io=io_kind)  # type: ignore[arg-type]
    assert (ds.format, len(ds)) == ("tbl", len(twin["samples"]))
    for sample, said in zip(ds, twin["samples"]):
        info = sample.info
        assert (info.width, info.height, info.offset) == (said["width"], said["height"], said["offset"])
        assert hashlib.sha256(sample.payload).hexdigest() == said["payload_sha256"]


def test_payloads_are_read_only_buffers_without_a_copy(corpus: pathlib.Path) -> None:
    path = corpus / "tbl" / "one_jpeg_raw.tbl"
    ds = forebay.open(path, io="map")
    first, again = (np.frombuffer(ds[0].payload, np.uint8) for _ in range(2))
    assert first.__array_interface__["data"] == again.__array_interface__["data"], "both are the map itself"
    assert ds[0].payload.readonly
    with pytest.raises(TypeError):
        ds[0].payload[0] = 1
    payload = ds[0].payload
    del ds
    assert bytes(payload) in path.read_bytes(), "the buffer keeps the map alive"


def test_pictures_are_rgb_arrays(tmp_path: pathlib.Path) -> None:
    ds = forebay.open(write_tar(tmp_path / "a.tar", {"a.bmp": bmp(5, 3, (10, 20, 30))}))
    image = ds[0].image()
    assert (image.shape, image.dtype) == ((3, 5, 3), np.uint8)
    assert (image == [10, 20, 30]).all()
    image[:] = 0  # it is the caller's own
    assert (ds[0].image() == [10, 20, 30]).all()


def test_metadata_and_names(corpus: pathlib.Path) -> None:
    wds = forebay.open(corpus / "tar" / "wds.tar")
    assert wds.format == "tar"
    assert wds[0].name == "000001.jpg"
    assert wds[0].metadata["cls"] == 675
    assert wds[0].metadata["json"] == {"label": 675}
    tbl = forebay.open(corpus / "tbl" / "meta_json_raw.tbl")
    assert tbl[0].metadata == {"label": 0}
    assert forebay.open(corpus / "tbl" / "one_jpeg_raw.tbl")[0].metadata is None


def test_a_folder(tmp_path: pathlib.Path) -> None:
    for name, color in (("cat", (1, 2, 3)), ("dog", (4, 5, 6))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.bmp").write_bytes(bmp(2, 2, color))
    ds = forebay.open(tmp_path)
    assert (ds.format, len(ds)) == ("folder", 2)
    assert [sample.metadata["class"] for sample in ds] == ["cat", "dog"]
    assert (ds[1].image() == [4, 5, 6]).all()


def test_bytes_and_file_objects(corpus: pathlib.Path) -> None:
    path = corpus / "tbl" / "jpeg20_lz4.tbl"
    with path.open("rb") as file:
        for source in (path.read_bytes(), file, io.BytesIO(path.read_bytes())):
            ds = forebay.open(source)
            assert len(ds) == 20
            assert ds[3].payload == forebay.open(path)[3].payload


def test_it_is_a_sequence(corpus: pathlib.Path) -> None:
    ds = forebay.open(corpus / "tbl" / "jpeg20_lz4.tbl")
    assert [s.index for s in ds[15:]] == [15, 16, 17, 18, 19]
    assert [s.index for s in ds[::-7]] == [19, 12, 5]
    assert [s.index for s in ds[[3, 1, 2]]] == [3, 1, 2]
    assert [s.index for s in ds[[]]] == []
    assert ds[-1].index == 19
    assert ds[10:][2:4][1].index == 13
    assert len(ds[np.arange(20) % 2 == 0]) == 10
    with pytest.raises(IndexError) as e:
        ds[20]
    assert isinstance(e.value, forebay.Error)
    assert (e.value.code, e.value.kind) == ("usage.out_of_range", "usage")
    with pytest.raises(IndexError):
        ds[-21]


def test_a_number_is_a_sample_and_a_list_of_them_is_some(corpus: pathlib.Path) -> None:
    ds: Any = forebay.open(corpus / "tbl" / "jpeg20_lz4.tbl")
    assert ds[np.array(1)].index == 1 and ds[np.array([1])].indices.tolist() == [1]
    with pytest.raises(IndexError, match="not by 2 dimensions"):
        ds[np.array([[1]])]
    with pytest.raises(TypeError):
        ds.records()[1.5]


def test_where_and_stats(corpus: pathlib.Path) -> None:
    ds = forebay.open(corpus / "tbl" / "meta_json_raw.tbl")
    wide = ds.where("width >= 320")
    widths = [sample.info.width for sample in ds]
    assert wide.indices.tolist() == [i for i, width in enumerate(widths) if width >= 320]
    assert len(ds[1:].where("label == 1")) == 1
    assert wide.stats()["samples"] == len(wide)
    stats = ds.stats(label="label")
    assert (stats["samples"], stats["width"]["max"], stats["fault_count"]) == (5, max(widths), 0)
    assert sum(found["samples"] for found in stats["classes"]["top"]) == 5
    with pytest.raises(forebay.UsageError) as e:
        ds.where("widht > 3")
    assert (e.value.code, e.value.section) == ("filter.field", "filter")


def test_pickles_to_a_path(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    path.write_bytes((corpus / "tbl" / "jpeg20_lz4.tbl").read_bytes())
    ds = forebay.open(path).where("width > 100")
    text = pickle.dumps(ds)
    assert len(text) < 2000, "no payload is pickled"
    again = pickle.loads(text)
    assert again.indices.tolist() == ds.indices.tolist()
    assert again[0].payload == ds[0].payload
    path.write_bytes((corpus / "tbl" / "n254.tbl").read_bytes())
    with pytest.raises(forebay.UsageError, match="has changed"):
        len(pickle.loads(text)[0].payload)


def test_many_threads_read_one_dataset(corpus: pathlib.Path) -> None:
    ds = forebay.open(corpus / "tbl" / "jpeg20_lz4.tbl")
    wanted = [hashlib.sha256(s.image().tobytes()).digest() for s in ds]
    failed: list[object] = []

    def read(start: int) -> None:
        for i in range(20):
            k = (start + i) % 20
            if hashlib.sha256(ds[k].image().tobytes()).digest() != wanted[k]:
                failed.append(k)

    threads = [threading.Thread(target=read, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_notebooks_see_escaped_text(tmp_path: pathlib.Path) -> None:
    evil = "<script>alert(1)</script>"
    path = write_tar(tmp_path / "a.tar", {"a.bmp": bmp(2, 2, (0, 0, 0)), "a.txt": evil.encode()})
    sample = forebay.open(path)[0]
    assert sample.metadata["txt"] == evil
    for shown in (sample._repr_html_(), forebay.open(path)._repr_html_()):
        assert "<script" not in shown
    assert "&lt;script&gt;" in sample._repr_html_()
    assert "data:image/bmp;base64," in sample._repr_html_()
