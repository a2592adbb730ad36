"""Images of many sizes in one batch, and lists of many lengths."""

from __future__ import annotations

import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import bmp, write_tar
from forebay import Padding, Target

SIZES = [(20, 10), (7, 12), (30, 3), (8, 8), (16, 31), (1, 1)]


@pytest.fixture
def pictures(tmp_path: pathlib.Path) -> pathlib.Path:
    members = {}
    for i, (width, height) in enumerate(SIZES):
        members[f"{i:04}.bmp"] = bmp(width, height, (40 * i, 255 - i, 3))
        members[f"{i:04}.json"] = json.dumps({"tokens": list(range(i)), "says": "a" * (5 - i)}).encode()
    return write_tar(tmp_path / "train.tar", members)


def test_a_batch_is_as_large_as_its_largest_picture(pictures: pathlib.Path) -> None:
    options: dict[str, Any] = {"batch": 3, "size": 32, "dtype": "u8", "shuffle": 4}
    loader = pickle.loads(pickle.dumps(forebay.Loader(pictures, padded=Padding(multiple=4, fill=(9, 8, 7)), **options)))
    seen = set()
    for batch in loader:
        assert batch.sizes.dtype == np.int64 and batch.sizes.tolist() == [list(SIZES[i]) for i in batch.indices]
        width, height = (-(-side // 4) * 4 for side in batch.sizes.max(0).tolist())
        assert batch.images.shape == (3, 3, height, width) and batch.pixel_mask.shape == (3, height, width)
        for i, image, mask, (w, h) in zip(batch.indices, batch.images, batch.pixel_mask, batch.sizes):
            wanted = np.zeros((height, width), np.uint8)
            wanted[:h, :w] = 1
            assert (mask == wanted).all()
            color = np.where(wanted, np.array([40 * i, 255 - i, 3])[:, None, None], np.array([9, 8, 7])[:, None, None])
            assert (image == color).all()
            seen.add(int(i))
    assert seen == set(range(6))
    for found in forebay.Loader(pictures, padded=Padding(short=4), layout="nhwc", **options).numpy():
        assert set(found) == {"images", "sizes", "pixel_mask"}
        assert found["images"].shape[:3] == found["pixel_mask"].shape and found["sizes"].min(1).max() <= 4
    plain = next(iter(forebay.Loader(pictures, **options)))
    assert plain.sizes.shape == (0, 2) and plain.pixel_mask.size == 0


def test_a_transform_of_the_callers_sees_padded_batches(pictures: pathlib.Path) -> None:
    loader = forebay.Loader(
        pictures, batch=6, size=32, padded=Padding(), transform=lambda batch: None, targets={"n": "ints/pad=-1,9:json.tokens"}
    )
    (found,) = loader.numpy()
    assert set(found) == {"images", "sizes", "pixel_mask", "n", "n_mask"}


def test_lists_and_text_are_padded(pictures: pathlib.Path) -> None:
    targets = {
        "tokens": Target.numbers("json.tokens", whole=True, longest=4, pad=-1),
        "even": Target.numbers("json.tokens", longest=64, multiple=8),
        "says": Target.text("json.says", longest=10, pad=46),
    }
    (batch,) = forebay.Loader(pictures, batch=6, targets=targets).numpy()
    assert set(batch) == {"payloads", "tokens", "tokens_mask", "even", "even_mask", "says", "says_mask"}
    assert batch["tokens"].tolist() == [[k if k < i else -1 for k in range(4)] for i in range(6)]
    assert batch["tokens_mask"].tolist() == [[int(k < i) for k in range(4)] for i in range(6)]
    assert batch["even"].shape == (6, 8) and batch["even"].dtype == np.float32
    assert [bytes(row).decode() for row in batch["says"]] == [("a" * (5 - i)).ljust(5, ".") for i in range(6)]


def test_what_does_not_go_together_is_refused(pictures: pathlib.Path) -> None:
    for options in (
        {"padded": Padding()},
        {"padded": Padding(multiple=5), "size": 32},
        {"padded": Padding(), "size": 32, "augment": forebay.RandomResizedCrop()},
        {"padded": Padding(), "size": 32, "orient": True},
        {"padded": Padding(), "size": 32, "targets": {"sizes": "ints:json.tokens"}},
        {"targets": {"a": "ints/pad=0.5,4:json.tokens"}},
    ):
        with pytest.raises(forebay.UsageError):
            forebay.Loader(pictures, **options)  # type: ignore[arg-type]
    with pytest.raises(forebay.UsageError):
        Target.numbers("json.tokens", pad=1)
