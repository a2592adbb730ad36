"""Many datasets become many shards, each a pure function of the inputs, the settings and its number.

    plan = forebay.shards.plan("raw/*.tar", 64, shuffle=42)
    plan.make("ready", [3])              # one shard, on any machine that sees the inputs
    forebay.shards.make("raw/*.tar", "ready", 64, shuffle=42, jobs=2)

A plan is small, pickles, and travels as text. Finished shards of the same plan stay, so an
interrupted run continues where it stopped. :mod:`forebay.ray` makes the shards of a plan on a cluster.
"""

from __future__ import annotations

import json
import operator
import os
from dataclasses import dataclass, field
from typing import Any, Iterable, Literal, Sequence

from . import _forebay
from ._convert import PathLike
from ._progress import Progress, telling
from ._report import Made
from ._report import ShardReport as Report
from ._settings import keywords, settings_text

__all__ = ["Made", "Plan", "Report", "make", "plan"]


@dataclass(frozen=True)
class Plan:
    """Which samples each shard of a set has. ``text`` is all of it, as JSON; a plan is made of it again."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        # What does not read is refused here and not by a machine far away.
        self._about(1)

    def _about(self, workers: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_forebay.shards_about(self.text, workers))
        return found

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """The inputs in order: ``path``, ``identity``, ``samples``, ``selected``."""
        inputs: list[dict[str, Any]] = json.loads(self.text)["inputs"]
        return inputs

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that decide the bytes of the shards."""
        settings: dict[str, Any] = json.loads(self.text)["settings"]
        return settings

    @property
    def names(self) -> list[str]:
        """The names of the shards."""
        names: list[str] = self._about(1)["names"]
        return names

    @property
    def ranges(self) -> list[range]:
        """The positions of each shard's samples in the order of all."""
        return [range(start, end) for start, end in self._about(1)["ranges"]]

    @property
    def samples(self) -> int:
        """How many samples all shards have together."""
        return int(self._about(1)["samples"])

    def __len__(self) -> int:
        return int(self.settings["shards"])

    def memory(self, workers: int = 1) -> int:
        """About how many bytes of memory a process needs to make a shard on so many threads."""
        return int(self._about(workers)["memory_bytes"])

    def make(
        self,
        folder: PathLike,
        shards: Iterable[int] | None = None,
        *,
        jobs: int = 1,
        workers: int | None = None,
        force: bool = False,
        verify: bool = False,
        sync: bool = True,
        progress: Progress = False,
    ) -> Report:
        """Makes these shards, or all, ``jobs`` at a time with ``workers`` threads each.

        A shard appears whole or not at all. Finished shards of the same plan stay; a file
        that this plan did not make is refused unless ``force`` replaces it. An error ends it, and the next run goes on.
        """
        chosen = None if shards is None else [operator.index(shard) for shard in shards]
        options = json.dumps({"workers": workers, "force": force, "verify": verify, "sync": sync})
        with telling(progress, "writing shards", "samples") as tell:
            text = _forebay.shards_make(self.text, os.fspath(folder), chosen, jobs, options, tell)
        return Report._of(json.loads(text))

    def report(self, parts: Iterable[Report]) -> Report:
        """One report of several, as of machines that made some shards each."""
        made = [json.dumps([_plain(one) for one in part.outputs]) for part in parts]
        return Report._of(json.loads(_forebay.shards_report(self.text, made)))


def _plain(made: Made) -> dict[str, Any]:
    return {**made.__dict__, "faults": [fault.__dict__ for fault in made.faults]}


def plan(
    inputs: PathLike | Sequence[PathLike],
    shards: int,
    *,
    name: str | None = None,
    shuffle: int | None = None,
    blocks: tuple[int, int] | None = None,
    where: str | None = None,
    to: Literal["tbl", "tar"] = "tbl",
    compression: Literal["none", "lz4", "zstd", "packed"] | None = None,
    level: int | None = None,
    layout: Literal["guide", "turboloader"] | None = None,
    metadata_format: Literal["json", "msgpack", "protobuf"] | None = None,
    keep_going: bool = False,
    class_level: int | None = None,
) -> Plan:
    """Looks at every input and plans so many shards of their samples, which are called ``NAME-00000-of-00064.tbl``.

    With ``shuffle``, a seed, the samples of all inputs are shuffled together, by the order of :class:`forebay.Loader`, in
    ``blocks`` where that is given; without it they stay in their order. ``where`` keeps what a filter accepts, and
    ``keep_going`` leaves out what is broken.
    """
    options = keywords(locals(), "inputs")
    many = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    options["shards"] = operator.index(shards)
    return Plan(_forebay.shards_plan([os.fspath(path) for path in many], settings_text(options)))


def make(
    inputs: PathLike | Sequence[PathLike],
    folder: PathLike,
    shards: int,
    *,
    jobs: int = 1,
    workers: int | None = None,
    force: bool = False,
    verify: bool = False,
    sync: bool = True,
    progress: Progress = False,
    **settings: Any,
) -> Report:
    """Plans shards of inputs and makes all of them on this machine. ``settings`` are those of :func:`plan`."""
    planned = plan(inputs, shards, **settings)
    return planned.make(
        folder, jobs=jobs, workers=workers, force=force, verify=verify, sync=sync, progress=progress
    )
