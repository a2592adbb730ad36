"""Batches for training."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, Sequence

from . import _forebay
from ._augment import Augment, Step, steps
from ._batch import Batch
from ._convert import PathLike
from ._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Blocks", "Labels", "Loader", "LoaderStats"]


@dataclass(frozen=True)
class Blocks:
    """A shuffle of blocks of neighbors, and of the samples inside each window of so many: reads stay local."""

    seed: int
    block: int
    window: int


@dataclass(frozen=True)
class Labels:
    """Where labels come from. A text alone is the field of that name."""

    _from: tuple[str, ...]
    #: The classes in the order of their numbers; without it those that the file lists, else all that occur, sorted.
    classes: tuple[str, ...] | None = None
    #: The label of samples that have none; without it these are broken samples.
    missing: int | None = None

    @classmethod
    def field(cls, path: str, *, classes: Sequence[str] | None = None, missing: int | None = None) -> Labels:
        """A field of the metadata, such as ``cls`` or ``json.objects[0].class``."""
        return cls(("field", path), None if classes is None else tuple(classes), missing)

    @classmethod
    def folder(cls, *, classes: Sequence[str] | None = None, missing: int | None = None) -> Labels:
        """The folder that the picture lies in."""
        return cls(("folder",), None if classes is None else tuple(classes), missing)

    @classmethod
    def table(
        cls,
        path: PathLike,
        key: str,
        label: str,
        *,
        classes: Sequence[str] | None = None,
        missing: int | None = None,
    ) -> Labels:
        """A column of a table, joined by the samples' names in the column ``key``."""
        return cls(("table", os.fspath(path), key, label), None if classes is None else tuple(classes), missing)

    def _json(self) -> dict[str, Any]:
        kind, *rest = self._from
        return {
            "field": rest[0] if kind == "field" else None,
            "table": rest if kind == "table" else None,
            "classes": self.classes,
            "missing": self.missing,
        }


@dataclass(frozen=True)
class LoaderStats:
    """Where the time went, in seconds: of all workers together, and of the caller."""

    #: Samples made, those of batches that nobody took included.
    samples: int
    #: Broken samples that were skipped or replaced.
    skipped: int
    reading: float
    decoding: float
    transforming: float
    #: Workers' time without work.
    idle: float
    #: The caller's time in waiting for a batch.
    waiting: float
    #: The caller's time between batches.
    training: float

    @property
    def verdict(self) -> str:
        """Who waits for whom, in words."""
        whole = self.waiting + self.training
        if whole <= 0:
            return "nothing was loaded yet"
        share = self.waiting / whole
        if share < 0.05:
            return f"the loader keeps up: the trainer waits {share:.0%} of its time"
        most = max(("reading", self.reading), ("decoding", self.decoding), ("transforming", self.transforming), key=_second)
        return f"the trainer waits for data {share:.0%} of its time; workers spend most on {most[0]}"


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


class Loader:
    """Batches of a dataset: shuffled, decoded and transformed on many threads, in an order that is the same everywhere.

    Iterating gives one epoch of :class:`Batch`; the next time the next epoch. :meth:`numpy` and :meth:`torch` give arrays
    and tensors, without a copy. ``rank`` and ``world`` are those of ``torch.distributed`` where it is initialized, else of
    the environment (``RANK``, ``WORLD_SIZE``), else 0 and 1. Without a ``size`` the batches hold payloads.
    """

    def __init__(
        self,
        paths: PathLike | Sequence[PathLike],
        *,
        batch: int = 32,
        size: int | tuple[int, int] | None = None,
        augment: Augment | Step | None = None,
        normalize: Literal["imagenet"] | tuple[Sequence[float], Sequence[float]] | None = None,
        labels: str | Labels | None = None,
        shuffle: int | Blocks | None = None,
        seed: int | None = None,
        where: str | None = None,
        workers: int | None = None,
        prefetch: int | None = None,
        rank: int | None = None,
        world: int | None = None,
        tail: Literal["drop", "pad", "uneven"] = "drop",
        mix: Sequence[int] | None = None,
        epoch_samples: int | None = None,
        dtype: Literal["f32", "f16", "u8"] = "f32",
        layout: Literal["nchw", "nhwc"] = "nchw",
        resampling: Literal["bilinear", "bilinear-plain", "bicubic", "lanczos", "nearest"] | None = None,
        fill: tuple[int, int, int] | None = None,
        groups: tuple[int, Sequence[tuple[int, int]]] | None = None,
        on_error: Literal["raise", "skip", "replace"] = "raise",
        orient: bool = False,
        exact: bool = False,
        io: Literal["read", "map"] | None = None,
        verify: bool = True,
        class_level: int | None = None,
        allow_empty: bool = False,
        decoded_bytes: int | None = None,
    ) -> None:
        many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        self._paths = [os.fspath(path) for path in many]
        if rank is None and world is None:
            rank, world = _place()
        elif rank is None or world is None:
            raise UsageError("usage.argument", "usage", "rank and world are given together, or neither")
        if (mix is None) != (epoch_samples is None):
            raise UsageError("usage.argument", "usage", "mix and epoch_samples are given together, or neither")
        kind, number, more = _shuffled(shuffle, seed)
        image: dict[str, Any] | None = None
        if size is not None:
            width, height = (size, size) if isinstance(size, int) else size
            image = {
                "width": width,
                "height": height,
                "steps": steps(augment),
                "resampling": resampling,
                "fill": fill,
                "normalize": _normalized(normalize),
                "layout": layout,
            }
        elif augment is not None or normalize is not None:
            raise UsageError("usage.argument", "usage", "augment and normalize need a size")
        named = Labels.field(labels) if isinstance(labels, str) else labels
        self._options: dict[str, Any] = {
            "batch": batch,
            "where": where,
            "allow_empty": allow_empty,
            "workers": workers,
            "prefetch": prefetch,
            "shuffle": more if more is not None else kind,
            "seed": number,
            "rank": rank,
            "world": world,
            "tail": tail,
            "mix": None if mix is None else {"weights": list(mix), "epoch_samples": epoch_samples},
            "image": image,
            "dtype": dtype,
            "labels": None if named is None else named._json(),
            "on_error": on_error,
            "orient": orient,
            "exact": exact,
            "io": io,
            "verify": verify,
            "class_level": class_level,
            "decoded_bytes": decoded_bytes,
            "groups": None if groups is None else {"steps": groups[0], "sizes": [list(size) for size in groups[1]]},
        }
        self._labeled = named is not None
        self._training = 0.0
        self._last: tuple[int, int] | None = None
        self._open(None)

    def _open(self, state: str | None) -> None:
        self._core_of = _forebay.Loader(self._paths, json.dumps(self._options, allow_nan=False), state)
        self._process = os.getpid()
        self._turn = 0

    @property
    def _core(self) -> _forebay.Loader:
        if self._process != os.getpid():
            # The threads stayed with the parent; here they begin anew, at the beginning of its epoch.
            self._open(None)
            if self._last is not None:
                self._core_of.begin(self._last[0])
        return self._core_of

    def __len__(self) -> int:
        """Batches of an epoch, on this rank."""
        return self._core.size()[0]

    @property
    def epoch_samples(self) -> int:
        """Samples of an epoch, of all ranks."""
        return self._core.size()[1]

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to."""
        return self._core.position()[0]

    @property
    def step(self) -> int:
        """The step of its epoch that comes next."""
        return self._core.position()[1]

    @property
    def classes(self) -> list[str]:
        """The names of the classes in the order of their numbers, where labels are names."""
        return self._core.classes()

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch; after :meth:`load_state_dict` to where the state stands in it."""
        self._core.begin(epoch)
        self._began = True

    _began = False

    def __iter__(self) -> Iterator[Batch]:
        """One epoch: the rest of it where a state was loaded, else all of it."""
        core = self._core
        if not self._began:
            core.begin(None)
        self._began = False
        self._turn += 1
        return self._epoch(core, self._turn)

    def _epoch(self, core: _forebay.Loader, turn: int) -> Iterator[Batch]:
        left: float | None = None
        while True:
            if turn != self._turn or core is not self._core_of:
                raise UsageError("usage.argument", "usage", "another iteration over this loader has begun since")
            if left is not None:
                self._training += time.perf_counter() - left
            found = core.next()
            if found is None:
                return
            self._last = found.position()
            left = time.perf_counter()
            yield Batch(found)

    def numpy(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]] | NDArray[Any]]:
        """One epoch of ``images, labels``, or of ``images`` where there are no labels. Nothing is copied."""
        for batch in self:
            yield (batch.images, batch.labels) if self._labeled else batch.images

    def torch(self, device: Any = None) -> Iterator[Any]:
        """One epoch of tensors ``images, labels``, or of ``images`` where there are no labels.

        On the CPU nothing is copied. For another device a batch is copied to pinned memory and from there while the one
        before it is used.
        """
        from .torch import tensors

        return tensors(self, device)

    def state_dict(self) -> dict[str, Any]:
        """Where the run stands, behind the last batch that was given: plain data."""
        found: dict[str, Any] = json.loads(self._core.state())
        return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where a saved run stood.

        Refused, by name, where anything differs that decides which sample comes when; batch and world may change as long
        as their product does not.
        """
        self._open(json.dumps(dict(state)))
        self._began = False

    def stats(self) -> LoaderStats:
        """Where the time went so far, in all epochs."""
        samples, skipped, times = self._core.stats()
        reading, decoding, transforming, idle, waiting = times
        return LoaderStats(
            samples=samples,
            skipped=skipped,
            reading=reading,
            decoding=decoding,
            transforming=transforming,
            idle=idle,
            waiting=waiting,
            training=self._training,
        )

    def close(self) -> None:
        """Ends the threads. Iterating anew starts them again."""
        if self._process == os.getpid():
            self._core_of.stop()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_core_of", "_process", "_turn")}
        return {**kept, "_state": self._core.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("_state")
        self.__dict__.update(kept)
        self._open(state)

    def __repr__(self) -> str:
        options = self._options
        place = f"rank {options['rank']} of {options['world']}"
        return f"<forebay.Loader {', '.join(self._paths)}: {len(self)} batches of {options['batch']}, {place}>"


def _shuffled(shuffle: int | Blocks | None, seed: int | None) -> tuple[str, int, dict[str, Any] | None]:
    """The kind of a shuffle, its seed, and its sizes."""
    if shuffle is None:
        return "none", seed or 0, None
    if seed is not None:
        raise UsageError("usage.argument", "usage", "the shuffle has the seed; `seed` is for a loader that does not shuffle")
    if isinstance(shuffle, Blocks):
        return "", shuffle.seed, {"blocks": {"block": shuffle.block, "window": shuffle.window}}
    if isinstance(shuffle, bool):
        raise UsageError("usage.argument", "usage", "shuffle is a seed, such as shuffle=42, or Blocks, or None")
    return "full", int(shuffle), None


def _normalized(normalize: Any) -> Any:
    if normalize is None:
        return None
    if isinstance(normalize, str):
        if normalize != "imagenet":
            raise UsageError("usage.argument", "usage", "normalize is 'imagenet' or (means, deviations)")
        return [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]]
    mean, std = normalize
    return [[float(x) for x in mean], [float(x) for x in std]]


def _place() -> tuple[int, int]:
    """Rank and world of this process."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()), int(distributed.get_world_size())
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return 0, 1
