"""Thumbnails of a dataset, in a file next to it that viewers load first."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from . import _forebay
from ._convert import PathLike
from ._progress import Progress, telling
from ._report import Fault

__all__ = ["Thumbs", "thumbs"]


@dataclass(frozen=True)
class Thumbs:
    """A file of thumbnails."""

    output: str
    #: One for each sample; the place of what is no image is empty.
    samples: int
    #: No edge is longer, in pixels.
    size: int
    output_bytes: int
    not_pictures: int = 0
    #: Samples that could not be read or decoded.
    fault_count: int = 0
    faults: list[Fault] = field(default_factory=list)


def thumbs(
    path: PathLike,
    output: PathLike | None = None,
    *,
    size: int | None = None,
    quality: int | None = None,
    workers: int | None = None,
    force: bool = False,
    check: bool = False,
    progress: Progress = False,
) -> Thumbs:
    """Writes the thumbnails of a TBL or a TAR into ``path`` with ``.thumbs`` appended, or into ``output``: JPEGs of which no
    edge is longer than ``size`` (160). The viewer finds them next to the file, also through a server, and shows its first
    screen from there.

    With ``check`` nothing is written: thumbnails of another file, or of this one before it changed, are a :class:`UsageError`
    with the code ``thumbs.other_file``.

    >>> made = forebay.thumbs("train.tbl", size=32)
    >>> made.output, made.samples
    ('train.tbl.thumbs', 16)
    >>> forebay.thumbs("train.tbl", check=True).size
    32
    """
    options: dict[str, Any] = {"force": force, "check": check}
    given = {"size": size, "quality": quality, "workers": workers}
    options.update({name: int(value) for name, value in given.items() if value is not None})
    target = None if output is None else os.fspath(output)
    with telling(progress, "drawing", "samples") as tell:
        found = json.loads(_forebay.thumbs(os.fspath(path), target, json.dumps(options), tell))
    found["faults"] = [Fault(**fault) for fault in found.get("faults", [])]
    return Thumbs(**{name: found[name] for name in Thumbs.__dataclass_fields__ if name in found})
