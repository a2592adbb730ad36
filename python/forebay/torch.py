"""Datasets and batches for PyTorch. It is imported when this module is."""

from __future__ import annotations

import json
import operator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
except ImportError as e:
    raise ImportError("forebay.torch needs PyTorch: pip install torch") from e

from . import _forebay
from ._augment import Augment, Step
from ._convert import PathLike
from ._dataset import Dataset as Samples
from ._dataset import open_samples
from ._errors import UsageError
from ._lent import parts, room
from ._loader import mapped, recipe
from ._records import field_of
from ._settings import settings_text

if TYPE_CHECKING:
    from ._loader import Loader

__all__ = ["Batches", "Dataset", "tensors"]


def tensors(loader: Loader, device: Any = None) -> Iterator[Any]:
    """One epoch of a loader as tensors; see :meth:`forebay.Loader.torch`."""
    if device is None or torch.device(device).type == "cpu":
        return (mapped(found, torch.from_numpy) for found in loader.numpy())
    return _ahead(loader, mover(torch.device(device)))


class Mover:
    """How tensors get to a device. ``start`` runs on a thread of its own and returns what ``finish`` is given later, on the
    caller's thread, when the tensors are about to be used."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def start(self, found: Any) -> Any:
        return mapped(found, lambda array: torch.from_numpy(array).to(self.device))

    def finish(self, started: Any) -> Any:
        return started


class CudaMover(Mover):
    """Copies into pinned memory, which torch keeps and uses again, and from there on a stream of its own."""

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self.stream = torch.cuda.Stream(device)

    def start(self, found: Any) -> Any:
        moved: list[torch.Tensor] = []

        def move(array: Any) -> torch.Tensor:
            pinned = torch.from_numpy(array).pin_memory()
            moved.append(pinned.to(self.device, non_blocking=True))
            return moved[-1]

        with torch.cuda.stream(self.stream):
            tree = mapped(found, move)
            return tree, moved, self.stream.record_event()

    def finish(self, started: Any) -> Any:
        tree, moved, event = started
        stream = torch.cuda.current_stream(self.device)
        stream.wait_event(event)
        for tensor in moved:
            # Its memory was taken on the other stream: it is not free before this one is done with it.
            tensor.record_stream(stream)
        return tree


#: How to move to a kind of device; another kind is copied to without a stream.
MOVERS: dict[str, Callable[[torch.device], Mover]] = {"cuda": CudaMover}


def mover(device: torch.device) -> Mover:
    if device.type == "cuda" and not torch.cuda.is_available():
        message = "there is no CUDA device here, or torch is built without CUDA; without a device tensors stay on the CPU"
        raise UsageError("usage.argument", "usage", message)
    return MOVERS.get(device.type, Mover)(device)


def _ahead(loader: Loader, moves: Mover) -> Iterator[Any]:
    """Batches on a device, each started on its way before the one in front of it is given."""
    with ThreadPoolExecutor(1, "forebay-copy") as thread:
        waiting: tuple[Future[Any], Any] | None = None
        for found in loader.numpy():
            started = thread.submit(moves.start, found), loader._stands()
            if waiting is not None:
                # A saved state says what was given, and not what is on its way.
                loader._behind = waiting[1]
                yield moves.finish(waiting[0].result())
            waiting = started
        if waiting is not None:
            loader._behind = waiting[1]
            yield moves.finish(waiting[0].result())
            loader._behind = None


class Batches(torch.utils.data.IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
    """A loader's batches for torch's ``DataLoader(..., batch_size=None)``, torchdata's ``StatefulDataLoader`` and Lightning.

    The loader has threads of its own, so ``num_workers`` is 0, or 1. A worker begins at the position of the loader that it is a copy
    of, and the loader here does not move: with ``num_workers=1`` call :meth:`set_epoch` before each epoch, or every one is the
    same, unless ``persistent_workers`` keeps the worker.
    """

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        if worker is not None and worker.num_workers > 1:
            message = "the loader has threads of its own, and every worker would give all batches: num_workers is 0 or 1"
            raise UsageError("usage.argument", "usage", message)
        return self.loader.torch()

    def set_epoch(self, epoch: int) -> None:
        """As the loader's."""
        self.loader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """As the loader's."""
        return self.loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """As the loader's."""
        self.loader.load_state_dict(state)


class Dataset(torch.utils.data.Dataset):  # type: ignore[misc, type-arg, unused-ignore]
    """A map-style dataset for torch's own ``DataLoader``, with labels by a metadata field.

    With a ``size``, images become tensors as in :class:`forebay.Loader`, all those of a batch in one call, and what is
    random about them is drawn from torch's generator. They are made where the default collating of ``DataLoader`` wants them,
    in a worker in memory that the other process sees too and that is used again once nobody has the batch, so that a batch is
    never copied. ``transform(image) -> anything`` is called for each: with a size with its tensor, otherwise with its pixels,
    height x width x 3. Forked and spawned workers open the file themselves.
    """

    def __init__(
        self,
        source: PathLike | Samples,
        *,
        size: int | tuple[int, int] | None = None,
        augment: Augment | Step | None = None,
        normalize: Any = None,
        dtype: str = "f32",
        layout: str = "nchw",
        transform: Callable[[Any], Any] | None = None,
        label: str | None = None,
        where: str | None = None,
    ) -> None:
        samples = source if isinstance(source, Samples) else open_samples(source)
        self.samples = samples if where is None else samples.where(where)
        self.transform = transform
        self.label = label
        if normalize is not None and dtype == "u8":
            message = 'bytes are not normalized: leave `normalize` out, or take the dtype "f32" or "f16"'
            raise UsageError("loader.settings", "usage", message)
        if size is None and (dtype != "f32" or layout != "nchw"):
            message = "dtype and layout are for images that become tensors, by a size; without one `transform` makes them"
            raise UsageError("loader.settings", "usage", message)
        if size is None and (augment is not None or normalize is not None):
            raise UsageError("usage.argument", "usage", "augment and normalize need a size")
        image = recipe(size, augment=augment, normalize=normalize, layout=layout)
        self._recipe = None if size is None else settings_text({"image": image, "dtype": dtype})
        self._dtype = dtype
        self._pictures: _forebay.Pictures | None = None
        self._labels: dict[int, Any] = {}
        self._make()

    def _make(self) -> _forebay.Pictures | None:
        if self._pictures is None and self._recipe is not None:
            self._pictures = _forebay.Pictures(self._recipe)
        return self._pictures

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int) -> Any:
        (found,) = self._made([i], list)
        return found

    def __getitems__(self, numbers: Sequence[int]) -> list[Any]:
        return self._made(numbers, parts)

    def _made(self, numbers: Sequence[int], apart: Callable[[torch.Tensor], list[torch.Tensor]]) -> list[Any]:
        """These samples; ``apart`` takes a batch apart that nobody transforms."""
        # Also tensors and NumPy's numbers, and no fractions.
        numbers = [operator.index(i) for i in numbers]
        chosen = [self.samples._number(i) for i in numbers]
        pictures = self._make()
        images: list[Any]
        if pictures is None:
            pixels = (self.samples[i].image() for i in numbers)
            images = [torch.from_numpy(one) if self.transform is None else self.transform(one) for one in pixels]
        else:
            keys = torch.randint(0, 2**63 - 1, (len(chosen),)).tolist()
            whole = room((len(chosen), *pictures.shape), self._dtype)
            pictures.fill(self.samples._core(), chosen, keys, whole.view(-1).numpy())
            images = apart(whole) if self.transform is None else [self.transform(one) for one in whole]
        if self.label is None:
            return images
        return [(image, self._label(i)) for image, i in zip(images, chosen)]

    def _label(self, i: int) -> Any:
        """Read once: metadata is parsed for it."""
        if i not in self._labels:
            text = self.samples._core().metadata(i)
            self._labels[i] = field_of(None if text is None else json.loads(text), self.label or "", i, self.samples.name)
        return self._labels[i]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pictures": None}
