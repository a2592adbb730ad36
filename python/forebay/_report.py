"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where."""

    code: str
    kind: str
    message: str
    section: str | None = None
    member: str | None = None
    sample: int | None = None
    column: str | None = None
    row: int | None = None
    block: int | None = None
    #: Of a text: the line and the character in it, from 1.
    line: int | None = None
    character: int | None = None
    #: The way to the value, in a document.
    path: str | None = None
    offset: int | None = None
    #: The file, where several were read.
    file: str | None = None

    def __str__(self) -> str:
        named = (
            (self.file, "{}"),
            (self.section, "{}"),
            (self.member, "member {!r}"),
            (self.sample, "sample {}"),
            (self.column, "column {!r}"),
            (self.block, "block {}"),
            (self.row, "row {}"),
            (self.line, "line {}"),
            (self.character, "character {}"),
            (self.path, "{}"),
            (self.offset, "byte {}"),
        )
        place = ", ".join(words.format(value) for value, words in named if value is not None)
        return f"{place}: {self.message} [{self.code}]" if place else f"{self.message} [{self.code}]"


@dataclass(frozen=True)
class Report:
    """Every fault of a file. It is true if there is no fault."""

    ok: bool
    samples: int
    fault_count: int
    faults: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)
    #: Images that were decoded, where that was asked for.
    decoded: int | None = None

    @classmethod
    def _of(cls, report: dict[str, Any]) -> Report:
        faults = [Fault(**fault) for fault in report["faults"]]
        notes = [Fault(**note) for note in report["notes"]]
        return cls(report["ok"], report["samples"], report["fault_count"], faults, notes, report.get("decoded"))

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"sound, {self.samples:,} samples or rows"
        shown = "".join(f"\n  {fault}" for fault in self.faults[:20])
        more = self.fault_count - min(len(self.faults), 20)
        return f"DAMAGED, {self.fault_count:,} faults{shown}" + (f"\n  and {more:,} more" if more else "")

    def _repr_html_(self) -> str:
        from ._html import report

        return report(self)
