"""The widget of notebooks: what the kernel answers. What the page shows is held by the tests of the viewer."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

from conftest import ROOT


pytest.importorskip("anywidget")


@pytest.fixture
def site(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A built page, as far as the widget looks at it."""
    folder = tmp_path / "site"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("")
    (folder / "widget.js").write_text("export default { render() {} };")
    (folder / "assets" / "forebay-0a1b.wasm").write_bytes(b"module")
    (folder / "assets" / "worker-Cq.js").write_bytes(b"part")
    (folder / "assets" / "worker-Bs.js").write_bytes(b"the whole")
    monkeypatch.setenv("FOREBAY_VIEWER", str(folder))
    return folder


def asked(viewer: Any, monkeypatch: pytest.MonkeyPatch, question: Any) -> tuple[Any, ...] | None:
    """What the kernel answers to a question of the page."""
    said: list[tuple[Any, ...]] = []
    monkeypatch.setattr(viewer, "send", lambda content, buffers=None: said.append((content, buffers)))
    viewer._answer(viewer, question, [])
    return said[0] if said else None


def test_bytes_of_the_dataset_and_of_the_page_are_given(
    site: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from forebay.widget import Viewer

    path = tmp_path / "a.csv"
    path.write_bytes(b"id\n1\n2\n")
    viewer = Viewer(str(path), filter="id > 1", height=300)
    assert (viewer._name, viewer._bytes, viewer.filter, viewer.height) == ("a.csv", 7, "id > 1", 300)
    read = {"kind": "read", "id": "q", "start": 3, "end": 5}
    assert asked(viewer, monkeypatch, read) == ({"id": "q"}, [b"1\n"])
    for name, expected in [("forebay.wasm", b"module"), ("worker.js", b"the whole")]:
        question = {"kind": "asset", "id": "q", "name": name}
        assert asked(viewer, monkeypatch, question) == ({"id": "q"}, [expected])


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "read", "start": 0, "end": 8},
        {"kind": "read", "start": -1, "end": 3},
        {"kind": "read", "start": 3, "end": 2},
        {"kind": "read", "start": "0", "end": 3},
        {"kind": "asset", "name": "../index.html"},
        {"kind": "asset", "name": "tables.wasm"},
        {"kind": "asset"},
        {},
    ],
)
def test_what_is_asked_wrongly_is_refused_in_words(
    site: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, question: dict[str, Any]
) -> None:
    from forebay.widget import Viewer

    path = tmp_path / "a.csv"
    path.write_bytes(b"id\n1\n2\n")
    answer = asked(Viewer(str(path)), monkeypatch, {**question, "id": "q"})
    assert answer is not None and answer[0]["error"] and answer[1] is None
    assert asked(Viewer(str(path)), monkeypatch, [question]) is None


def test_a_package_without_the_widget_says_so(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import forebay
    from forebay.widget import Viewer

    (site / "widget.js").unlink()
    path = tmp_path / "a.csv"
    path.write_bytes(b"id\n1\n")
    with pytest.raises(forebay.UnsupportedError, match="without the viewer's widget"):
        Viewer(str(path))


def test_the_example_of_the_readme_runs(
    site: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(b"id\n1\n2\n")
    [example] = re.findall(r"^```python\n(.*?)^```", (ROOT / "www/viewer/README.md").read_text(), re.S | re.M)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["viewer"].filter == "id > 1" and names["viewer"].picked == []
