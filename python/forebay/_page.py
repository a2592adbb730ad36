"""The viewer's built page: the files that a browser or a widget asks for, from the package or from a folder."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from typing import Callable, Mapping

from . import _forebay
from ._errors import UnsupportedError

__all__ = ["Page", "page"]

#: Names a folder with the viewer's built page, for a clone in which it was built.
_VARIABLE = "FOREBAY_VIEWER"
#: More than the page has, several times.
_MOST = 1 << 26


class Page:
    """Files by the names that requests use. No name is ever joined to a folder's: what is not listed is not there."""

    def __init__(self, files: Mapping[str, Callable[[], bytes]]) -> None:
        self._files = files

    @classmethod
    def folder(cls, path: str) -> Page:
        """The files of a folder, as they are whenever one is read."""
        found: dict[str, Callable[[], bytes]] = {}
        for folder, _, names in os.walk(path):
            for name in names:
                file = pathlib.Path(folder, name)
                found[file.relative_to(path).as_posix()] = file.read_bytes
        # In a clone the widget is built into a folder beside the page's.
        widget = pathlib.Path(path).parent / "widget" / "widget.js"
        if widget.is_file():
            found.setdefault("widget.js", widget.read_bytes)
        return cls(found)

    @classmethod
    def packed(cls, packed: bytes) -> Page:
        """What `npm run build:wheel` made of a folder: Brotli of one line of JSON, which lists names and lengths, and then
        of all files. Most of them are modules of one library: packed together, what they share is there once, and packed
        each by itself as the files of a wheel are, they were twice as large."""
        data = _forebay.unpacked(packed, _MOST)
        line, _, rest = data.partition(b"\n")
        found: dict[str, Callable[[], bytes]] = {}
        begin = 0
        for name, length in json.loads(line):
            found[name] = functools.partial(_part, rest, begin, length)
            begin += length
        if begin != len(rest):
            raise UnsupportedError("serve.no_viewer", "unsupported", "the viewer of this package is incomplete: install it again")
        return cls(found)

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._files)

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; ``None`` where there is none of this name."""
        file = self._files.get(name)
        return None if file is None else file()


def _part(data: bytes, begin: int, length: int) -> bytes:
    return data[begin : begin + length]


def page() -> Page:
    """The viewer's page: the one that the environment names, or else the one in the package."""
    folder = os.environ.get(_VARIABLE)
    if folder and os.path.isfile(os.path.join(folder, "index.html")):
        return Page.folder(folder)
    path = pathlib.Path(__file__).parent / "_viewer.br"
    if path.is_file():
        return _package(path)
    message = (
        "this package was built without the viewer; where its page was built, in a clone by npm run build, "
        f"{_VARIABLE} names the folder: dist/site"
    )
    raise UnsupportedError("serve.no_viewer", "unsupported", message)


@functools.lru_cache(maxsize=1)
def _package(path: pathlib.Path) -> Page:
    """Unpacked once: that takes a twentieth of a second."""
    return Page.packed(path.read_bytes())
