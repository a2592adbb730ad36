"""Converting and checking files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, Sequence, Union

from . import _forebay
from ._progress import Progress, telling
from ._report import Fault, Report

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Summary:
    """What a conversion did. Counts of samples are of rows where a table was converted."""

    inputs: list[str]
    output: str
    samples: int
    input_bytes: int
    output_bytes: int
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: All that the command reports with ``--json``.
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def _of(cls, summary: dict[str, Any]) -> Summary:
        samples = summary.get("samples", summary.get("rows", 0))
        faults = [Fault(**fault) for fault in summary.get("faults", ())]
        sizes = (summary["input_bytes"], summary["output_bytes"])
        return cls(summary["inputs"], summary["output"], samples, *sizes, faults, summary["notes"], summary)


def check(
    path: PathLike, *, decode: bool = False, workers: int | None = None, progress: Progress = False
) -> Report:
    """Looks for every fault of a file: of samples or of a table.

    ``decode`` also decodes every picture from its first line to its last. A damaged file is a report and no exception;
    what cannot be read at all is one.
    """
    with telling(progress, "checking", "samples") as tell:
        return Report._of(json.loads(_forebay.check(os.fspath(path), workers, decode, tell)))


def convert(
    inputs: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    to: str | None = None,
    where: str | None = None,
    compression: str | None = None,
    level: int | None = None,
    layout: Literal["guide", "turboloader"] | None = None,
    metadata: Mapping[str, Any] | bytes | None = None,
    metadata_format: Literal["json", "msgpack", "protobuf"] | None = None,
    size: int | tuple[int, int] | None = None,
    fit: Literal["stretch", "center-crop", "letterbox", "pad"] | None = None,
    columns: Sequence[str] | None = None,
    workers: int | None = None,
    force: bool = False,
    verify: bool = False,
    keep_going: bool = False,
    allow_empty: bool = False,
    lossy: bool = False,
    sync: bool = True,
    progress: Progress = False,
) -> Summary:
    """Writes any dataset of samples as a TBL or TAR, any table in any table format, or samples as a table.

    The output's name says the format, unless ``to`` does. Until it is whole, nothing is there; one that exists is
    refused unless ``force``. ``size`` (width and height, or one number for both) stores pixels instead of files.
    ``metadata`` is a document beside the samples. Ctrl-C ends it and leaves nothing behind.
    """
    many = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    given: dict[str, Any] = {
        "to": to,
        "where": where,
        "compression": compression,
        "level": level,
        "layout": layout,
        "metadata": None if metadata is None or isinstance(metadata, bytes) else dict(metadata),
        "metadata_format": metadata_format,
        "size": (size, size) if isinstance(size, int) else size,
        "fit": fit,
        "columns": None if columns is None else list(columns),
        "workers": workers,
        "force": force,
        "verify": verify,
        "keep_going": keep_going,
        "allow_empty": allow_empty,
        "lossy": lossy,
        "sync": sync,
    }
    options = json.dumps(given, allow_nan=False)
    document = metadata if isinstance(metadata, bytes) else None
    with telling(progress, "converting", "samples") as tell:
        files = [os.fspath(path) for path in many]
        return Summary._of(json.loads(_forebay.convert(files, os.fspath(output), options, document, tell)))
