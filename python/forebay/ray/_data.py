"""Ray Data: samples in, with the filter and the columns that are wanted; samples out, as a set of TBL files."""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from typing import Any, Callable, Iterable, Iterator, Literal, Sequence

import numpy as np
import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]
import ray.data  # type: ignore[import-not-found, import-untyped, unused-ignore]
from ray.data.block import BlockMetadata  # type: ignore[import-not-found, import-untyped, unused-ignore]
from ray.data.datasource import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    Datasink,
    Datasource,
    ReadTask,
)

from .._dataset import Dataset, Sample, open_samples
from .._errors import UnsupportedError, UsageError
from .._records import field_of
from .._writer import TblWriter
from . import _cluster

#: Columns of a sample. Other columns are fields of the metadata.
_COLUMNS: dict[str, tuple[Any, Callable[[str, Sample], Any]]] = {
    "file": (pa.string(), lambda path, sample: path),
    "index": (pa.uint64(), lambda path, sample: sample.index),
    "name": (pa.string(), lambda path, sample: sample.name),
    "format": (pa.string(), lambda path, sample: sample.info.format),
    "width": (pa.uint32(), lambda path, sample: sample.info.width),
    "height": (pa.uint32(), lambda path, sample: sample.info.height),
    "bytes": (pa.uint64(), lambda path, sample: sample.info.bytes),
    "payload": (pa.large_binary(), lambda path, sample: bytes(sample.payload)),
    "metadata": (pa.string(), lambda path, sample: sample.dataset._core().metadata(sample.index)),
}
#: A block has at most so many rows, and about so many bytes.
ROWS = 4096
BYTES = 64 << 20


def read(
    paths: Any,
    *,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    keep_going: bool = False,
    **options: Any,
) -> ray.data.Dataset:
    """Samples of files, folders and patterns as a Ray Dataset of the columns ``file``, ``index``, ``name``, ``format``,
    ``width``, ``height``, ``bytes``, ``payload`` and ``metadata`` (JSON), or only of these ``columns``; other names are
    fields of the metadata, by paths such as ``json.label``, and ``None`` where a sample has none. Bytes that no column needs are not
    read, also where Ray selects columns later. Only samples that ``where`` accepts. ``options`` are those of
    ``ray.data.read_datasource``. Rows come as tasks end, unless Ray's ``preserve_order`` is set.
    """
    return ray.data.read_datasource(Source(paths, where=where, columns=columns, keep_going=keep_going), **options)


class Source(Datasource):  # type: ignore[misc, unused-ignore]
    """Files of samples for ``ray.data.read_datasource``; see :func:`read`."""

    def __init__(
        self,
        paths: Any,
        *,
        where: str | None = None,
        columns: Sequence[str] | None = None,
        keep_going: bool = False,
    ) -> None:
        super().__init__()
        self._paths = _cluster.paths(paths)
        self._where = where
        self._keep_going = keep_going
        wanted = list(_COLUMNS if columns is None else columns)
        named = all(isinstance(name, str) and name for name in wanted)
        # A text is letters, each of which would be a column that no sample has.
        if not wanted or not named or isinstance(columns, str) or len(set(wanted)) < len(wanted):
            message = f"columns are a list of names, each once, not {wanted if columns is None else columns!r}"
            raise UsageError("usage.argument", "usage", message)
        self._projection_map: dict[str, str] | None = {name: name for name in wanted}
        self._files: list[tuple[str, int, int]] | None = None

    def _looked(self) -> list[tuple[str, int, int]]:
        """Of each file its path, samples and bytes."""
        if self._files is None:
            opened = ((path, open_samples(path, keep_going=self._keep_going)) for path in self._paths)
            self._files = [(path, len(found), found.file_bytes) for path, found in opened]
        return self._files

    def supports_projection_pushdown(self) -> bool:
        return True

    def apply_projection(self, projection_map: Any, *more: Any) -> Any:
        """What Ray selects later. It would take a column that is not here for one that nobody needs, and give no rows."""
        unknown = [name for name in projection_map or () if name not in (self._projection_map or ())]
        if unknown:
            message = (
                f"there is no column {', '.join(unknown)}; there are {', '.join(self._projection_map or ())}. A field of the"
                " metadata is a column where `read` is asked for it: columns=[...]"
            )
            raise UsageError("usage.argument", "usage", message)
        return super().apply_projection(projection_map, *more)

    def estimate_inmemory_data_size(self) -> int | None:
        columns = self._get_data_columns() or []
        whole = "payload" in columns
        return sum(size if whole else min(size, samples * 64 * len(columns)) for _, samples, size in self._looked())

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[Any]:
        files = self._looked()
        total = sum(samples for _, samples, _ in files)
        each = max(1, -(-total // max(parallelism, 1)))
        columns = tuple(self._get_data_columns() or ())
        tasks = []
        for path, samples, size in files:
            # Pieces of one file are of almost equal length.
            pieces = max(1, -(-samples // each)) if samples else 0
            for k in range(pieces):
                piece = (samples * k // pieces, samples * (k + 1) // pieces)
                rows = None if self._where else piece[1] - piece[0]
                metadata = BlockMetadata(
                    num_rows=rows,
                    size_bytes=int(size * (piece[1] - piece[0]) / samples),
                    exec_stats=None,
                    input_files=[path],
                )
                work = _Piece(path, piece, self._where, columns, self._keep_going)
                tasks.append(ReadTask(work, metadata, per_task_row_limit=per_task_row_limit))
        return tasks


class _Piece:
    """Some samples of a file, as a worker reads them."""

    def __init__(
        self, path: str, piece: tuple[int, int], where: str | None, columns: tuple[str, ...], keep_going: bool
    ) -> None:
        self.path, self.piece, self.where, self.columns, self.keep_going = path, piece, where, columns, keep_going

    def __call__(self) -> Iterator[Any]:
        found = open_samples(self.path, keep_going=self.keep_going)
        start, end = self.piece
        if self.where is None:
            chosen = found[start:end]
        else:
            accepted = found.where(self.where).indices
            chosen = found[accepted[(accepted >= start) & (accepted < end)].astype(np.int64)]
        yield from self._blocks(chosen)

    def _blocks(self, chosen: Dataset) -> Iterator[Any]:
        values: dict[str, list[Any]] = {name: [] for name in self.columns}
        rows = size = 0
        fields = [name for name in self.columns if name not in _COLUMNS]
        for sample in chosen:
            for name in self.columns:
                if name in _COLUMNS:
                    values[name].append(_COLUMNS[name][1](self.path, sample))
            record = sample.metadata if fields else None
            for name in fields:
                values[name].append(_field(record, name))
            rows += 1
            size += len(values["payload"][-1]) if "payload" in values else 0
            if rows >= ROWS or size >= BYTES:
                yield self._table(values, rows)
                values, rows, size = {name: [] for name in self.columns}, 0, 0
        # A schema is there even where no row is.
        if rows or not len(chosen):
            yield self._table(values, rows)

    def _table(self, values: dict[str, list[Any]], rows: int) -> Any:
        return pa.table({name: self._array(name, column) for name, column in values.items()})

    def _array(self, name: str, column: list[Any]) -> Any:
        try:
            return pa.array(column, type=_COLUMNS[name][0] if name in _COLUMNS else None)
        except (pa.ArrowException, OverflowError) as e:
            message = f"the field {name} is not of one kind in all samples: {e}; take `metadata`, which is text"
            raise UsageError("usage.argument", "usage", message, place={"file": self.path}) from e


def _field(record: Any, path: str) -> Any:
    """A field of the metadata by its path; ``None`` where the sample has none."""
    try:
        return field_of(record, path, 0, "")
    except UsageError:
        return None


class Sink(Datasink):  # type: ignore[misc, unused-ignore]
    """Writes rows as a set of TBL files, ``NAME-00000-of-00012.tbl``: one a write task, all of which appear together.

    A row has a ``payload``: a file's bytes, or an RGB array (height x width x 3, uint8) that is stored as raw pixels. Its
    ``name`` and ``metadata`` (a dict, or JSON) come along if they are there, and so do other columns as fields of the
    metadata, but for what :func:`read` tells of where a sample was. ``rows`` is about how many rows a file has.

    The files wait in a hidden folder until the last is whole; where the job fails nothing is left. A set of the same name
    is refused unless ``force``.
    """

    def __init__(
        self,
        folder: Any,
        *,
        name: str = "part",
        rows: int | None = None,
        compression: Literal["none", "lz4", "zstd", "packed"] | None = None,
        level: int | None = None,
        force: bool = False,
        sync: bool = True,
    ) -> None:
        if not name or os.path.basename(name) != name or name.startswith("."):
            raise UsageError("usage.argument", "usage", f"files cannot be called {name!r}: no folders are wanted")
        self._folder = _cluster.absolute(folder)
        if _cluster.is_address(self._folder):
            message = "rows are written into a folder that every node sees, and to no address; `convert` writes to addresses"
            raise UnsupportedError("usage.argument", "unsupported", message, place={"file": self._folder})
        self._name = name
        self._rows = rows
        self._options: dict[str, Any] = {"compression": compression, "level": level, "sync": sync}
        self._force = force
        self._waiting = os.path.join(self._folder, f".{name}.forebay-sink-{uuid.uuid4().hex[:12]}")
        #: Where the files are, once they are there.
        self.outputs: list[str] = []

    @property
    def min_rows_per_write(self) -> int | None:
        return self._rows

    def _there(self) -> list[str]:
        """Files of a set of this name."""
        if not os.path.isdir(self._folder):
            return []
        # And not of a set whose name only begins with it, such as `train-hard` beside `train`.
        mine = re.compile(rf"{re.escape(self._name)}-\d{{5,}}-of-\d{{5,}}\.tbl")
        return sorted(os.path.join(self._folder, name) for name in os.listdir(self._folder) if mine.fullmatch(name))

    def on_write_start(self, schema: Any = None) -> None:
        there = self._there()
        if there and not self._force:
            message = "files of a set of this name are here already, and are left as they are; force=True replaces them"
            raise UsageError("usage.argument", "usage", message, place={"file": there[0]}, options=("force",))
        os.makedirs(self._waiting, exist_ok=True)

    def write(self, blocks: Iterable[Any], ctx: Any) -> tuple[int, str, int]:
        """A file of these blocks: the task's number, the file's name, its rows."""
        # A task that is done again must not meet what it left.
        name = f"{ctx.task_idx:05}-{uuid.uuid4().hex[:8]}.tbl"
        with TblWriter(os.path.join(self._waiting, name), **self._options) as writer:
            for block in blocks:
                for row in _rows(block):
                    _add(writer, row)
            count = len(writer)
        return ctx.task_idx, name, count

    def on_write_complete(self, write_result: Any) -> None:
        written = sorted(one for one in write_result.write_returns if one[2] > 0)
        old = self._there() if self._force else []
        self.outputs = []
        for k, (_, name, _) in enumerate(written):
            path = os.path.join(self._folder, f"{self._name}-{k:05}-of-{len(written):05}.tbl")
            os.replace(os.path.join(self._waiting, name), path)
            self.outputs.append(path)
        # Last, so that whoever is ended in the middle has lost nothing.
        for path in set(old) - set(self.outputs):
            os.remove(path)
        shutil.rmtree(self._waiting, ignore_errors=True)

    def on_write_failed(self, error: Exception) -> None:
        shutil.rmtree(self._waiting, ignore_errors=True)


def _rows(block: Any) -> Iterator[dict[str, Any]]:
    from ray.data.block import BlockAccessor

    yield from BlockAccessor.for_block(block).iter_rows(public_row_format=True)


#: What says where a sample was, and nothing of what it is.
_PLACE = ("file", "index", "format", "width", "height", "bytes")


def _add(writer: TblWriter, row: dict[str, Any]) -> None:
    values = dict(row)
    payload = values.pop("payload", None)
    if payload is None:
        message = f"a row has a `payload`, bytes or an array, and this one has {', '.join(row)}"
        raise UsageError("usage.argument", "usage", message)
    name, metadata = values.pop("name", None), _record(values.pop("metadata", None))
    for column in _PLACE:
        values.pop(column, None)
    # Its number is that of another file.
    metadata.pop("id", None)
    # The column's name is the sample's, whatever the metadata called it before.
    known = metadata.pop("name", None)
    metadata.update((field, _plain(value)) for field, value in values.items())
    writer.add(payload, name=name or known, metadata=metadata or None)


def _record(found: Any) -> dict[str, Any]:
    """The metadata of a row."""
    try:
        return dict(json.loads(found) if isinstance(found, str) else found or {})
    except (TypeError, ValueError) as e:
        message = f"the `metadata` of a row is a dict, or an object of JSON, and not {str(found)[:40]!r} ({e})"
        raise UsageError("usage.argument", "usage", message) from e


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return value.tolist() if isinstance(value, np.ndarray) else value
