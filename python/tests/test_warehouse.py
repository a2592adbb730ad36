"""Tensor warehouses: built, opened, checked, listed and cleared away."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import bmp


@pytest.fixture
def pictures(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    images, annotations = [], []
    for i in range(6):
        (folder / f"{i}.bmp").write_bytes(bmp(8, 8, (40 * i, 10, 20)))
        images.append({"id": i, "file_name": f"{i}.bmp", "width": 8, "height": 8})
        if i % 2 == 0:
            annotations.append({"id": i, "image_id": i, "category_id": 1, "bbox": [0, 2, 4, 4]})
    (tmp_path / "boxes.json").write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "cat"}]})
    )
    return folder


def build(pictures: pathlib.Path, **options: object) -> forebay.warehouse.Built:
    folder = pictures.parent
    settings = {"labels": folder / "boxes.json", "size": 8, "max_boxes": 3, **options}
    return forebay.warehouse.build(pictures, folder / "out", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("resize", ["letterbox", "force"])
def test_pictures_become_what_a_warehouse_holds_of_them(pictures: pathlib.Path, resize: Any) -> None:
    built = build(pictures, size=(12, 6), resize=resize)
    like = forebay.warehouse.Transform.of(built.manifest)
    assert like == forebay.warehouse.Transform((12, 6), resize, 3)
    boxes = pictures.parent / "boxes.json"
    stored = forebay.Loader(built.manifest, batch=3, shuffle=42, warehouse_transform=like)
    live = forebay.Loader(pictures, batch=3, shuffle=42, warehouse_transform=like, annotations=boxes)
    for one, other in zip(stored.numpy(), live.numpy()):
        assert one["images"].shape == (3, 3, 6, 12)
        for name in ("images", "boxes", "mask", "box_classes"):
            assert (one[name] == other[name]).all(), name
    assert stored.box_classes == live.box_classes == ["cat"]
    with pytest.warns(UserWarning):
        sums = forebay.Loader(pictures, batch=3, warehouse_transform=like, annotations=boxes, per_sample=lambda image: image.shape)
    assert next(iter(sums)).images == [(3, 6, 12)] * 3
    with pytest.raises(forebay.UsageError, match="another transform"):
        forebay.Loader(built.manifest, warehouse_transform=forebay.warehouse.Transform(8, resize, 3))
    with pytest.raises(forebay.UsageError, match="give one"):
        forebay.Loader(pictures, size=8, warehouse_transform=like)
    with pytest.raises(forebay.UsageError, match="resize is one of"):
        forebay.Loader(pictures, warehouse_transform=forebay.warehouse.Transform(8, "crop"))  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["f32", "f16", "u8"])
def test_what_was_built_opens_as_a_dataset(pictures: pathlib.Path, dtype: str) -> None:
    told: list[tuple[int, int]] = []
    built = build(pictures, dtype=dtype, progress=lambda done, total: told.append((done, total)))
    assert (built.samples, built.shards, built.reused, built.refused) == (6, 1, False, [])
    assert told[-1] == (6, 6)
    assert built.summary["totals"]["non_empty"] == 3
    ds = forebay.warehouse.open(built.manifest)
    assert (len(ds), ds.format) == (6, "warehouse")
    tensor = ds.tensor(5)
    assert tensor.shape == (3, 8, 8) and not tensor.flags.writeable
    assert tensor.dtype == {"f32": np.float32, "f16": np.float16, "u8": np.uint8}[dtype]
    assert ds[5].image()[0, 0].tolist() == [200, 10, 20]
    assert ds.boxes(0).tolist() == [[0, 0.25, 0.5, 0.75]] and ds.boxes(1).shape == (0, 4)
    assert ds.manifest is not None and ds.manifest["version"] == built.version
    assert forebay.warehouse.manifest(built.manifest) == ds.manifest
    assert len(ds.frame_ids()) == 6
    assert forebay.warehouse.check(built.manifest).ok
    assert len(forebay.warehouse.open(pictures.parent / "out")) == 6
    assert "cat" in json.dumps(ds[0].metadata)


def test_versions_are_listed_and_cleared_away(pictures: pathlib.Path) -> None:
    first = build(pictures)
    with pytest.raises(forebay.UsageError) as e:
        build(pictures)
    assert "skip_if_exists" in e.value.options
    assert build(pictures, existing="reuse").reused
    (pictures / "5.bmp").write_bytes(bmp(8, 8, (1, 2, 3)))
    second = build(pictures)
    out = pictures.parent / "out"
    assert sorted(kept.state for kept in forebay.warehouse.list(out)) == ["current", "replaced"]
    assert [one.gone for one in forebay.warehouse.gc(out, dry_run=True)] == [False]
    removed = forebay.warehouse.gc(out)
    assert [one.gone for one in removed] == [True] and first.version in removed[0].folder
    assert [kept.version for kept in forebay.warehouse.list(out)] == [second.version]


def test_thresholds_and_damage(pictures: pathlib.Path) -> None:
    with pytest.raises(forebay.Error, match="empty"):
        build(pictures, thresholds={"max_empty": 2})
    assert build(pictures, thresholds={"max_empty": 2}, allow_violations=True).violations
    with pytest.raises(forebay.UsageError):
        build(pictures, thresholds={"max_nothing": 2}, existing="replace")
    with pytest.raises(forebay.UsageError):
        build(pictures, dtype="f64")
    built = build(pictures, existing="replace")
    shard = next(pathlib.Path(built.manifest).parent.glob("*.bin"))
    data = bytearray(shard.read_bytes())
    data[200] ^= 1
    shard.write_bytes(data)
    assert "warehouse.checksum" in [fault.code for fault in forebay.warehouse.check(built.manifest).faults]


def test_what_the_first_builder_wrote_is_read(corpus: pathlib.Path) -> None:
    folder = corpus / "twh" / "expected" / "case_letterbox_64"
    ds = forebay.warehouse.open(folder)
    assert ds.tensor(0).shape == (3, 64, 64)
    assert 0 <= ds.tensor(0).min() and ds.tensor(0).max() <= 1
    assert all(ds.boxes(i).shape[1] == 4 for i in range(len(ds)))


def test_other_datasets_have_no_tensors(pictures: pathlib.Path) -> None:
    ds = forebay.open(pictures)
    assert ds.manifest is None
    with pytest.raises(forebay.UsageError, match="warehouse"):
        ds.tensor(0)
    forebay.convert(pictures, pictures.with_suffix(".tbl"))
    with pytest.raises(forebay.UsageError, match="not a tensor warehouse"):
        forebay.warehouse.open(pictures.with_suffix(".tbl"))
    with pytest.raises(forebay.UsageError, match="0 current"):
        forebay.warehouse.open(pictures)
