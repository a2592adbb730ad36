"""What the package must do where only its wheel is installed: run by `npm run build:wheel -- --check`, and not by pytest.

    python installed.py FOLDER      an empty one, for what it writes
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import sysconfig
import threading
import urllib.request

import numpy as np

import forebay

SAMPLES, SIDE = 48, 32


def main(folder: pathlib.Path) -> None:
    """Raises at the first thing that is not as it must be."""
    package = pathlib.Path(forebay.__file__).parent
    assert package.is_relative_to(sysconfig.get_path("platlib")), f"not the installed package: {package}"
    missing = [name for name in ("py.typed", "_forebay.pyi", "_viewer.br") if not (package / name).is_file()]
    assert not missing, f"the wheel lacks {missing}"
    train = write(folder)
    epoch(train)
    threads(train)
    command(train)
    files(train)
    viewer(train)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled(), "importing the package brought Python's lock back"  # type: ignore[attr-defined]


def write(folder: pathlib.Path) -> pathlib.Path:
    """A dataset of images, each of one color that its label says."""
    path = folder / "train.tbl"
    with forebay.TblWriter(path, compression="lz4") as writer:
        for i in range(SAMPLES):
            writer.add(np.full((40, 48, 3), 5 * i, np.uint8), metadata={"cls": i})
    report = forebay.check(path)
    assert report.ok and len(forebay.open(path)) == SAMPLES, report
    return path


def loader(path: pathlib.Path) -> forebay.Loader:
    return forebay.Loader(path, batch=8, size=SIDE, labels="cls", shuffle=42, dtype="u8", workers=2, rank=0, world=1)


def epoch(path: pathlib.Path) -> None:
    """Every sample comes once, with the pixels of its label; a saved state goes on where it stood."""
    seen: list[int] = []
    for images, labels in loader(path).numpy():
        assert images.shape == (8, 3, SIDE, SIDE)
        assert (images == (5 * labels)[:, None, None, None]).all()
        seen += labels.tolist()
    assert sorted(seen) == list(range(SAMPLES)) and seen != sorted(seen)
    first, rest = loader(path), loader(path)
    batches = first.numpy()
    taken = [label for _ in range(2) for label in next(batches)[1].tolist()]
    rest.load_state_dict(first.state_dict())
    assert taken + [label for _, labels in rest.numpy() for label in labels.tolist()] == seen


def threads(path: pathlib.Path) -> None:
    """Many threads read one dataset, and each has a loader of its own."""
    ds = forebay.open(path)
    wrong: list[object] = []

    def read(number: int) -> None:
        try:
            for i in range(number, number + SAMPLES):
                sample = ds[i % SAMPLES]
                if sample.metadata["cls"] != i % SAMPLES or (sample.image() != 5 * (i % SAMPLES)).any():
                    wrong.append(i)
            if number % 4 == 0 and sum(len(batch.images) for batch in loader(path)) != SAMPLES:
                wrong.append("loader")
        except Exception as e:
            wrong.append(e)

    all_of = [threading.Thread(target=read, args=(number,)) for number in range(16)]
    for one in all_of:
        one.start()
    for one in all_of:
        one.join()
    assert not wrong, wrong


def command(path: pathlib.Path) -> None:
    """The command that is installed with it, and the module as a program."""
    scripts = pathlib.Path(sysconfig.get_path("scripts"))
    program = scripts / ("forebay.exe" if sys.platform == "win32" else "forebay")
    for words in ([str(program)], [sys.executable, "-I", "-m", "forebay"]):
        found = subprocess.run([*words, "inspect", "--json", str(path)], capture_output=True, text=True, timeout=120)
        assert found.returncode == 0, found.stderr
        assert json.loads(found.stdout)["samples"] == SAMPLES
        found = subprocess.run([*words, "check", str(path) + ".no"], capture_output=True, text=True, timeout=120)
        assert found.returncode != 0 and "[io]" in found.stderr, found


def files(path: pathlib.Path) -> None:
    """What else is in it: other formats, tables, errors with their codes."""
    forebay.convert(path, path.with_suffix(".tar"))
    assert len(forebay.open(path.with_suffix(".tar"))) == SAMPLES
    table = path.with_name("people.csv")
    table.write_text("name,age\nann,31\nbob,27\n")
    forebay.convert(table, table.with_suffix(".parquet"))
    assert forebay.open(table.with_suffix(".parquet")).where("age > 30").column("name") == ["ann"]
    try:
        forebay.open(path).where("widht > 3")
    except forebay.UsageError as e:
        assert e.code, e
    else:
        raise AssertionError("a filter of a field that nobody knows was taken")


def viewer(path: pathlib.Path) -> None:
    """The page that came with it, whole: the module that every page loads, the worker, and the widget."""
    from forebay._page import page

    assert "widget.js" in page()
    with forebay.view(path, open=False) as view:
        address = view.url.partition("#")[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"forebay-files" in answer.read()
        modules = [name for name in page().names() if name.endswith(".wasm")]
        assert len(modules) > 5 and any("worker" in name for name in page().names()), page().names()
        for name in modules:
            with urllib.request.urlopen(address + name, timeout=60) as answer:
                assert answer.headers["Content-Type"] == "application/wasm" and answer.read(4) == b"\0asm", name


main(pathlib.Path(sys.argv[1]))
print(f"Python {sys.version.split()[0]}: forebay {forebay.__version__} works")
