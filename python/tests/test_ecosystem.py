"""Other libraries, each where it is installed: Hugging Face datasets, WebDataset, grain, Lightning."""

from __future__ import annotations

import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import bmp, numbered, write_tar


@pytest.fixture
def tbl(tmp_path: pathlib.Path) -> pathlib.Path:
    numbered(tmp_path / "a.tar", 12)
    forebay.convert(tmp_path / "a.tar", tmp_path / "a.tbl")
    return tmp_path / "a.tbl"


def test_records_by_number(tbl: pathlib.Path) -> None:
    records = forebay.open(tbl).where("cls >= 4").records(label="cls")
    assert len(records) == 8 and records[3]["label"] == 7 and records[-1]["index"] == 11
    assert records[0]["image"].shape == (4, 4, 3)
    assert pickle.loads(pickle.dumps(records))[1]["label"] == 5
    assert [one["label"] for one in records] == list(range(4, 12))
    raw = forebay.open(tbl).records(image=False, transform=lambda record: len(record["payload"]))
    assert raw[0] == forebay.open(tbl)[0].info.bytes
    with pytest.raises(IndexError):
        records[8]
    with pytest.raises(forebay.UsageError):
        forebay.open(tbl).records(label="nope")[0]


def test_samples_as_webdataset_passes_them_on(tbl: pathlib.Path) -> None:
    samples = list(forebay.open(tbl)[:2].to_webdataset())
    assert [sample["__key__"] for sample in samples] == ["00000", "00001"]
    assert samples[1]["cls"] == b"1" and samples[1]["bmp"][:2] == b"BM" and samples[1]["__url__"] == str(tbl)


def test_sidecars_keep_their_bytes_and_their_names(tmp_path: pathlib.Path) -> None:
    picture, array = bmp(2, 2, (1, 2, 3)), b"\x93NUMPY\x01\x00\xff"
    files = {
        "a/1.BMP": picture,
        "a/1.npy": array,
        "a/1.cls": b"007",
        "a/1.TXT": b"up \n",
        "a/1.json": b'{"big": 18446744073709551617, "x": 1.50}',
        "b.x.bmp": picture,
        "b.id": b"5",
        "b.name": b"nm",
        "b.json": b"[1,2]",
    }
    write_tar(tmp_path / "a.tar", files)
    forebay.convert(tmp_path / "a.tar", tmp_path / "a.tbl")
    for name in ("a.tar", "a.tbl"):
        first, second = forebay.open(tmp_path / name).to_webdataset()
        for found in (first, second):
            assert found.pop("__url__") == str(tmp_path / name)
        wanted = {"bmp": picture, "npy": array, "cls": b"007", "txt": b"up \n", "json": files["a/1.json"]}
        assert first == {"__key__": "a/1", **wanted}
        assert second == {"__key__": "b", "x.bmp": picture, "id": b"5", "name": b"nm", "json": b"[1,2]"}
    with forebay.TblWriter(tmp_path / "b.tbl") as writer:
        writer.add(picture, name="c.bmp", metadata={"label": "cat", "n": 2**70})
    (one,) = forebay.open(tmp_path / "b.tbl").to_webdataset()
    assert {name: one[name] for name in ("label", "n")} == {"label": b"cat", "n": str(2**70).encode()} and "json" not in one


def test_webdataset(tbl: pathlib.Path) -> None:
    wds = pytest.importorskip("webdataset", reason="webdataset is not installed here")
    pipeline = wds.DataPipeline(forebay.open(tbl).to_webdataset(), wds.shuffle(5), wds.decode(), wds.to_tuple("__key__", "cls"))
    assert sorted(pipeline) == [(f"{i:05}", i) for i in range(12)]


def test_grain(tbl: pathlib.Path) -> None:
    grain = pytest.importorskip("grain.python", reason="grain is not installed here")
    source = forebay.open(tbl).records(label="cls")
    assert isinstance(source, grain.RandomAccessDataSource)
    data = grain.MapDataset.source(source).shuffle(seed=1).map(lambda record: int(record["label"])).batch(4)
    assert sorted(int(one) for batch in data for one in batch) == list(range(12))


def test_hugging_face(tbl: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed here")
    pytest.importorskip("PIL", reason="Pillow is not installed here")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    some = forebay.open(tbl).where("cls >= 3")
    found = some.to_hf(label="cls")
    assert len(found) == 9 and found.column_names == ["image", "width", "height", "metadata", "label"]
    assert found[2]["label"] == 5 and found[2]["image"].size == (4, 4)
    assert found[2]["image"].convert("RGB").getpixel((0, 0)) == (5, 0, 7)
    assert json.loads(found[2]["metadata"])["cls"] == 5
    assert [row["label"] for row in some.to_hf(label="cls", streaming=True)] == list(range(3, 12))

    assert forebay.from_hf(found, tmp_path / "back.tbl", columns=["label"]) == 9
    back = forebay.open(tmp_path / "back.tbl")
    assert back[2].metadata["label"] == 5 and bytes(back[2].payload) == bytes(some[2].payload)
    assert forebay.from_hf(some.to_hf(streaming=True), tmp_path / "streamed.tbl") == 9

    classes = datasets.ClassLabel(names=["cat", "dog"])
    features = datasets.Features({"img": datasets.Image(), "y": classes, "w": datasets.Value("timestamp[s]")})
    path = tmp_path / "0.bmp"
    path.write_bytes(bytes(some[0].payload))
    made = datasets.Dataset.from_dict({"img": [str(path)], "y": [1], "w": [7]}, features=features)
    assert forebay.from_hf(made, tmp_path / "c.tbl", image="img", columns=["y"], compression="lz4") == 1
    assert forebay.open(tmp_path / "c.tbl")[0].metadata == {"name": "0.bmp", "y": 1, "y_name": "dog"}
    with pytest.raises(forebay.UsageError, match="not JSON"):
        forebay.from_hf(made, tmp_path / "d.tbl", image="img")
    assert not (tmp_path / "d.tbl").exists()
    with pytest.raises(forebay.UsageError, match="those that do: img"):
        forebay.from_hf(made, tmp_path / "d.tbl")
    forebay.convert(some, tmp_path / "raw.tbl", size=4)
    with pytest.raises(forebay.UnsupportedError, match="raw pixels"):
        forebay.open(tmp_path / "raw.tbl").to_hf()
    with pytest.raises(forebay.UsageError, match="splits"):
        forebay.from_hf(datasets.DatasetDict({"train": made}), tmp_path / "d.tbl")


def test_hugging_face_as_it_is_stored(tmp_path: pathlib.Path, tbl: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed here")
    import fsspec

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    picture = bmp(4, 4, (1, 2, 3))
    with fsspec.open("memory://pictures/far.bmp", "wb") as file:
        file.write(picture)
    classes, image = datasets.ClassLabel(names=["cat", "dog"]), datasets.Image()
    features = datasets.Features({"image": image, "y": classes, "y_name": datasets.Value("string")})
    rows: dict[str, Any] = {
        "image": [{"bytes": picture, "path": "near.bmp"}, {"bytes": None, "path": "memory://pictures/far.bmp"}],
        "y": [1, None],
        "y_name": ["mine", "own"],
    }
    made = datasets.Dataset.from_dict(rows, features=features)
    for given in (made.with_format("numpy"), made.with_transform(lambda rows: {"x": [0]}), made.to_iterable_dataset()):
        assert forebay.from_hf(given, tmp_path / "a.tbl", columns=["y"], force=True) == 2
        ds = forebay.open(tmp_path / "a.tbl")
        assert [(sample.name, bytes(sample.payload)) for sample in ds] == [("near.bmp", picture), ("far.bmp", picture)]
        assert ds[0].metadata == {"name": "near.bmp", "y": 1, "y_name": "dog"}
    with pytest.raises(forebay.UsageError, match="'y_name' is in the place of a label's name"):
        forebay.from_hf(made, tmp_path / "b.tbl")
    renamed = made.rename_column("y_name", "name")
    assert forebay.from_hf(renamed, tmp_path / "c.tbl") == 2
    assert [sample.name for sample in forebay.open(tmp_path / "c.tbl")] == ["mine", "own"]
    assert len(forebay.open(tbl)[:0].to_hf()) == 0
    # What was made of a folder before is not what is there now, and not by other settings.
    for name, color in (("a/x/1.bmp", 1), ("b/y/2.bmp", 2)):
        (tmp_path / "folder" / name).parent.mkdir(parents=True)
        (tmp_path / "folder" / name).write_bytes(bmp(4, 4, (color, 2, 3)))
    for level, labels, color in ((1, ["a", "b"], 1), (2, ["x", "y"], 1), (2, ["x", "y"], 77)):
        (tmp_path / "folder" / "a/x/1.bmp").write_bytes(bmp(4, 4, (color, 2, 3)))
        found = forebay.open_samples(tmp_path / "folder", class_level=level).to_hf(label="class")
        assert found["label"][:] == labels and found[0]["image"].getpixel((0, 0))[0] == color
    with forebay.TblWriter(tmp_path / "raw.tbl", force=True) as writer:
        writer.add(picture)
        writer.add(np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(forebay.UnsupportedError, match="raw pixels"):
        forebay.open(tmp_path / "raw.tbl").to_hf()


def test_labels_for_hugging_face_are_what_they_are(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed here")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")

    def written(values: list[Any]) -> Any:
        with forebay.TblWriter(tmp_path / "a.tbl", force=True) as writer:
            for value in values:
                writer.add(bmp(2, 2, (0, 0, 0)), metadata={"json": {"w": value}})
        return forebay.open(tmp_path / "a.tbl")

    kinds = {"float64": [1, 2.5, 3], "int64": [None, 1, 2], "bool": [True, False], "string": ["a", "b"]}
    for kind, values in kinds.items():
        found = written(values).to_hf(label="json.w", streaming=True)
        assert found.features["label"].dtype == kind and [row["label"] for row in found] == values
    assert [row["label"] for row in written([[1], [2, 3]]).to_hf(label="json.w", streaming=True)] == [[1], [2, 3]]
    for wrong in ([1, "a"], [2**70, 1]):
        with pytest.raises(forebay.UsageError, match="one kind"):
            written(wrong).to_hf(label="json.w")
    with pytest.raises(forebay.UsageError, match="no field json.v"):
        written([1]).to_hf(label="json.v")


def test_without_hugging_face_it_is_said(tbl: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(forebay.UnsupportedError, match="pip install datasets"):
        forebay.open(tbl).to_hf()
    nothing: Any = None
    with pytest.raises(forebay.UnsupportedError, match="pip install datasets"):
        forebay.from_hf(nothing, "a.tbl")


def test_a_records_label_is_named_by_a_path_and_one_that_is_not_there_by_its_sample(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        for i in range(3):
            writer.add(bmp(4, 4, (i, 0, 0)), metadata={"json": {"label": f"of {i}", "objects": [{"class": i}]}})
    ds = forebay.open(tmp_path / "a.tbl")
    assert [ds.records(label="json.label")[i]["label"] for i in range(3)] == ["of 0", "of 1", "of 2"]
    assert ds.records(label="json.objects[0].class")[2]["label"] == 2
    for path in ("json.nope", "json.objects[1].class", "json.label[0].x"):
        with pytest.raises(forebay.UsageError) as e:
            ds.records(label=path)[1]
        assert e.value.sample == 1 and path in e.value.message
