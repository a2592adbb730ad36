"""Tasks on a cluster: a few at a time, reported as they end, each with declared resources."""

from __future__ import annotations

import importlib
import os
from typing import Any, Callable, Sequence

from .. import _forebay
from .._errors import UsageError
from .._progress import Tell

#: Tasks that are handed over for each that can run, so that no node waits for the driver.
AHEAD = 2
#: How long the driver waits until it looks whether it is to end, in seconds.
TURN = 0.5


def needed(module: str = "ray") -> Any:
    """Ray, or what to do without it."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        message = f"this is done by Ray, which is not here ({e}): pip install 'ray[data]', or give jobs= for this machine"
        raise UsageError("usage.argument", "usage", message) from None


def absolute(path: Any) -> str:
    """A path as every process of this machine understands it. Addresses stay as they are."""
    text = os.fsdecode(path)
    return text if is_address(text) else os.path.abspath(text)


def is_address(text: str) -> bool:
    """Whether it is of a store or a server, and no path: ``s3://bucket/ready``."""
    return "://" in text


def paths(given: Any) -> list[str]:
    """The files that names and patterns stand for."""
    many = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    return _forebay.expand([absolute(path) for path in many])


def run(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    num_cpus: float,
    memory: int | None,
    retries: int,
    sizes: Sequence[int],
    tell: Tell | None,
) -> list[Any]:
    """The results of ``function`` for each of the tasks, in their order.

    A task whose worker or node dies is done again, ``retries`` times. An error of the work itself ends all of it: what has
    begun is told to stop.
    """
    ray = needed()
    if not ray.is_initialized():
        ray.init()
    most = max(1, int(ray.cluster_resources().get("CPU", 1) / max(num_cpus, 0.01))) * AHEAD
    options: dict[str, Any] = {"num_cpus": num_cpus, "max_retries": retries, "scheduling_strategy": "SPREAD"}
    if memory:
        options["memory"] = memory
    remote = ray.remote(function).options(name=f"forebay.{function.__name__}", **options)
    # What all tasks share is sent to each node once.
    shared: dict[int, Any] = {}

    def sent(value: Any) -> Any:
        if not isinstance(value, str) or len(value) < 1 << 16:
            return value
        if id(value) not in shared:
            shared[id(value)] = ray.put(value)
        return shared[id(value)]

    results: list[Any] = [None] * len(tasks)
    waiting: dict[Any, int] = {}
    done, total, following = 0, sum(sizes), 0
    try:
        while waiting or following < len(tasks):
            while len(waiting) < most and following < len(tasks):
                waiting[remote.remote(*(sent(value) for value in tasks[following]))] = following
                following += 1
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=TURN)
            for ref in ready:
                number = waiting.pop(ref)
                results[number] = _got(ray, ref)
                done += sizes[number]
                if tell is not None:
                    tell(done, total)
    except BaseException:
        for ref in waiting:
            ray.cancel(ref)
        raise
    return results


def _got(ray: Any, ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as e:
        # The error of the work, as it would be without a cluster.
        if isinstance(e.cause, Exception):
            raise e.cause from None
        raise
