"""Rows of tables as batches."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, Sequence

from . import _forebay
from ._convert import PathLike
from ._errors import UsageError
from ._files import unsigned
from ._loader import place
from ._settings import keywords, settings_text, state_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TableLoader"]


class TableLoader:
    """Batches of the rows of a table: Parquet, Arrow, CSV, JSON lines, TBF, IDV. The columns are read once and stay in memory;
    order, ranks, iterations and states are those of :class:`Loader`, and it pickles as one.

    Iterating gives one epoch of dictionaries; the next time the next epoch. Whole numbers and times are ``int64``, floats
    ``float32``, truth values ``uint8``, vectors of one length a dimension more. Text is its bytes, and like vectors of any
    length it comes with offsets as ``NAME_offsets``; where values are missing, ``NAME_mask`` has 1 for each that is there.

    ``window`` makes a sample of several rows that follow each other, such as the frames of a run, and the next one begins
    ``stride`` rows later; none reaches over rows where the column ``within`` changes.
    """

    def __init__(
        self,
        path: PathLike,
        *,
        columns: Sequence[str] | None = None,
        where: str | None = None,
        batch: int = 32,
        shuffle: int | None = None,
        rank: int | None = None,
        world: int | None = None,
        tail: Literal["drop", "pad", "uneven"] = "drop",
        window: int = 1,
        stride: int = 1,
        within: str | None = None,
        most_bytes: int | None = None,
        types: Mapping[str, str] | None = None,
        format: str | None = None,
    ) -> None:
        self._options = keywords(locals(), "self", "path", "types", "format")
        self._path = os.fspath(path)
        self._options["rank"], self._options["world"] = place(rank, world)
        self._options["read"] = {"types": list((types or {}).items()), "format": format}
        self._open(None)

    def _open(self, state: str | None) -> None:
        self._core = _forebay.RowLoader(self._path, settings_text(self._options), state)
        # Which iteration is the loader's: the last that has begun, and none from before a state was loaded.
        self._turn = getattr(self, "_turn", 0) + 1
        # The epoch that was set since.
        self._set: int | None = None
        # The epoch that was gone to, and where that was.
        self._begun: tuple[int, tuple[int, int]] | None = None

    def __len__(self) -> int:
        """Batches of an epoch, on this rank."""
        return self._core.size()[0]

    @property
    def epoch_samples(self) -> int:
        """Samples of an epoch, of all ranks: rows, or windows of them."""
        return self._core.size()[1]

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch; after :meth:`load_state_dict` to the state's position in it."""
        self._begin(epoch)
        self._set = epoch

    def __iter__(self) -> Iterator[dict[str, NDArray[Any]]]:
        """One epoch, or the rest of it after a state was loaded; after its last batch the next one."""
        _, epoch, step = self._core.state()
        # Where a state stands behind this rank's last batch, other ranks may still have some of the epoch.
        ended = step * self._options["batch"] * self._options["world"] >= self.epoch_samples
        over = step >= len(self) > 0 and (self._begun is not None or ended or self._options["tail"] != "uneven")
        self._begin(epoch + over if self._set is None else self._set)
        self._set = None
        self._turn += 1
        return self._epoch(self._turn)

    def _begin(self, epoch: int) -> None:
        """Goes to an epoch, and not again where no batch was taken since: a loaded state stands in it only once."""
        if self._begun != (epoch, self._core.state()[1:]):
            self._core.begin(epoch)
            self._begun = (epoch, self._core.state()[1:])

    def _epoch(self, turn: int) -> Iterator[dict[str, NDArray[Any]]]:
        while True:
            if turn != self._turn:
                raise UsageError("usage.argument", "usage", "another iteration over this loader has begun since")
            if (found := self._core.next()) is None:
                break
            yield _batch(found)
        self._core.begin(self._core.state()[1] + 1)

    def state_dict(self) -> dict[str, Any]:
        """The position of the run after its last batch: plain data."""
        found: dict[str, Any] = json.loads(self._core.state()[0])
        return found

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues a saved run; other rows or settings are an error."""
        self._open(state_text(state))

    def __getstate__(self) -> dict[str, Any]:
        unsigned([self._path])
        kept = {name: value for name, value in self.__dict__.items() if name != "_core"}
        return {**kept, "_state": self._core.state()[0]}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("_state")
        self.__dict__.update(kept)
        self._open(state)


def _batch(columns: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a batch by name."""
    found = [(name, values.reshape(shape)) for name, values, shape, _, _ in columns]
    for name, _, _, offsets, mask in columns:
        found += [(f"{name}_{what}", array) for what, array in (("offsets", offsets), ("mask", mask)) if array is not None]
    batch = dict(found)
    if len(batch) < len(found):
        names = [name for name, _ in found]
        twice = next(name for name in names if names.count(name) > 1)
        message = f"{twice!r} is a column, and what comes with another one is called so too: choose among them by `columns`"
        raise UsageError("usage.argument", "usage", message)
    return batch
