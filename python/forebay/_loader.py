"""Batches for training."""

from __future__ import annotations

import json
import operator
import os
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Literal, Mapping, Sequence

import numpy as np

from . import _forebay
from ._augment import Augment, Step, steps
from ._batch import Batch
from ._convert import PathLike
from ._dataset import Dataset
from ._errors import UsageError
from ._files import shown, unsigned
from ._padding import Padding
from ._sampling import Balance, Weights, by_epochs
from ._settings import keywords, settings_text, state_text
from ._sources import sources
from ._targets import Target, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .warehouse import Transform

__all__ = ["Blocks", "DecodedStats", "Labels", "Loader", "LoaderStats", "Split"]


@dataclass(frozen=True)
class Blocks:
    """Shuffles blocks of adjacent samples, then the samples within each window of blocks: reads stay local.

    >>> loader = forebay.Loader("train.tbl", batch=16, size=8, shuffle=forebay.Blocks(42, block=4, window=2))
    >>> sorted(next(iter(loader)).indices) == list(range(16))
    True
    """

    seed: int
    block: int
    window: int

    def _json(self) -> dict[str, Any]:
        return asdict(self)


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
        return cls(("field", path), _listed(classes), missing)

    @classmethod
    def folder(cls, *, classes: Sequence[str] | None = None, missing: int | None = None) -> Labels:
        """The folder that the image lies in."""
        return cls(("folder",), _listed(classes), missing)

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
        return cls(("table", os.fspath(path), key, label), _listed(classes), missing)

    def _json(self) -> dict[str, Any]:
        kind, *rest = self._from
        values: dict[str, Any] = {"field": rest and rest[0], "table": dict(zip(("path", "key", "label"), rest))}
        place = {kind: values[kind]} if kind in values else kind
        return {"from": place, "classes": self.classes, "missing": self.missing}


def _listed(classes: Sequence[str] | None) -> tuple[str, ...] | None:
    # A text is letters.
    if isinstance(classes, str) or not all(isinstance(name, str) for name in classes or ()):
        raise UsageError("usage.argument", "usage", f"classes are a list of names, each a text, and not {classes!r}")
    return None if classes is None else tuple(classes)


@dataclass(frozen=True)
class Split:
    """One of two parts of all samples, the same each time: ``Split.train(0.1, seed=42)`` is the rest next to
    ``Split.validation(0.1, seed=42)``. Runs (or else the folders that images lie in) are not torn apart, since frames that
    follow each other are almost the same, unless ``by="sample"`` says otherwise.

    >>> parts = [forebay.Split.train(0.25, 42, by="sample"), forebay.Split.validation(0.25, 42, by="sample")]
    >>> found = [forebay.Loader("train.tbl", batch=1, size=8, split=part) for part in parts]
    >>> sum(len(loader) for loader in found)
    16
    """

    share: float
    seed: int
    part: Literal["train", "validation"]
    by: Literal["run", "sample"] = "run"

    def __post_init__(self) -> None:
        if self.part not in ("train", "validation") or self.by not in ("run", "sample"):
            message = f"a part is train or validation, by run or sample, not {self.part!r} by {self.by!r}"
            raise UsageError("usage.argument", "usage", message)

    @classmethod
    def train(cls, share: float, seed: int, *, by: Literal["run", "sample"] = "run") -> Split:
        """The training part if this share, from 0 to 1, is kept for validation."""
        return cls(share, seed, "train", by)

    @classmethod
    def validation(cls, share: float, seed: int, *, by: Literal["run", "sample"] = "run") -> Split:
        """This share of the samples, from 0 to 1."""
        return cls(share, seed, "validation", by)

    def _json(self) -> dict[str, Any]:
        return {"share": self.share, "seed": self.seed, "validation": self.part == "validation", "by": self.by}


@dataclass(frozen=True)
class DecodedStats:
    """Decoded images that are kept."""

    #: Images that were there.
    hits: int
    #: Images that had to be decoded.
    misses: int
    #: Of those, such as found no room.
    without_room: int
    entries: int
    bytes: int
    most_bytes: int
    #: Entries that were taken out: such as turned out to be damaged in their file.
    evictions: int
    #: Entries that could not be written to the file.
    unwritten: int
    #: The share of images that will be there once the cache is full; ``None`` while it is empty.
    expected_hit_rate: float | None

    @classmethod
    def _of(cls, told: list[int], expected: float | None) -> DecodedStats:
        hits, misses, without_room, entries, size, most, evictions, unwritten = told
        return cls(hits, misses, without_room, entries, size, most, evictions, unwritten, expected)

    @property
    def hit_rate(self) -> float:
        """The share of images that were there."""
        return self.hits / max(1, self.hits + self.misses)


@dataclass(frozen=True)
class LoaderStats:
    """Where the time went, in seconds: of all workers together, and of the caller."""

    #: Samples made, those of batches that nobody took included.
    samples: int
    #: Broken samples that were skipped or replaced.
    skipped: int
    #: Workers' time for finding and reading payloads.
    reading: float
    decoding: float
    transforming: float
    #: Workers' time without work: batches wait for the trainer.
    idle: float
    #: The caller's time in waiting for a batch.
    waiting: float
    #: The caller's time between batches, without that of its own functions.
    training: float
    #: The caller's time in ``per_sample`` and ``transform``.
    functions: float = 0.0
    #: Workers' time for checksums and decompression.
    verifying: float = 0.0
    #: Workers' time for labels and targets.
    targets: float = 0.0
    #: Counts of the ``decoded_cache``; ``None`` without one.
    decoded: DecodedStats | None = None

    @property
    def verdict(self) -> str:
        """Which part of the loader waits for which, in words."""
        whole = self.waiting + self.training + self.functions
        if whole <= 0:
            return "nothing was loaded yet"
        if self.functions > max(self.waiting, 0.05 * whole):
            return f"the trainer spends {self.functions / whole:.0%} of its time in its own per_sample and transform"
        share = self.waiting / whole
        if share < 0.05:
            return f"the loader keeps up: the trainer waits {share:.0%} of its time"
        stages = ("reading", "verifying", "decoding", "transforming", "targets")
        most = max(((name, float(getattr(self, name))) for name in stages), key=_second)
        return f"the trainer waits for data {share:.0%} of its time; workers spend most on {most[0]}"


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


class Loader:
    """Batches of a dataset: shuffled, decoded and transformed on many threads, in an order that is the same everywhere.

    Iterating gives one epoch of :class:`Batch`; the next time the next epoch, also where the end of the first was not asked
    for, as by Lightning, which takes ``len(loader)`` batches. An epoch that is left before its last batch begins again, unless
    :meth:`set_epoch` says another. :meth:`numpy` and :meth:`torch` give arrays and tensors, without a copy. With boxes they give a
    dictionary of ``images``, ``boxes``, ``mask``, ``box_classes``, ``frame_ids`` and, where there are any, ``labels``; with
    targets one of ``images``, ``labels`` where there are any, and the targets, as ``batch.targets`` has them.

    ``paths`` are files, folders or patterns, the manifest of a tensor warehouse, or a :class:`forebay.Dataset`, or several, of
    which only the samples that are in it are taken, in the loader's order. ``rank`` and ``world`` are those of
    ``torch.distributed`` where it is initialized, else of the environment (``RANK``, ``WORLD_SIZE``), else 0 and 1. Without a
    ``size`` the batches hold payloads. ``weights`` that change are a dictionary by the epochs from which on they hold.
    ``annotations=True`` takes the boxes that are with the samples.

    ``transform(batch)`` is called with every :class:`Batch`, on the caller's thread: it changes ``batch.images`` in place or
    sets it, or returns what iterating shall give instead of it. ``per_sample(picture)`` is called with every image (or payload)
    before that and returns its replacement; this costs a call of Python for every sample, which threads cannot share, so
    it warns. Exceptions of these functions are raised in any case; ``on_error`` is about broken samples.

    The keywords are settings:

    * ``batch``: Samples per batch of one rank.
    * ``size``: Width and height of the tensors that images become.
    * ``augment``: Changes of images on their way into a batch, most of them random.
    * ``normalize``: Means and deviations that the numbers of images are normalized by.
    * ``labels``: Where each sample's label comes from: a metadata field, the folder, or a table.
    * ``shuffle``: Shuffle with this seed; by default, stored order. Every epoch has another order. Blocks of neighbors
      keep reads local.
    * ``seed``: Seed of augmentation where nothing is shuffled.
    * ``where``: Use only samples that match, such as 'width >= 224'. It is refused if it selects nothing.
    * ``indices``: Use only these samples, by their numbers among those of all files.
    * ``split``: One of two parts of the samples: to train on, or to validate with.
    * ``workers``: Number of loader threads. A warehouse that is mapped or in memory needs none unless batches are made
      ahead.
    * ``prefetch``: Batches in flight, the next one included; by default 2, and none of a warehouse that is mapped or in
      memory.
    * ``rank``: This process among the ranks, from 0.
    * ``world``: Ranks (processes) that share an epoch.
    * ``tail``: Samples that do not fill a batch on every rank.
    * ``mix``: Mix the files in these proportions. Without it, each file follows the one before.
    * ``epoch_samples``: Samples per epoch, with a mix.
    * ``weights``: Draw samples with replacement, as often as they weigh: a field or a list of numbers, which may change
      with the epochs.
    * ``balanced``: Draw every class equally often, by this field. Labels and proportions of classes are possible too.
    * ``draws``: Samples per epoch of all ranks; by default, as many as are selected.
    * ``repeated``: Copies of each drawn sample in its step. Each has a crop of its own, and is on a rank of its own
      where there are as many.
    * ``dtype``: Number type of the tensors. A warehouse gives floats, or what it holds.
    * ``layout``: Order of the dimensions of a tensor of images: ``nchw`` or ``nhwc``.
    * ``resampling``: Resampling filter; by default bilinear. All but ``nearest`` and ``bilinear-plain`` are
      antialiased.
    * ``fill``: Color around images that do not fill their tensor.
    * ``groups``: Bring images of similar shape together in batches, each of the listed size that fits best.
    * ``padded``: Make each batch as large as its largest image, instead of giving all images one size.
    * ``on_error``: What happens with samples that cannot be read: an error, left out, or replaced by the next one.
    * ``max_broken``: Broken samples that this rank leaves out or replaces in an epoch; the next one is an error.
    * ``orient``: Turn images as their EXIF orientation says.
    * ``exact``: Decode at full size even where a reduced one would do, which is several times as fast for large images.
    * ``io``: Read files piece by piece or map them. Map only files that nothing shortens in the meantime.
    * ``verify``: Verify the checksums of payloads.
    * ``class_level``: Folder level of the classes, from 1; 0 for none. By default it is guessed.
    * ``allow_empty``: Epochs may have no batches, as a filter selects nothing or the samples fill no batch; refused
      otherwise.
    * ``decoded_bytes``: Bytes that all workers together may hold for decoding; by default 64 MiB for each, and at least
      512 MiB.
    * ``decoded_cache``: Bytes of decoded images that are kept for later epochs. No number of any batch changes.
    * ``decoded_cache_file``: File that keeps them for later runs too.
    * ``timeline``: Events of the timeline that are kept at most: when what happened.
    * ``cache``: Folder of this machine that keeps what is read of files elsewhere, so that later epochs do not fetch
      it.
    * ``cache_bytes``: Bytes that it holds at most; by default 64 GiB.
    * ``read_ahead``: Read ahead: advise the system, and fetch what the next batches need of files elsewhere.
    * ``read_ahead_bytes``: Bytes of files elsewhere that may be fetched and not used yet; by default 256 MiB.
    * ``annotations``: Where each sample's boxes come from: a label file or a folder of them, or the samples themselves.
    * ``annotation_format``: Format of the label file; by default it is found out.
    * ``annotation_boxes``: Field of the metadata that has boxes, and what four numbers mean: ``json.boxes:xywh``.
    * ``max_boxes``: Places for boxes of each sample; by default 16, or as a warehouse has them. More boxes are left
      out.
    * ``warehouse_transform``: Make of images and boxes what a warehouse would hold of them, to the last bit.
    * ``targets``: Further targets of each sample, by name.
    * ``mode``: How the shards of a warehouse are held.
    * ``version``: Refuse a warehouse of another version.
    * ``allow_violations``: Use a warehouse whose summary breaks its thresholds.
    * ``allow_unproven``: Use a warehouse without proving its shards by their checksums.
    * ``fresh``: Refuse a warehouse if a source was changed after it was built.

    >>> loader = forebay.Loader("train.tbl", batch=4, size=32, labels="cls", shuffle=42)
    >>> images, labels = next(loader.numpy())
    >>> images.shape, sorted(label for _, labels in loader.numpy() for label in labels.tolist())
    ((4, 3, 32, 32), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    """

    def __init__(
        self,
        paths: PathLike | Dataset | Sequence[PathLike | Dataset],
        *,
        # Made by the test loader::listed of forebay-native.
        batch: int = 32,
        size: int | tuple[int, int] | None = None,
        augment: Augment | Step | None = None,
        normalize: Literal["imagenet"] | tuple[Sequence[float], Sequence[float]] | None = None,
        labels: str | Labels | None = None,
        shuffle: int | Blocks | None = None,
        seed: int | None = None,
        where: str | None = None,
        indices: Sequence[int] | NDArray[Any] | None = None,
        split: Split | None = None,
        workers: int | None = None,
        prefetch: int | None = None,
        rank: int | None = None,
        world: int | None = None,
        tail: Literal["drop", "pad", "uneven"] = "drop",
        mix: Sequence[int] | None = None,
        epoch_samples: int | None = None,
        weights: Weights | Mapping[int, Weights] | None = None,
        balanced: str | Labels | Balance | None = None,
        draws: int | None = None,
        repeated: int = 1,
        dtype: Literal["f32", "f16", "u8"] = "f32",
        layout: Literal["nchw", "nhwc"] = "nchw",
        resampling: Literal["bilinear", "bilinear-plain", "bicubic", "lanczos", "nearest"] | None = None,
        fill: tuple[int, int, int] | None = None,
        groups: tuple[int, Sequence[tuple[int, int]]] | None = None,
        padded: Padding | None = None,
        on_error: Literal["raise", "skip", "replace"] = "raise",
        max_broken: int | None = None,
        orient: bool = False,
        exact: bool = False,
        io: Literal["read", "map"] | None = None,
        verify: bool = True,
        class_level: int | None = None,
        allow_empty: bool = False,
        decoded_bytes: int | None = None,
        decoded_cache: int | None = None,
        decoded_cache_file: str | os.PathLike[str] | None = None,
        timeline: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
        read_ahead: bool = True,
        read_ahead_bytes: int | None = None,
        annotations: PathLike | bool | None = None,
        annotation_format: str | None = None,
        annotation_boxes: str | None = None,
        max_boxes: int | None = None,
        warehouse_transform: Transform | None = None,
        targets: Mapping[str, Target | str] | None = None,
        mode: Literal["memory", "mmap", "stream"] | None = None,
        version: str | None = None,
        allow_violations: bool = False,
        allow_unproven: bool = False,
        fresh: bool = False,
        # Of Python alone.
        transform: Callable[[Batch], Any] | None = None,
        per_sample: Callable[[Any], Any] | None = None,
    ) -> None:
        # Every keyword goes on as a setting under its own name.
        settings = keywords(locals(), "self", "paths", "transform", "per_sample")
        self._paths, settings["indices"], settings["class_level"] = sources(paths, indices, class_level)
        settings["rank"], settings["world"] = place(rank, world)
        settings.update(recipe(size, augment=augment, normalize=normalize, layout=layout, resampling=resampling, fill=fill))
        settings["weights"] = by_epochs(weights)
        settings["orient"] = orient or None
        settings["annotations"] = None if annotations is False else {} if annotations is True else annotations
        settings["balanced"] = Balance(balanced) if isinstance(balanced, Labels) else balanced
        boxed = settings["annotations"] is not None
        settings["targets"] = words(targets, recipe, layout=layout, boxed=boxed, padded=padded is not None) or None
        said = {name: value for name, value in settings.items() if value is not None}
        self._said, self._settings = frozenset(said), settings_text(said)
        self._transform = transform
        self._per_sample = per_sample
        if per_sample is not None:
            message = (
                "per_sample calls Python for every sample, on one thread: what `augment` or `transform`, which is called"
                " once a batch, can do is several times as fast there"
            )
            warnings.warn(message, stacklevel=2)
        self._open(None)
        mask = None if indices is None else np.asarray(indices)
        if mask is not None and mask.dtype == bool:
            # It says of each sample whether it is chosen, so it has as many values as there are samples.
            there = sum(one["samples"] for one in json.loads(self._core_of.state())["order"]["sources"])
            if mask.shape != (there,):
                message = f"indices has {mask.size} truth values, and there are {there} samples"
                raise UsageError("usage.argument", "usage", message)

    def _open(self, state: str | None) -> None:
        before: _forebay.Loader | None = getattr(self, "_core_of", None)
        mine = getattr(self, "_process", None) == os.getpid()
        # What a fork begins with, which cannot ask the parent's loader.
        self._state = state
        self._core_of = _forebay.Loader(self._paths, self._settings, state)
        self._process = os.getpid()
        # The epoch that was gone to, and where that was.
        self._begun: tuple[int, tuple[int, int]] | None = None
        self._functions = 0.0
        # Where the caller stands, while batches behind that are on their way to a device.
        self._behind: tuple[int, int, int] | None = None
        of_warehouse = self._core_of.boxes()[0]
        self._boxed = of_warehouse or not self._said.isdisjoint({"annotations", "warehouse_transform"})
        self._pictured = of_warehouse or not self._said.isdisjoint({"size", "warehouse_transform"})
        if before is not None:
            before.retire()
            if mine:
                # An iterator that somebody keeps would keep its threads too, and what they have made ahead.
                before.stop()

    @property
    def _core(self) -> _forebay.Loader:
        if self._process != os.getpid():
            # The threads stayed with the parent; here they begin anew, where an iteration would begin there: at the state
            # that was loaded, at the epoch that was set, or else at the beginning of the epoch that it is in.
            given, behind = self._core_of.given(), self._behind
            self._open(self._state if given is None else None)
            at = self._set if self._set is not None else given if behind is None else self._follows(behind)
            if at is not None:
                self._begin(at)
                self._set = at
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
        return self._core.position()[0] if self._behind is None else self._behind[0]

    @property
    def step(self) -> int:
        """The step of its epoch that comes next."""
        return self._core.position()[1] if self._behind is None else self._behind[1]

    @property
    def classes(self) -> list[str]:
        """The names of the classes in the order of their numbers, where labels are names."""
        return self._core.classes()

    @property
    def box_classes(self) -> list[str]:
        """The names of the classes of boxes, in the order of their numbers."""
        return self._core.boxes()[1]

    @property
    def target_classes(self) -> dict[str, list[str]]:
        """The names of the classes of each target, in the order of their numbers; none where they have no names."""
        return dict(self._core.target_classes())

    @property
    def notes(self) -> list[str]:
        """Violations that were permitted, and shards that could not be proven."""
        return self._core.boxes()[2]

    @property
    def refused(self) -> list[tuple[str, str]]:
        """Files that are no samples, as their labels cannot be used, each with the reason."""
        return self._core.boxes()[3]

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch; after :meth:`load_state_dict` to the state's position in it."""
        self._begin(epoch)
        self._set = epoch
        self._behind = None

    #: The epoch that was set since an iteration began.
    _set: int | None = None

    def _begin(self, epoch: int | None) -> None:
        """Goes to an epoch, and not again where no batch was taken since: a loaded state stands in it only once."""
        core = self._core
        if self._begun is None or core.position() != self._begun[1] or epoch not in (None, self._begun[0]):
            self._begun = core.begin(epoch), core.position()

    def _follows(self, behind: tuple[int, int, int]) -> int:
        """The epoch that an iteration begins where later batches are on their way to a device."""
        return behind[0] + (behind[1] >= self._core_of.size()[0])

    def __iter__(self) -> Iterator[Batch]:
        """One epoch, or the rest of it after a state was loaded; after its last batch the next one."""
        return self._iterate("batches")

    def _iterate(self, gives: str) -> Iterator[Any]:
        core = self._core
        behind = None if self._behind is None else self._follows(self._behind)
        self._begin(behind if self._set is None else self._set)
        self._set = None
        self._behind = None
        if self._transform is None and self._per_sample is None:
            return core.iterate(gives)
        return self._changed(core.iterate("batches"), gives)

    def _changed(self, batches: Iterator[Batch], gives: str) -> Iterator[Any]:
        """What the caller's own functions make of batches."""
        for batch in batches:
            begun = time.perf_counter()
            found: Any = None
            if self._per_sample is not None:
                given = batch.images if self._pictured else batch.payloads
                made = _together([self._per_sample(one) for one in given])
                if made is not None:
                    batch.images = made
            if self._transform is not None:
                found = self._transform(batch)
            self._functions += time.perf_counter() - begun
            if found is not None and found is not batch:
                yield found
            else:
                yield batch if gives == "batches" else batch._gives(gives)

    def numpy(self) -> Iterator[Any]:
        """One epoch of ``images, labels``, of ``images`` alone without ``labels``, or of dictionaries where there are boxes.

        Images are not copied. ``for images, labels in loader.numpy()`` needs ``labels``: without them it takes the two samples of a
        batch of two apart.
        """
        named = None if self._said.isdisjoint({"targets", "padded"}) else "targets"
        return self._iterate("named" if self._boxed else named or ("pairs" if "labels" in self._said else "images"))

    def torch(self, device: Any = None) -> Iterator[Any]:
        """One epoch of tensors ``images, labels``, or of ``images`` where there are no labels.

        On the CPU nothing is copied. For another device the next batch is on its way, from pinned memory and on a stream of
        its own, while one is used.
        """
        from .torch import tensors

        return tensors(self, device)

    def jax(self) -> Iterator[Any]:
        """One epoch of JAX's arrays ``images, labels``, or of ``images`` where there are no labels.

        On the CPU the images are not copied; labels become what JAX uses for whole numbers.
        """
        import jax  # type: ignore[import-not-found, unused-ignore]

        def array(found: NDArray[Any]) -> Any:
            return jax.numpy.asarray(found) if found.dtype.itemsize == 8 else jax.dlpack.from_dlpack(found)

        for found in self.numpy():
            yield mapped(found, array)

    def state_dict(self) -> dict[str, Any]:
        """The position of the run after its last batch: plain data.

        >>> loader = forebay.Loader("train.tbl", batch=4, size=32, shuffle=42)
        >>> state = [loader.state_dict() for batch in loader][1]
        >>> loader.load_state_dict(state)
        >>> [batch.step for batch in loader]
        [2, 3]
        """
        found: dict[str, Any] = json.loads(self._core.state())
        if self._behind is not None:
            found["order"]["epoch"], found["order"]["step"], found["skipped"] = self._behind
        return found

    def _stands(self) -> tuple[int, int, int]:
        """Epoch and step behind the batch that was taken last, and broken samples so far."""
        return (*self._core.position(), self._core.stats()[1])

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues a saved run.

        Refused, by name, where anything differs that decides which sample comes when; batch and world may change as long
        as their product does not. Iterating gives the rest of the epoch; after its last batch the next one.
        """
        self._open(state_text(state))
        self._set = None

    def stats(self) -> LoaderStats:
        """Where the time went so far, in all epochs."""
        samples, skipped, times, kept, expected = self._core.stats()
        reading, verifying, decoding, transforming, targets, idle, waiting, training = times
        return LoaderStats(
            samples=samples,
            skipped=skipped,
            reading=reading,
            decoding=decoding,
            transforming=transforming,
            idle=idle,
            waiting=waiting,
            training=max(0.0, training - self._functions),
            functions=self._functions,
            verifying=verifying,
            targets=targets,
            decoded=DecodedStats._of(kept, expected) if "decoded_cache" in self._said else None,
        )

    def write_timeline(self, path: str | os.PathLike[str], *, force: bool = False) -> int:
        """Writes when what happened, for Perfetto and other viewers of Chrome's traces, and gives how many events. A file that
        is there is replaced only by ``force``.

        The loader must have been made with ``timeline=``, which says how many events are kept at most.
        """
        written = self._core.write_timeline(os.fspath(path), force)
        if written is None:
            raise UsageError("usage.argument", "usage", "nothing was taken down: make the loader with timeline=")
        return written[0]

    def close(self) -> None:
        """Ends the threads. Iterating again restarts them."""
        if self._process == os.getpid():
            self._core_of.stop()
            self._begun = None

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        unsigned(self._paths)
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_core_of", "_process")}
        return {**kept, "_state": json.dumps(self.state_dict())}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("_state")
        self.__dict__.update(kept)
        self._open(state)

    def __repr__(self) -> str:
        settings = json.loads(self._settings)
        batch, rank, world = (settings[name] for name in ("batch", "rank", "world"))
        return f"<forebay.Loader {', '.join(map(shown, self._paths))}: {len(self)} batches of {batch}, rank {rank} of {world}>"


def mapped(found: Any, change: Callable[[NDArray[Any]], Any]) -> Any:
    """What is found with each of its arrays changed, in tuples, lists and dictionaries too."""
    if isinstance(found, np.ndarray):
        return change(found)
    if isinstance(found, (tuple, list)):
        all_of = [mapped(one, change) for one in found]
        return type(found)(*all_of) if hasattr(found, "_fields") else type(found)(all_of)
    if isinstance(found, dict):
        return {key: mapped(one, change) for key, one in found.items()}
    return found


def _together(made: list[Any]) -> Any:
    """What the samples of a batch became, as one array where they are arrays of one shape; ``None`` where nothing was
    returned, as all was changed in place."""
    if all(one is None for one in made):
        return None
    torch = sys.modules.get("torch")
    kinds = {(type(one), getattr(one, "shape", None), getattr(one, "dtype", None)) for one in made}
    if len(kinds) == 1:
        if isinstance(made[0], (np.ndarray, np.generic, int, float)):
            return np.stack([np.asarray(one) for one in made])
        if torch is not None and isinstance(made[0], torch.Tensor):
            return torch.stack(made)
    return made


def both(size: Any) -> tuple[int, int]:
    """Width and height."""
    try:
        width, height = (size, size) if hasattr(size, "__index__") and np.ndim(size) == 0 else size
        return operator.index(width), operator.index(height)
    except (TypeError, ValueError):
        message = f"a size is a whole number of pixels, or a width and a height, and not {size!r}"
        raise UsageError("usage.argument", "usage", message) from None


def recipe(
    size: int | tuple[int, int] | None,
    *,
    augment: Augment | Step | None = None,
    normalize: Any = None,
    layout: str = "nchw",
    resampling: str | None = None,
    fill: tuple[int, int, int] | None = None,
) -> dict[str, Any]:
    """What becomes of images, as plain data."""
    given = {"size": None if size is None else both(size), "augment": steps(augment), "normalize": _normalized(normalize)}
    return {**given, "layout": layout, "resampling": resampling, "fill": fill}


def _normalized(normalize: Any) -> Any:
    if normalize is None:
        return None
    if isinstance(normalize, str) and normalize == "imagenet":
        return [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]]
    try:
        return [[float(x) for x in numbers] for numbers in normalize]
    except (TypeError, ValueError):
        message = f"normalize is 'imagenet' or (means, deviations), not {normalize!r}"
        raise UsageError("usage.argument", "usage", message) from None


def place(rank: int | None, world: int | None) -> tuple[int, int]:
    """Rank and world as they were given, else those of this process."""
    if rank is not None and world is not None:
        return rank, world
    if (rank, world) != (None, None):
        raise UsageError("usage.argument", "usage", "rank and world are given together, or neither")
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()), int(distributed.get_world_size())
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return 0, 1
