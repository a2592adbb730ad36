"""From label files to batches for a detector: checked, converted, built into a tensor warehouse, and read as tensors.

    python examples/python/labels_to_training.py images instances.json out
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

import forebay


def build(pictures: Path, labels: Path, out: Path, size: int = 64) -> str:
    """Checks the labels, and builds a warehouse of images and boxes; its manifest."""
    report = forebay.labels.check(labels)
    if not report:
        raise SystemExit(f"{labels}: {report}")
    found = forebay.labels.read(labels)
    print(f"{len(found)} images, {found.annotations} boxes of {len(found.classes)} classes, as {found.format}")
    # Other tools read other formats; what one cannot say is counted.
    written = found.write(out / "labels.via.json", to="via")
    print(f"written as VIA, and lost: {written.losses or 'nothing'}")
    built = forebay.warehouse.build(
        pictures, out / "warehouse", labels=labels, size=size, max_boxes=8, dtype="u8", existing="reuse", progress=True
    )
    for refused in built.refused:
        print(f"refused: {refused['file']}: {refused['reason']}")
    return built.manifest


def batches(manifest: str, batch: int, epoch: int) -> Iterator[tuple[NDArray[np.float32], list[NDArray[np.float32]]]]:
    """Images, n x 3 x height x width from 0 to 1, and the boxes of each, in an order that the seed and the epoch decide."""
    ds = forebay.warehouse.open(manifest, io="map")
    plan = forebay.plan(manifest, batch=batch, shuffle=7, epoch=epoch, rank=0, tail="uneven")
    for one in plan.batches:
        images = np.stack([ds.tensor(i) for i in one.indices]).astype(np.float32)
        images /= 255
        yield images, [ds.boxes(i) for i in one.indices]


def main() -> None:
    """Reads the command line."""
    pictures, labels, out = map(Path, sys.argv[1:4])
    out.mkdir(exist_ok=True)
    manifest = build(pictures, labels, out)
    for images, boxes in batches(manifest, batch=4, epoch=0):
        print(images.shape, [len(one) for one in boxes])


if __name__ == "__main__":
    main()
