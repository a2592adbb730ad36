"""Reports. Made from the Rust types by ``npm run types``: change those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import _told


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where."""

    #: The stable code.
    code: str
    #: Whose fault it is: ``damaged``, or ``limit`` where the file asks for more than the limits of this check allow.
    kind: str
    #: In words.
    message: str
    #: The file, if it is one of several.
    file: str | None = None
    #: The part of the file.
    section: str | None = None
    #: The archive's member.
    member: str | None = None
    #: The sample's number.
    sample: int | None = None
    #: The column's name.
    column: str | None = None
    #: The row's number; if a block is damaged as a whole, its first row.
    row: int | None = None
    #: The block or row group.
    block: int | None = None
    #: The line, in a text.
    line: int | None = None
    #: The character in that line.
    character: int | None = None
    #: The way to the value, in a document.
    path: str | None = None
    #: The byte offset in the file.
    offset: int | None = None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Fault:
        return cls(**found)

    def __str__(self) -> str:
        return _told.fault(self)


@dataclass(frozen=True)
class Report:
    """The result of a check."""

    #: True when there is no fault.
    ok: bool
    #: Samples or rows in the file, as far as it could be opened.
    samples: int
    #: How many faults there are.
    fault_count: int
    #: The faults, at most the first 100,000.
    faults: list[Fault] = field(default_factory=list)
    #: Things worth knowing that are not faults.
    notes: list[Fault] = field(default_factory=list)
    #: Pictures that were decoded from the first line to the last, if that was asked for.
    decoded: int | None = None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Report:
        return cls(
            **{
                **found,
                "faults": [Fault._of(one) for one in found["faults"]],
                "notes": [Fault._of(one) for one in found["notes"]],
            }
        )

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return _told.report(self)

    def _repr_html_(self) -> str:
        return _told.html(self)


@dataclass(frozen=True)
class OutlierReason:
    """Why a sample stands out."""

    #: In a word: ``dark``, ``blurred``, ``wide``.
    reason: str
    #: What was measured.
    trait: str
    #: The measure.
    value: float
    #: The median of all.
    median: float
    #: How far it is from that, in standard deviations as the others suggest them.
    score: float

    @classmethod
    def _of(cls, found: dict[str, Any]) -> OutlierReason:
        return cls(**found)


@dataclass(frozen=True)
class Made:
    """One shard that is in its place."""

    #: Its number.
    shard: int
    #: Where it is.
    output: str
    #: Whether it was there already, whole and made of the same: then it was left as it is.
    reused: bool
    #: Samples in it.
    samples: int
    #: Bytes of their payloads before compression.
    payload_bytes: int
    #: Bytes of their payloads as stored.
    stored_bytes: int
    #: Bytes of the file.
    output_bytes: int
    #: Samples that compression made smaller.
    compressed_samples: int
    #: Payloads and sidecars that were read back and found equal.
    verified: int
    #: How long it took to make it.
    seconds: float
    #: The samples left out with ``keep_going``, as ``Fault``(forebay::check::Fault)s serialize.
    faults: list[Fault] = field(default_factory=list)
    #: Things worth knowing.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Made:
        return cls(
            **{
                **found,
                "faults": [Fault._of(one) for one in found["faults"]],
            }
        )


@dataclass(frozen=True)
class ShardReport:
    """The result of a plan: one report for all runs and machines."""

    #: The name of the shards.
    name: str
    #: Shards of the plan.
    shards: int
    #: Those that were made.
    made: int
    #: Those that were there already, whole and made of the same.
    reused: int
    #: Those that nobody asked for.
    left: int
    #: Samples of all that are in their places; so with the fields that follow.
    samples: int
    #: Bytes of their payloads before compression.
    payload_bytes: int
    #: Bytes of their payloads as stored.
    stored_bytes: int
    #: Bytes of the files.
    output_bytes: int
    #: Samples that compression made smaller.
    compressed_samples: int
    #: Payloads and sidecars that were read back and found equal.
    verified: int
    #: How long it took to make them, one after another.
    seconds: float
    #: The faults of samples left out, each once.
    faults: list[Fault] = field(default_factory=list)
    #: Things worth knowing, each once.
    notes: list[str] = field(default_factory=list)
    #: Shard by shard, in their order.
    outputs: list[Made] = field(default_factory=list)

    @classmethod
    def _of(cls, found: dict[str, Any]) -> ShardReport:
        return cls(
            **{
                **found,
                "faults": [Fault._of(one) for one in found["faults"]],
                "outputs": [Made._of(one) for one in found["outputs"]],
            }
        )

    def __bool__(self) -> bool:
        return not self.faults and self.left == 0

    def __str__(self) -> str:
        return _told.shards(self)


@dataclass(frozen=True)
class Built:
    """The result of a build."""

    #: The manifest's path.
    manifest: str
    #: The version key.
    version: str
    #: Samples that are stored.
    samples: int
    #: Shards.
    shards: int
    #: Bytes of all shards.
    bytes: int
    #: Counts of the frames of each run.
    summary: dict[str, Any]
    #: Every frame that was refused.
    refused: list[dict[str, Any]]
    #: Thresholds that are broken, and were allowed to be.
    violations: list[str]
    #: Remarks about the sources.
    notes: list[str]
    #: Frames that an earlier build, which was ended in the middle, had done.
    resumed: int
    #: It was there already, and still is what the sources make.
    reused: bool

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Built:
        return cls(**found)


@dataclass(frozen=True)
class Kept:
    """What is told of a warehouse; null is what its manifest does not say, or what no manifest says."""

    #: Its folder.
    folder: str
    #: ``current``, ``replaced``, ``being built``, ``unfinished`` or ``damaged``.
    state: str
    #: Bytes of all its files.
    bytes: int
    #: Why it does not open.
    fault: str | None = None
    #: The remark if a source was changed after it was built.
    stale: str | None = None
    #: Its version.
    version: str | None = None
    #: The version that the first builder would have given.
    peer_version: str | None = None
    #: Where the frames came from, as the builder was told.
    dataset_root: str | None = None
    #: What was done to its images.
    transform: dict[str, Any] | None = None
    #: The type of its pixels.
    dtype: str | None = None
    #: The version of the builder.
    code_version: str | None = None
    #: When it was built, in milliseconds since 1970.
    created_at_ms: int | None = None
    #: How many samples it has.
    samples: int | None = None
    #: How many shards.
    shards: int | None = None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Kept:
        return cls(**found)


@dataclass(frozen=True)
class Removed:
    """A removed warehouse, or one that would be."""

    #: The folder.
    folder: str
    #: Its bytes.
    bytes: int
    #: Why.
    why: str
    #: Whether it is gone. What holds files that are none of a warehouse's stays.
    gone: bool

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Removed:
        return cls(**found)
