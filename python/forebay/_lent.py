"""Batches of torch's ``DataLoader``, made in memory that both processes see, and collated where they lie.

A worker lends a batch to the process that asked for it, and makes another one in the same memory once that one is gone: taking
fresh pages for every batch cost half as much time as decoding its pictures. Some of what this takes torch has under private names
only. A torch that lacks one of them gets the same batches, by copies.
"""

from __future__ import annotations

import math
import mmap
import os
from multiprocessing.reduction import ForkingPickler
from typing import Any, Callable, Sequence

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]
from torch.multiprocessing.reductions import reduce_tensor  # type: ignore[import-not-found, unused-ignore]

try:
    from torch._C import _disabled_torch_function_impl as _plainly  # type: ignore[import-not-found, unused-ignore]
    from torch.utils.data._utils.collate import (  # type: ignore[import-not-found, unused-ignore]
        collate_tensor_fn,
        default_collate_fn_map,
    )
except ImportError:
    default_collate_fn_map = None  # type: ignore[assignment, unused-ignore]

__all__ = ["parts", "room"]

_KINDS: dict[str, tuple[torch.dtype, type[np.generic]]] = {
    "u8": (torch.uint8, np.uint8),
    "f16": (torch.float16, np.float16),
    "f32": (torch.float32, np.float32),
}
#: Batches that a worker lends at a time in memory that it uses again. Whoever keeps more gets memory of their own.
_MOST = 8


class _Block:
    """Memory of a worker. The byte behind its end says whether another process has it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.file = os.memfd_create("forebay")
        os.ftruncate(self.file, size + 1)
        self.memory = mmap.mmap(self.file, size + 1)
        self.address = np.frombuffer(self.memory, np.uint8).ctypes.data
        #: Whether a tensor of this process has it.
        self.held = False

    @property
    def lent(self) -> bool:
        return self.memory[self.size] != 0

    def hold(self, shape: Sequence[int], kind: str) -> torch.Tensor:
        self.held = True
        return _tensor(self.memory, shape, kind, self._dropped)

    def _dropped(self) -> None:
        self.held = False

    def __del__(self) -> None:
        os.close(self.file)


#: Those of this process, where it is a worker.
_blocks: list[_Block] = []


class _Held(np.ndarray[Any, Any]):
    """An array that says when neither it nor any tensor or array made of it is left."""

    _gone: Callable[[], None] | None = None

    def __del__(self) -> None:
        if self._gone is not None:
            self._gone()


def _tensor(memory: mmap.mmap, shape: Sequence[int], kind: str, gone: Callable[[], None]) -> torch.Tensor:
    array = np.frombuffer(memory, _KINDS[kind][1], math.prod(shape)).view(_Held)
    array._gone = gone
    return torch.from_numpy(array).view(tuple(shape))


def room(shape: Sequence[int], kind: str) -> torch.Tensor:
    """Memory for a batch: in a worker of ``DataLoader`` such that another process can map it."""
    dtype, number = _KINDS[kind]
    size = math.prod(shape) * np.dtype(number).itemsize
    if size == 0 or torch.utils.data.get_worker_info() is None:
        return torch.empty(tuple(shape), dtype=dtype)
    block = _unused(size)
    if block is not None:
        whole = block.hold(shape, kind).as_subclass(_Whole)
        whole._block, whole._kind = block, kind
        return whole
    shared = getattr(torch.UntypedStorage, "_new_shared", None)
    if shared is None:
        return torch.empty(tuple(shape), dtype=dtype).share_memory_()
    return torch.empty(0, dtype=dtype).set_(shared(size), 0, tuple(shape))


def _unused(size: int) -> _Block | None:
    """Memory that nobody has; ``None`` where too much is lent, or where the system or torch lacks something."""
    if default_collate_fn_map is None or not hasattr(os, "memfd_create"):
        return None
    free = [block for block in _blocks if not block.held and not block.lent]
    fitting = [block for block in free if block.size >= size]
    if fitting:
        return min(fitting, key=lambda block: block.size)
    # What is too small for a batch is too small for the next ones too.
    for block in free:
        _blocks.remove(block)
    if len(_blocks) >= _MOST:
        return None
    try:
        _blocks.append(_Block(size))
    except OSError:
        return None
    return _blocks[-1]


def _lend(whole: Any) -> tuple[Any, ...]:
    """What travels to the other process instead of a batch."""
    block, plain = whole._block, whole.as_subclass(torch.Tensor)
    untouched = plain.data_ptr() == block.address and plain.nbytes <= block.size and plain.dtype == _KINDS[whole._kind][0]
    if block.lent or not untouched or not plain.is_contiguous() or plain.requires_grad:
        # Sent for the second time, or somebody made another tensor of it in its place.
        reduced: tuple[Any, ...] = reduce_tensor(plain.clone())
        return reduced
    # Windows has none, and no such memory either.
    from multiprocessing.reduction import DupFd

    block.memory[block.size] = 1
    return _borrow, (DupFd(block.file), block.size, tuple(plain.shape), whole._kind)


def _borrow(file: Any, size: int, shape: tuple[int, ...], kind: str) -> torch.Tensor:
    """The batch in the other process, which gives its memory back with the last tensor that is made of it."""
    number = file.detach()
    try:
        memory = mmap.mmap(number, size + 1)
    finally:
        os.close(number)
    process = os.getpid()

    def back(getpid: Callable[[], int] = os.getpid) -> None:
        # Not by a fork of this process, which has a tensor of its own over the same memory.
        if getpid() == process:
            memory[size] = 0

    return _tensor(memory, shape, kind, back)


if default_collate_fn_map is None:

    def parts(whole: torch.Tensor) -> list[torch.Tensor]:
        """The pictures of a batch."""
        return list(whole)

else:

    class _Own(torch.Tensor):  # type: ignore[misc, unused-ignore]
        """A tensor that knows more than its numbers. What is computed of it is a plain tensor, and so are its copies."""

        __torch_function__ = _plainly

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self.as_subclass(torch.Tensor).clone().__reduce_ex__(protocol)

        def __deepcopy__(self, memo: Any) -> torch.Tensor:
            return self.as_subclass(torch.Tensor).clone()

    class _Whole(_Own):
        """A batch in memory that a worker can lend."""

        _block: _Block
        _kind: str

    class _Picture(_Own):
        """A picture that knows the batch that it is a part of, so that collating finds it."""

        _whole: torch.Tensor
        _place: int

    def parts(whole: torch.Tensor) -> list[torch.Tensor]:
        """The pictures of a batch."""
        found = []
        for place, one in enumerate(whole):
            picture = one.as_subclass(_Picture)
            picture._whole, picture._place = whole, place
            found.append(picture)
        return found

    def _together(batch: list[_Picture], *, collate_fn_map: Any = None) -> torch.Tensor:
        """The batch that all of these are, or else a copy of them, as of other tensors."""
        whole = batch[0]._whole
        if len(whole) == len(batch) and all(one._whole is whole and one._place == k for k, one in enumerate(batch)):
            return whole
        return collate_tensor_fn([one.as_subclass(torch.Tensor) for one in batch], collate_fn_map=collate_fn_map)

    # By type, as torch documents it for types of one's own; and how they travel between processes: a picture where nobody
    # collates.
    default_collate_fn_map[_Picture] = _together
    ForkingPickler.register(_Picture, lambda one: reduce_tensor(one.as_subclass(torch.Tensor)))
    ForkingPickler.register(_Whole, _lend)
