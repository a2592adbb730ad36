"""Bytes that are not a file of this machine: Python's file objects, and what fsspec opens."""

from __future__ import annotations

import io
import os
import threading
from typing import IO, Any, Callable

from ._errors import FileMissingError, UnsupportedError, UsageError

__all__ = ["Ranges", "is_url", "open_url", "read_all", "shown", "unsigned"]

#: A file object that cannot seek is read into memory, up to this many bytes.
MOST_UNSEEKABLE = 1 << 30


class Ranges:
    """A file object, read range by range by any number of threads, one after the other.

    A fork shares the place in its file with its parent, so that one would read where the other looked. A file of the system is
    therefore read without a place, and any other only by the process that opened it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._process = os.getpid()
        raw = file.raw if isinstance(file, io.BufferedReader) else file
        self._system = raw if isinstance(raw, io.FileIO) and hasattr(os, "pread") else None
        file.seek(0, os.SEEK_END)
        #: How many bytes there are.
        self.length = int(file.tell())

    def read_at(self, at: int, size: int) -> bytes:
        """So many bytes from there on, or fewer where the file ends."""
        if self._system is not None:
            number = self._system.fileno()
            return _joined(lambda done, left: os.pread(number, left, at + done), size)
        if self._process != os.getpid() and not isinstance(self._file, io.BytesIO):
            message = "it is of the process that this one was forked from, which reads it too: open it here, or give a path"
            raise UsageError("usage.argument", "usage", message)
        with self._lock:
            self._file.seek(at)
            return _joined(lambda _, left: self._file.read(left), size)


def _joined(read: Callable[[int, int], bytes], size: int) -> bytes:
    """So many bytes, of which ``read`` gives some at a time: it is told how many there are, and how many are not."""
    parts: list[bytes] = []
    left = size
    while left > 0 and (part := read(size - left, left)):
        # A file object may give more than it was asked for.
        parts.append(bytes(part[:left]))
        left -= len(parts[-1])
    return parts[0] if len(parts) == 1 else b"".join(parts)


#: What addresses begin with that Forebay opens itself.
_OWN = {"s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "http", "https"}


def is_url(source: Any) -> bool:
    """Whether a name is for fsspec, such as ``hf://datasets/train.tbl``; of others Forebay reads what it needs itself."""
    return isinstance(source, str) and "://" in source and source.split("://")[0].lower() not in _OWN


def shown(source: str) -> str:
    """A name as people are shown it: of an HTTP address without its query, which may be a signature."""
    return source.split("?")[0] if source.lower().startswith(("http://", "https://")) else source


def unsigned(sources: list[Any]) -> None:
    """Refuses to pickle an address that may be signed: whoever has the pickle could read what it opens."""
    for source in sources:
        if isinstance(source, str) and shown(source) != source:
            raise TypeError(f"{shown(source)} is not pickled: what follows its ? may be a signature; open it where it is read")


def open_url(url: str) -> IO[bytes]:
    """The file that fsspec opens under this name. The place is not a folder."""
    try:
        import fsspec  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as e:
        message = "such addresses are opened by fsspec, which is not installed: pip install fsspec"
        raise UnsupportedError("usage.argument", "unsupported", message, place={"file": url}) from e
    try:
        found: IO[bytes] = fsspec.open(url, "rb").open()
    except FileNotFoundError as e:
        message = "there is no such file"
        raise FileMissingError("io", "io", message, f"{url}: {message} [io]", {"file": url}, number=2) from e
    return found


def read_all(file: IO[bytes]) -> bytes:
    """The bytes of a file object that cannot seek, as far as it makes sense to hold them."""
    parts: list[bytes] = []
    left = MOST_UNSEEKABLE + 1
    # A pipe without a buffer gives what it has: only nothing is the end.
    while part := file.read(left):
        if not isinstance(part, bytes):
            raise UsageError("usage.argument", "usage", "the file object gives text: open it in binary mode")
        parts.append(part)
        left -= len(part)
        if left <= 0:
            message = f"a file object that cannot seek may give {MOST_UNSEEKABLE:,} bytes, and gives more"
            raise UsageError("usage.argument", "usage", message)
    if part is None:
        message = "the file object does not wait for its bytes (it is non-blocking), so nobody knows where it ends"
        raise UsageError("usage.argument", "usage", message)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def name_of(file: Any) -> str:
    """The name of a file object."""
    name = getattr(file, "name", None) or getattr(file, "path", None)
    return name if isinstance(name, str) else f"<{type(file).__name__}>"
