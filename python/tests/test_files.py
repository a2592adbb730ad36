"""File objects of Python's and addresses: read range by range."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
import threading
from typing import Any

import pytest

import forebay
from conftest import numbered


class Counting(io.BytesIO):
    """Bytes that say how much of them was read."""

    name = "counting.tbl"
    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self.taken += len(found)
        return found


@pytest.fixture
def tbl(tmp_path: pathlib.Path) -> pathlib.Path:
    numbered(tmp_path / "train.tar", 400)
    forebay.convert(tmp_path / "train.tar", tmp_path / "train.tbl")
    return tmp_path / "train.tbl"


def test_a_file_object_is_read_where_it_is_asked(tbl: pathlib.Path) -> None:
    file = Counting(tbl.read_bytes() + b"")
    with forebay.TblWriter(tbl.with_name("large.tbl")) as writer:
        for i in range(8):
            writer.add(bytes([i]) * 300_000, metadata={"cls": i})
    file = Counting(tbl.with_name("large.tbl").read_bytes())
    ds = forebay.open(file)
    assert (ds.name, len(ds), ds.format) == ("counting.tbl", 8, "tbl")
    assert bytes(ds[5].payload) == b"\5" * 300_000
    assert file.taken < 1_000_000
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(ds)
    with pytest.raises(forebay.UnsupportedError):
        ds.check()


class Slow(io.RawIOBase):
    """A pipe without a buffer: it gives what it has."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self.data.read(min(len(buffer), 1000))
        buffer[: len(found)] = found
        return len(found)


def test_what_cannot_seek_is_read_to_its_end(tbl: pathlib.Path) -> None:
    text = "n\n" + "".join(f"{i}\n" for i in range(5000))
    table = forebay.open_table(Slow(text.encode()), format="csv")
    assert len(table) == 5000 and table.head(1) == [{"n": 0}]
    assert len(forebay.open_samples(Slow(tbl.read_bytes()))) == 400

    class Waiting(Slow):
        def readinto(self, buffer: Any) -> Any:
            return super().readinto(buffer) or None

    with pytest.raises(forebay.UsageError, match="non-blocking"):
        forebay.open_table(Waiting(b"n\n1\n"), format="csv")
    with pytest.raises(forebay.UsageError, match="binary mode"):
        forebay.open_table(io.StringIO("n\n1\n"), format="csv")  # type: ignore[arg-type]


def test_bytes_of_any_kind_are_opened(tbl: pathlib.Path) -> None:
    data = tbl.read_bytes()
    for kind in (bytes, bytearray, memoryview):
        assert len(forebay.open(kind(data))) == 400
        assert len(forebay.open(kind(b"n\n1\n"), format="csv")) == 1
    ds = forebay.open(tbl)
    assert ds[3] in ds and ds.index(ds[-1]) == 399 and ds[3] != forebay.open(data)[3] and len({ds[3], ds[3], ds[4]}) == 2


def test_many_threads_read_one_file_object(tbl: pathlib.Path) -> None:
    ds = forebay.open(tbl.open("rb"))
    wrong: list[Any] = []

    def look(k: int) -> None:
        for i in range(k, 400, 8):
            if ds[i].metadata["cls"] != i or ds[i].image()[0, 0, 0] != i % 256:
                wrong.append(i)

    threads = [threading.Thread(target=look, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(ds.where("cls >= 390")) == 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_and_its_parent_do_not_move_each_others_place(tbl: pathlib.Path) -> None:
    """Workers of torch's DataLoader got bytes of other samples."""
    with open(tbl, "rb") as file:
        ds = forebay.open(file)
        file.seek(5)
        assert bytes(ds[17].payload) == bytes(forebay.open(tbl)[17].payload) and file.tell() == 5

    class Other(io.FileIO):
        """Of which nobody knows whether its bytes are the file's."""

    def status(file: Any) -> int:
        ds = forebay.open(file)
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if len(ds[17].payload) else 1)
            except forebay.Error as e:
                os._exit(2 if "of the process that this one was forked from" in str(e) else 3)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert status(io.BytesIO(tbl.read_bytes())) == status(open(tbl, "rb")) == 0
    assert status(io.BufferedRandom(Other(tbl, "r+"))) == 2
    # What fsspec opened is opened anew.
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed here")
    with fsspec.open("memory://forked.tbl", "wb") as written:
        written.write(tbl.read_bytes())
    assert status("memory://forked.tbl") == 0


def test_a_file_object_that_fails_is_an_error(tbl: pathlib.Path) -> None:
    class Failing(io.BytesIO):
        fails = False

        def read(self, size: int | None = -1) -> bytes:
            if self.fails:
                raise TimeoutError("the network is gone")
            return super().read(size)

    file = Failing(tbl.read_bytes())
    ds = forebay.open(file)
    file.fails = True
    with pytest.raises(forebay.IoError, match="the network is gone"):
        ds[399].payload
    shorter = Counting(tbl.read_bytes())
    ds = forebay.open(shorter)
    shorter.truncate(100)
    with pytest.raises(forebay.IoError, match="bytes of"):
        ds[399].payload
    with pytest.raises(forebay.Error):
        forebay.open(Failing(b"not a dataset at all"))


def test_what_cannot_seek_is_read_as_a_whole(tbl: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert len(forebay.open(Pipe(tbl.read_bytes()))) == 400
    monkeypatch.setattr("forebay._files.MOST_UNSEEKABLE", 10)
    with pytest.raises(forebay.UsageError, match="cannot seek"):
        forebay.open(Pipe(tbl.read_bytes()))


def test_tables_of_file_objects_and_bytes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,age\nann,31\nbob,27\n")
    forebay.convert(path, path.with_suffix(".parquet"))
    for name in ("people.csv", "people.parquet"):
        with (tmp_path / name).open("rb") as file:
            t = forebay.open(file)
        assert isinstance(t, forebay.Table) and t.where("age > 30").column("name") == ["ann"]
        assert pickle.loads(pickle.dumps(t)).columns == ["name", "age"]
    t = forebay.open_table(b"a,b\n1,2\n", format="csv")
    assert t.head() == [{"a": 1, "b": 2}]
    with pytest.raises(forebay.UsageError, match="format"):
        forebay.open_table(b"a,b\n1,2\n")


def test_fsspec_opens_addresses(tbl: pathlib.Path, tmp_path: pathlib.Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed here")
    address = f"file://{tbl}"
    ds = forebay.open(address)
    assert (ds.name, len(ds), ds[7].metadata["cls"]) == (address, 400, 7)
    again = pickle.loads(pickle.dumps(ds[10:20]))
    assert [sample.metadata["cls"] for sample in again] == list(range(10, 20))
    with fsspec.open("memory://people.csv", "wb") as file:
        file.write(b"name,age\nann,31\n")
    assert forebay.open("memory://people.csv").head() == [{"name": "ann", "age": 31}]
    with pytest.raises(FileNotFoundError):
        forebay.open("memory://nothing.tbl")


def test_without_fsspec_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(forebay.UnsupportedError, match="pip install fsspec"):
        forebay.open("memory://bucket/train.tbl")


def test_what_is_signed_is_neither_shown_nor_pickled(tbl: pathlib.Path) -> None:
    import functools
    import http.server

    class Quiet(http.server.SimpleHTTPRequestHandler):
        """Serves one file, by ranges."""

        def do_GET(self) -> None:
            data = tbl.read_bytes()
            first, _, last = self.headers["range"].removeprefix("bytes=").partition("-")
            part = data[int(first) : int(last) + 1]
            self.send_response(206)
            self.send_header("content-range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
            self.send_header("content-length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tbl.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}/train.tbl"
        assert len(pickle.loads(pickle.dumps(forebay.open(address)))) == 400
        signed = f"{address}?X-Amz-Signature=hidden-secret"
        dataset, loader = forebay.open(signed), forebay.Loader(signed, batch=8)
        assert "hidden-secret" not in f"{dataset!r} {loader!r} {loader.state_dict()} {dataset.name}"
        for one in (dataset, loader):
            with pytest.raises(TypeError, match="train.tbl is not pickled") as e:
                pickle.dumps(one)
            assert "hidden-secret" not in str(e.value)
        with pytest.raises(forebay.Error) as refused:
            forebay.open(f"{signed}x".replace("train.tbl", "../x"))
        assert "hidden-secret" not in repr(refused.value)
    finally:
        server.shutdown()
