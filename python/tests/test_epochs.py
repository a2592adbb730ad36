"""Where epochs begin and end, for whom, and where a saved state stands in them."""

from __future__ import annotations

import os
import pathlib
import threading
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import numbered


@pytest.fixture
def ten(tmp_path: pathlib.Path) -> pathlib.Path:
    """So many samples."""
    return numbered(tmp_path / "10.tar", 10)


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the system tells it in /proc")
def test_a_kept_iterator_keeps_no_threads_once_a_state_is_loaded(ten: pathlib.Path) -> None:
    loader = forebay.Loader(ten, batch=2, size=4, workers=4)
    before, kept = len(os.listdir("/proc/self/task")), []
    for _ in range(10):
        kept.append(iter(loader))
        next(kept[-1])
        loader.load_state_dict(loader.state_dict())
    assert len(os.listdir("/proc/self/task")) < before + 12
    with pytest.raises(forebay.UsageError, match="another iteration"):
        next(kept[0])


def test_a_state_comes_back_from_checkpoints_of_arrays(ten: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def arrays(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: arrays(one) for name, one in value.items()}
        return [arrays(one) for one in value] if isinstance(value, list) else np.array(value) if isinstance(value, int) else value

    (tmp_path / "a.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(10)))
    loaders: list[Any] = [forebay.Loader(ten, batch=2, shuffle=3), forebay.TableLoader(tmp_path / "a.csv", batch=2)]
    for loader in loaders:
        next(iter(loader))
        loader.load_state_dict(arrays(loader.state_dict()))
        assert len(list(loader)) == 4
        for wrong in (None, "state", [1]):
            with pytest.raises(forebay.UsageError, match="a state is what"):
                loader.load_state_dict(wrong)


@pytest.mark.parametrize("table", [False, True])
def test_a_rank_without_the_last_batch_has_one_less(table: bool, ten: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n" + "".join(f"{i}\n" for i in range(10)))
    for rank, count in enumerate((2, 2, 1, 1)):
        more: dict[str, Any] = {"batch": 2, "rank": rank, "world": 4, "tail": "uneven", "shuffle": 3}

        def made() -> Any:
            return forebay.TableLoader(path, **more) if table else forebay.Loader(ten, **more)

        def numbers(found: Any) -> list[list[int]]:
            return [(batch["n"] if table else batch.indices).tolist() for batch in found]

        loader = made()
        epochs = [numbers(loader) for _ in range(3)]
        assert [len(loader), *map(len, epochs)] == [count] * 4
        # Behind the last batch that it gets, the next one is of the next epoch. Where a state says it, the rest of the epoch
        # is empty as long as other ranks have one.
        loader = made()
        for _, _ in zip(range(count), loader):
            pass
        again = made()
        again.load_state_dict(loader.state_dict())
        assert count == 2 or numbers(again) == []
        assert numbers(loader) == numbers(again) == epochs[1]


def test_a_rank_with_nothing_left_of_an_epoch_is_no_epoch_ahead(ten: pathlib.Path) -> None:
    def made(rank: int) -> forebay.Loader:
        return forebay.Loader(ten, batch=1, rank=rank, world=4, tail="uneven", shuffle=3)

    # 8 of the 10 samples are given, and 2 of the 4 ranks get nothing more in this epoch.
    before = made(0)
    for _, _ in zip(range(2), before):
        pass
    for rank in range(4):
        loader = made(rank)
        loader.load_state_dict(before.state_dict())
        rest, following = [[batch.epoch for batch in loader] for _ in range(2)]
        assert rest == [0] * (rank < 2) and set(following) == {1}, rank


def test_threads_that_share_an_iterator_share_one_epoch(tmp_path: pathlib.Path) -> None:
    """Those that waited while another came to the end took batches of the next epoch."""
    loader = forebay.Loader(numbered(tmp_path / "a.tar", 24), batch=2, size=4, shuffle=1)
    for _ in range(60):
        found, taken = iter(loader), list[int]()
        threads = [threading.Thread(target=lambda: [taken.extend(b.indices.tolist()) for b in found]) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == list(range(24))


@pytest.mark.parametrize("table", [False, True])
def test_an_epoch_may_be_gone_to_more_than_once(table: bool, ten: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """By a framework and by its user: where a state was loaded, the second time began the epoch from its beginning."""
    path = tmp_path / "a.csv"
    path.write_text("n\n" + "".join(f"{i}\n" for i in range(10)))

    def made() -> Any:
        return forebay.TableLoader(path, batch=2, shuffle=3) if table else forebay.Loader(ten, batch=2, shuffle=3)

    def rest(found: Any) -> list[list[int]]:
        return [(batch["n"] if table else batch.indices).tolist() for batch in found]

    loader = made()
    epochs = [rest(loader) for _ in range(3)]
    loader.set_epoch(1)
    next(iter(loader))
    state = loader.state_dict()

    def set_twice(loader: Any) -> None:
        loader.set_epoch(1)
        loader.set_epoch(1)

    def set_and_begun(loader: Any) -> None:
        loader.set_epoch(1)
        iter(loader)

    for go in (set_twice, set_and_begun, iter):
        loader = made()
        loader.load_state_dict(state)
        go(loader)
        assert rest(loader) == epochs[1][1:]
        assert rest(loader) == epochs[2]
    # What an older iteration takes of the epoch is not missing in the new one.
    loader = made()
    before = iter(loader)
    next(before)
    loader.set_epoch(2)
    next(before)
    assert rest(loader) == epochs[2]
    if not table:
        loader.set_epoch(1)
        loader.close()
        assert rest(loader) == epochs[1]
