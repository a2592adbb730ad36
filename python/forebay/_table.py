"""Tables: rows and columns of CSV, TSV, JSON lines, Parquet, Arrow, TBF and IDV."""

from __future__ import annotations

import json
import os
import re
import sys
from itertools import islice
from typing import IO, Any, Iterator, Mapping, NamedTuple, Sequence

from . import _forebay
from ._convert import PathLike, Summary, check, convert
from ._errors import UsageError
from ._files import is_url, name_of, open_url, read_all, unsigned
from ._progress import Progress
from ._report import Report

__all__ = ["Column", "Table", "from_arrow", "open_table"]


class Bytes(NamedTuple):
    """The bytes of a file."""

    name: str
    data: bytes


class Rows(NamedTuple):
    """The rows of another program's table."""

    name: str
    rows: _forebay.Held


class Column(NamedTuple):
    """A column's name and type."""

    name: str
    type: str
    #: Whether values may be missing.
    nullable: bool


class Table:
    """Some rows and columns of a file. Made by :func:`forebay.open`.

    Nothing is held: each iteration reads the file again. Anything that takes Arrow's C interface takes it as it is:
    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.from_arrow(t)``.

    >>> people = forebay.open("people.csv")
    >>> people.where("age > 57").select(["name", "age"]).head(1)
    [{'name': 'name 38', 'age': 58}]
    """

    def __init__(self, source: Any, options: dict[str, Any]) -> None:
        self._source = source
        self._options = options
        text = json.dumps(options, allow_nan=False)
        if isinstance(source, str):
            self._core = _forebay.Table.open(source, text)
        elif isinstance(source, Bytes):
            self._core = _forebay.Table.from_bytes(source.name, source.data, text)
        else:
            self._core = _forebay.Table.from_held(source.rows, text)

    @property
    def name(self) -> str:
        """The path as it was given, or what kind of object it is."""
        return self._source if isinstance(self._source, str) else self._source.name

    @property
    def format(self) -> str:
        """``csv``, ``tsv``, ``jsonl``, ``parquet``, ``arrow``, ``arrows``, ``tbf`` or ``idv``."""
        return self._core.format()

    @property
    def schema(self) -> list[Column]:
        """Names and types of the columns."""
        return [Column(*field) for field in self._core.fields()]

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return [field[0] for field in self._core.fields()]

    @property
    def notes(self) -> list[str]:
        """Columns that are not read, and the replacements of types that have no twin here."""
        return self._core.notes()

    def __len__(self) -> int:
        """How many rows there are: counted by reading them where the file does not say it."""
        return self._core.count()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts: numbers, texts and lists; times as ISO text, bytes as base64."""
        rows = self._core.begin()
        floats = [name for name, dtype, _ in self._core.fields() if re.search(r"\bf(32|64)\b", dtype)]
        while (text := rows.next()) is not None:
            found: list[dict[str, Any]] = json.loads(text)
            if floats and ('NaN"' in text or 'Infinity"' in text):
                for row in found:
                    row.update((name, _numbers(row[name])) for name in floats if name in row)
            yield from found

    def head(self, rows: int = 10) -> list[dict[str, Any]]:
        """The first rows."""
        return list(islice(self, rows))

    def column(self, name: str) -> list[Any]:
        """The values of one column; ``None`` where one is missing. No other column is read."""
        return [row[name] for row in self.select([name])]

    def select(self, columns: Sequence[str]) -> Table:
        """Only these columns, in this order: no other is read."""
        return Table(self._source, {**self._options, "columns": list(columns)})

    def where(self, filter: str) -> Table:
        """The rows that a filter accepts, such as ``age > 30``. Parts of the file without such a row are passed over
        where its statistics say so."""
        found = Table(self._source, {**self._options, "where": filter})
        before = self._options.get("where")
        if before is None:
            return found
        # It was read by itself, so its parentheses are its own.
        return Table(self._source, {**self._options, "where": f"({before}) && ({filter})"})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.arrow_stream(_asked_by_polars())

    def __arrow_c_schema__(self) -> object:
        return self._core.arrow_schema(_asked_by_polars())

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``; needs pyarrow."""
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``; needs polars."""
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``; needs pyarrow and pandas."""
        return self.to_arrow().to_pandas()

    def stats(self) -> dict[str, Any]:
        """The values of each column: counts, missing ones, range, distinct ones, a histogram."""
        found: dict[str, Any] = json.loads(self._core.stats())
        return found

    def check(self, *, progress: Progress = False) -> Report:
        """Looks for every fault of the file."""
        if isinstance(self._source, str):
            return check(self._source, progress=progress)
        message = "files are checked; these are rows in memory, which are checked as they are read"
        raise UsageError("usage.argument", "usage", message)

    def convert(self, output: PathLike, **options: Any) -> Summary:
        """Writes these rows and columns to another file, by :func:`forebay.convert`."""
        return convert(self, output, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self._source, Rows):
            raise TypeError("a table over another program's rows cannot be pickled; that program's own can")
        unsigned([self._source])
        return (Table, (self._source, self._options))

    def __repr__(self) -> str:
        known = self._core.rows()
        rows = "" if known is None else f"{known:,} rows, "
        return f"<forebay.Table {self.name}: {self.format}, {rows}{len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self)


def _numbers(value: Any) -> Any:
    """Floats that JSON has only words for, as floats again."""
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    return float(value) if isinstance(value, str) else value


def _asked_by_polars() -> bool:
    """Whether polars wants the rows of the table whose method asks. It keeps texts as Arrow's views, and would take others
    apart on one thread for longer than reading them takes; for most others, plain texts are what they know best."""
    frame = sys._getframe(1).f_back
    return frame is not None and str(frame.f_globals.get("__name__", "")).startswith("polars.")


def from_arrow(
    table: Any, *, columns: Sequence[str] | None = None, where: str | None = None, lossy: bool = False
) -> Table:
    """The rows of any object with ``__arrow_c_stream__``: of polars, pyarrow, pandas, DuckDB.

    All of its batches are taken now and held, so that a query or a reader is asked once; where they lie in memory they are
    shared and not copied. :func:`forebay.convert` takes such an object too, and holds one batch at a time. ``lossy`` cuts
    times that are finer than what is kept of them.
    """
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(f"{type(table).__name__} has no __arrow_c_stream__")
    wanted = None if columns is None else list(columns)
    kind = type(table)
    rows = Rows(f"<{kind.__module__.partition('.')[0]}.{kind.__qualname__}>", _forebay.Held.of(table))
    return Table(rows, {"columns": wanted, "where": where, "lossy": lossy})


def open_table(
    source: PathLike | bytes | bytearray | memoryview | IO[bytes],
    *,
    format: str | None = None,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    types: Mapping[str, str] | None = None,
    header: bool = True,
    delimiter: str | None = None,
    null: str | None = None,
    lossy: bool = False,
    workers: int | None = None,
) -> Table:
    """Opens a table of any format: a path or an address such as ``s3://bucket/people.parquet``; or its bytes, a file
    object or an address that fsspec opens, which are read as a whole and of which ``format`` or the name says what they are.

    Of text (CSV, TSV, JSON lines) ``types`` names the types of some columns, the others are found; ``header`` says whether
    the first row holds names, ``delimiter`` separates fields, ``null`` means a missing value.

    ``workers`` threads read text and decode columns; whoever takes all rows through Arrow's interface has those of all cores
    unless it is said, and rows are ready before they are asked for.
    """
    options = {
        "format": format,
        "columns": None if columns is None else list(columns),
        "where": where,
        "types": list((types or {}).items()),
        "header": None if header else False,
        "delimiter": delimiter,
        "null": null,
        "lossy": lossy,
        "workers": workers,
    }
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return Table(Bytes(path, read_all(open_url(path))) if is_url(path) else path, options)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Table(Bytes("<bytes>", bytes(source)), options)
    return Table(Bytes(name_of(source), read_all(source)), options)
