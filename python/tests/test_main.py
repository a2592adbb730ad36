"""The package's command, which is that of cargo: what it prints and what it answers with."""

from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import time
import urllib.request
from typing import Any

import pytest

from conftest import numbered
from forebay.__main__ import main


@pytest.fixture
def tbl(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> str:
    numbered(tmp_path / "a.tar", 7)
    assert main(["convert", str(tmp_path / "a.tar"), str(tmp_path / "a.tbl"), "--verify", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["samples"] == 7
    return str(tmp_path / "a.tbl")


def test_it_looks_and_makes(tbl: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> list[Any]:
        assert main([*words, "--json"]) == 0, capfd.readouterr().err
        return [json.loads(line) for line in capfd.readouterr().out.splitlines()]

    assert said("inspect", tbl)[0]["format"] == "tbl"
    assert [one["metadata"]["cls"] for one in said("head", tbl, "-n", "2", "--where", "cls > 3")] == [4, 5]
    assert said("check", tbl, "--decode")[0]["decoded"] == 7
    assert said("convert", tbl, str(tmp_path / "c.csv"), "--columns", "name,cls", "--where", "cls < 2")[0]["rows"] == 2
    assert (tmp_path / "c.csv").read_text().splitlines() == ["name,cls", "00000.bmp,0", "00001.bmp,1"]


def test_exit_codes_are_those_of_the_command(tbl: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", tbl, "--where", "widht > 3"]) == 2
    assert "width" in capfd.readouterr().err
    data = bytearray(pathlib.Path(tbl).read_bytes())
    data[-30] ^= 255
    (tmp_path / "damaged.tbl").write_bytes(data)
    assert main(["check", tbl, str(tmp_path / "damaged.tbl")]) == 1
    (tmp_path / "x.bin").write_bytes(b"nothing that is known")
    assert [main(["inspect", str(tmp_path / "x.bin")]), main(["nope"]), main(["--version"])] == [3, 2, 0]


def test_it_runs_as_a_module(tbl: str) -> None:
    done = subprocess.run([sys.executable, "-m", "forebay", "inspect", "--json", tbl], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["samples"] == 7
    read, write = __import__("os").pipe()
    __import__("os").close(read)
    ended = subprocess.run([sys.executable, "-m", "forebay", "head", tbl], stdout=write, stderr=subprocess.PIPE)
    assert ended.returncode == 0 and ended.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_viewer_is_served_until_ctrl_c(tbl: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("<head></head>the page")
    monkeypatch.setenv("FOREBAY_VIEWER", str(tmp_path))
    words = [sys.executable, "-m", "forebay", "serve", "--port", "0", "--no-token", "--json", tbl]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        url = json.loads(served.stdout.readline())["url"].partition("#")[0]
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert b"the page" in answer.read()
        begun = time.monotonic()
        served.send_signal(signal.SIGINT)
        assert served.wait(60) == 0 and time.monotonic() - begun < 30
