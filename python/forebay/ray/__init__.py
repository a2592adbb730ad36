"""Forebay's work on a Ray cluster: shards, checks, counts and warehouses as idempotent tasks, and Ray Data in and out.

    import forebay.ray

    forebay.ray.convert("raw/*.tar", "ready", 1024, shuffle=42, progress=True)
    forebay.ray.read("ready/*.tbl", where="width >= 224").map_batches(...)
    dataset.write_datasink(forebay.ray.Sink("out"))

A task makes one output, which appears whole or not at all, and what is there already is found by its content: a driver, a
worker or a node that dies costs what it was at work on. Every node must see the same files under the same names. ``ray`` is
optional: with ``jobs=`` the same work is done on this machine, without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._jobs import Checked, build_warehouse, check, convert, stats

if TYPE_CHECKING:
    from ._data import Sink, Source, read

__all__ = ["Checked", "Sink", "Source", "build_warehouse", "check", "convert", "read", "stats"]


def __getattr__(name: str) -> Any:
    # They are classes of Ray's, which is not there for everybody.
    if name in ("Sink", "Source", "read"):
        from ._cluster import needed

        needed("ray.data")
        from . import _data

        return getattr(_data, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
