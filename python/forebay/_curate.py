"""Duplicates, outliers, and parts for training and validation."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, Sequence, Union

from . import _forebay
from ._convert import PathLike
from ._dataset import Dataset, open_samples
from ._progress import Progress, telling
from ._report import Fault, OutlierReason
from ._settings import keywords, settings_text

__all__ = [
    "Alike",
    "DuplicateGroup",
    "Duplicates",
    "Outlier",
    "OutlierReason",
    "Outliers",
    "Part",
    "divide",
    "duplicates",
    "outliers",
]

Source = Union[PathLike, Dataset]
Trait = Literal["bytes", "pixels", "aspect", "brightness", "contrast", "sharpness"]


@dataclass(frozen=True)
class Alike:
    """One of a group of samples that are alike."""

    i: int
    name: str | None
    width: int
    height: int
    bytes: int
    #: In how many bits its hash differs from that of the best.
    distance: int
    #: Whether its bytes are those of the best.
    exact: bool
    #: Its class, if it has one.
    label: str | None = None
    #: Its file, if several were looked at.
    file: str | None = None


@dataclass(frozen=True)
class DuplicateGroup:
    """Samples that are alike, the best first."""

    samples: list[Alike]
    #: All of them have the same bytes.
    exact: bool
    #: Their classes, if they are of more than one.
    labels: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Duplicates:
    """Groups of samples that are alike."""

    samples: int
    #: Samples that another one is better than.
    duplicates: int
    not_pictures: int
    #: Images in which nothing is to be seen.
    plain: int
    groups: list[DuplicateGroup]
    fault_count: int
    faults: list[Fault]


@dataclass(frozen=True)
class Outlier:
    """An outlier with its reasons, the strongest first."""

    i: int
    name: str | None
    reasons: list[OutlierReason]
    #: Its file, if several were looked at.
    file: str | None = None


@dataclass(frozen=True)
class Outliers:
    """Outliers, the furthest first."""

    samples: int
    not_pictures: int
    outliers: list[Outlier]
    #: The median of each trait.
    medians: dict[str, float]
    fault_count: int
    faults: list[Fault]


@dataclass(frozen=True)
class Part:
    """A part of a dataset."""

    name: str
    #: The samples' numbers in the dataset's file.
    numbers: list[int]
    #: How many samples of each class.
    classes: dict[str, int]
    #: The file that was written, if one was.
    output: str | None = None


def _cores(source: Source | Sequence[Source]) -> tuple[list[_forebay.Dataset], list[list[int]] | None]:
    """The open files, and which of their samples were chosen before."""
    sources: Sequence[Any] = [source] if isinstance(source, (str, os.PathLike, Dataset)) else source
    datasets = [one if isinstance(one, Dataset) else open_samples(one) for one in sources]
    cores = [dataset._core() for dataset in datasets]
    if all(dataset._chosen is None for dataset in datasets):
        return cores, None
    chosen = [
        list(range(len(core))) if dataset._chosen is None else [int(i) for i in dataset._chosen]
        for dataset, core in zip(datasets, cores)
    ]
    return cores, chosen


def _named(sample: dict[str, Any]) -> dict[str, Any]:
    """A sample's fields as Python can call them."""
    return {"label" if key == "class" else key: value for key, value in sample.items()}


def _faults(report: dict[str, Any]) -> list[Fault]:
    return [Fault(**one) for one in report["faults"]]


def duplicates(
    source: Source | Sequence[Source],
    *,
    exact: bool = False,
    distance: int = 6,
    where: str | None = None,
    label: str | None = None,
    edits: PathLike | None = None,
    force: bool = False,
    workers: int | None = None,
    progress: Progress = False,
) -> Duplicates:
    """Finds samples that are alike: the same bytes, or images whose hashes differ in at most ``distance`` of 63 bits.

    Several datasets are looked at together, as for images of a test set that are in the training set too. ``edits`` is a
    journal to write that removes all but the best of each group; :func:`forebay.apply` applies it.

    >>> found = forebay.duplicates("train.tbl", exact=True)
    >>> [sample.i for sample in found.groups[0].samples] if found.groups else []
    []
    """
    options = keywords(locals(), "source", "exact", "progress")
    options["distance"] = None if exact else distance
    cores, chosen = _cores(source)
    with telling(progress, "comparing", "samples") as tell:
        report = json.loads(_forebay.duplicates(cores, chosen, settings_text(options), tell))
    groups = []
    for group in report["groups"]:
        samples = [Alike(**_named(one)) for one in group["samples"]]
        groups.append(DuplicateGroup(samples, group["exact"], group.get("classes", [])))
    counts = {key: report[key] for key in ("samples", "duplicates", "not_pictures", "plain", "fault_count")}
    return Duplicates(groups=groups, faults=_faults(report), **counts)


def outliers(
    source: Source | Sequence[Source],
    *,
    by: Sequence[Trait] | None = None,
    score: float = 3.5,
    where: str | None = None,
    edits: PathLike | None = None,
    force: bool = False,
    workers: int | None = None,
    progress: Progress = False,
) -> Outliers:
    """Finds outliers: dark, blurred or tiny images, images of odd shape. ``by`` are the traits to judge by, all unless it is
    given; without brightness, contrast and sharpness no image is decoded. ``score`` is how many deviations from the median
    are too many. ``edits`` is a journal to write that gives each of them its reasons as tags.

    >>> found = forebay.outliers("train.tbl")
    >>> sorted(found.medians)
    ['aspect', 'brightness', 'bytes', 'contrast', 'pixels', 'sharpness']
    """
    options = keywords(locals(), "source", "progress")
    options["by"] = None if by is None else list(by)
    cores, chosen = _cores(source)
    with telling(progress, "looking", "samples") as tell:
        report = json.loads(_forebay.outliers(cores, chosen, settings_text(options), tell))
    rows = [
        Outlier(one["i"], one["name"], [OutlierReason._of(reason) for reason in one["reasons"]], one.get("file"))
        for one in report["outliers"]
    ]
    return Outliers(
        report["samples"],
        report["not_pictures"],
        rows,
        {one["trait"]: one["median"] for one in report["traits"]},
        report["fault_count"],
        _faults(report),
    )


def divide(
    source: Source,
    folder: PathLike | None = None,
    *,
    parts: Mapping[str, float],
    by: str | None = None,
    group: str | None = None,
    near: int | None = None,
    seed: int = 0,
    where: str | None = None,
    to: Literal["tbl", "tar"] | None = None,
    compression: Literal["none", "lz4", "zstd", "packed"] | None = None,
    level: int | None = None,
    workers: int | None = None,
    force: bool = False,
    sync: bool = True,
    progress: Progress = False,
) -> list[Part]:
    """Divides a dataset into parts, such as ``{"train": 0.8, "val": 0.2}``; written into ``folder`` as files of their names if
    it is given. ``by`` is the field of the class, every one of which is divided in the same way: ``"class"`` is class, else
    cls. Samples with the same in the field ``group`` stay together, and with ``near`` images that are alike to so many bits.

    >>> train, val = forebay.divide("train.tbl", parts={"train": 0.75, "val": 0.25}, by="class", seed=7)
    >>> len(train.numbers) > len(val.numbers) > 0
    True
    """
    options = keywords(locals(), "source", "folder", "progress")
    options["parts"] = [[name, float(part)] for name, part in parts.items()]
    (core,), chosen = _cores([source])
    with telling(progress, "splitting", "samples") as tell:
        text = _forebay.divide(
            core,
            None if chosen is None else chosen[0],
            None if folder is None else os.fspath(folder),
            settings_text(options),
            tell,
        )
    return [
        Part(
            one["part"],
            one["numbers"],
            {count["label"]: count["samples"] for count in one["classes"] if count["label"]},
            one.get("output"),
        )
        for one in json.loads(text)["parts"]
    ]
