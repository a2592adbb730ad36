"""Warehouses, boxes of label files, and loaders over a part of the samples."""

from __future__ import annotations

import hashlib
import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import CORPUS, numbered

CASE = CORPUS / "twh" / "expected" / "case_letterbox_64"
TRUTH = [one for one in json.loads((CASE / "ground_truth.json").read_text())["samples"] if one["status"] == "ok"]
#: What whoever made the first said is right of boxes.
RIGHT = json.loads((CASE / "ground_truth_corrected.json").read_text())["samples"]
MODES = ["stream", "mmap", "memory"]


def address(array: Any) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def warehouse(**options: Any) -> forebay.Loader:
    return forebay.Loader(CASE / "manifest.json", **{"batch": 4, "tail": "uneven", **options})


@pytest.mark.parametrize("mode", MODES)
def test_a_warehouse_gives_what_it_holds(mode: Any) -> None:
    loader = warehouse(mode=mode)
    images = [image for batch in loader for image in batch.images]
    assert [hashlib.sha256(image.tobytes()).hexdigest() for image in images] == [s["image_sha256_f32le"] for s in TRUTH]
    samples = [sample for batch in loader for sample in zip(batch.boxes, batch.mask, batch.frame_ids)]
    assert len(samples) == len(TRUTH) == 21
    for i, ((boxes, mask, frame), truth) in enumerate(zip(samples, TRUTH)):
        # The first builder's shards know no frames.
        assert frame == i and mask.tolist() == truth["mask"] and boxes.shape == (4, 4)
        assert np.allclose(boxes[mask == 1], np.array(truth["boxes"]).reshape(-1, 4)) and (boxes[mask == 0] == 0).all()
    with pytest.raises(forebay.UsageError):
        warehouse(size=64)


def test_samples_of_a_mapped_warehouse_are_seen_where_they_lie() -> None:
    loader = warehouse(mode="mmap")
    kept = []
    for batch in loader:
        views = batch.views
        assert all(view.shape == (3, 64, 64) and not view.flags.writeable for view in views)
        again = batch.views
        assert [address(view) for view in views] == [address(view) for view in again]
        before = [view.copy() for view in views]
        images = batch.images
        assert images.flags.writeable and not np.shares_memory(images, views[0])
        assert all((view == image).all() for view, image in zip(views, images))
        images[:] = 0
        assert all((view == copy).all() for view, copy in zip(views, before))
        assert np.shares_memory(batch.views[0], images), "behind its tensor a sample is a part of it"
        kept.append((views[0], before[0]))
    # The same pages, however often they are seen.
    assert [address(batch.views[0]) for batch in loader] == [address(view) for view, _ in kept]
    del loader, batch
    assert all((view == copy).all() for view, copy in kept)


def test_batches_with_boxes_come_by_name(tmp_path: pathlib.Path) -> None:
    for found in warehouse().numpy():
        assert list(found) == ["images", "boxes", "mask", "box_classes", "frame_ids"]
        assert found["boxes"].shape == (len(found["images"]), 4, 4)
        assert (found["box_classes"] >= 0).sum() <= found["mask"].sum()
    changed = warehouse(transform=lambda batch: setattr(batch, "images", batch.images * 0))
    assert all(found["images"].max() == 0 and len(found["boxes"]) for found in changed.numpy())


def test_boxes_of_labels_follow_pictures() -> None:
    options: dict[str, Any] = {"size": 64, "augment": forebay.Letterbox(), "max_boxes": 4, "on_error": "skip"}
    live = forebay.Loader(CORPUS / "twh" / "input", annotations=True, batch=4, tail="uneven", **options)
    assert live.refused and all(reason for _, reason in live.refused)
    found = [one for batch in live for one in zip(batch.frame_ids, batch.boxes, batch.mask) if one[2].any()]
    assert [int(frame) for frame, _, _ in found] == [truth["frame_id"] for truth in RIGHT]
    for (_, boxes, mask), truth in zip(found, RIGHT):
        assert np.allclose(boxes[mask == 1], np.array(truth["boxes_f64"]), atol=0.01)
    with pytest.raises(forebay.Error) as e:
        forebay.Loader(CORPUS / "twh" / "input", annotations=True, size=64)
    assert e.value.code == "loader.annotation"
    with pytest.raises(forebay.UsageError):
        forebay.Loader(CORPUS / "twh" / "input", annotation_format="coco", size=64)


def test_crops_that_look_at_boxes_keep_them() -> None:
    options: dict[str, Any] = {"size": 64, "max_boxes": 4, "on_error": "skip", "batch": 4, "tail": "uneven", "shuffle": 5}

    def boxes_of(augment: Any) -> dict[int, int]:
        loader = forebay.Loader(CORPUS / "twh" / "input", annotations=True, augment=augment, **options)
        return {int(frame): int(mask.sum()) for batch in loader for frame, mask in zip(batch.frame_ids, batch.mask)}

    whole = boxes_of(forebay.Stretch())
    assert boxes_of(forebay.CropAroundBoxes()) == whole
    overlapping = boxes_of(forebay.RandomIoUCrop())
    assert overlapping.keys() == whole.keys() and 0 < sum(overlapping.values()) <= sum(whole.values())
    assert sum(boxes_of(forebay.RandomResizedCrop((0.1, 0.3)) | forebay.KeepBoxes(visible=0.9)).values()) < sum(whole.values())


def test_warehouses_resume_and_pickle() -> None:
    loader = warehouse(shuffle=3)
    whole = [batch.frame_ids.tolist() for batch in loader]
    loader.set_epoch(0)
    steps = iter(loader)
    next(steps)
    again = pickle.loads(pickle.dumps(loader))
    assert [batch.frame_ids.tolist() for batch in again] == whole[1:]
    train, rest = (warehouse(split=part(0.3, seed=1, by="sample")) for part in (forebay.Split.train, forebay.Split.validation))
    both = [i for one in (train, rest) for batch in one for i in batch.indices.tolist()]
    assert sorted(both) == list(range(21)) and 0 < rest.epoch_samples < train.epoch_samples


def test_indices_and_datasets_choose(tmp_path: pathlib.Path) -> None:
    a, b = numbered(tmp_path / "a.tar", 10), numbered(tmp_path / "b.tar", 20)

    def labels(*arguments: Any, **options: Any) -> list[int]:
        loader = forebay.Loader(*arguments, batch=1, labels="cls", **options)
        return [int(batch.labels[0]) for batch in loader]

    assert labels(a, indices=[7, 2]) == [2, 7]
    assert labels([a, b], indices=np.array([9, 10, 12])) == [9, 0, 2]
    assert labels(a, indices=np.arange(10) % 5 == 0) == [0, 5]
    ds, other = forebay.open(a), forebay.open(b)
    assert labels(ds) == list(range(10))
    assert labels(ds.where("cls < 6")[1:4]) == [1, 2, 3]
    assert labels([ds[8:], other.where("cls > 17")]) == [8, 9, 18, 19]
    assert labels([a, other[[3, 1]]]) == [*range(10), 1, 3]
    assert labels(a, indices=[1, 2, 3], where="cls > 1") == [2, 3]
    shuffled = forebay.Loader(ds[:5], batch=5, shuffle=1)
    state = shuffled.state_dict()
    shuffled.load_state_dict(state)
    with pytest.raises(forebay.Error):
        forebay.Loader(ds[1:6], batch=5, shuffle=1).load_state_dict(state)
    wrong: list[Any] = [[1, 1], [-1], [0.5], [10]]
    for indices in wrong:
        with pytest.raises(forebay.UsageError):
            forebay.Loader(a, indices=indices)
    with pytest.raises(forebay.UsageError):
        forebay.Loader(ds[:5], indices=[1])
    with pytest.raises(forebay.UsageError):
        forebay.Loader(ds[[1, 1]])
    with pytest.raises(forebay.UsageError, match="bytes"):
        forebay.Loader(forebay.open(a.read_bytes()))
