"""The interpreter around it: how it ends, what it imports, and memory over many uses."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest

import forebay
from conftest import numbered

#: Imports the package in another interpreter of the same process; prints what it says.
INNER = """
try:
    import forebay
    print('imported', flush=True)
except ImportError as e:
    print('refused:', e, flush=True)
"""
SUBINTERPRETER = f"""
import sys
if sys.argv[1] == 'after':
    import forebay
try:
    import _interpreters as made
except ImportError:
    import _xxsubinterpreters as made
one = made.create()
found = made.run_string(one, {INNER!r})
if found is not None:
    print(found.formatted)
import forebay
print('main has', forebay.__version__)
"""

LIVE = """
import sys, threading, forebay
loader = forebay.Loader(sys.argv[1], batch=10, size=64, workers=4, prefetch=4)
kept = next(iter(loader)).images
threading.Thread(target=lambda: [None for _ in forebay.Loader(sys.argv[1], batch=10, size=64)], daemon=True).start()
print("made", kept.shape)
"""


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_interpreter_ends_with_live_loaders(tmp_path: pathlib.Path) -> None:
    path = str(numbered(tmp_path / "a.tar", 100))
    for _ in range(3):
        found = python(LIVE, path)
        assert (found.returncode, found.stdout, found.stderr) == (0, "made (10, 3, 64, 64)\n", "")


@pytest.mark.parametrize("when", ["before", "after"])
def test_other_interpreters_of_the_process_are_refused_in_words(when: str) -> None:
    found = python(SUBINTERPRETER, when)
    if "No module named '_xxsubinterpreters'" in found.stderr:
        pytest.skip("this Python has no module that makes interpreters")
    refused, main = found.stdout.splitlines()
    assert refused.startswith("refused: forebay") and "main interpreter" in refused
    assert (main, found.returncode) == (f"main has {forebay.__version__}", 0), found.stderr


def test_importing_imports_little() -> None:
    found = python("import sys, forebay; print(sorted({'torch', 'tqdm', 'pyarrow', 'pandas', 'PIL'} & sys.modules.keys()))")
    assert found.stdout == "[]\n", found.stderr


def test_parts_for_other_libraries_are_there_once_they_are_asked_for() -> None:
    found = python(
        "import sys, forebay; before = 'forebay.compat' in sys.modules; print(before, forebay.compat.__name__, hasattr(forebay, 'nope'))"
    )
    assert found.stdout == "False forebay.compat False\n", found.stderr
    torch = "import forebay; print(forebay.torch.Dataset.__module__)"
    found = python(torch)
    # Without torch it is torch that is said to be missing.
    assert found.stdout == "forebay.torch\n" or "No module named 'torch'" in found.stderr, found.stderr


def test_memory_does_not_grow(tmp_path: pathlib.Path) -> None:
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("only Linux says in /proc how much memory a process has")
    path = numbered(tmp_path / "a.tar", 50)

    def used() -> int:
        gc.collect()
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def once() -> None:
        ds = forebay.open(path)
        for sample in ds:
            sample.image()
            sample.metadata
        for batch in forebay.Loader(path, batch=10, size=128, labels="cls", workers=2):
            batch.images, batch.labels, batch.payloads

    for _ in range(10):
        once()
    before = used()
    for _ in range(50):
        once()
    # One epoch's tensors are 10 MB: were they kept, they would be 500.
    assert used() - before < 100 << 20


def test_two_hundred_loaders_leave_nothing_behind(tmp_path: pathlib.Path) -> None:
    if not os.path.exists("/proc/self/task"):
        pytest.skip("only Linux lists in /proc what a process has")
    path = numbered(tmp_path / "a.tar", 24)

    def held() -> tuple[int, int, int]:
        """Threads, open files, and bytes in memory."""
        gc.collect()
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), pages * os.sysconf("SC_PAGE_SIZE")

    def once(i: int) -> None:
        loader = forebay.Loader(path, batch=4, size=64, labels="cls", shuffle=i, workers=2, prefetch=2)
        batches = iter(loader)
        kept = next(batches).images
        # Left half-way, at its end, or closed; its last batch outlives it.
        if i % 3 == 1:
            for _ in batches:
                pass
        elif i % 3 == 2:
            loader.close()
        del loader, batches
        assert kept.shape == (4, 3, 64, 64)

    for i in range(20):
        once(i)
    threads, files, memory = held()
    for i in range(200):
        once(i)
    until = time.monotonic() + 30
    # Threads that were told to end may take their time on a busy machine.
    while held()[0] > threads and time.monotonic() < until:
        time.sleep(0.05)
    threads_after, files_after, memory_after = held()
    assert threads_after <= threads and files_after <= files
    # Two batches of each are 400 kB, and the stacks of its threads more: were either kept, it would be 80 MB and up.
    assert memory_after - memory < 40 << 20


def test_fifty_threads_read_one_dataset(tmp_path: pathlib.Path) -> None:
    forebay.convert(numbered(tmp_path / "a.tar", 100), tmp_path / "a.tbl", compression="lz4")
    ds = forebay.open(tmp_path / "a.tbl")
    wrong: list[object] = []
    ready = threading.Barrier(50)

    def read(number: int) -> None:
        ready.wait()
        try:
            for i in [(7 * number + k) % 100 for k in range(100)]:
                sample = ds[i]
                found = (sample.metadata["cls"], sample.image()[0, 0].tolist(), str(sample.name)[:5])
                if found != (i, [i, 0, 7], f"{i:05}"):
                    wrong.append((number, i))
            if len(ds.where(f"cls < {number}")) != number:
                wrong.append(number)
        except Exception as e:
            wrong.append(e)

    all_of = [threading.Thread(target=read, args=(number,)) for number in range(50)]
    for one in all_of:
        one.start()
    for one in all_of:
        one.join()
    assert not wrong, wrong[:3]
