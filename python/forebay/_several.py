"""Functions that take or make several files: shards, differences, the plan of a run."""

from __future__ import annotations

import json
import operator
import os
from dataclasses import dataclass, field
from typing import Any, Literal, Sequence

import numpy as np

from . import _forebay
from ._convert import PathLike, Summary, convert
from ._errors import UsageError
from ._progress import Progress, telling
from ._settings import keywords, settings_text

__all__ = ["Difference", "Extracted", "Plan", "PlannedBatch", "Share", "concat", "diff", "extract", "plan", "split", "stats"]


def split(
    path: PathLike,
    folder: PathLike,
    shards: int,
    *,
    to: Literal["tbl", "tar"] | None = None,
    compression: Literal["none", "lz4", "zstd", "packed"] | None = None,
    level: int | None = None,
    layout: Literal["guide", "turboloader"] | None = None,
    workers: int | None = None,
    force: bool = False,
    verify: bool = False,
    sync: bool = True,
    progress: Progress = False,
) -> list[Summary]:
    """Writes a dataset as shards of almost equal length, in order: ``NAME-00000-of-00008.tbl`` and so on.

    They appear together when all are whole. ``to`` is the format of the input unless it is given.
    """
    options = keywords(locals(), "path", "folder", "shards", "progress")
    with telling(progress, "splitting", "samples") as tell:
        text = _forebay.split(os.fspath(path), os.fspath(folder), shards, json.dumps(options), tell)
    return [Summary._of(one) for one in json.loads(text)]


def concat(inputs: Sequence[PathLike], output: PathLike, **options: Any) -> Summary:
    """Writes several datasets, or several tables of the same columns, as one, in order; see :func:`forebay.convert`."""
    return convert(list(inputs), output, **options)


@dataclass(frozen=True)
class Difference:
    """The differences between two datasets. It is true if they differ."""

    same: bool
    a_samples: int
    b_samples: int
    #: Pairs of samples that are the same.
    equal: int
    #: Pairs that are not: ``a``, ``b``, ``name``, and ``what`` of them differs.
    changed: list[dict[str, Any]] = field(default_factory=list, repr=False)
    only_in_a: list[dict[str, Any]] = field(default_factory=list, repr=False)
    only_in_b: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def __bool__(self) -> bool:
        return not self.same

    def __str__(self) -> str:
        if self.same:
            return f"the same {self.equal:,} samples"
        return (
            f"{self.equal:,} equal, {len(self.changed):,} changed, {len(self.only_in_a):,} only in the first, "
            f"{len(self.only_in_b):,} only in the second"
        )


def diff(
    a: PathLike,
    b: PathLike,
    *,
    payloads: bool = False,
    workers: int | None = None,
    progress: Progress = False,
) -> Difference:
    """Do two datasets hold the same samples?

    Samples belong together by name where every sample has one of its own, else by number. ``payloads`` compares
    neither names nor metadata.

    >>> forebay.diff("train.tar", "train.tbl").same
    True
    """
    with telling(progress, "comparing", "samples") as tell:
        return Difference(**json.loads(_forebay.diff(os.fspath(a), os.fspath(b), payloads, workers, tell)))


@dataclass(frozen=True)
class Extracted:
    """The files of an extraction."""

    samples: int
    files: int
    #: Files that are not called as they were, since that name was taken or none that a file can have.
    renamed: int
    notes: list[str] = field(default_factory=list)


def extract(
    path: PathLike,
    folder: PathLike,
    *,
    where: str | None = None,
    indices: Sequence[int] | None = None,
    force: bool = False,
    progress: Progress = False,
) -> Extracted:
    """Writes samples with their sidecars into a folder, under the names that they had. Nothing leaves the folder,
    whatever the names say."""
    from ._dataset import open_samples

    chosen = None if indices is None else [_number(i) for i in indices]
    if where is not None:
        found = open_samples(path).where(where).indices.tolist()
        kept = None if chosen is None else set(chosen)
        chosen = [i for i in found if kept is None or i in kept]
    with telling(progress, "extracting", "samples") as tell:
        return Extracted(**json.loads(_forebay.extract(os.fspath(path), os.fspath(folder), chosen, force, tell)))


def _number(i: Any) -> int:
    # A truth value is a number to Python, and would be the first or the second sample.
    if isinstance(i, (bool, np.bool_)) or not hasattr(i, "__index__"):
        raise UsageError("usage.argument", "usage", f"indices are the numbers of samples, and {i!r} is not one")
    return operator.index(i)


@dataclass(frozen=True)
class Share:
    """The part of an epoch that one rank gets."""

    rank: int
    batches: int
    samples: int
    #: Samples that are there twice, so that all ranks have as many.
    padded: int
    #: Bytes that reading them moves.
    bytes: int


@dataclass(frozen=True)
class PlannedBatch:
    """One batch of one rank."""

    step: int
    bytes: int
    padded: int
    #: Numbers of the samples, counted over all files.
    indices: list[int]


@dataclass(frozen=True)
class Plan:
    """Which samples the ranks of a run get. Only the index was read for it."""

    epoch: int
    world: int
    batch: int
    #: Samples of an epoch.
    samples: int
    steps: int
    files: list[dict[str, Any]]
    #: The part of each rank, unless the batches of one were requested.
    ranks: list[Share] = field(default_factory=list)
    #: Samples that no rank gets in this epoch.
    left_out: int | None = None
    #: The batches of the rank that was asked for.
    batches: list[PlannedBatch] = field(default_factory=list, repr=False)

    def _repr_html_(self) -> str:
        from ._html import plan

        return plan(self)


def plan(
    inputs: PathLike | Sequence[PathLike],
    *,
    world: int = 1,
    batch: int = 64,
    shuffle: int | None = None,
    blocks: tuple[int, int] | None = None,
    tail: Literal["drop", "pad", "uneven"] | None = None,
    weights: Sequence[int] | None = None,
    epoch_samples: int | None = None,
    weight_by: str | None = None,
    balanced: str | None = None,
    draws: int | None = None,
    repeated: int = 1,
    epoch: int = 0,
    rank: int | None = None,
    steps: tuple[int, int] | None = None,
    where: str | None = None,
) -> Plan:
    """Which samples each rank of a training run gets, in which order, and how many bytes that is.

    The order is that of :class:`forebay.Loader` with the same ``shuffle``, ``blocks`` and ``tail``. ``weights`` are of files,
    with ``epoch_samples``; ``weight_by`` and ``balanced`` are fields of samples, as ``weights`` and ``balanced`` of the loader.
    With ``rank`` it lists that rank's batches, of ``steps`` (from, to) or all.

    >>> forebay.plan("train.tbl", world=2, batch=4, shuffle=42).steps
    2
    """
    run = settings_text(keywords(locals(), "inputs", "epoch", "rank", "steps", "where"))
    many = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    told = settings_text({"epoch": epoch, "rank": rank, "steps": steps, "where": where})
    found = json.loads(_forebay.plan([os.fspath(path) for path in many], run, told))
    found["ranks"] = [Share(**one) for one in found.get("ranks", ())]
    found["batches"] = [PlannedBatch(**one) for one in found.get("batches", ())]
    return Plan(**found)


def stats(path: PathLike, *, where: str | None = None, label: str | None = None) -> dict[str, Any]:
    """Summarizes a file: sizes, shapes, formats and classes of samples, or the values of each column.

    >>> forebay.stats("train.tbl")["samples"], forebay.stats("people.csv")["rows"]
    (16, 40)
    """
    from . import open as open_any
    from ._dataset import Dataset

    found = open_any(path)
    if where is not None:
        found = found.where(where)
    if isinstance(found, Dataset):
        return found.stats(label=label)
    if label is not None:
        raise UsageError("usage.argument", "usage", "`label` is for samples, and this is a table")
    counted: dict[str, Any] = found.stats()
    return counted
