"""What a worker does: plain functions of plain values, each safe to be done twice."""

from __future__ import annotations

import json
from typing import Any

from .. import _forebay
from .._convert import check
from .._errors import Error
from .._report import Report


def shard(plan: str, folder: str, number: int, options: str) -> str:
    """One shard of a plan; the report as text."""
    return _forebay.shards_make(plan, folder, [number], 1, options, None)


def checked(path: str, decode: bool, workers: int) -> Report | Error:
    """What a check finds in a file, or why it cannot be read."""
    try:
        return check(path, decode=decode, workers=workers)
    except Error as e:
        return e


def counted(path: str, where: str | None, label: str | None) -> dict[str, Any]:
    """What is in a file of samples."""
    from .._dataset import open_samples

    found = open_samples(path)
    return (found if where is None else found.where(where)).stats(label=label)


def part(sources: list[str], output: str, number: int, options: str) -> int:
    """One part of a warehouse; its frames."""
    return _forebay.warehouse_part(sources, output, number, options)


def outputs(reports: list[str]) -> list[str]:
    """The shards of several reports, each as text."""
    return [json.dumps(json.loads(text)["outputs"]) for text in reports]
