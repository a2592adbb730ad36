"""Tensor warehouses: images that were decoded and resized once, so that training reads tensors.

    built = forebay.warehouse.build("captures", "warehouse", size=384, progress=True)
    ds = forebay.warehouse.open(built.manifest)
    ds.tensor(0), ds.boxes(0), ds.manifest["summary"]
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, Sequence

from . import _forebay
from ._convert import PathLike
from ._convert import check as _check
from ._dataset import Dataset, open_samples
from ._errors import UsageError
from ._loader import both
from ._progress import Progress, telling
from ._report import Built, Kept, Removed, Report
from ._settings import keywords, settings_text

__all__ = ["Built", "Kept", "Removed", "Transform", "build", "check", "gc", "list", "manifest", "open"]


@dataclass(frozen=True)
class Transform:
    """The transform that :func:`build` applies, so that :class:`forebay.Loader` applies it to images that no warehouse was
    built of. Loading a warehouse that was built with another is refused.

        like = forebay.warehouse.Transform(384, resize="letterbox", max_boxes=16)
        loader = forebay.Loader("captures.tbl", batch=64, warehouse_transform=like)      # or "warehouse/v…/manifest.json"
    """

    #: Width and height, or both at once.
    size: int | tuple[int, int] = 384
    resize: Literal["letterbox", "force"] = "letterbox"
    #: Places for boxes.
    max_boxes: int = 16

    @classmethod
    def of(cls, path: PathLike) -> Transform:
        """That of a warehouse, by its manifest."""
        made = manifest(path)["transform"]
        if made.get("target_size") is None:
            raise UsageError("usage.argument", "usage", "this manifest does not say to which size images were made")
        width, height = made["target_size"]
        return cls((width, height), "force" if made["resize_mode"] == "Force" else "letterbox", made["max_boxes"])

    def _json(self) -> dict[str, Any]:
        return {"size": [*both(self.size)], "resize": self.resize, "max_boxes": self.max_boxes}


def build(
    sources: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    labels: PathLike | None = None,
    labels_format: str | None = None,
    voc_base: Literal[0, 1] | None = None,
    task: Literal["box", "obb", "segment"] | None = None,
    pick: Literal["first", "last", "all"] | None = None,
    boxes: str | None = None,
    size: int | tuple[int, int] | None = None,
    resize: Literal["letterbox", "force"] | None = None,
    max_boxes: int | None = None,
    dtype: Literal["f32", "f16", "u8"] | None = None,
    f32_boxes: bool = False,
    skip_empty: bool = False,
    exif: Literal["apply", "ignore", "refuse"] | None = None,
    shard_bytes: int | None = None,
    thresholds: Mapping[str, float] | None = None,
    allow_violations: bool = False,
    existing: Literal["refuse", "reuse", "replace"] = "refuse",
    trace: PathLike | None = None,
    code_version: str | None = None,
    workers: int | None = None,
    sync: bool = True,
    progress: Progress = False,
) -> Built:
    """Decodes and resizes images once, and stores them as tensors with their boxes, in a folder of their own in
    ``output``.

    ``sources`` are folders of runs with ``labels/*.json``, folders of images, TAR and TBL files, or patterns; ``labels``
    is the label file of images; without one ``boxes`` says which field of their metadata has boxes, and what four numbers
    mean: ``"json.boxes:xywh"``. ``thresholds`` are bounds such as ``{"max_invalid": 3, "max_empty_ratio": 0.5}``. Unlike
    the command it does not look at the environment. Ctrl-C ends it; the next build continues where it stopped.
    """
    settings = keywords(locals(), "sources", "output", "progress")
    many = [sources] if isinstance(sources, (str, os.PathLike)) else [*sources]
    files = [os.fspath(path) for path in many]
    with telling(progress, "building", "frames") as tell:
        return Built._of(json.loads(_forebay.warehouse_build(files, os.fspath(output), _options(settings), tell)))


def _options(settings: Mapping[str, Any]) -> str:
    """Settings of a build as the extension takes them."""
    options = dict(settings)
    for name in ("labels", "trace"):
        if options.get(name) is not None:
            options[name] = os.fspath(options[name])
    size = options.get("size")
    options["size"] = None if size is None else both(size)
    options["thresholds"] = dict(options.get("thresholds") or {})
    return settings_text(options)


def open(manifest: PathLike, *, io: Literal["read", "map"] | None = None) -> Dataset:
    """Opens a manifest, the folder that has it, or a folder with one current warehouse in it."""
    path = Path(manifest)
    if path.is_dir() and not (path / "manifest.json").exists():
        current = [kept for kept in list(path) if kept.state == "current"]
        if len(current) != 1:
            message = f"there are {len(current)} current warehouses in this folder: say which"
            raise UsageError("usage.argument", "usage", message, place={"file": str(path)})
        path = Path(current[0].folder)
    ds = open_samples(path, io=io)
    if ds.manifest is None:
        raise UsageError("usage.argument", "usage", "this is not a tensor warehouse", place={"file": str(path)})
    return ds


def manifest(path: PathLike) -> dict[str, Any]:
    """The content of a manifest, with unknown fields. No shard is read."""
    found: dict[str, Any] = json.loads(_forebay.warehouse_manifest(os.fspath(path)))
    return found


def check(path: PathLike, *, workers: int | None = None, progress: Progress = False) -> Report:
    """Looks for every fault: of the manifest, the headers, checksums, pixels and boxes."""
    return _check(path, workers=workers, progress=progress)


def list(folder: PathLike) -> Sequence[Kept]:
    """The warehouses of a folder, and which of them are current."""
    return [Kept._of(one) for one in json.loads(_forebay.warehouse_list(os.fspath(folder)))]


def gc(folder: PathLike, *, dry_run: bool = False) -> Sequence[Removed]:
    """Removes warehouses that a newer one of the same sources replaces, and what builds left that did not end."""
    return [Removed._of(one) for one in json.loads(_forebay.warehouse_gc(os.fspath(folder), dry_run))]
