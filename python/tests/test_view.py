"""The viewer's server: ranges, to whoever has the address, until it is closed."""

from __future__ import annotations

import base64
import http.client
import pathlib
import subprocess
import sys
import types
from urllib.parse import urlsplit

import pytest

import forebay
from conftest import numbered


@pytest.fixture
def page(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    site = tmp_path / "site"
    (site / "assets").mkdir(parents=True)
    (site / "index.html").write_text("<html><head></head><body>viewer</body></html>")
    (site / "assets" / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setenv("FOREBAY_VIEWER", str(site))
    return site


@pytest.fixture
def tar(tmp_path: pathlib.Path) -> pathlib.Path:
    return numbered(tmp_path / "a b#.tar", 9)


def ask(view: forebay.View, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    address = urlsplit(view.url)
    line = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
    line.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    found = (answer.status, dict(answer.getheaders()), answer.read())
    line.close()
    return found


def test_ranges_are_served_to_who_has_the_address(page: pathlib.Path, tar: pathlib.Path) -> None:
    data = tar.read_bytes()
    with forebay.view(forebay.open(tar), open=False) as view:
        base = urlsplit(view.url).path
        assert urlsplit(view.url).fragment == "file=data/a%20b%23.tar"
        status, headers, body = ask(view, base)
        assert status == 200 and b'rel="forebay-files"' in body
        assert "script-src 'self'" in headers["Content-Security-Policy"] and "unsafe-inline" not in str(headers)
        assert b"a%20b%23.tar" in ask(view, base + "files.json")[2]
        assert ask(view, base + "assets/a.js")[1]["Content-Type"] == "text/javascript; charset=utf-8"
        place = base + "data/a%20b%23.tar"
        status, headers, body = ask(view, place)
        assert (status, body) == (200, data)
        for asked, start, end in (("bytes=0-0", 0, 1), ("bytes=100-199", 100, 200), ("bytes=-7", len(data) - 7, len(data))):
            status, part, body = ask(view, place, Range=asked, If_Range=headers["ETag"])
            assert (status, body, part["Content-Range"]) == (206, data[start:end], f"bytes {start}-{end - 1}/{len(data)}")
        assert ask(view, place, Range="bytes=0-4", If_Range='"other"')[0] == 200
        assert ask(view, place, Range=f"bytes={len(data)}-")[0] == 416
        status, headers, body = ask(view, place, "HEAD")
        assert (status, headers["Content-Length"], body) == (200, str(len(data)), b"")
        assert ask(view, place, "POST")[0] == 405


def test_strangers_are_sent_away(page: pathlib.Path, tar: pathlib.Path) -> None:
    with forebay.view(tar, open=False) as view:
        base = urlsplit(view.url).path
        for path in ("/", "/index.html", "/data/a%20b%23.tar", "/x/files.json", base[:-2] + "/", "//"):
            assert ask(view, path)[0] == 401, path
        for path in ("../secret.txt", "%2e%2e/secret.txt", "data/../../secret.txt", "/etc/passwd", "data/", "assets"):
            assert ask(view, base + path)[0] == 404, path
        assert ask(view, base, Host="evil.example")[0] == 403
        assert ask(view, base, Host="localhost:1")[0] == 200


def test_it_ends_when_it_is_closed_or_the_process_does(page: pathlib.Path, tar: pathlib.Path) -> None:
    view = forebay.view(tar, open=False)
    assert view.url in view._repr_html_() and "<iframe" in view._repr_html_()
    view.close()
    view.close()
    assert "closed" in repr(view) and "iframe" not in view._repr_html_()
    with pytest.raises(OSError):
        ask(view, "/")
    code = f"import forebay; print(forebay.view({str(tar)!r}, open=False).url)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("http://127.0.0.1:"), done.stderr


def test_what_it_does_not_show_is_said(
    page: pathlib.Path, tar: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.bmp").write_bytes(b"BM")
    with pytest.raises(forebay.UnsupportedError, match="folders"):
        forebay.view(tmp_path / "pictures")
    with forebay.view(forebay.open(tar.read_bytes()), open=False) as view:
        assert ask(view, urlsplit(view.url).path + "data/dataset", Range="bytes=0-4")[0] == 206
    monkeypatch.delenv("FOREBAY_VIEWER")
    if not (pathlib.Path(forebay.__file__).parent / "_viewer.br").exists():
        with pytest.raises(forebay.UnsupportedError) as e:
            forebay.view(tar)
        assert e.value.code == "serve.no_viewer"


#: What scripts/lib/page.mjs makes of three small files; its own test says that it does.
PACKED = base64.b64decode(
    "iyWAW1siYXNzZXRzL2Eud2FzbSIsNl0sWyJpbmRleC5odG1sIiw5XSxbIndpZGdldC5qcyIsNl1dCm1vZHVsZTxwPmhpPC9wPnNjcmlwdAM="
)


def test_the_page_of_a_wheel_is_one_packed_file() -> None:
    from forebay import _forebay
    from forebay._page import Page

    page = Page.packed(PACKED)
    assert page.names() == ["assets/a.wasm", "index.html", "widget.js"]
    assert [page.read(name) for name in page.names()] == [b"module", b"<p>hi</p>", b"script"]
    assert page.read("assets") is None and page.read("../index.html") is None and "a.wasm" not in page
    for damaged in (PACKED[:-1], PACKED[:30], b"", b"no Brotli at all"):
        with pytest.raises(forebay.IoError, match="damaged"):
            Page.packed(damaged)
    plain = _forebay.unpacked(PACKED, 76)
    assert len(plain) == 76
    with pytest.raises(forebay.UsageError, match="more than 75 bytes"):
        _forebay.unpacked(PACKED, 75)


def test_a_notebook_without_ports_gets_the_widget(monkeypatch: pytest.MonkeyPatch, tar: pathlib.Path) -> None:
    widget = types.ModuleType("forebay.widget")
    widget.Viewer = lambda source, height: (source, height)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "forebay.widget", widget)
    assert forebay.view(tar, height=300, kernel=True) == (tar, 300)
    monkeypatch.setattr("forebay._view._in_notebook", lambda: True)
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/a/")
    assert forebay.view(tar) == (tar, 640)
