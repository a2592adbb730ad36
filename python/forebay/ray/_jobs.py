"""Work that a cluster does, task by task."""

from __future__ import annotations

import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

from .. import _forebay, warehouse
from .._convert import PathLike
from .._errors import Error, UsageError
from .._progress import Progress, telling
from .._report import Report
from ..shards import Report as ShardReport
from ..shards import plan
from . import _cluster, _tasks
from ._merge import merged

#: How often a task is done again whose worker or node died.
RETRIES = 5
#: What a task that checks or counts may hold: what is in flight for a thread, and an index.
READ_MEMORY = 512 << 20
#: The memory of a task that builds a part of a warehouse: images being decoded, and images of a shard in transit.
BUILD_MEMORY = 1536 << 20


def convert(
    inputs: PathLike | Sequence[PathLike],
    output_folder: PathLike,
    shards: int,
    *,
    jobs: int | None = None,
    num_cpus: float = 1,
    memory: int | None = None,
    retries: int = RETRIES,
    force: bool = False,
    verify: bool = False,
    sync: bool = True,
    progress: Progress = False,
    **settings: Any,
) -> ShardReport:
    """Makes shards of inputs, each by a task of its own; one report of all.

    ``settings`` are those of :func:`forebay.shards.plan`: with ``shuffle`` the samples of all inputs are shuffled together.
    Finished outputs of the same inputs stay: call it again after a failure.

    A task declares ``num_cpus`` and ``memory``, in bytes, which is estimated unless it is given. With ``jobs`` the shards
    are made on this machine, so many at a time, and Ray is not needed.
    """
    planned = plan(_cluster.paths(inputs), shards, **settings)
    folder = _cluster.absolute(output_folder)
    workers = max(1, int(num_cpus))
    if jobs is not None:
        how: dict[str, Any] = {"workers": workers, "force": force, "verify": verify, "sync": sync}
        return planned.make(folder, jobs=jobs, progress=progress, **how)
    options = json.dumps({"workers": workers, "force": force, "verify": verify, "sync": sync})
    with telling(progress, "writing shards", "samples") as tell:
        texts = _cluster.run(
            _tasks.shard,
            [(planned.text, folder, number, options) for number in range(len(planned))],
            num_cpus=num_cpus,
            memory=planned.memory(workers) if memory is None else memory,
            retries=retries,
            sizes=[len(positions) for positions in planned.ranges],
            tell=tell,
        )
    return ShardReport._of(json.loads(_forebay.shards_report(planned.text, _tasks.outputs(texts))))


@dataclass(frozen=True)
class Checked:
    """The result of checking several files. It is true if every one is sound."""

    ok: bool
    samples: int
    fault_count: int
    #: The report of each file.
    files: dict[str, Report] = field(repr=False)
    #: Why a file could not be read.
    errors: dict[str, Error] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        bad = [path for path, report in self.files.items() if not report]
        if self.ok:
            return f"sound, {len(self.files):,} files, {self.samples:,} samples or rows"
        lines = [f"{path}: {self.files[path]}" for path in bad] + [f"{path}: {e}" for path, e in self.errors.items()]
        return "\n".join(lines)


def check(
    inputs: PathLike | Sequence[PathLike],
    *,
    decode: bool = False,
    jobs: int | None = None,
    num_cpus: float = 1,
    memory: int | None = READ_MEMORY,
    retries: int = RETRIES,
    progress: Progress = False,
) -> Checked:
    """Looks for every fault of files, each in a task of its own. A file that cannot be read hides no other."""
    files, workers = _cluster.paths(inputs), max(1, int(num_cpus))
    tasks = [(path, decode, workers) for path in files]
    found = _each(_tasks.checked, tasks, "checking", jobs, num_cpus, memory, retries, progress)
    reports = {path: one for path, one in zip(files, found) if isinstance(one, Report)}
    errors = {path: one for path, one in zip(files, found) if isinstance(one, Error)}
    samples = sum(report.samples for report in reports.values())
    faults = sum(report.fault_count for report in reports.values())
    return Checked(not errors and all(reports.values()), samples, faults, reports, errors)


def stats(
    inputs: PathLike | Sequence[PathLike],
    *,
    where: str | None = None,
    label: str | None = None,
    jobs: int | None = None,
    num_cpus: float = 1,
    memory: int | None = READ_MEMORY,
    retries: int = RETRIES,
    progress: Progress = False,
) -> dict[str, Any]:
    """Summarizes files of samples together: sizes, shapes, formats and classes, each file counted by its own task."""
    files = _cluster.paths(inputs)
    tasks = [(path, where, label) for path in files]
    found = _each(_tasks.counted, tasks, "counting", jobs, num_cpus, memory, retries, progress)
    return merged(zip(files, found))


def _each(
    function: Callable[..., Any],
    tasks: list[tuple[Any, ...]],
    title: str,
    jobs: int | None,
    num_cpus: float,
    memory: int | None,
    retries: int,
    progress: Progress,
) -> list[Any]:
    """A task a file."""
    with telling(progress, title, "files") as tell:
        if jobs is None:
            sizes = [1] * len(tasks)
            return _cluster.run(
                function, tasks, num_cpus=num_cpus, memory=memory, retries=retries, sizes=sizes, tell=tell
            )
        results = []
        # The work is done without Python's lock.
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            for one in pool.map(lambda task: function(*task), tasks):
                results.append(one)
                if tell is not None:
                    tell(len(results), len(tasks))
        return results


def build_warehouse(
    sources: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    jobs: int | None = None,
    num_cpus: float = 1,
    memory: int | None = BUILD_MEMORY,
    retries: int = RETRIES,
    progress: Progress = False,
    **settings: Any,
) -> warehouse.Built:
    """Builds a tensor warehouse, each shard by a task of its own; ``settings`` are those of
    :func:`forebay.warehouse.build`, whose ``existing`` is ``"reuse"`` here.

    The driver then puts the shards together: it proves each by its content, makes those that are missing, and gives the
    warehouse its place. An interrupted build continues where it stopped. ``trace`` is for builds in one process.
    """
    known = set(inspect.signature(warehouse.build).parameters) - {"sources", "output", "progress", "workers", "trace"}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise UsageError("usage.argument", "usage", f"{', '.join(unknown)}: no settings of a build on a cluster")
    files, folder = _cluster.paths(sources), _cluster.absolute(output)
    settings.setdefault("existing", "reuse")
    if settings.get("labels") is not None:
        settings["labels"] = _cluster.absolute(settings["labels"])
    workers = max(1, int(num_cpus))
    if jobs is not None:
        return warehouse.build(files, folder, workers=jobs, progress=progress, **settings)
    options = warehouse._options({**settings, "workers": workers})
    parts = _forebay.warehouse_begin(files, folder, options)
    with telling(progress, "building", "shards") as tell:
        _cluster.run(
            _tasks.part,
            [(files, folder, number, options) for number in range(parts)],
            num_cpus=num_cpus,
            memory=memory,
            retries=retries,
            sizes=[1] * parts,
            tell=tell,
        )
    return warehouse.build(files, folder, **settings)
