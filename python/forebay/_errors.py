"""Errors, with the codes that every part of Forebay shares (docs/errors.md lists them)."""

from __future__ import annotations

import re
from typing import Any, Literal, Mapping, Sequence

__all__ = [
    "DamagedError",
    "Error",
    "FileMissingError",
    "IoError",
    "LimitError",
    "OutOfRangeError",
    "UnsupportedError",
    "UsageError",
]

Kind = Literal["damaged", "unsupported", "usage", "limit", "io"]


class Error(Exception):
    """Any error of Forebay: ``code`` says what is wrong, ``kind`` whose fault it is, ``place`` where.

    ``place`` holds what is known of ``file``, ``section``, ``member``, ``sample``, ``column``, ``row``, ``block``, ``line``,
    ``character``, ``path`` and ``offset``; each is an attribute too, and ``None`` where it is not known.
    """

    code: str
    kind: Kind
    message: str
    place: dict[str, Any]
    options: tuple[str, ...]

    #: What an error is where nothing but its text is known.
    _KIND: Kind = "usage"
    _CODE = "usage.argument"

    def __init__(
        self,
        code: str,
        kind: Kind | None = None,
        message: str | None = None,
        text: str | None = None,
        place: Mapping[str, Any] | None = None,
        options: Sequence[str] = (),
        number: int | None = None,
    ) -> None:
        if kind is None or message is None:
            # From its text alone, as torch makes it of what a worker raised: the text ends with the code.
            found = re.search(r"\[([a-z_]+(?:\.[a-z0-9_]+)*)\]\s*$", code)
            code, kind, message = found[1] if found else self._CODE, self._KIND, code
        text = message if text is None else text
        super().__init__(text)
        self.code = code
        self.kind = kind
        self.message = message
        self.place = {name: value for name, value in (place or {}).items() if value is not None}
        self.options = tuple(options)
        self._text = text
        self._number = number

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.code, self.kind, self.message, self._text, self.place, self.options, self._number)
        return (type(self), parts)

    @property
    def file(self) -> str | None:
        """The file's name as it was given."""
        return self.place.get("file")

    @property
    def section(self) -> str | None:
        """The part of the file."""
        return self.place.get("section")

    @property
    def member(self) -> str | None:
        """The archive's member."""
        return self.place.get("member")

    @property
    def sample(self) -> int | None:
        """The sample's number."""
        return self.place.get("sample")

    @property
    def column(self) -> str | None:
        """The column's name."""
        return self.place.get("column")

    @property
    def row(self) -> int | None:
        """The row's number."""
        return self.place.get("row")

    @property
    def block(self) -> int | None:
        """The block or row group."""
        return self.place.get("block")

    @property
    def line(self) -> int | None:
        """The line of a text, from 1."""
        return self.place.get("line")

    @property
    def character(self) -> int | None:
        """The character in that line, from 1."""
        return self.place.get("character")

    @property
    def path(self) -> str | None:
        """The way from a document's outermost value to the one that is meant, such as ``annotations[1].bbox``."""
        return self.place.get("path")

    @property
    def offset(self) -> int | None:
        """The byte in the file; in a filter the character."""
        return self.place.get("offset")


class DamagedError(Error, ValueError):
    """The bytes of a file contradict its format."""

    _KIND = "damaged"
    _CODE = "damaged"


class UnsupportedError(Error, NotImplementedError):
    """The file may be fine, but this is not read or written."""

    _KIND = "unsupported"
    _CODE = "unsupported"


class UsageError(Error, ValueError):
    """The caller asked for something that makes no sense."""


class OutOfRangeError(UsageError, IndexError):
    """There is no sample or row of that number."""

    _CODE = "usage.out_of_range"


class LimitError(Error, MemoryError):
    """A file asks for more memory or nesting than the limits allow."""

    _KIND = "limit"
    _CODE = "limit"


class IoError(Error, OSError):
    """The system refused to read or write."""

    _KIND = "io"
    _CODE = "io"

    def __init__(
        self,
        code: str,
        kind: Kind | None = None,
        message: str | None = None,
        text: str | None = None,
        place: Mapping[str, Any] | None = None,
        options: Sequence[str] = (),
        number: int | None = None,
    ) -> None:
        super().__init__(code, kind, message, text, place, options, number)
        self.errno = number
        self.strerror = self.message
        self.filename = self.file


class FileMissingError(IoError, FileNotFoundError):
    """There is no such file."""




_KINDS: dict[str, type[Error]] = {
    "damaged": DamagedError,
    "unsupported": UnsupportedError,
    "usage": UsageError,
    "limit": LimitError,
    "io": IoError,
}


def make(
    code: str,
    kind: Kind,
    message: str,
    text: str,
    place: Mapping[str, Any],
    options: Sequence[str],
    number: int | None,
) -> Error:
    """The exception for an error of the library."""
    made: type[Error] = _KINDS.get(kind, Error)
    if code == "usage.out_of_range":
        made = OutOfRangeError
    elif code == "io" and (number == 2 or message == "there is no such file"):
        made = FileMissingError
    return made(code, kind, message, text, place, options, number)
