"""Named targets."""

from __future__ import annotations

import gc
import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import bmp, write_tar
from forebay import Target

TEXTS = ["one", "", "drei ü"]


def pictures(folder: pathlib.Path, samples: int = 6) -> pathlib.Path:
    """An archive of small images with files beside them."""
    members = {}
    for i in range(samples):
        members[f"{i:04}.bmp"] = bmp(20, 10, (i, 2, 3))
        more = {"age": i, "pose": [i, 0.5, 2], "tokens": list(range(i % 3)), "tags": ["a", "b", "c"][: i % 4]}
        members[f"{i:04}.json"] = json.dumps({**more, "says": TEXTS[i % 3]}).encode()
    return write_tar(folder / "train.tar", members)


def labels(folder: pathlib.Path, samples: int = 6) -> pathlib.Path:
    """Boxes, outlines and key points for them: in image i so many."""
    images = [{"id": i, "file_name": f"{i:04}.bmp", "width": 20, "height": 10} for i in range(samples)]
    marks = [
        {
            "id": 10 * i + k, "image_id": i, "category_id": 1, "bbox": [2 * k, 2, 2, 4], "iscrowd": 0, "area": 8,
            "segmentation": [[2 * k, 2, 2 * k + 2, 2, 2 * k + 2, 6, 2 * k, 6]], "keypoints": [2 * k, 2, 2], "num_keypoints": 1,
        }
        for i in range(samples) for k in range(i)
    ]  # fmt: skip
    path = folder / "labels.json"
    classes = [{"id": 1, "name": "post", "keypoints": ["foot"]}]
    path.write_text(json.dumps({"images": images, "annotations": marks, "categories": classes}))
    return path


def loader(folder: pathlib.Path, **options: Any) -> forebay.Loader:
    return forebay.Loader(pictures(folder), **{"batch": 6, **options})


def test_values_come_by_name(tmp_path: pathlib.Path) -> None:
    found = loader(
        tmp_path,
        targets={
            "age": Target.number("json.age", whole=True),
            "share": "float:json.age",
            "pose": Target.numbers("json.pose", shape=[3]),
            "tokens": Target.numbers("json.tokens", whole=True),
            "tags": Target.multi_hot("json.tags", classes=["c", "a", "b"]),
            "says": Target.text("json.says"),
        },
    )
    assert found.target_classes["tags"] == ["c", "a", "b"]
    (batch,) = found.numpy()
    kinds = {name: (one.dtype.str, one.shape) for name, one in batch.items() if name != "payloads"}
    assert kinds == {
        "age": ("<i8", (6,)),
        "share": ("<f4", (6,)),
        "pose": ("<f4", (6, 3)),
        "tokens": ("<i8", (6,)),
        "tokens_offsets": ("<i8", (7,)),
        "tags": ("<f4", (6, 3)),
        "says": ("|u1", (20,)),
        "says_offsets": ("<i8", (7,)),
    }
    assert len(batch["payloads"]) == 6 and batch["age"].tolist() == list(range(6))
    assert batch["tags"].tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0]]
    assert forebay.texts(batch["says"], batch["says_offsets"]) == TEXTS * 2
    tokens = forebay.padded(batch["tokens"], batch["tokens_offsets"], -1)
    assert tokens.tolist() == [[-1, -1], [0, -1], [0, 1]] * 2


def test_objects_follow_pictures_and_arrays_outlive_their_loader(tmp_path: pathlib.Path) -> None:
    path = labels(tmp_path)
    targets = {
        "boxes": Target.boxes(path, most=4),
        "masks": Target.masks(path, most=4),
        "all": Target.boxes(path, most=None),
        "points": Target.keypoints(path, most=4),
        "areas": Target.semantic(path),
    }
    found = loader(tmp_path, size=(40, 20), batch=3, targets=targets, labels="json.age")
    found = pickle.loads(pickle.dumps(found))
    assert found.target_classes["masks"] == ["post"]
    kept = list(found.numpy())
    del found
    gc.collect()
    for first, batch in zip((0, 3), kept):
        assert batch["labels"].tolist() == list(range(first, first + 3)) and batch["images"].shape == (3, 3, 20, 40)
        there = [[k < i for k in range(4)] for i in range(first, first + 3)]
        assert batch["boxes_mask"].tolist() == there and (batch["boxes_classes"] == np.where(there, 0, -1)).all()
        assert batch["masks"].sum(axis=(2, 3)).tolist() == (np.array(there) * 32).tolist()
        assert (batch["areas"] == 1).sum(axis=(1, 2)).tolist() == [32 * i for i in range(first, first + 3)]
        assert np.diff(batch["all_offsets"]).tolist() == list(range(first, first + 3))
        assert np.allclose(batch["all"][:, [1, 3]], [0.2, 0.6]) and batch["points"].shape == (3, 4, 1, 3)
        batch["boxes"][:] = 0  # its own memory, to be written


def test_arrays_are_the_memory_that_the_loader_filled(tmp_path: pathlib.Path) -> None:
    found = loader(tmp_path, size=8, targets={"areas": Target.semantic(labels(tmp_path))})
    (batch,) = found
    assert np.shares_memory(batch.targets["areas"], batch.targets["areas"]) and batch.targets["areas"].flags.writeable


def test_what_is_wrong_says_so(tmp_path: pathlib.Path) -> None:
    def code(**options: Any) -> str:
        with pytest.raises(forebay.Error) as e:
            list(loader(tmp_path, **options))
        found: str = e.value.code
        return found

    assert code(targets={"a": "int:json.nothing"}) == "loader.target"
    assert code(targets={"a": "whole:json.age"}) == "usage.argument"
    assert code(targets={"a": "int:json.says"}) == "loader.target_value"
    assert code(targets={"a": Target.boxes(labels(tmp_path))}) == "loader.settings"
    assert code(targets={"images": "int:json.age"}) == "usage.argument"
    with pytest.raises(forebay.UsageError):
        Target.number("json.age", table=("a.csv", "file", "age"))
    skipping = loader(tmp_path, on_error="skip", targets={"a": Target.numbers("json.tokens", shape=[1])})
    (batch,) = skipping
    assert [getattr(one.error, "code", None) for one in batch.skipped] == ["loader.target_value"] * 4
    assert batch.targets["a"].tolist() == [[0], [0]]


def test_names_are_texts_and_classes_are_a_list_of_them(tmp_path: pathlib.Path) -> None:
    path, wrong = pictures(tmp_path), (["int:json.age"], {1: "int:json.age"})
    for targets in wrong:
        with pytest.raises(forebay.UsageError, match="targets are a dictionary"):
            forebay.Loader(path, batch=2, targets=targets)  # type: ignore[arg-type]
    makers: Any = (Target.label, forebay.Labels.field)
    for make in makers:
        for classes in ("abc", [1, 2]):
            with pytest.raises(forebay.UsageError, match="classes are a list of names"):
                make("json.says", classes=classes)
    assert Target.multi_hot("cls", classes=np.int64(3)) == Target.multi_hot("cls", classes=3)  # type: ignore[arg-type]


def test_tensors_of_targets(tmp_path: pathlib.Path) -> None:
    torch = pytest.importorskip("torch")
    found = loader(tmp_path, size=8, targets={"age": "int:json.age", "boxes": Target.boxes(labels(tmp_path))})
    (batch,) = found.torch()
    assert batch["age"].dtype == torch.int64 and batch["boxes"].shape == (6, 16, 4)


def test_views_and_other_pictures(tmp_path: pathlib.Path) -> None:
    path = pictures(tmp_path)
    targets = {
        "second": Target.view(8, augment=forebay.RandomResizedCrop()),
        "small": Target.view((6, 4)),
        "right": Target.picture(path),
        "areas": Target.label_map(path),
    }
    (batch,) = loader(tmp_path, size=8, dtype="f16", targets=targets).numpy()
    assert batch["second"].shape == (6, 3, 8, 8) and batch["small"].shape == (6, 3, 4, 6)
    assert batch["small"].dtype == np.float16 and (batch["right"] == batch["images"]).all()
    assert batch["areas"].shape == (6, 8, 8) and (batch["areas"] == np.arange(6)[:, None, None]).all()
