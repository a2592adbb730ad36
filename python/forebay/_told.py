"""How reports are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._report import Fault, Report, ShardReport


def fault(it: Fault) -> str:
    named = (
        (it.file, "{}"),
        (it.section, "{}"),
        (it.member, "member {!r}"),
        (it.sample, "sample {}"),
        (it.column, "column {!r}"),
        (it.block, "block {}"),
        (it.row, "row {}"),
        (it.line, "line {}"),
        (it.character, "character {}"),
        (it.path, "{}"),
        (it.offset, "byte {}"),
    )
    place = ", ".join(words.format(value) for value, words in named if value is not None)
    return f"{place}: {it.message} [{it.code}]" if place else f"{it.message} [{it.code}]"


def report(it: Report) -> str:
    if it.ok:
        return f"sound, {it.samples:,} samples or rows"
    shown = "".join(f"\n  {one}" for one in it.faults[:20])
    more = it.fault_count - min(len(it.faults), 20)
    return f"DAMAGED, {it.fault_count:,} faults{shown}" + (f"\n  and {more:,} more" if more else "")


def html(it: Report) -> str:
    from ._html import report as shown

    return shown(it)


def shards(it: ShardReport) -> str:
    parts = [f"{it.made:,} made", f"{it.reused:,} there already"]
    if it.left:
        parts.append(f"{it.left:,} not asked for")
    faults = "".join(f"\n  left out: {one}" for one in it.faults[:20])
    return f"{it.shards:,} shards ({', '.join(parts)}), {it.samples:,} samples{faults}"
