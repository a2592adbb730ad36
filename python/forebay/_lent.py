"""Batches of torch's ``DataLoader``, made in memory that both processes see, and collated where they lie.

A worker lends a batch to the process that asked for it, and makes another one in the same memory once that one is gone: taking
fresh pages for every batch cost half as much time as decoding its images. Some of what this takes torch has under private names
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

_use_count: Any = getattr(torch._C, "_storage_Use_Count", None)
if _use_count is None:
    default_collate_fn_map = None  # type: ignore[assignment, unused-ignore]

_KINDS: dict[str, tuple[torch.dtype, type[np.generic]]] = {
    "u8": (torch.uint8, np.uint8),
    "f16": (torch.float16, np.float16),
    "f32": (torch.float32, np.float32),
}
#: Batches that a worker lends at a time in memory that it uses again. Whoever keeps more gets memory of their own.
_MOST = 8


#: What the byte behind the end of a block says: no other process has it, one has it, or others have it for good.
_FREE, _LENT, _GONE = range(3)


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
        return self.memory[self.size] != _FREE

    def hold(self, shape: Sequence[int], kind: str) -> torch.Tensor:
        self.held = True
        return _tensor(self.memory, shape, kind, self._dropped)

    def _dropped(self) -> None:
        self.held = False

    def __del__(self) -> None:
        os.close(self.file)


#: Those of this process, where it is a worker.
_blocks: list[_Block] = []
#: What this process has of workers, with where its byte is.
_borrowed: dict[int, tuple[mmap.mmap, int]] = {}


def _before_fork() -> None:
    """The child has every batch that this process has, and nobody would hear that it is done with one."""
    for memory, size in list(_borrowed.values()):
        memory[size] = _GONE
    for block in _blocks:
        if block.held:
            block.memory[block.size] = _GONE


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


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
    block, shared = _unused(size), getattr(torch.UntypedStorage, "_new_shared", None)
    if block is not None:
        made = block.hold(shape, kind)
    elif shared is None:
        made = torch.empty(tuple(shape), dtype=dtype).share_memory_()
    else:
        made = torch.empty(0, dtype=dtype).set_(shared(size), 0, tuple(shape))
    if default_collate_fn_map is None:
        return made
    whole = made.as_subclass(_Whole)
    del made
    whole._block, whole._kind, whole._holders = block, kind, _holders(whole)
    return whole


def _holders(tensor: torch.Tensor) -> int:
    """How many tensors of this process have its memory, with what torch itself holds."""
    found: int = _use_count(tensor.untyped_storage()._cdata)
    return found


def _unused(size: int) -> _Block | None:
    """Memory that nobody has; ``None`` where too much is lent, or where the system or torch lacks something."""
    if default_collate_fn_map is None or not hasattr(os, "memfd_create"):
        return None
    _blocks[:] = [block for block in _blocks if block.memory[block.size] != _GONE]
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
    # Whatever else has the memory would see what becomes of the batch, such as pictures in a cache of the worker.
    shared = _holders(whole) > whole._holders
    block, plain = whole._block, whole.as_subclass(torch.Tensor)
    if block is None:
        alone: tuple[Any, ...] = reduce_tensor(plain.clone() if shared else plain)
        return alone
    untouched = plain.data_ptr() == block.address and plain.nbytes <= block.size and plain.dtype == _KINDS[whole._kind][0]
    if shared or block.lent or not untouched or not plain.is_contiguous() or plain.requires_grad:
        # Sent for the second time, held by others too, or somebody made another tensor of it in its place.
        reduced: tuple[Any, ...] = reduce_tensor(plain.clone())
        return reduced
    # Windows has none, and no such memory either.
    from multiprocessing.reduction import DupFd

    block.memory[block.size] = _LENT
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
        if getpid() == process and _borrowed.pop(id(memory), None) is not None and memory[size] == _LENT:
            memory[size] = _FREE

    _borrowed[id(memory)] = memory, size
    return _tensor(memory, shape, kind, back)


if default_collate_fn_map is None:

    def parts(whole: torch.Tensor) -> list[torch.Tensor]:
        """The images of a batch."""
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

        _block: _Block | None
        _kind: str
        _holders: int

    class _Picture(_Own):
        """An image that knows the batch that it is a part of, so that collating finds it."""

        _whole: torch.Tensor
        _place: int

    def parts(whole: torch.Tensor) -> list[torch.Tensor]:
        """The images of a batch."""
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
