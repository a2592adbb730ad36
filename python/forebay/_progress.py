"""Progress of long work: reported to a function, to tqdm if it is installed, or to standard error."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

Tell = Callable[[int, int], object]
Progress = Union[bool, Tell]


@contextmanager
def telling(progress: Progress, title: str, unit: str) -> Iterator[Optional[Tell]]:
    """What is called with (done, total); total is 0 where it is not known."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        with _plain(title, unit) as tell:
            yield tell
        return
    with tqdm(desc=title, unit=unit) as bar:
        yield _to_bar(bar)


def _to_bar(bar: Any) -> Tell:
    def tell(done: int, total: int) -> None:
        if total:
            bar.total = total
        bar.update(done - bar.n)

    return tell


@contextmanager
def _plain(title: str, unit: str) -> Iterator[Tell]:
    started = time.monotonic()
    told = started
    shown = False

    def line(done: int, total: int) -> str:
        rate = done / max(time.monotonic() - started, 1e-6)
        of = f" of {total:,}" if total else ""
        return f"{title}: {done:,}{of} {unit}, {rate:,.0f}/s"

    def tell(done: int, total: int) -> None:
        nonlocal told, shown
        now = time.monotonic()
        if now - told >= 0.5:
            told, shown = now, True
            print(f"\r{line(done, total)}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if shown:
            print(file=sys.stderr)
