"""Tables: rows and columns of CSV, TSV, JSON lines, Parquet, Arrow, TBF and IDV."""

from __future__ import annotations

import json
import os
from html import escape
from itertools import islice
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from . import _forebay
from ._convert import PathLike, Summary, check, convert
from ._progress import Progress
from ._report import Report

__all__ = ["Column", "Table"]


class Column(NamedTuple):
    """A column's name and type."""

    name: str
    type: str
    #: Whether values may be missing.
    nullable: bool


class Table:
    """Some rows and columns of a file. Made by :func:`forebay.open`.

    Nothing is held: whoever iterates reads the file anew. Anything that takes Arrow's C interface takes it as it is:
    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.from_arrow(t)``.
    """

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        self._path = path
        self._options = options
        self._core = _forebay.Table.open(path, json.dumps(options, allow_nan=False))

    @property
    def name(self) -> str:
        """The path as it was given."""
        return self._path

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
        """What of the file is not read."""
        return self._core.notes()

    def __len__(self) -> int:
        """How many rows there are: counted by reading them where the file does not say it."""
        return self._core.count()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts: numbers, texts and lists; times as ISO text, bytes as base64."""
        rows = self._core.begin()
        while (text := rows.next()) is not None:
            yield from json.loads(text)

    def head(self, rows: int = 10) -> list[dict[str, Any]]:
        """The first rows."""
        return list(islice(self, rows))

    def column(self, name: str) -> list[Any]:
        """The values of one column; ``None`` where one is missing. No other column is read."""
        return [row[name] for row in self.select([name])]

    def select(self, columns: Sequence[str]) -> Table:
        """Only these columns, in this order: no other is read."""
        return Table(self._path, {**self._options, "columns": list(columns)})

    def where(self, filter: str) -> Table:
        """The rows that a filter accepts, such as ``age > 30``. Parts of the file without such a row are passed over
        where its statistics say so."""
        before = self._options.get("where")
        filter = filter if before is None else f"({before}) && ({filter})"
        return Table(self._path, {**self._options, "where": filter})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.arrow_stream()

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``; needs pyarrow."""
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``; needs pyarrow and pandas."""
        return self.to_arrow().to_pandas()

    def check(self, *, progress: Progress = False) -> Report:
        """Looks for every fault of the file."""
        return check(self._path, progress=progress)

    def convert(self, output: PathLike, **options: Any) -> Summary:
        """Writes these rows and columns to another file, by :func:`forebay.convert`."""
        plain = {"columns", "where", "lossy", "workers"}
        given = {name: value for name, value in self._options.items() if value not in (None, False, [])}
        if not given.keys() <= plain:
            from ._errors import UnsupportedError

            message = f"converting with {', '.join(sorted(given.keys() - plain))} is not there yet"
            raise UnsupportedError("usage.argument", "unsupported", message)
        return convert(self._path, output, **given, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Table, (self._path, self._options))

    def __repr__(self) -> str:
        known = self._core.rows()
        rows = "" if known is None else f"{known:,} rows, "
        return f"<forebay.Table {self._path}: {self.format}, {rows}{len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        shown = self.columns[:30]
        head = "".join(f"<th>{escape(name)}</th>" for name in shown)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(row[name])[:200])}</td>" for name in shown) + "</tr>"
            for row in self.head(10)
        )
        return f"<p>{escape(repr(self))}</p><table><tr>{head}</tr>{body}</table>"


def open_table(
    source: PathLike,
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
    """Opens a table of any format.

    Of text (CSV, TSV, JSON lines) ``types`` names the types of some columns, the others are found; ``header`` says whether
    the first row holds names, ``delimiter`` what stands between fields, ``null`` which field means a missing value.
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
    return Table(os.fspath(source), options)
