"""The interpreter around it: how it ends, what it imports, and memory over many uses."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys

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
