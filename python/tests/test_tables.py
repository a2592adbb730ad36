"""Tables: rows, columns, filters, and Arrow's C interface."""

from __future__ import annotations

import json
import pathlib
import pickle

import pytest

import forebay

CSV = "name,age,score\nann,31,1.5\nbob,27,\ncy,44,9.25\n"


@pytest.fixture
def people(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    return path


def test_rows_and_columns(people: pathlib.Path) -> None:
    t = forebay.open(people)
    assert isinstance(t, forebay.Table)
    assert (t.format, len(t), t.columns) == ("csv", 3, ["name", "age", "score"])
    assert [column.type for column in t.schema] == ["string", "i64", "f64"]
    assert list(t)[1] == {"name": "bob", "age": 27, "score": None}
    assert t.column("score") == [1.5, None, 9.25]
    assert t.head(1) == [{"name": "ann", "age": 31, "score": 1.5}]
    assert list(t.where("age > 30").where("score > 2").select(["name"])) == [{"name": "cy"}]
    assert forebay.open_table(people, types={"age": "string"}).column("age") == ["31", "27", "44"]
    assert pickle.loads(pickle.dumps(t.select(["age"]))).column("age") == [31, 27, 44]
    assert t.where("age > 30").convert(people.with_suffix(".jsonl")).samples == 2
    with pytest.raises(forebay.UsageError):
        t.select(["nope"])
    with pytest.raises(forebay.UsageError):
        t.where("agee > 3")


def test_formats_of_the_corpus_are_read(corpus: pathlib.Path) -> None:
    tbf = forebay.open(corpus / "tbf" / "d_spec_example.tbf")
    assert tbf.format == "tbf" and len(list(tbf)) == len(tbf) > 0
    idv = forebay.open(corpus / "idv" / "row1.idv")
    assert (idv.format, len(idv), len(list(idv))) == ("idv", 1, 1)


def test_a_parquet_file_says_its_rows(people: pathlib.Path) -> None:
    path = people.with_suffix(".parquet")
    forebay.convert(people, path)
    t = forebay.open(path)
    assert (t.format, t._core.rows(), len(t)) == ("parquet", 3, 3)
    assert list(t) == list(forebay.open(people))
    assert "3 rows" in repr(t)


def test_the_stream_is_a_capsule_that_may_be_dropped(people: pathlib.Path) -> None:
    capsule = forebay.open(people).__arrow_c_stream__()
    assert 'capsule object "arrow_array_stream"' in repr(capsule)
    del capsule


def test_arrow_takes_it(people: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    t = forebay.open(people)
    assert pyarrow.schema(t) == t.to_arrow().schema and 'capsule object "arrow_schema"' in repr(t.__arrow_c_schema__())
    table = pyarrow.table(t)
    assert table.to_pylist() == list(t) == t.to_arrow().to_pylist()
    people.write_text(CSV + "dan,x,3\n" * 3)
    with pytest.raises(Exception, match="text.|table."):
        forebay.open_table(people, types={"age": "i64"}).to_arrow()


def test_a_row_that_does_not_fit_is_an_error_with_its_row(people: pathlib.Path) -> None:
    people.write_text(CSV + "dan,x,3\n")
    with pytest.raises(forebay.Error) as e:
        list(forebay.open_table(people, types={"age": "i64"}))
    assert e.value.row is not None and e.value.column == "age"


def test_samples_and_tables_are_not_mixed_up(corpus: pathlib.Path, people: pathlib.Path) -> None:
    with pytest.raises(forebay.Error):
        forebay.open_samples(people)
    with pytest.raises(forebay.Error):
        forebay.open_table(corpus / "tbl" / "n254.tbl")
    with pytest.raises(forebay.UsageError):
        forebay.open(people, header=False, io="read")


def test_notebooks_see_escaped_cells(people: pathlib.Path) -> None:
    people.write_text("a<b>,c\n<script>,1\n")
    shown = forebay.open(people)._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown and "a&lt;b&gt;" in shown
    assert json.dumps(forebay.open(people).head())


def test_floats_are_floats_in_rows_too(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": "NaN", "v": [1.5, "-Infinity"], "s": "NaN"}\n{"x": 1, "v": [], "s": "b"}\n')
    table = forebay.open_table(path, types={"x": "f64", "v": "vector<f32>"})
    first, second = table
    assert first["x"] != first["x"] and first["v"] == [1.5, float("-inf")] and first["s"] == "NaN"
    assert second == {"x": 1.0, "v": [], "s": "b"}
    assert [type(x) for x in table.column("x")] == [float, float]


def test_each_filter_stands_by_itself(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("age\n" + "".join(f"{i}\n" for i in range(100)))
    old = forebay.open(path).where("age > 40 || age > 90")
    assert len(old.where("age < 50 || age > 95")) == 13
    for escape in ("age > 0) || (age > 0", "age >"):
        with pytest.raises(forebay.Error):
            old.where(escape)
        with pytest.raises(forebay.Error):
            forebay.convert(old, tmp_path / "b.csv", where=escape)
