"""Converting and checking files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, NamedTuple, Sequence, Union

from . import _forebay
from ._errors import UsageError
from ._progress import Progress, telling
from ._report import Fault, Report

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Summary:
    """The result of a conversion. For a table, samples are rows."""

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

    ``decode`` also decodes every image from its first line to its last. A damaged file is a report and no exception;
    what cannot be read at all is one.

    >>> report = forebay.check("train.tbl", decode=True)
    >>> report.ok, report.faults
    (True, [])
    """
    with telling(progress, "checking", "samples") as tell:
        return Report._of(json.loads(_forebay.check(os.fspath(path), workers, decode, tell)))


def convert(
    inputs: Any,
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
    ``metadata`` is a document next to the samples. Ctrl-C ends it and leaves no output.

    ``inputs`` is a path, a sequence of them, a :class:`forebay.Dataset` or a :class:`forebay.Table`, with what was selected
    of it, or any object with ``__arrow_c_stream__``: a table of polars, pyarrow, pandas or DuckDB.

    >>> summary = forebay.convert("train.tar", "small.tbl", where="cls < 2", size=32)
    >>> summary.samples, forebay.open("small.tbl")[0].info.format
    (8, 'raw_u8')
    """
    found = _input(inputs, where, columns)
    if found.chosen == [] and not allow_empty:
        raise UsageError("convert.empty", "usage", "no sample is selected, so nothing is written", options=("allow_empty",))
    many = [found.paths] if isinstance(found.paths, (str, os.PathLike)) else list(found.paths)
    given: dict[str, Any] = {
        "to": to,
        "where": found.where,
        "compression": compression,
        "level": level,
        "layout": layout,
        "metadata": None if metadata is None or isinstance(metadata, bytes) else dict(metadata),
        "metadata_format": metadata_format,
        "size": (size, size) if isinstance(size, int) else size,
        "fit": fit,
        "columns": None if found.columns is None else list(found.columns),
        "chosen": found.chosen,
        "workers": workers,
        "force": force,
        "verify": verify,
        "keep_going": keep_going,
        "allow_empty": allow_empty,
        "lossy": lossy,
        "sync": sync,
    }
    if found.table is not None:
        given["lossy"] = lossy or bool(found.table.get("lossy"))
    if found.rows is not None:
        return _write(found.rows, output, given, progress)
    if found.table is not None:
        given["table"] = found.table
    options = json.dumps(given, allow_nan=False)
    document = metadata if isinstance(metadata, bytes) else None
    with telling(progress, "converting", "samples") as tell:
        files = [os.fspath(path) for path in many]
        return Summary._of(json.loads(_forebay.convert(files, os.fspath(output), options, document, tell)))


#: What is known of the writing of a table that is no file.
_OF_ROWS = {"to", "where", "columns", "compression", "level", "workers", "force", "lossy", "sync"}


def _write(object: Any, output: PathLike, given: dict[str, Any], progress: Progress) -> Summary:
    """Writes the rows of an object with ``__arrow_c_stream__``, or of a table that is no file."""
    given.pop("chosen")
    extra = [name for name, value in given.items() if name not in _OF_ROWS and value not in (None, False)]
    if extra:
        message = f"{', '.join(extra)}: without effect on the writing of rows that are in memory"
        raise UsageError("usage.argument", "usage", message)
    options = json.dumps({name: given[name] for name in _OF_ROWS}, allow_nan=False)
    with telling(progress, "writing", "rows") as tell:
        return Summary._of(json.loads(_forebay.write_arrow(object, os.fspath(output), options, tell)))


class Input(NamedTuple):
    """What is converted."""

    paths: Any
    where: str | None
    columns: Sequence[str] | None
    #: How tables are read.
    table: dict[str, Any] | None = None
    #: The numbers of the samples.
    chosen: list[int] | None = None
    #: An object that has rows and is no file.
    rows: Any = None


def _input(inputs: Any, where: str | None, columns: Sequence[str] | None) -> Input:
    from ._dataset import Dataset
    from ._table import Table

    if isinstance(inputs, Dataset):
        if inputs._chosen is None:
            return Input(inputs._path(), where, columns)
        found = inputs if where is None else inputs.where(where)
        return Input(inputs._path(), None, columns, chosen=found.indices.tolist())
    if isinstance(inputs, Table):
        options = dict(inputs._options)
        before = options.pop("where", None)
        own = options.pop("columns", None)
        if before is not None:
            where = before if where is None else inputs.where(where)._options["where"]
        columns = own if columns is None else columns
        if isinstance(inputs._source, str):
            return Input(inputs._source, where, columns, table=options)
        # Rows are filtered and cut once, by whoever writes them.
        return Input((), where, columns, rows=Table(inputs._source, options)._core, table=options)
    if hasattr(inputs, "__arrow_c_stream__"):
        return Input((), where, columns, rows=inputs)
    return Input(inputs, where, columns)
