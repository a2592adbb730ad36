"""The command ``forebay``, the same as cargo installs: ``forebay`` after ``pip install``, or ``python -m forebay``."""

from __future__ import annotations

import contextlib
import signal
import sys
from typing import Sequence

from . import _forebay
from ._errors import UnsupportedError
from ._page import page

__all__ = ["main", "run"]

#: The commands that show the viewer's page.
_SHOWING = {"demo", "serve", "view"}


def main(words: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    if not _SHOWING.isdisjoint(words):
        # Without the page the command says so itself.
        with contextlib.suppress(UnsupportedError):
            found = page()
            _forebay.give_page({name: found.read(name) or b"" for name in found.names()})
    return _forebay.command(["forebay", *words])


def run() -> None:
    """Runs the command with the arguments of the process."""
    # The command hears signals itself; Python would only note them until it has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
