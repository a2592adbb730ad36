"""Refuses interpreters beside the main one, before NumPy and the extension module do so in words of their own, or do not."""

from __future__ import annotations

import importlib
from typing import Any


def _is_main() -> bool:
    """True also where this Python has no module that would say otherwise."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            made: Any = importlib.import_module(name)
        except ImportError:
            continue
        # A pair of the number and who made it, since 3.13.
        return bool(made.get_current() == made.get_main())
    return True


if not _is_main():
    raise ImportError(
        "forebay works in the main interpreter of a process only: threads and memory belong to it. Use threads, which"
        " do not wait for Python's lock here, or processes"
    )
