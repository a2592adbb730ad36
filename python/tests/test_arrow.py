"""Tables of other programs: whatever has `__arrow_c_stream__` is read, written, and held against what it claims."""

from __future__ import annotations

import ctypes
import os
import pathlib
import pickle
import time
from typing import Any

import pytest

import forebay


class Stream:
    """What a program of another kind would be."""

    def __init__(self, give: Any) -> None:
        self.give = give

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.give()


@pytest.fixture
def people(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "people.csv"
    path.write_text("name,age,score\nann,31,1.5\nbob,27,\ncy,44,9.25\n")
    return path


def test_rows_of_an_object(people: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source = forebay.open(people)
    t = forebay.from_arrow(Stream(source.__arrow_c_stream__))
    assert (t.format, t.columns, len(t)) == ("arrow", ["name", "age", "score"], 3)
    assert list(t) == list(source) and list(t.where("age > 30").select(["name"])) == [{"name": "ann"}, {"name": "cy"}]
    assert t.stats()["rows"] == 3 and "Stream" in repr(t)
    for name in ("x.tbf", "x.parquet", "x.csv", "x.jsonl", "x.arrow"):
        made = forebay.convert(Stream(source.__arrow_c_stream__), tmp_path / name)
        assert made.samples == 3 and made.output_bytes == (tmp_path / name).stat().st_size
        assert list(forebay.open(tmp_path / name)) == list(source)
    assert forebay.convert(t.where("age > 30"), tmp_path / "few.parquet", where="score > 2").samples == 1
    assert forebay.convert(t, tmp_path / "names.csv", columns=["name"]).details["columns"] == 1


def test_tables_are_converted_as_they_were_opened(people: pathlib.Path, tmp_path: pathlib.Path) -> None:
    t = forebay.open_table(people, types={"age": "string"}, where="score > 2")
    assert forebay.convert(t, tmp_path / "a.parquet").samples == 1
    assert forebay.open(tmp_path / "a.parquet").column("age") == ["44"]
    assert t.convert(tmp_path / "b.parquet", columns=["age"]).samples == 1


def test_options_that_say_nothing_are_refused(people: pathlib.Path, tmp_path: pathlib.Path) -> None:
    t = forebay.from_arrow(forebay.open(people))
    with pytest.raises(forebay.UsageError, match="verify"):
        forebay.convert(t, tmp_path / "a.csv", verify=True)
    with pytest.raises(forebay.UsageError, match="does not say"):
        forebay.convert(t, tmp_path / "a.nothing")
    forebay.convert(t, tmp_path / "a.csv")
    with pytest.raises(forebay.Error, match="exists"):
        forebay.convert(t, tmp_path / "a.csv")
    assert forebay.convert(t, tmp_path / "a.csv", force=True).samples == 3
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        forebay.from_arrow([1, 2])
    with pytest.raises(forebay.UsageError, match="in memory"):
        t.check()


def test_what_is_no_stream_is_refused(people: pathlib.Path) -> None:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    memory = ctypes.create_string_buffer(256)
    name, other = b"arrow_array_stream", b"arrow_schema"
    with pytest.raises(TypeError, match="capsule"):
        forebay.from_arrow(Stream(lambda: 7))
    with pytest.raises(ValueError, match="capsule|PyCapsule"):
        forebay.from_arrow(Stream(lambda: new(ctypes.addressof(memory), other, None)))
    # A stream that was released: all of its functions are missing.
    with pytest.raises(forebay.DamagedError, match="released"):
        forebay.from_arrow(Stream(lambda: new(ctypes.addressof(memory), name, None)))
    # One that says it is alive and can do nothing.
    held = (ctypes.c_void_p * 5)()
    release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    held[3] = ctypes.cast(release, ctypes.c_void_p).value
    with pytest.raises(forebay.DamagedError):
        forebay.from_arrow(Stream(lambda: new(ctypes.addressof(held), name, None)))

    def broken() -> object:
        raise RuntimeError("no rows today")

    with pytest.raises(RuntimeError, match="no rows today"):
        forebay.from_arrow(Stream(broken))


@pytest.mark.parametrize("name", ["texts.tbf", "texts.csv", "texts.parquet"])
def test_polars_is_given_views_of_texts_and_others_are_not(tmp_path: pathlib.Path, name: str) -> None:
    source, path = tmp_path / "rows.csv", tmp_path / name
    texts = ["", "ü", "of twelve b.", "of thirteen b", "a text that lies elsewhere, as it is long"]
    lines = "".join(f'"{texts[i % 5]}","{i}th of {texts[i % 3]}",{i}\n' for i in range(1000))
    source.write_text("few,many,n\n" + lines, encoding="utf-8")
    if path != source:
        forebay.convert(source, path, force=True)
    table = forebay.open_table(path)
    # As if called from one of its modules.
    asked: dict[str, Any] = {"__name__": "polars.dataframe.frame"}
    exec("def ask(table): return table.__arrow_c_stream__()", asked)
    views, plain = asked["ask"](table), table.__arrow_c_stream__()
    assert b"vu" in types_of(views) and b"vu" not in types_of(plain) and b"u" in types_of(plain)
    for capsule in (views, plain):
        assert list(forebay.from_arrow(Stream(lambda capsule=capsule: capsule))) == list(table)


def types_of(capsule: object) -> list[bytes]:
    """The formats of the columns, by Arrow's C interface."""

    class Schema(ctypes.Structure):
        pass

    Schema._fields_ = [
        *((name, ctypes.c_char_p) for name in ("format", "name", "metadata")),
        *((name, ctypes.c_int64) for name in ("flags", "n_children")),
        ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
        *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
    ]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = pointer(capsule, b"arrow_array_stream")
    first = ctypes.c_void_p.from_address(stream).value
    schema = Schema()
    ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))(first)
    assert ask(stream, ctypes.byref(schema)) == 0
    found = [schema.children[i].contents.format for i in range(schema.n_children)]
    ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))(schema.release)(ctypes.byref(schema))
    return found


def test_a_capsule_gives_its_rows_once(people: pathlib.Path) -> None:
    capsule = forebay.open(people).__arrow_c_stream__()
    t = forebay.from_arrow(Stream(lambda: capsule))
    assert len(list(t)) == len(list(t.select(["age"]))) == 3
    with pytest.raises(forebay.DamagedError, match="released"):
        forebay.from_arrow(Stream(lambda: capsule))


def test_errors_of_the_other_program_are_told(people: pathlib.Path, tmp_path: pathlib.Path) -> None:
    people.write_text("name,age\nann,1\n" * 1)
    source = forebay.open_table(people, types={"age": "i64"})
    people.write_text("name,age\nann,x\n")
    with pytest.raises(forebay.IoError, match="age"):
        forebay.convert(Stream(source.__arrow_c_stream__), tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize("name", ["long.tbf", "long.csv"])
def test_a_long_table_is_the_same_made_ahead(tmp_path: pathlib.Path, name: str) -> None:
    count, path = 150_000, tmp_path / name
    (tmp_path / "rows.csv").write_text("id,name,score\n" + "".join(f"{i},name {i % 999},{i / 8}\n" for i in range(count)))
    forebay.convert(tmp_path / "rows.csv", path)
    alone = forebay.from_arrow(forebay.open_table(path, workers=1))
    for _ in range(3):
        table = forebay.from_arrow(Stream(forebay.open_table(path, workers=3).__arrow_c_stream__))
        assert len(table) == count and table.column("id") == list(range(count))
        assert table.column("name") == alone.column("name") and table.column("score") == alone.column("score")
    # Left in the middle, and never begun.
    threads = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
    for _ in range(50):
        forebay.open_table(path, workers=3).__arrow_c_stream__()
    deadline = time.monotonic() + 60
    while threads and len(os.listdir("/proc/self/task")) > threads + 10:
        assert time.monotonic() < deadline, "the threads of streams that nobody reads do not end"
        time.sleep(0.05)


def test_an_error_far_behind_is_told_and_no_rows_are_missed(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.tbf"
    (tmp_path / "rows.csv").write_text("id,name\n" + "".join(f"{i},name {i}\n" for i in range(100_000)))
    forebay.convert(tmp_path / "rows.csv", path)
    table = forebay.open(path)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(forebay.IoError, match="checksum"):
        forebay.from_arrow(Stream(table.__arrow_c_stream__))


def test_pyarrow(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    table = pa.table({"a": pa.array([1, None, 3], pa.int32()), "s": ["x", "y", "ü"], "v": [[1.0], [], [2.0, 3.0]]})
    t = forebay.from_arrow(table)
    assert list(t) == [{"a": 1, "s": "x", "v": [1.0]}, {"a": None, "s": "y", "v": []}, {"a": 3, "s": "ü", "v": [2.0, 3.0]}]
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(t)
    large = pa.table({"n": pa.array(range(200_000))})
    assert forebay.convert(large, tmp_path / "n.parquet").samples == 200_000
    assert forebay.from_arrow(large).where("n >= 199999").column("n") == [199_999]
    reader = pa.RecordBatchReader.from_batches(large.schema, large.to_batches())
    # What has its rows once gives them once.
    once = forebay.from_arrow(reader)
    assert len(once) == len(list(once)) == len(once.to_arrow()) == 200_000
    # Offsets that run backwards, and texts that are none: claims of a stream that are held against its bytes.
    offsets, texts = pa.py_buffer(bytes([0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0])), pa.py_buffer(b"abc")
    backwards = pa.StringArray.from_buffers(2, offsets, texts)
    with pytest.raises(forebay.DamagedError, match="."):
        list(forebay.from_arrow(pa.table({"s": backwards})))
    no_text = pa.StringArray.from_buffers(1, pa.py_buffer(bytes([0, 0, 0, 0, 2, 0, 0, 0])), pa.py_buffer(b"\xff\xfe"))
    with pytest.raises(forebay.DamagedError, match="."):
        list(forebay.from_arrow(pa.table({"s": no_text})))
    keys = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), pa.array(["a"]), safe=False)
    with pytest.raises(forebay.DamagedError, match="."):
        list(forebay.from_arrow(pa.table({"s": keys})))


def test_what_an_arrow_object_loses_is_refused_or_noted(tmp_path: pathlib.Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    import decimal

    rich = pa.table({"d": pa.array([decimal.Decimal("1.25"), None]), "s": pa.array([{"a": 1}, None]), "n": [1, 2]})
    zoned = pa.table({"t": pa.array([0, 1], pa.timestamp("us", "Europe/Berlin"))})
    said = ["column \"d\": Decimal128(3, 2) becomes string", 'column "s": Struct("a": Int64) becomes json']
    held = forebay.from_arrow(rich)
    assert held.notes == said and held.select(["n"]).notes == []
    for table, column in ((rich, "d"), (held, "d"), (zoned, "t"), (forebay.from_arrow(zoned), "t")):
        with pytest.raises(forebay.Error) as e:
            forebay.convert(table, tmp_path / "a.parquet")
        assert (e.value.code, e.value.column, e.value.options) == ("table.target", column, ("lossy",))
    for table in (rich, held, forebay.from_arrow(rich, lossy=True)):
        lossy = getattr(table, "_options", {}).get("lossy", False)
        made = forebay.convert(table, tmp_path / "a.parquet", force=True, lossy=not lossy)
        assert made.notes[:2] == said and "1 values of Decimal128(3, 2) became text" in made.notes[2]
    # What is not written is not missed.
    assert forebay.convert(held, tmp_path / "n.parquet", columns=["n"]).notes == []
    # Bytes of a file are as the file is.
    file = tmp_path / "b.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(rich, file)
    assert forebay.open(file).notes == forebay.open_table(file.read_bytes(), format="parquet").notes == said
    with pytest.raises(forebay.Error, match="Decimal128"):
        forebay.convert(forebay.open_table(file.read_bytes(), format="parquet"), tmp_path / "c.parquet")


def test_what_no_table_holds_is_not_called_damaged() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    rows = pa.array([{"a": 1}, None, {"a": 3}])
    with pytest.raises(forebay.UnsupportedError, match="a row as a whole is missing"):
        forebay.from_arrow(pa.chunked_array([rows]))
    assert forebay.from_arrow(pa.chunked_array([rows.drop_null()])).column("a") == [1, 3]
    with pytest.raises(forebay.UsageError, match="one column"):
        forebay.from_arrow(pa.chunked_array([[1, 2]]))

    def rows_until_it_fails() -> Any:
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("no rows today")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), rows_until_it_fails())
    with pytest.raises(forebay.IoError, match="no rows today"):
        forebay.from_arrow(reader)


def test_columns_of_nothing_come_from_polars_too() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed here")
    frame = pl.DataFrame({"a": [1, 2], "n": [None, None], "s": [{"x": None}, {"x": None}], "l": [[None], []]})
    assert list(forebay.from_arrow(frame.select("a", "n"))) == [{"a": 1, "n": None}, {"a": 2, "n": None}]
    assert forebay.from_arrow(frame).column("s") == [{"x": None}, {"x": None}]
    with pytest.raises(forebay.UsageError, match="one column"):
        forebay.from_arrow(pl.Series("a", [1]))
    with pytest.raises(forebay.UnsupportedError):
        forebay.from_arrow(pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)}))


def test_polars_pandas_and_duckdb(people: pathlib.Path, tmp_path: pathlib.Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed here")
    frame = polars.DataFrame(forebay.open(people))
    assert list(forebay.from_arrow(frame.filter(polars.col("age") > 30))) == list(forebay.open(people).where("age > 30"))
    assert forebay.convert(frame, tmp_path / "p.tbf").samples == 3
    pandas = pytest.importorskip("pandas", reason="pandas is not installed here")
    assert forebay.convert(pandas.DataFrame({"a": [1, 2]}), tmp_path / "a.csv").samples == 2
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed here")
    query = duckdb.sql("select range as n from range(5)")
    assert forebay.from_arrow(query).column("n") == [0, 1, 2, 3, 4]
